package main

import (
	"context"
	"errors"

	"countersign/internal/model"
)

// workerCommand runs workers beside other processes.
type workerCommand struct {
	storage
	logging
	alerting
	machine
	Addr      addressSetting `placeholder:"HOST:PORT" help:"Where monitors find /healthz, /readyz and /metrics of this process; default nowhere."`
	Workers   countSetting   `default:"8" help:"Effects and look-ups under way at once."`
	Providers string         `type:"path" placeholder:"FILE" help:"The providers file (TOML), the same for every process on one database."`
	Pace      paceSetting    `default:"normal" help:"Waits of the engine: normal, or fast for trials."`
	JSON      bool           `name:"json" help:"Print one JSON line on standard output when ready."`
}

// Run implements the command. A SQLite file is driven by one process, whose lock
// tells that every earlier one is dead.
func (c *workerCommand) Run(ctx context.Context, t terminal) (err error) {
	switch {
	case !c.DB.Value.shared():
		return model.Errorf(model.Invalid, "database",
			"a SQLite file is driven by one process only, so workers run inside console serve: start that with --workers N, or use PostgreSQL")
	case c.Workers.Value == 0:
		return model.Errorf(model.Invalid, "workers", "--workers 0 leaves nothing to do: say how many effects may be under way at once")
	}
	providers, err := loadProviders(c.Providers, c.Pace.Value)
	channels, wrong := c.channels(nil)
	if err := errors.Join(err, wrong); err != nil {
		return err
	}
	if len(channels) > 0 && c.PublicURL.Value == "" {
		return model.Errorf(model.Invalid, "settings", "--public-url: a worker has no pages, so say where its alerts are to lead")
	}
	a, err := openApp(ctx, appConfig{storage: c.storage, Addr: c.Addr.Value, Probes: true, Workers: int(c.Workers.Value), Timing: c.Pace.Value.timing(),
		Logger: c.logger(t.err), Alerts: channels, PublicURL: string(c.PublicURL.Value), StateDir: c.stateDir()})
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

func (c *workerCommand) announce(t terminal, a *app) error {
	if c.JSON {
		line := readyLine{}
		if a.listener != nil {
			line.Address = a.url()
		}
		return printJSON(t.out, line)
	}
	return t.line("Countersign works with %d workers (%s)", c.Workers.Value, c.describe())
}
