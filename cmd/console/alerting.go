package main

import (
	"context"
	"errors"
	"fmt"
	netmail "net/mail"
	"net/url"
	"strings"
	"time"

	"countersign/internal/alert"
	"countersign/internal/model"
	"countersign/internal/provider"
)

// alerting are the settings of who is told about what waits for people.
type alerting struct {
	AlertWebhook setting[hookAddress, *hookAddress]     `placeholder:"URL" help:"Where alerts are posted, signed by Standard Webhooks; default nowhere."`
	AlertSecret  setting[secret, *secret]               `placeholder:"env:NAME|file:PATH" help:"The secret that signs alerts: whsec_ and base64."`
	AlertMail    setting[mailAddresses, *mailAddresses] `placeholder:"ADDRESS,…" help:"Who gets alerts by mail, parted by commas; default nobody."`
	AlertFrom    setting[mailAddresses, *mailAddresses] `placeholder:"ADDRESS" help:"The sender of alert mails."`
	SMTP         setting[mailServer, *mailServer]       `name:"smtp" placeholder:"HOST:PORT" help:"The mail server for alerts, also as smtp:// or smtps://. STARTTLS is required except on this machine."`
	SMTPUser     string                                 `name:"smtp-user" placeholder:"NAME" help:"The name to sign in with at the mail server; default none."`
	SMTPPassword setting[secret, *secret]               `name:"smtp-password" placeholder:"env:NAME|file:PATH" help:"The password for it."`
	PublicURL    setting[publicURL, *publicURL]         `name:"public-url" placeholder:"URL" help:"Where people reach the console, for links in alerts; default where it listens."`
}

// hookAddress is where alerts are posted.
type hookAddress string

func (h *hookAddress) UnmarshalText(text []byte) error {
	*h = hookAddress(text)
	return alert.CheckWebhookURL(string(text))
}

// secret is the value that env:NAME or file:PATH points to.
type secret string

func (s *secret) UnmarshalText(text []byte) error {
	value, err := provider.ReadSecret(string(text))
	*s = secret(value)
	return err
}

// mailAddresses are addresses, parted by commas.
type mailAddresses []string

func (m *mailAddresses) UnmarshalText(text []byte) error {
	list, err := netmail.ParseAddressList(string(text))
	if err != nil {
		return errors.New("must be mail addresses, parted by commas")
	}
	*m = nil
	for _, a := range list {
		*m = append(*m, a.String())
	}
	return nil
}

// mailServer is where mail is handed in.
type mailServer struct{ alert.Server }

func (m *mailServer) UnmarshalText(text []byte) (err error) {
	m.Server, err = alert.ParseServer(string(text))
	return err
}

// publicURL is an address without path.
type publicURL string

func (p *publicURL) UnmarshalText(text []byte) error {
	*p = publicURL(strings.TrimRight(string(text), "/"))
	u, err := url.Parse(string(*p))
	if err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" || u.Path+u.RawQuery+u.Fragment != "" || u.User != nil {
		return errors.New("must be http or https and a host, without a path")
	}
	return nil
}

// channels makes the ways of telling people that are set, or says everything
// that is wrong with them.
func (a alerting) channels(clock func() time.Time) (list []alert.Channel, err error) {
	var faults []error
	add := func(c alert.Channel, err error) {
		if err != nil {
			faults = append(faults, err)
			return
		}
		list = append(list, c)
	}
	if a.AlertWebhook.Value != "" {
		add(alert.NewWebhook(string(a.AlertWebhook.Value), string(a.AlertSecret.Value), clock))
	} else if a.AlertSecret.Value != "" {
		faults = append(faults, errors.New("--alert-secret signs nothing without --alert-webhook"))
	}
	if a.wantsMail() {
		add(a.mail())
	}
	if len(faults) > 0 {
		return nil, model.Errorf(model.Invalid, "settings", "%w", errors.Join(faults...))
	}
	return list, nil
}

func (a alerting) wantsMail() bool {
	return len(a.AlertMail.Value) > 0 || len(a.AlertFrom.Value) > 0 || a.SMTP.Value.Host != "" || a.SMTPUser != "" || a.SMTPPassword.Value != ""
}

// mail makes the mail channel; what is missing is named by its flag.
func (a alerting) mail() (*alert.Mail, error) {
	var faults []error
	need := func(missing bool, flag, what string) {
		if missing {
			faults = append(faults, fmt.Errorf("--%s: alert mails need %s", flag, what))
		}
	}
	need(len(a.AlertMail.Value) == 0, "alert-mail", "somebody who gets them")
	need(len(a.AlertFrom.Value) != 1, "alert-from", "one address that they come from")
	need(a.SMTP.Value.Host == "", "smtp", "a mail server")
	need((a.SMTPUser == "") != (a.SMTPPassword.Value == ""), "smtp-user", "a name and --smtp-password, or neither")
	if len(faults) > 0 {
		return nil, errors.Join(faults...)
	}
	server := a.SMTP.Value.Server
	server.User, server.Password = a.SMTPUser, string(a.SMTPPassword.Value)
	return alert.NewMail(server, a.AlertFrom.Value[0], a.AlertMail.Value)
}

// alertSender is who raises overdue work and tells people.
func (a *app) alertSender() *alert.Sender {
	public := a.PublicURL
	if public == "" && a.listener != nil {
		public = a.url()
	}
	return alert.New(alert.Config{DB: a.db, Channels: a.Alerts, PublicURL: public, Logger: a.Logger, Clock: a.Clock,
		Conditions: []alert.Condition{{Kind: alert.AuditTrouble, Check: a.auditTrouble}, {Kind: alert.ClockOff, Check: a.clockTrouble}}})
}

// waitsLong is for how long an audit entry may wait for its number.
const waitsLong = time.Minute

// auditTrouble says what keeps the audit log from being complete, in whichever
// process that is: what is not numbered there waits here.
func (a *app) auditTrouble(ctx context.Context) string {
	if err := a.log.Trouble().Err(); err != nil {
		return "The audit log is not complete: " + err.Error()
	}
	waiting, err := a.log.Waiting(ctx)
	if err != nil || waiting.Count == 0 || a.db.Now().Sub(waiting.Oldest) < waitsLong {
		return ""
	}
	return fmt.Sprintf("%d audit entries wait for their number, the oldest since %s.", waiting.Count, waiting.Oldest)
}

// clockTrouble says why the clock is not trusted.
func (a *app) clockTrouble(context.Context) string {
	if err := a.engine.ClockFault(); err != nil {
		return "The clock cannot be trusted: " + err.Error() + "."
	}
	return ""
}

// alertChannels names the ways in which people are told.
func (a *app) alertChannels() (names []string) {
	for _, channel := range a.Alerts {
		names = append(names, channel.Name())
	}
	return names
}
