package server

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// What a Config may say in Stores.
const (
	// StoresAll keeps the result of every executed request under its key,
	// refusals and a 500 after acting included.
	StoresAll = "all"
	// StoresSuccesses keeps 2xx results only, so that a repeat of anything
	// else executes again.
	StoresSuccesses = "successes"
)

// Config says how one sandbox behaves. Zero values take the defaults named.
type Config struct {
	// Data is the path of the SQLite file with the books; it is made if it
	// is not there.
	Data string
	// Addr is the address to listen on; default 127.0.0.1:0, where port 0
	// picks a free one.
	Addr string
	// Retention is how long a stored result is replayed, counted from when
	// it was stored; default 24 hours. Pace never shortens it.
	Retention time.Duration
	// Stores is StoresAll (default) or StoresSuccesses.
	Stores string
	// Settle is how long an accepted object stays open; default 2 seconds.
	Settle time.Duration
	// Pace divides the sandbox's own waits (settlement, look-up delays,
	// webhook backoff, faults armed without ms); default 1.
	Pace int
	// WebhookURL is where events go; without one they wait in the outbox.
	WebhookURL string
	// WebhookSecret signs events (Standard Webhooks, whsec_ and base64).
	WebhookSecret string
	// Logger receives the sandbox's log; default slog.Default().
	Logger *slog.Logger
	// Now is the sandbox's clock; default time.Now. It is read concurrently.
	Now func() time.Time
}

func (c Config) withDefaults() Config {
	if c.Addr == "" {
		c.Addr = "127.0.0.1:0"
	}
	if c.Retention == 0 {
		c.Retention = 24 * time.Hour
	}
	if c.Stores == "" {
		c.Stores = StoresAll
	}
	if c.Settle == 0 {
		c.Settle = 2 * time.Second
	}
	if c.Pace == 0 {
		c.Pace = 1
	}
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	return c
}

// validate names every wrong setting at once.
func (c Config) validate() error {
	var faults []error
	wrong := func(bad bool, format string, args ...any) {
		if bad {
			faults = append(faults, fmt.Errorf(format, args...))
		}
	}
	_, _, err := net.SplitHostPort(c.Addr)
	wrong(c.Data == "", "data: the path of the books is missing")
	wrong(err != nil, "addr %q: must be host:port", c.Addr)
	wrong(c.Retention < 0, "retention %s: must be positive", c.Retention)
	wrong(c.Settle < 0, "settle %s: must be positive", c.Settle)
	wrong(c.Pace < 0, "pace %d: must be at least 1", c.Pace)
	wrong(c.Stores != StoresAll && c.Stores != StoresSuccesses,
		"stores %q: must be %q or %q", c.Stores, StoresAll, StoresSuccesses)
	if err := checkWebhook(c.WebhookURL, c.WebhookSecret); err != nil {
		faults = append(faults, err)
	}
	return errors.Join(faults...)
}

// pause is a wait of the sandbox's own, shortened by the pace.
func (c Config) pause(d time.Duration) time.Duration { return d / time.Duration(c.Pace) }

func newSigner(secret string) (*standardwebhooks.Webhook, error) {
	signer, err := standardwebhooks.NewWebhook(secret)
	if err != nil || secret == "" {
		return nil, errors.New("webhook secret: must be base64, with or without the prefix whsec_")
	}
	return signer, nil
}
