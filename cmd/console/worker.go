package main

import "countersign/internal/model"

// workerCommand runs workers beside other processes.
type workerCommand struct {
	storage
	logging
	alerting
	Workers   countSetting `default:"8" help:"Effects and look-ups under way at once."`
	Providers string       `type:"path" placeholder:"FILE" help:"The providers file (TOML)."`
	Pace      paceSetting  `default:"normal" help:"Waits of the engine: normal, or fast for trials."`
	JSON      bool         `name:"json" help:"Print one JSON line on standard output when ready."`
}

// Run refuses: a SQLite file is driven by one process, whose lock tells that
// every earlier one is dead.
func (c *workerCommand) Run() error {
	return model.Errorf(model.Invalid, "database",
		"a SQLite file is driven by one process only, so workers run inside console serve: start that with --workers N")
}
