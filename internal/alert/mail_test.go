package alert_test

import (
	"bufio"
	"fmt"
	"io"
	"mime"
	"mime/quotedprintable"
	"net"
	netmail "net/mail"
	"strings"
	"sync"
	"testing"
	"time"

	"countersign/internal/alert"
)

// postOffice is a small SMTP server on a real socket.
type postOffice struct {
	listener net.Listener
	mu       sync.Mutex
	refuse   bool // every mail, for now
	mails    []string
}

func newPostOffice(t *testing.T) *postOffice {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &postOffice{listener: listener}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go p.serve(conn)
		}
	}()
	return p
}

// serve speaks as much of RFC 5321 as one sender needs.
func (p *postOffice) serve(conn net.Conn) {
	defer conn.Close()
	in := bufio.NewReader(conn)
	say := func(line string) { fmt.Fprint(conn, line+"\r\n") }
	say("220 post office")
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		switch verb, _, _ := strings.Cut(strings.ToUpper(strings.TrimSpace(line)), " "); verb {
		case "EHLO", "HELO":
			say("250 post office")
		case "DATA":
			say("354 go on")
			if p.keep(readMail(in)) {
				say("250 kept")
			} else {
				say("451 not now")
			}
		case "QUIT":
			say("221 bye")
			return
		default:
			say("250 ok")
		}
	}
}

func readMail(in *bufio.Reader) string {
	var text strings.Builder
	for {
		line, err := in.ReadString('\n')
		if err != nil || line == ".\r\n" {
			return text.String()
		}
		text.WriteString(strings.TrimPrefix(line, "."))
	}
}

func (p *postOffice) keep(text string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.refuse {
		p.mails = append(p.mails, text)
	}
	return !p.refuse
}

func (p *postOffice) refusing(yes bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refuse = yes
}

// read parses the mails received so far: headers and plain text.
func (p *postOffice) read(t *testing.T) (list []*netmail.Message, texts []string) {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, raw := range p.mails {
		m, err := netmail.ReadMessage(strings.NewReader(raw))
		if err != nil {
			t.Fatalf("%v in\n%s", err, raw)
		}
		text, err := io.ReadAll(quotedprintable.NewReader(m.Body))
		if err != nil {
			t.Fatal(err)
		}
		list, texts = append(list, m), append(texts, strings.ReplaceAll(string(text), "\r\n", "\n"))
	}
	return list, texts
}

func (w *world) mail(p *postOffice) *alert.Mail {
	w.Helper()
	server, err := alert.ParseServer(p.listener.Addr().String())
	if err != nil {
		w.Fatal(err)
	}
	m, err := alert.NewMail(server, "Countersign <alerts@example.com>", []string{"desk@example.com"})
	if err != nil {
		w.Fatal(err)
	}
	return m
}

func TestMailSaysWhatWaits(t *testing.T) {
	w, p := newWorld(t), newPostOffice(t)
	cause := reviews(1)[0]
	cause.Deadline = w.deadline(24 * time.Hour)
	w.raise(cause)
	s := w.sender(w.mail(p))
	p.refusing(true)
	w.round(s)
	if d := w.deliveries()[0]; d.DeliveredAt != 0 || !strings.Contains(d.LastError, "451") {
		t.Fatalf("refused by the server: %+v", d)
	}
	p.refusing(false)
	w.clock.add(2 * time.Hour)
	w.round(s)
	mails, texts := p.read(t)
	if len(mails) != 1 {
		t.Fatalf("%d mails", len(mails))
	}
	if id := mails[0].Header.Get("Message-Id"); id != "<"+w.alerts()[0].ID+"@example.com>" {
		t.Errorf("Message-ID %s", id)
	}
	subject, _ := new(mime.WordDecoder).DecodeHeader(mails[0].Header.Get("Subject"))
	if subject != "[Countersign] needs review of 1,250.50 USD (acme)" {
		t.Errorf("subject %q", subject)
	}
	for _, want := range []string{"insufficient funds", "https://console.example/intents/intent-0000", "(2 h ago)", "Decide by  2026-11-28 09:00 UTC", "nobody yet"} {
		if !strings.Contains(texts[0], want) {
			t.Errorf("the mail does not say %q:\n%s", want, texts[0])
		}
	}
}

