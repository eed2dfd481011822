package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/alecthomas/kong"

	"countersign/internal/audit"
	"countersign/internal/model"
)

// terminal is what a command reads and writes.
type terminal struct {
	in       io.Reader
	out, err io.Writer
}

// line prints one line of a command's result.
func (t terminal) line(format string, args ...any) error {
	_, err := fmt.Fprintf(t.out, format+"\n", args...)
	return err
}

// commands are all that the program can do.
type commands struct {
	Demo          demoCommand          `cmd:"" help:"The whole product on SQLite with the sandbox provider and sample work."`
	Serve         serveCommand         `cmd:"" help:"Pages, API, webhooks and workers in one process."`
	Worker        workerCommand        `cmd:"" help:"Workers only, beside other processes, on any number of machines (PostgreSQL)."`
	Sandbox       sandboxCommand       `cmd:"" help:"The sandbox provider alone."`
	User          userCommands         `cmd:"" help:"People who sign in."`
	APIKey        apikeyCommands       `cmd:"" name:"apikey" help:"Keys of programs."`
	Audit         auditCommands        `cmd:"" help:"Export and verify the audit log."`
	ReconcileFile reconcileFileCommand `cmd:"" help:"Set a bank's file beside the steps of an account, and change nothing."`
	Migrate       migrateCommand       `cmd:"" help:"Bring the schema of the database up to date."`
	Backup        backupCommand        `cmd:"" help:"Copy the database while it is used, marked as a copy that starts under a restore hold."`
	Doctor        doctorCommand        `cmd:"" help:"Check configuration, database, providers, clock and log."`
}

// Exit codes. exitUsage is for what the caller can put right, exitPerson for a
// command that did its work and found some that is a person's.
const (
	exitFailed = 1
	exitUsage  = 2
	exitPerson = 3
)

// errPerson ends a command with exitPerson; what is to be done it has said itself.
var errPerson = errors.New("something needs a person")

const description = `Countersign: every step of a payout, statement or dispute with its durable key,
what is confirmed, what is uncertain, and who may decide about it. To look
around, run console demo.

Each setting is a flag, else the environment variable named behind it, else its
default, which is shown behind the flag's =.`

// run carries out one command line and gives the exit code.
func run(ctx context.Context, args []string, t terminal) int {
	var c commands
	exited := -1
	parser, err := kong.New(&c, kong.Name("console"), kong.Description(description), kong.Writers(t.out, t.err),
		kong.DefaultEnvars("COUNTERSIGN"), kong.Exit(func(code int) { exited = code }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}))
	if err != nil {
		return report(t, err)
	}
	parsed, err := parser.Parse(args)
	if exited >= 0 { // --help was answered
		return exited
	}
	if err != nil {
		return report(t, model.Errorf(model.Invalid, "usage", "%w", err))
	}
	if err := faultsIn(parsed); err != nil {
		return report(t, err)
	}
	parsed.BindTo(ctx, (*context.Context)(nil))
	err = parsed.Run(t)
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		err = nil // told to stop before it was ready
	}
	return report(t, err)
}

// faultsIn gives every wrong setting of the chosen command at once.
func faultsIn(parsed *kong.Context) error {
	var faults []error
	for _, value := range settingsOf(parsed) {
		if s, ok := value.Target.Addr().Interface().(interface{ wrong() error }); ok && s.wrong() != nil {
			faults = append(faults, fmt.Errorf("%s: %w", value.ShortSummary(), s.wrong()))
		}
	}
	if len(faults) == 0 {
		return nil
	}
	return model.Errorf(model.Invalid, "settings", "%w", errors.Join(faults...))
}

// settingsOf are the flags and arguments of the chosen command.
func settingsOf(parsed *kong.Context) (list []*kong.Value) {
	for _, flag := range parsed.Flags() {
		list = append(list, flag.Value)
	}
	if node := parsed.Selected(); node != nil {
		list = append(list, node.Positional...)
	}
	return list
}

// report says an error a line per fault, and gives the exit code that fits it.
func report(t terminal, err error) int {
	if err == nil {
		return 0
	}
	if errors.Is(err, errPerson) {
		return exitPerson
	}
	for _, line := range faultLines(err) {
		fmt.Fprintf(t.err, "console: %s\n", line)
	}
	if _, tampered := errors.AsType[*audit.Fault](err); tampered {
		return exitFailed
	}
	switch model.KindOf(err) {
	case model.Invalid, model.NotFound, model.Conflict:
		return exitUsage
	}
	return exitFailed
}

// faultLines splits an error into its faults.
func faultLines(err error) []string {
	var known *model.Error
	if errors.As(err, &known) && len(known.Fields) > 0 {
		var lines []string
		for _, f := range known.Fields {
			lines = append(lines, known.Message+": "+f.Location+" "+f.Message)
		}
		return lines
	}
	return strings.Split(err.Error(), "\n")
}
