package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"countersign/internal/audit"
	"countersign/internal/model"
	"countersign/internal/store"
)

// auditCommands are about the audit log.
type auditCommands struct {
	Export auditExport `cmd:"" help:"Write the numbered entries to standard output or a file."`
	Verify auditVerify `cmd:"" help:"Verify exports and checkpoint files, with nothing but them."`
}

// auditExport writes the log.
type auditExport struct {
	storage
	Format  setting[exportForm, *exportForm] `default:"jsonl" help:"jsonl, which verify reads, or csv for spreadsheets."`
	From    setting[spanLimit, *spanLimit]   `placeholder:"TIME" help:"Only entries from this day or RFC 3339 moment on; default the first."`
	To      setting[spanLimit, *spanLimit]   `placeholder:"TIME" help:"Only entries up to the end of this day, or before this RFC 3339 moment; default the last."`
	Zone    setting[zone, *zone]             `default:"UTC" help:"Time zone of days and of CSV's local times."`
	Account []string                         `placeholder:"NAME" help:"Only entries of these accounts; default all."`
	Out     string                           `short:"o" placeholder:"FILE" help:"File to write; it must not exist. Default standard output."`
}

// exportForm is how an export is written.
type exportForm string

func (f *exportForm) UnmarshalText(text []byte) error {
	if *f = exportForm(text); *f != exportForm(audit.JSONL) && *f != exportForm(audit.CSV) {
		return errors.New("must be jsonl or csv")
	}
	return nil
}

// spanLimit is where a span of the log begins or ends. Which moment a day is,
// the zone tells.
type spanLimit string

func (l *spanLimit) UnmarshalText(text []byte) error {
	*l = spanLimit(text)
	if _, err := audit.ParseFrom(string(text), time.UTC); err != nil {
		return errors.New("must be a day such as 2026-10-31 or a moment such as 2026-10-31T09:00:00Z")
	}
	return nil
}

// zone is a named time zone.
type zone struct{ *time.Location }

func (z *zone) UnmarshalText(text []byte) (err error) {
	if z.Location, err = time.LoadLocation(string(text)); err != nil {
		return errors.New("must be a time zone such as Europe/Vienna or UTC")
	}
	return nil
}

// Run implements the command.
func (c *auditExport) Run(ctx context.Context, t terminal) (err error) {
	if err := c.DB.Value.mustExist(); err != nil {
		return err
	}
	scope, err := c.scope()
	if err != nil {
		return err
	}
	into := t.out
	if c.Out != "" {
		file, err := os.OpenFile(c.Out, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return model.Errorf(model.Invalid, "out", "the export cannot be written: %w", err)
		}
		defer func() { err = errors.Join(err, file.Sync(), file.Close()) }()
		into = file
	}
	return c.withLog(ctx, func(db *store.DB, log *audit.Log) error { return exportInto(ctx, db, log, c.Account, scope, into) })
}

// exportInto records that an export is made, as it takes data out, in the log of
// every account whose entries it holds, and writes it. named are the accounts of
// it; none is the whole log.
func exportInto(ctx context.Context, db *store.DB, log *audit.Log, named []string, scope audit.Scope, into io.Writer) error {
	if err := log.Intact(ctx, scope); err != nil {
		return err
	}
	err := db.Update(ctx, func(tx *store.Tx) error {
		accounts, err := exported(tx, named)
		if err != nil {
			return err
		}
		return recordFor(tx, log, accounts, audit.Entry{Event: "audit.exported", Result: "done", Detail: map[string]any{"format": string(scope.Format),
			"from": scope.From.String(), "to": scope.To.String(), "zone": scope.Zone.String(), "whole_log": len(named) == 0}})
	})
	if err != nil {
		return err
	}
	return log.Export(ctx, into, scope)
}

// exported are the accounts whose entries leave: those that were named, which
// must exist, or all, and "" for what belongs to none.
func exported(tx *store.Tx, named []string) ([]string, error) {
	all, err := tx.AllAccounts()
	if err != nil || len(named) == 0 {
		return append([]string{""}, all...), err
	}
	for _, account := range named {
		if !slices.Contains(all, account) {
			return nil, model.Errorf(model.NotFound, "account", "there is no account %s", account)
		}
	}
	return named, nil
}

// scope is what is to be exported.
func (c *auditExport) scope() (s audit.Scope, err error) {
	s = audit.Scope{Accounts: audit.Everything(), Format: audit.Format(c.Format.Value), Zone: c.Zone.Value.Location}
	if len(c.Account) > 0 {
		s.Accounts = audit.Of(c.Account...)
	}
	if s.From, err = audit.ParseFrom(string(c.From.Value), s.Zone); err != nil {
		return s, err
	}
	if s.To, err = audit.ParseTo(string(c.To.Value), s.Zone); err != nil {
		return s, err
	}
	if s.From != 0 && s.To != 0 && s.To <= s.From {
		return s, model.Errorf(model.Invalid, "span", "--to ends the span before --from begins it; a moment is not included, a day is")
	}
	return s, nil
}

// auditVerify verifies files offline.
type auditVerify struct {
	Files []string `arg:"" help:"Exports (JSON Lines) and checkpoint files; several are compared."`
}

// Run implements the command.
func (c *auditVerify) Run(t terminal) error {
	files := make([]audit.File, len(c.Files))
	for i, path := range c.Files {
		if _, err := os.Stat(path); err != nil {
			return model.Errorf(model.Invalid, "file", "%w", err)
		}
		files[i] = audit.Path(path)
	}
	report, err := audit.Verify(files...)
	if err != nil {
		return err
	}
	for _, v := range report.Files {
		if err := t.line("%s", verifiedText(v)); err != nil {
			return err
		}
	}
	if !report.Tied() {
		return &audit.Fault{Index: -1, Why: "nothing ties these files together: each is good by itself, and they may still be of different logs; verify them beside a complete export that is at least as new"}
	}
	return nil
}

// verifiedText says what a file has been shown to be.
func verifiedText(v audit.Verified) string {
	text := fmt.Sprintf("%s: good. %d entries of a log of %d, root %s, at %s.", v.Name, v.Entries, v.Size, v.Root, v.At)
	if v.Entries == 0 {
		text = fmt.Sprintf("%s: good. Checkpoint of a log of %d, root %s, at %s.", v.Name, v.Size, v.Root, v.At)
	}
	switch {
	case v.LastOf > 0:
		text = fmt.Sprintf("%s: the last line of an export of %d entries, which are not in this file, taken as a checkpoint of a log of %d, root %s, at %s. By itself it shows nothing; beside an export it does.", v.Name, v.LastOf, v.Size, v.Root, v.At)
	case v.Complete:
		text += " Complete: the root was recomputed from every entry."
	case v.Entries > 0:
		text += " Each entry is in that log; the file cannot show that none was left out."
	}
	for _, e := range v.Epochs {
		text += fmt.Sprintf(" Entry %d: the database was restored from %s; the log goes on from its first %d entries, and was known to have had %d.", e.Index, e.RestoredFrom, e.KeptSize, e.OldSize)
	}
	if v.Lost {
		text += " Its log was lost in a restore, as another file tells: it does not go on."
	}
	if v.Compared {
		text += " It agrees with the other files."
	}
	for _, other := range v.Partly {
		text += " With " + other + " only a part could be compared, and is the same."
	}
	for _, other := range v.Apart {
		text += " It could not be compared with " + other + "."
	}
	return text
}
