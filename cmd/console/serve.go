package main

import (
	"context"
	"errors"

	"countersign/internal/provider"
	"countersign/internal/provider/sandbox"
	"countersign/internal/workflow"
)

// serveCommand is pages, API, webhooks and workers in one process.
type serveCommand struct {
	storage
	logging
	alerting
	machine
	Addr      addressSetting `default:"127.0.0.1:8080" help:"Where to listen, host:port; port 0 picks a free one."`
	Workers   countSetting   `default:"8" help:"Effects and look-ups under way at once; 0 runs none."`
	Providers string         `type:"path" placeholder:"FILE" help:"The providers file (TOML; the README has one to begin with); default none, so that nothing can be sent."`
	Pace      paceSetting    `default:"normal" help:"Waits of the engine: normal, or fast for trials."`
	JSON      bool           `name:"json" help:"Print one JSON line on standard output when ready."`
}

// Run implements the command.
func (c *serveCommand) Run(ctx context.Context, t terminal) (err error) {
	providers, err := loadProviders(c.Providers, c.Pace.Value)
	channels, wrong := c.channels(nil)
	if err := errors.Join(err, wrong); err != nil {
		return err
	}
	a, err := openApp(ctx, appConfig{storage: c.storage, Addr: c.Addr.Value, Workers: int(c.Workers.Value),
		Timing: c.Pace.Value.timing(), Logger: c.logger(t.err), Alerts: channels, PublicURL: string(c.PublicURL.Value), StateDir: c.stateDir()})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	if err := a.start(ctx, providers); err != nil {
		return err
	}
	if err := c.announce(t, a); err != nil {
		return err
	}
	return a.Run(ctx)
}

func (c *serveCommand) announce(t terminal, a *app) error {
	if c.JSON {
		return printJSON(t.out, readyLine{Address: a.url()})
	}
	return t.line("Countersign listens on %s (%s)", a.url(), c.describe())
}

// loadProviders reads the providers file and holds every contract against the
// steps that may be bound to it; without a file no provider is configured.
func loadProviders(path string, p pace) (*provider.Registry, error) {
	if path == "" {
		return provider.NewRegistry(nil, nil)
	}
	reg, err := provider.Load(path, map[string]provider.Constructor{"sandbox": sandbox.Constructor(p.factor())})
	if err != nil {
		return nil, err
	}
	return reg, workflow.CheckContracts(reg)
}
