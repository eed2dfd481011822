package alert

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	netmail "net/mail"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/wneessen/go-mail"

	"countersign/internal/model"
)

// Server is a mail server and how it is reached.
type Server struct {
	Host     string
	Port     int
	TLS      TLSMode
	User     string // "" signs in as nobody
	Password string
	// Roots are trusted beside the system's when set; tests use it.
	Roots *tls.Config
}

// TLSMode says how the connection to a mail server is kept secret.
type TLSMode string

// The modes.
const (
	StartTLS    TLSMode = "starttls" // asked for, and nothing is sent without it
	ImplicitTLS TLSMode = "implicit" // from the first byte
	NoTLS       TLSMode = "none"     // for a server on this machine
)

// implicitPort is where servers speak TLS from the first byte.
const implicitPort = 465

// ParseServer reads HOST:PORT, smtp://HOST:PORT or smtps://HOST:PORT. Without
// smtps, and but for port 465, STARTTLS is required; a server on this machine
// needs none. ?tls=starttls, implicit or none says it otherwise.
func ParseServer(text string) (s Server, err error) {
	wrong := model.Errorf(model.Invalid, "settings", "must be host:port, smtp://host:port or smtps://host:port, perhaps with ?tls=starttls, implicit or none")
	if !strings.Contains(text, "://") {
		text = "smtp://" + text
	}
	u, err := url.Parse(text)
	if err != nil || u.Hostname() == "" || u.User != nil || u.Path != "" && u.Path != "/" || u.Scheme != "smtp" && u.Scheme != "smtps" {
		return Server{}, wrong
	}
	s = Server{Host: u.Hostname(), TLS: StartTLS}
	port := u.Port()
	if port == "" && u.Scheme == "smtps" {
		port = strconv.Itoa(implicitPort)
	}
	if s.Port, err = strconv.Atoi(port); err != nil || s.Port < 1 || s.Port > 65535 {
		return Server{}, wrong
	}
	switch mode := TLSMode(u.Query().Get("tls")); {
	case mode == StartTLS, mode == ImplicitTLS, mode == NoTLS:
		s.TLS = mode
	case mode != "":
		return Server{}, wrong
	case u.Scheme == "smtps", s.Port == implicitPort:
		s.TLS = ImplicitTLS
	case onThisMachine(s.Host):
		s.TLS = NoTLS
	}
	return s, nil
}

