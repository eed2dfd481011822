package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/BurntSushi/toml"

	"countersign/internal/actions"
	"countersign/internal/bankfile"
	"countersign/internal/model"
	"countersign/internal/store"
)

// reconcileFileCommand sets a bank's file beside the steps of an account.
type reconcileFileCommand struct {
	storage
	File    string `arg:"" type:"path" help:"The bank's file: camt.052, camt.053, camt.054, MT940, MT942, BAI2 or CSV."`
	Account string `required:"" placeholder:"NAME" help:"The account whose steps it is set beside."`
	Mapping string `type:"path" placeholder:"FILE" help:"What the columns of a CSV hold, as TOML or JSON."`
	JSON    bool   `name:"json" help:"Print JSON."`
}

// Help is what --help says beside the flags.
func (*reconcileFileCommand) Help() string {
	return `It changes nothing: what a file proves is recorded on the page /reconcile, where
the file is uploaded and a person confirms its lines.

Exit codes: 0 when the file was read and nothing in it needs a person, 3 when
something does (a line proves what is uncertain here, differs, came back, names a
step and cannot prove it, is one of several for one step or is about a step that
had ended, or a statement does not add up), 1 when the file cannot be read, 2 for wrong settings.`
}

// Run implements the command.
func (c *reconcileFileCommand) Run(ctx context.Context, t terminal) error {
	body, err := os.ReadFile(c.File)
	if err != nil {
		return model.Errorf(model.Invalid, "file", "the bank's file cannot be opened: %w", err)
	}
	mapping, err := c.mapping()
	if err != nil {
		return err
	}
	var reading actions.BankReading
	err = c.read(ctx, func(tx *store.Tx) error {
		reading, err = actions.MatchBankFile(tx, c.Account, filepath.Base(c.File), body, mapping)
		return err
	})
	switch {
	case errors.Is(err, bankfile.ErrNoMapping):
		return model.Errorf(model.Invalid, "mapping", "%s is a CSV file: say with --mapping what its columns hold", c.File)
	case err != nil && model.KindOf(err) == model.Invalid && reading.Account != "":
		return unreadable(c.File, err)
	case err != nil:
		return err
	}
	if c.JSON {
		err = printJSON(t.out, matchedJSON(reading))
	} else {
		err = writeMatched(t.out, reading)
	}
	if err == nil && needsPerson(reading) {
		err = errPerson
	}
	return err
}

// unreadable is the failure to read a file that was named rightly.
func unreadable(file string, err error) error {
	return errors.New(filepath.Base(file) + ": " + strings.Join(faultLines(err), "\n"))
}

// mapping reads the mapping's file; nil where none is named.
func (c *reconcileFileCommand) mapping() (*bankfile.Mapping, error) {
	if c.Mapping == "" {
		return nil, nil
	}
	raw, err := os.ReadFile(c.Mapping)
	if err != nil {
		return nil, model.Errorf(model.Invalid, "mapping", "the mapping cannot be opened: %w", err)
	}
	var m bankfile.Mapping
	if raw = bytes.TrimSpace(bytes.TrimPrefix(raw, []byte("\ufeff"))); bytes.HasPrefix(raw, []byte("{")) {
		err = model.DecodeStrict(raw, &m)
	} else {
		err = decodeTOML(raw, &m)
	}
	if err != nil {
		return nil, model.Errorf(model.Invalid, "mapping", "the mapping %s cannot be read: %w", c.Mapping, err)
	}
	return &m, m.Validate()
}

// decodeTOML reads TOML and refuses members that nothing is known of.
func decodeTOML(raw []byte, into any) error {
	meta, err := toml.Decode(string(raw), into)
	if unknown := meta.Undecoded(); err == nil && len(unknown) > 0 {
		err = fmt.Errorf("%s is not a known setting", unknown[0])
	}
	return err
}

// needsPerson reports whether anything of the file needs a person.
func needsPerson(b actions.BankReading) bool {
	for i := range b.Matches {
		if b.Matches[i].Finding.NeedsPerson() {
			return true
		}
	}
	for i := range b.Read.Statements {
		if s := &b.Read.Statements[i]; s.Check() != "" || len(s.Declared) > 0 {
			return true
		}
	}
	return false
}
