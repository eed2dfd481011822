package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"countersign/internal/actions"
	"countersign/internal/bankfile"
	"countersign/internal/model"
	"countersign/internal/store"
)

// unknownPayout puts a payout of which nobody knows what became into a database,
// and gives its step's key.
func unknownPayout(t *testing.T, db string, amount int64) string {
	t.Helper()
	opened, err := store.Open(t.Context(), db, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	id := model.IntentID(opened.Installation, "acme", model.KindPayout, "run-1")
	c := &model.Case{Intent: model.Intent{ID: id, Account: "acme", Kind: model.KindPayout, Key: "run-1", Fingerprint: []byte{1}, Params: []byte("{}"), Version: 1, State: model.NeedsReview,
		Stuck: "create-payout", Amount: amount, Currency: "EUR", Uncertain: amount, UncertainSince: 1, StuckSince: 1},
		Steps: []*model.Step{{IntentID: id, Account: "acme", Name: "create-payout", Class: model.Keyed, Operation: model.PayoutCreate, Generation: 1, State: model.OutcomeUnknown,
			Amount: amount, Open: amount, Currency: "EUR", WireKey: "wire-1", UncertainSince: 1}}}
	if err := opened.Update(t.Context(), func(tx *store.Tx) error { _, err := tx.InsertCase(c); return err }); err != nil {
		t.Fatal(err)
	}
	return c.Steps[0].Key()
}

// bankRows writes a CSV of a day, an amount, a currency and a reference.
func bankRows(t *testing.T, rows ...string) (file, mapping string) {
	t.Helper()
	dir := t.TempDir()
	file, mapping = filepath.Join(dir, "november.csv"), filepath.Join(dir, "bank.toml")
	text := "Day,Amount,Currency,Reference\n" + strings.Join(rows, "\n") + "\n"
	write(t, file, text)
	write(t, mapping, "separator = \",\"\nencoding = \"utf-8\"\nheader = true\ndates = \"YYYY-MM-DD\"\ndecimal = \".\"\nbooked_on = \"Day\"\namount = \"Amount\"\ncurrency_column = \"Currency\"\nrefs = [\"Reference\"]\n")
	return file, mapping
}

func TestReconcileFile(t *testing.T) {
	db := newDatabase(t)
	key := unknownPayout(t, db, 1250)
	for _, tt := range []struct {
		name string
		rows []string
		code int
		says []string
	}{
		{"proves", []string{"2026-11-28,-12.50,EUR," + key, "2026-11-28,3.00,EUR,other"}, exitPerson,
			[]string{"november.csv: CSV, 1 statement", "1 proves an uncertain step", "1 names no step of ours", "Lines that prove an uncertain step each:\n  line 1  2026-11-28  −12.50 EUR", key, "Nothing was changed.", "/reconcile"}},
		{"differs", []string{"2026-11-28,-12.51,EUR,wire-1"}, exitPerson, []string{"1 names a step, with another amount or currency", "12.51 EUR went out, but the step is about 12.50 EUR."}},
		{"not ours", []string{"2026-11-28,3.00,EUR,other"}, 0, []string{"1 line:", "Ours and uncertain, and no line names them: 1 step\n  " + key + "  12.50 EUR  since"}},
	} {
		file, mapping := bankRows(t, tt.rows...)
		got := call(t, "", "reconcile-file", file, "--account", "acme", "--mapping", mapping, "--db", db)
		if got.code != tt.code || got.err != "" {
			t.Errorf("%s: exit %d: %s", tt.name, got.code, got.err)
		}
		for _, want := range tt.says {
			if !strings.Contains(got.out, want) {
				t.Errorf("%s: no %q in\n%s", tt.name, want, got.out)
			}
		}
	}
}

func TestReconcileFileAsJSON(t *testing.T) {
	db := newDatabase(t)
	key := unknownPayout(t, db, 1250)
	file, mapping := bankRows(t, "2026-11-28,-12.50,EUR,"+key, "2026-11-28,3.00,EUR,other")
	got := call(t, "", "reconcile-file", file, "--account", "acme", "--mapping", mapping, "--json", "--db", db)
	var out matchedFile
	if err := json.Unmarshal([]byte(got.out), &out); err != nil || got.code != exitPerson {
		t.Fatalf("exit %d: %v\n%s", got.code, err, got.out)
	}
	if !out.NeedsPerson || len(out.Lines) != 2 || out.Lines[0].Finding != "proves" || *out.Lines[0].StepKey != key || out.Lines[0].Amount != -1250 || out.Lines[1].StepKey != nil || len(out.SHA256) != 64 {
		t.Errorf("%+v", out)
	}
}

func TestReconcileFileTellsItsFaultsApart(t *testing.T) {
	db := newDatabase(t)
	file, mapping := bankRows(t, "2026-11-28,-12.50,EUR,x")
	bad, wrong := filepath.Join(t.TempDir(), "bad.xml"), filepath.Join(t.TempDir(), "wrong.toml")
	write(t, bad, "<Document><a>")
	write(t, wrong, "separator = \",\"\ncolour = \"red\"\n")
	amiss, _ := bankRows(t, "2026-11-28,twelve,EUR,x")
	for _, tt := range []struct {
		name string
		args []string
		code int
		says string
	}{
		{"broken", []string{bad, "--account", "acme"}, exitFailed, "bad.xml: "},
		{"a row that cannot be read", []string{amiss, "--account", "acme", "--mapping", mapping}, exitFailed, "november.csv: "},
		{"no mapping", []string{file, "--account", "acme"}, exitUsage, "say with --mapping"},
		{"a wrong mapping", []string{file, "--account", "acme", "--mapping", wrong}, exitUsage, "colour is not a known setting"},
		{"no such file", []string{file + "x", "--account", "acme"}, exitUsage, "cannot be opened"},
		{"no such account", []string{file, "--account", "nowhere", "--mapping", mapping}, exitUsage, "There is no account nowhere."},
		{"no account", []string{file}, exitUsage, "--account"},
	} {
		got := call(t, "", append([]string{"reconcile-file", "--db", db}, tt.args...)...)
		if got.code != tt.code || !strings.Contains(got.err, tt.says) || got.out != "" {
			t.Errorf("%s: exit %d: %s%s", tt.name, got.code, got.err, got.out)
		}
	}
	gone := call(t, "", "reconcile-file", file, "--account", "acme", "--mapping", mapping, "--db", "sqlite:"+file+".db")
	if _, err := os.Stat(file + ".db"); gone.code != exitUsage || err == nil {
		t.Errorf("exit %d, made a database: %v", gone.code, err == nil)
	}
	help := call(t, "", "reconcile-file", "--help")
	if !strings.Contains(help.out, "Exit codes: 0 when") || help.code != 0 {
		t.Errorf("help says %s", help.out)
	}
}

// What a person must look at: lines, and statements that do not add up by their
// balances or by what they state of themselves.
func TestWhatNeedsAPerson(t *testing.T) {
	money := func(amount int64) *bankfile.Balance {
		return &bankfile.Balance{Money: model.Money{Amount: amount, Currency: "EUR"}}
	}
	for name, test := range map[string]struct {
		statement bankfile.Statement
		finding   bankfile.Finding
		needs     bool
	}{
		"nothing":          {bankfile.Statement{Opening: money(1), Closing: money(1)}, bankfile.Known, false},
		"a doubtful line":  {bankfile.Statement{}, bankfile.Doubtful, true},
		"a line that ends": {bankfile.Statement{}, bankfile.Ended, true},
		"a charge":         {bankfile.Statement{}, bankfile.Charged, false},
		"its balances":     {bankfile.Statement{Kind: bankfile.Booked, Opening: money(1), Closing: money(2)}, bankfile.Known, true},
		"its own counts":   {bankfile.Statement{Declared: []string{"It states 2 lines and has 1."}}, bankfile.Known, true},
	} {
		b := actions.BankReading{Read: bankfile.File{Statements: []bankfile.Statement{test.statement}}, Matches: []bankfile.Match{{Finding: test.finding}}}
		if needsPerson(b) != test.needs {
			t.Errorf("%s: %v", name, !test.needs)
		}
	}
}