func onThisMachine(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// Mail tells people: plain text, one mail for each alert, or one digest where
// many come at once. The Message-ID is made from the alert's id.
type Mail struct {
	server Server
	from   *netmail.Address
	to     []*netmail.Address
}

const (
	// single is up to how many alerts of a round get a mail each.
	single = 5
	// listed is how many a digest spells out.
	listed = 50
)

// NewMail makes the channel. The error, of kind Invalid, says what is wrong.
func NewMail(server Server, from string, to []string) (*Mail, error) {
	m := &Mail{server: server}
	var err error
	if m.from, err = netmail.ParseAddress(from); err != nil {
		return nil, model.Errorf(model.Invalid, "settings", "the sender of alert mails is not a mail address")
	}
	for _, address := range to {
		parsed, err := netmail.ParseAddress(address)
		if err != nil {
			return nil, model.Errorf(model.Invalid, "settings", "a receiver of alert mails is not a mail address")
		}
		m.to = append(m.to, parsed)
	}
	switch {
	case len(m.to) == 0:
		return nil, model.Errorf(model.Invalid, "settings", "alert mails have no receiver")
	case server.User != "" && server.TLS == NoTLS && !onThisMachine(server.Host):
		return nil, model.Errorf(model.Invalid, "settings", "a password is not sent to another machine without TLS")
	}
	_, err = m.client()
	return m, err
}

func (m *Mail) client() (*mail.Client, error) {
	opts := []mail.Option{mail.WithPort(m.server.Port), mail.WithTimeout(tryLimit), mail.WithoutNoop()}
	switch m.server.TLS {
	case ImplicitTLS:
		opts = append(opts, mail.WithSSL())
	case NoTLS:
		opts = append(opts, mail.WithTLSPolicy(mail.NoTLS))
	default:
		opts = append(opts, mail.WithTLSPolicy(mail.TLSMandatory))
	}
	if m.server.Roots != nil {
		opts = append(opts, mail.WithTLSConfig(m.server.Roots))
	}
	if m.server.User != "" {
		auth := mail.SMTPAuthAutoDiscover
		if m.server.TLS == NoTLS {
			auth = mail.SMTPAuthPlainNoEnc // to this machine only: NewMail has seen to that
		}
		opts = append(opts, mail.WithSMTPAuth(auth), mail.WithUsername(m.server.User), mail.WithPassword(m.server.Password))
	}
	return mail.NewClient(m.server.Host, opts...)
}

// Check reports whether the server can be reached, its TLS holds and it lets us
// sign in. It sends nothing.
func (m *Mail) Check(ctx context.Context) error {
	client, err := m.client()
	if err != nil {
		return err
	}
	if err := client.DialWithContext(ctx); err != nil {
		return err
	}
	return client.Close()
}

// Name implements Channel.
func (m *Mail) Name() string { return "mail" }

// Most implements Channel.
func (m *Mail) Most() int { return 1000 }

// Rest implements Channel: a flood becomes a digest a minute, not a mail each.
func (m *Mail) Rest() time.Duration { return time.Minute }

// Group implements Channel: a few get a mail each, many get one together.
func (m *Mail) Group(round []Notice) (groups [][]Notice) {
	if len(round) > single {
		return [][]Notice{round}
	}
	for i := range round {
		groups = append(groups, round[i:i+1])
	}
	return groups
}

// Send implements Channel.
func (m *Mail) Send(ctx context.Context, group []Notice) error {
	client, err := m.client()
	if err != nil {
		return err
	}
	msg, err := m.write(group)
	if err != nil {
		return err
	}
	if err := client.DialAndSendWithContext(ctx, msg); err != nil {
		return fmt.Errorf("mail: %w", err)
	}
	return nil
}

// write makes the mail of one alert, or the digest of several.
func (m *Mail) write(group []Notice) (*mail.Msg, error) {
	msg := mail.NewMsg()
	msg.FromMailAddress(m.from)
	msg.ToMailAddress(m.to...)
	msg.SetDate()
	msg.SetGenHeader("Auto-Submitted", "auto-generated")
	_, domain, _ := strings.Cut(m.from.Address, "@")
	if len(group) == 1 {
		n := group[0]
		msg.SetMessageIDWithValue(n.ID + "@" + domain)
		msg.Subject(subject(n))
		msg.SetBodyString(mail.TypeTextPlain, letter(n))
		return msg, nil
	}
	msg.SetMessageIDWithValue(fmt.Sprintf("digest-%d-%s@%s", len(group), group[0].ID, domain))
	msg.Subject(fmt.Sprintf("[Countersign] %d alerts at once", len(group)))
	msg.SetBodyString(mail.TypeTextPlain, digest(group))
	return msg, nil
}

// subject says what, where and how much.
func subject(n Notice) string {
	parts := []string{Kind(n.Kind).Title()}
	if n.IntentKind != "" {
		parts = append(parts, n.IntentKind)
	}
	text := "[Countersign] " + strings.Join(parts, ": ")
	if n.Currency != "" {
		text += " of " + model.Money{Amount: n.Amount, Currency: n.Currency}.String()
	}
	if n.Account != "" {
		text += " (" + n.Account + ")"
	}
	return text
}

// letter is the text about one alert.
func letter(n Notice) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n", n.Text)
	row := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "%-10s %s\n", name, value)
		}
	}
	row("Account", n.Account)
	row("Intent", n.IntentID)
	row("Step", n.Step)
	if n.Currency != "" {
		row("Amount", model.Money{Amount: n.Amount, Currency: n.Currency}.String())
	}
	row("Since", n.RaisedAt.Std().Format("2006-01-02 15:04 UTC")+" ("+age(n.age())+" ago)")
	if n.Deadline != 0 {
		row("Decide by", n.Deadline.Std().Format("2006-01-02 15:04 UTC"))
	}
	if n.IntentID != "" {
		row("Owner", owner(n))
	}
	if n.EndedAt != 0 {
		row("Over", "since "+n.EndedAt.Std().Format("2006-01-02 15:04 UTC")+": "+n.EndedBy)
	}
	fmt.Fprintf(&b, "\nLook at it: %s\n\nThere is one mail for each cause; it is not repeated while the cause stands.\nAll alerts: %s\n", n.Link, n.All)
	return b.String()
}

func owner(n Notice) string {
	if n.Owner == "" {
		return "nobody yet: the operators of the account"
	}
	return n.Owner
}

// digest is the text about many alerts: how many of which kind, and the first.
func digest(group []Notice) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d alerts came at once, so they stand in one mail. Each of them is listed by itself here:\n%s\n\n", len(group), group[0].All)
	count := map[Kind]int{}
	for _, n := range group {
		count[Kind(n.Kind)]++
	}
	for _, kind := range Kinds {
		if count[kind] > 0 {
			fmt.Fprintf(&b, "%6d  %s\n", count[kind], kind.Title())
		}
	}
	for i, n := range group {
		if i == listed {
			fmt.Fprintf(&b, "\nand %d more.\n", len(group)-listed)
			break
		}
		fmt.Fprintf(&b, "\n%s\n  %s\n  %s\n", strings.TrimPrefix(subject(n), "[Countersign] "), n.Text, n.Link)
	}
	return b.String()
}

// age is a span as people say it, in one unit.
func age(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "less than a minute"
	case d < 2*time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h", int(d.Hours()))
	}
	return fmt.Sprintf("%d days", int(d.Hours()/24))
}
