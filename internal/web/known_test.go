package web

import (
	"strings"
	"testing"
	"time"

	"countersign/internal/model"
)

// TestKnownFacts holds what an act on a step is weighed by, on its form and on
// the request for it alike.
func TestKnownFacts(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(*model.Case, *model.Step)
		want   []string
	}{
		"unknown": {func(*model.Case, *model.Step) {}, []string{"Sent: once", "Checked: not yet"}},
		"another amount": {func(c *model.Case, s *model.Step) {
			s.Evidence = []model.Evidence{{ID: "e", Source: model.FromWebhook, Says: model.Conflicting, Ref: "po_9", Amount: 4_820_100, Currency: "EUR", At: ago(time.Minute)}}
			c.Conflicts = []model.Contradiction{{ID: "k", Step: s.Name, EvidenceID: "e", Reason: "The object has another amount."}}
		}, []string{"Seen: Bank shows 48,201.00 EUR as po_9 ; 48,200.00 EUR was asked for."}},
		"came back": {func(c *model.Case, s *model.Step) {
			s.State, s.Moved, s.Returned = model.Confirmed, 4_820_000, 100
			c.Conflicts = []model.Contradiction{{ID: "k", Step: s.Name, Reason: "The money came back."}}
		}, []string{"Seen: 1.00 EUR came back, of 48,200.00 EUR that bank had paid"}},
		"another contradiction": {func(c *model.Case, s *model.Step) {
			c.Conflicts = []model.Contradiction{{ID: "k", Step: s.Name, Reason: "It was there and is not."}}
		}, []string{"Seen: It was there and is not."}},
	} {
		n := told(tt.change)
		got := facts(t, n.known(n.c.Steps[1]))
		for _, want := range tt.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s: %q is not in\n%s", name, want, got)
			}
		}
	}
}

// TestProseNamesDocuments holds that a document shows its day and no raw id.
func TestProseNamesDocuments(t *testing.T) {
	n := told(func(*model.Case, *model.Step) {})
	got := plain(t, n.prose("Recorded as happened: po_9, by upload:upload-7 of 2026-11-30 00:00:00 UTC."))
	if got != "Recorded as happened: po_9, by uploaded file of 30 Nov 2026 00:00:00 +00:00 ." {
		t.Error(got)
	}
}
