package main

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"time"

	"countersign/internal/model"
	"countersign/internal/provider/sandbox/server"
)

// sandboxBooks is the file of the sandbox provider within its directory.
const sandboxBooks = "sandbox.db"

// sandboxCommand is the sandbox provider alone.
type sandboxCommand struct {
	logging
	Data          string                   `type:"path" default:"countersign-sandbox" help:"Directory of the books."`
	Addr          addressSetting           `default:"127.0.0.1:9090" help:"Where to listen, host:port; port 0 picks a free one."`
	Retention     spanSetting              `default:"24h" help:"How long a key's result is replayed."`
	Stores        setting[stores, *stores] `default:"all" help:"What is kept under a key: all results, or successes."`
	Settle        spanSetting              `default:"2s" help:"How long an accepted object stays open."`
	Pace          paceSetting              `default:"normal" help:"normal, or fast to divide the sandbox's own waits by 20."`
	Webhook       string                   `placeholder:"URL" help:"Address that events are sent to; default none."`
	WebhookSecret string                   `placeholder:"SECRET" help:"Secret that signs events (whsec_ and base64)."`
	JSON          bool                     `name:"json" help:"Print one JSON line on standard output when ready."`
}

// Run implements the command.
func (c *sandboxCommand) Run(ctx context.Context, t terminal) error {
	log := c.logger(t.err)
	s, err := openSandbox(server.Config{Data: filepath.Join(c.Data, sandboxBooks), Addr: string(c.Addr.Value),
		Retention: time.Duration(c.Retention.Value), Stores: string(c.Stores.Value), Settle: time.Duration(c.Settle.Value),
		Pace: c.Pace.Value.factor(), WebhookURL: c.Webhook, WebhookSecret: c.WebhookSecret, Logger: log})
	if err != nil {
		return err
	}
	defer closeSandbox(s, log)
	if err := c.announce(t, s); err != nil {
		return err
	}
	<-ctx.Done()
	return nil
}

func (c *sandboxCommand) announce(t terminal, s *server.Server) error {
	if c.JSON {
		return printJSON(t.out, readyLine{Address: s.URL()})
	}
	return t.line("Sandbox provider listens on %s (books in %s)", s.URL(), filepath.Join(c.Data, sandboxBooks))
}

// openSandbox makes the directory, opens the books and listens. What is wrong
// is for the caller to put right.
func openSandbox(cfg server.Config) (*server.Server, error) {
	if err := makeDir(filepath.Dir(cfg.Data)); err != nil {
		return nil, err
	}
	s, err := server.Open(cfg)
	if err != nil {
		return nil, model.Errorf(model.Invalid, "sandbox", "the sandbox cannot start: %w", err)
	}
	if err := s.Start(); err != nil {
		closeSandbox(s, cfg.Logger)
		if _, ok := errors.AsType[*net.OpError](err); ok {
			return nil, model.Errorf(model.Invalid, "address", "the sandbox cannot listen on %s: %w; free that port or choose another", cfg.Addr, err)
		}
		return nil, err
	}
	return s, nil
}

// closeSandbox cuts what hangs on purpose after a moment.
func closeSandbox(s *server.Server, log *slog.Logger) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if err := s.Close(ctx); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		log.Warn("closing the sandbox", "err", err)
	}
}

// makeDir makes a directory for files that are nobody else's business.
func makeDir(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return model.Errorf(model.Invalid, "data", "the directory %s cannot be made: %w", dir, err)
	}
	probe, err := os.CreateTemp(dir, ".writable-*")
	if err != nil {
		return model.Errorf(model.Invalid, "data", "the directory %s cannot be written to: %w; name another with --data", dir, err)
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}
