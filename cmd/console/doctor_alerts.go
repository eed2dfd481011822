package main

import (
	"context"
	"crypto/tls"
	"net"
	"net/url"
	"time"

	"countersign/internal/alert"
)

// alerts checks whether people can be told. It sends nothing.
func (c *doctorCommand) alerts(ctx context.Context) []finding {
	channels, err := c.alerting.channels(nil)
	if err != nil {
		return []finding{sound("alerts", "", err, "correct the settings named")}
	}
	if len(channels) == 0 {
		return []finding{{"alerts", "nobody is told: neither --alert-webhook nor --alert-mail is set; /admin/alerts shows what waits", ""}}
	}
	ctx, cancel := context.WithTimeout(ctx, 15*time.Second)
	defer cancel()
	var list []finding
	for _, channel := range channels {
		if mail, ok := channel.(*alert.Mail); ok {
			list = append(list, sound("alert mail", "the mail server answers and lets us sign in", mail.Check(ctx),
				"see that --smtp names a server that can be reached, that its certificate is valid, and that --smtp-user and --smtp-password are right"))
			continue
		}
		list = append(list, c.hook(ctx))
	}
	return list
}

// hook reaches the receiver of alerts without posting anything to it.
func (c *doctorCommand) hook(ctx context.Context) finding {
	const check = "alert webhook"
	u, err := url.Parse(string(c.AlertWebhook.Value))
	if err != nil {
		return sound(check, "", err, "correct --alert-webhook")
	}
	port := u.Port()
	if port == "" {
		port = u.Scheme // net knows http and https by name
	}
	addr := net.JoinHostPort(u.Hostname(), port)
	var conn net.Conn
	if u.Scheme == "https" {
		conn, err = (&tls.Dialer{}).DialContext(ctx, "tcp", addr)
	} else {
		conn, err = (&net.Dialer{}).DialContext(ctx, "tcp", addr)
	}
	if err != nil {
		return sound(check, "", err, "see that "+addr+" can be reached from here, and that its certificate is valid")
	}
	said := "its receiver can be reached"
	if u.Scheme == "http" {
		said += "; over plain http, so keep it within a network that you trust"
	}
	return sound(check, said, conn.Close(), "try again")
}