func TestAFloodIsOneDigest(t *testing.T) {
	w, p := newWorld(t), newPostOffice(t)
	w.raise(reviews(1000)...)
	s := w.sender(w.mail(p))
	for range 5 {
		w.round(s)
		w.clock.add(2 * time.Minute)
	}
	mails, texts := p.read(t)
	if len(mails) > 3 || len(w.alerts()) != 1000 {
		t.Fatalf("%d mails about %d alerts", len(mails), len(w.alerts()))
	}
	for _, d := range w.deliveries() {
		if d.DeliveredAt == 0 {
			t.Fatalf("not delivered: %+v", d)
		}
	}
	if !strings.Contains(texts[0], "came at once, so they stand in one mail") || !strings.Contains(texts[0], "needs review") {
		t.Errorf("the digest does not say what it is:\n%.600s", texts[0])
	}
}

// What a provider or a person wrote can neither forge a line nor a header.
func TestReasonsCannotForge(t *testing.T) {
	w, p := newWorld(t), newPostOffice(t)
	cause := reviews(1)[0]
	cause.Account = "acme"
	cause.Text = "no\r\nBcc: thief@example.com\r\n\r\n<script>alert(1)</script>\x00\u202elevel=ERROR"
	w.raise(cause)
	w.round(w.sender(w.mail(p)))
	if text := w.alerts()[0].Text; text != "no Bcc: thief@example.com <script>alert(1)</script> level=ERROR" {
		t.Errorf("kept as %q", text)
	}
	mails, _ := p.read(t)
	if len(mails) != 1 || mails[0].Header.Get("Bcc") != "" || !strings.HasPrefix(mails[0].Header.Get("Content-Type"), "text/plain") {
		t.Errorf("mail %+v", mails)
	}
}

func TestServersAreRead(t *testing.T) {
	for text, want := range map[string]alert.Server{
		"mail.example.com:587":                       {Host: "mail.example.com", Port: 587, TLS: alert.StartTLS},
		"mail.example.com:465":                       {Host: "mail.example.com", Port: 465, TLS: alert.ImplicitTLS},
		"smtps://mail.example.com":                   {Host: "mail.example.com", Port: 465, TLS: alert.ImplicitTLS},
		"smtp://mail.example.com:25?tls=none":        {Host: "mail.example.com", Port: 25, TLS: alert.NoTLS},
		"127.0.0.1:1025":                             {Host: "127.0.0.1", Port: 1025, TLS: alert.NoTLS},
		"smtp://localhost:1025?tls=starttls":         {Host: "localhost", Port: 1025, TLS: alert.StartTLS},
		"smtp://[2001:db8::1]:587/":                  {Host: "2001:db8::1", Port: 587, TLS: alert.StartTLS},
		"smtps://mail.example.com:4650?tls=implicit": {Host: "mail.example.com", Port: 4650, TLS: alert.ImplicitTLS},
	} {
		if got, err := alert.ParseServer(text); err != nil || got != want {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "mail", "mail:0", "mail:99999", "http://mail:25", "smtp://u:p@mail:25", "smtp://mail:25?tls=maybe", "smtp://mail:25/path"} {
		if got, err := alert.ParseServer(text); err == nil {
			t.Errorf("%q was taken: %+v", text, got)
		}
	}
}

func TestPasswordsNeedTLS(t *testing.T) {
	far := alert.Server{Host: "mail.example.com", Port: 25, TLS: alert.NoTLS, User: "u", Password: "p"}
	if _, err := alert.NewMail(far, "a@example.com", []string{"b@example.com"}); err == nil {
		t.Error("a password would be sent in the open")
	}
}
