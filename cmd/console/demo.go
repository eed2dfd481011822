package main

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"countersign/internal/model"
	"countersign/internal/provider"
	"countersign/internal/provider/sandbox"
	"countersign/internal/provider/sandbox/server"
)

// demoCommand is the whole product with sample people and sample work.
type demoCommand struct {
	logging
	Addr  addressSetting `default:"127.0.0.1:8080" help:"Where to listen, host:port; port 0 picks a free one."`
	Data  string         `type:"path" default:"countersign-demo" help:"Directory of the demo's files; a second start goes on with them."`
	Empty bool           `help:"Make people, but no sample work."`
	JSON  bool           `name:"json" help:"Print one JSON line on standard output when ready."`
}

// demoWorkers is how many effects the demo has under way at once.
const demoWorkers = 8

// demo is a running demo: the app, and the sandbox provider on a socket of its own.
type demo struct {
	*app
	command *demoCommand
	sandbox *server.Server
	clock   *demoClock
	keys    demoKeys
	seeding bool // sample work is to be made
	plan    seedPlan
	secret  string // of the sandbox's webhooks, new at every start
	logger  *slog.Logger
}

// Run implements the command.
func (c *demoCommand) Run(ctx context.Context, t terminal) error {
	d, err := openDemo(ctx, c, c.logger(t.err))
	if err != nil {
		return err
	}
	defer d.Close()
	ready, err := d.prepare(ctx)
	if ctx.Err() != nil {
		return ctx.Err() // told to stop; the next start goes on
	}
	if err != nil {
		return err
	}
	if err := d.announce(t, ready); err != nil {
		return err
	}
	return d.app.Run(ctx)
}

// openDemo takes the directory, both ports and the database. Where sample work
// is to be made, time begins on the stage.
func openDemo(ctx context.Context, c *demoCommand, log *slog.Logger) (_ *demo, err error) {
	if err := makeDir(c.Data); err != nil {
		return nil, err
	}
	d := &demo{command: c, clock: &demoClock{}, secret: newWebhookSecret(), logger: log}
	defer func() {
		if err != nil {
			d.Close()
		}
	}()
	if d.seeding, err = c.seeding(); err != nil {
		return nil, err
	}
	if d.seeding {
		if d.plan, err = c.seedPlan(); err != nil {
			return nil, err
		}
		d.clock.stage(d.plan.begins())
	}
	if d.app, err = openApp(ctx, d.config()); err != nil {
		return nil, err
	}
	d.sandbox, err = d.openSandbox()
	return d, err
}

func (d *demo) config() appConfig {
	timing := pace("fast").timing()
	timing.Sweep = 0 // it would find what the stories leave for people to find
	cfg := appConfig{Addr: onThisMachine(d.command.Addr.Value), Workers: demoWorkers, Timing: timing, Logger: d.logger, Clock: d.clock.Now}
	cfg.DB.Value = database("sqlite:" + filepath.Join(d.command.Data, "countersign.db"))
	return cfg
}

// onThisMachine is the address with the loopback host where none is named: a
// demo hands out keys, and is nobody else's business.
func onThisMachine(a address) address {
	if host, port, err := net.SplitHostPort(string(a)); err == nil && host == "" {
		return address(net.JoinHostPort("127.0.0.1", port))
	}
	return a
}

// openSandbox starts the provider on the port that it had before: the frozen
// requests of earlier starts name it.
func (d *demo) openSandbox() (*server.Server, error) {
	portFile := filepath.Join(d.command.Data, "sandbox.port")
	port, err := os.ReadFile(portFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read the sandbox's port: %w", err)
	}
	if err != nil {
		port = []byte("0")
	}
	if n, err := strconv.ParseUint(strings.TrimSpace(string(port)), 10, 16); err != nil {
		return nil, model.Errorf(model.Invalid, "data", "%s holds no port number; put the number back that the frozen requests name, or begin anew in another --data directory", portFile)
	} else {
		port = strconv.AppendUint(nil, n, 10)
	}
	s, err := openSandbox(server.Config{Data: filepath.Join(d.command.Data, sandboxBooks),
		Addr: net.JoinHostPort("127.0.0.1", strings.TrimSpace(string(port))), Pace: pace("fast").factor(), Logger: d.logger, Now: d.clock.Now})
	if err != nil {
		return nil, err
	}
	_, taken, _ := net.SplitHostPort(s.Addr())
	if err := os.WriteFile(portFile, []byte(taken+"\n"), 0o600); err != nil {
		closeSandbox(s, d.logger)
		return nil, fmt.Errorf("keep the sandbox's port: %w", err)
	}
	return s, nil
}

// prepare makes people and sample work, and lets the real time run.
func (d *demo) prepare(ctx context.Context) (readyLine, error) {
	if d.seeding {
		d.log.Staged(stagedBy)
	}
	if err := d.makePeople(ctx); err != nil {
		return readyLine{}, err
	}
	if d.seeding {
		if err := d.seed(ctx); err != nil {
			return readyLine{}, fmt.Errorf("sample work: %w", err)
		}
		d.clock.release()
	}
	if err := d.command.markSeeded(); err != nil {
		return readyLine{}, err
	}
	providers, err := d.providers("fast")
	if err != nil {
		return readyLine{}, err
	}
	if d.Guide, err = d.guide(ctx); err != nil {
		return readyLine{}, err
	}
	if err := d.start(ctx, providers); err != nil {
		return readyLine{}, err
	}
	if err := d.sandbox.SetWebhook(d.url()+"/webhooks/"+bank, d.secret); err != nil {
		return readyLine{}, err
	}
	return d.invite(ctx)
}

// bank is the configured name of the sandbox in the demo.
const bank = "bank"

// providers lets the sandbox serve every operation of every account.
func (d *demo) providers(p pace) (*provider.Registry, error) {
	adapter := sandbox.New(sandbox.Config{Name: bank, URL: d.sandbox.URL(), Secret: d.secret, Pace: p.factor(), Clock: d.clock.Now})
	return provider.NewRegistry(map[string]provider.Adapter{bank: adapter},
		map[string]provider.Routes{provider.AnyAccount: {Payouts: bank, Credits: bank, Disputes: bank, Messages: bank}})
}

// newWebhookSecret makes one for this start: events are signed when they are sent.
func newWebhookSecret() string {
	raw := make([]byte, 32)
	rand.Read(raw) // never fails
	return "whsec_" + base64.StdEncoding.EncodeToString(raw)
}

// Close ends the demo's servers and gives back its files.
func (d *demo) Close() {
	if d.sandbox != nil {
		closeSandbox(d.sandbox, d.logger)
	}
	if d.app != nil {
		if err := d.app.Close(); err != nil {
			d.logger.Warn("closing the database", "err", err)
		}
	}
}

// announce prints what a program or a person needs to go on.
func (d *demo) announce(t terminal, ready readyLine) error {
	if d.command.JSON {
		fmt.Fprintf(t.err, "The sample people's password, asked for again before grave acts: %s\n", ready.password)
		return printJSON(t.out, ready)
	}
	return writeWelcome(t.out, ready, d.command.Data)
}
