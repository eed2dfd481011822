package audit_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"countersign/internal/audit"
	"countersign/internal/model"
	"countersign/internal/store"
)

// withChanged is a log of which entry 2 of 5 says something else than was hashed.
func withChanged(t *testing.T, bytes string) (*store.DB, *audit.Log) {
	t.Helper()
	db, l := open(t)
	record(t, db, l, "acme", 4)
	record(t, db, l, "globex", 1)
	sequence(t, l)
	tamper(t, db, "UPDATE audit_entries SET canonical = ? WHERE id = (SELECT entry_id FROM audit_log WHERE idx = 2)", []byte(bytes))
	return db, l
}

func TestChangedEntryIsShownAsChanged(t *testing.T) {
	for _, bytes := range []string{`{"account":"acme","event":"other"}`, "no JSON"} {
		db, l := withChanged(t, bytes)
		for i, item := range list(t, db, l, audit.Filter{Accounts: everything}) {
			if (item.Changed != "") != (i == 2) || string(item.Canonical) == bytes != (i == 2) {
				t.Errorf("%d: %+v", i, item)
			}
		}
	}
}

// No export holds a changed entry, and one that does not hold it is made.
func TestChangedEntryIsNotExported(t *testing.T) {
	_, l := withChanged(t, `{"account":"acme","event":"other"}`)
	for _, format := range []audit.Format{audit.JSONL, audit.CSV, audit.Zip} {
		scope := audit.Scope{Accounts: audit.Of("acme"), Format: format}
		for what, err := range map[string]error{"export": l.Export(t.Context(), io.Discard, scope), "asked before": l.Intact(t.Context(), scope)} {
			if !errors.Is(err, model.Conflict) || !strings.Contains(err.Error(), "Entry 2 ") {
				t.Errorf("%s, %s: %v", format, what, err)
			}
		}
		scope.Accounts = audit.Of("globex")
		if err := errors.Join(l.Intact(t.Context(), scope), l.Export(t.Context(), io.Discard, scope)); err != nil {
			t.Errorf("%s of another account: %v", format, err)
		}
	}
}

// A process that runs finds a changed entry by itself.
func TestRunFindsAChangedEntry(t *testing.T) {
	_, l := withChanged(t, `{}`)
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- l.Run(ctx) }()
	waitFor(t, func() bool { return l.Trouble().Altered != nil })
	stop()
	<-done
	if err := l.Trouble().Err(); l.Trouble().Altered.Index != 2 || !strings.Contains(err.Error(), "entry 2") {
		t.Errorf("%v", err)
	}
}
