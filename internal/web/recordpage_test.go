package web

import (
	"fmt"
	"strings"
	"testing"

	"countersign/internal/model"
	"countersign/internal/store"
	"countersign/web/templates"
)

// An outline of thousands of attempts says how many there are, draws the newest,
// and says that it does.
func TestALongRecordIsSaidToBeLong(t *testing.T) {
	n := told(func(_ *model.Case, s *model.Step) {
		s.Attempts = []model.Attempt{tried(1, shownAt-5000*1_000_000, wasReset)}
		for i := 4961; i <= 5000; i++ {
			at := shownAt - model.Time(5001-i)*1_000_000
			s.Attempts = append(s.Attempts, tried(i, at, wasReset))
			s.Evidence = append(s.Evidence, model.Evidence{ID: fmt.Sprint("e", i), Step: s.Name, Source: model.FromQuery, Says: model.Inconclusive, Detail: model.NothingFound, At: at})
		}
		for i := range s.Attempts {
			s.Attempts[i].Step = s.Name
		}
		s.Left = model.Left{Attempts: 4959, Evidence: 4960, Looks: 4960}
	})
	var view templates.IntentView
	n.record(&view, newestRecord(n.c))
	if len(view.Attempts) != shownAttempts || len(view.Evidence) != shownEvidence || view.Steps[1].Attempts != "5,000" {
		t.Errorf("%d attempts, %d pieces of evidence, counted %q", len(view.Attempts), len(view.Evidence), view.Steps[1].Attempts)
	}
	if got := plain(t, view.MoreAttempts.Before) + plain(t, view.MoreEvidence.Before); got != "4,985 older.4,985 older." {
		t.Errorf("%s", got)
	}
	if got := view.MoreAttempts.Href; got != "/intents/intent-x?attempts=attempt-create-payout-4986#attempts" {
		t.Errorf("%s", got)
	}
	over := n.overTime(nil, store.Counted{})
	if got := plain(t, over.Note); len(over.Rows) != shownEvents || len(over.Drawing.Shapes) > 120 || !strings.HasSuffix(got, " are left out here; they are in the tables of attempts and of evidence.") {
		t.Errorf("%d rows, %d shapes, %q", len(over.Rows), len(over.Drawing.Shapes), got)
	}
	if first := plain(t, over.Rows[0].What); !strings.HasPrefix(first, "Attempt 1,") || over.Caption != "the first send, then the newest 19 rows" {
		t.Errorf("the table begins with %q: %s", first, over.Caption)
	}
	if !strings.Contains(over.Drawing.Label, "5,000 attempts, the newest 40 of them drawn, 5,000 checks") {
		t.Errorf("%s", over.Drawing.Label)
	}
	if got := plain(t, over.Zone); !strings.Contains(got, "It begins 30 Nov 2026 09:41:38") {
		t.Errorf("%s", got)
	}
	for _, shape := range over.Drawing.Words {
		if strings.Contains(shape.Text, "× 5,000") || shape.Text == "1" {
			t.Errorf("%q is drawn, with a gap behind it", shape.Text)
		}
	}
	s := n.c.Steps[1]
	why := plain(t, n.whyUnknown(s), n.sent(s), n.cameBack(s), n.checked(s))
	for _, want := range []string{"5,000 times under one key, first at", "it was asked about 5,000 times, and bank did not know it last at", "of the newest 40: 40 × "} {
		if !strings.Contains(why, want) {
			t.Errorf("%q lacks %q", why, want)
		}
	}
}

// A place in the record that is not there is its beginning; one that is shows
// what is older, and the way back.
func TestPlacesInTheRecord(t *testing.T) {
	w := newWorld(t)
	id := w.unknown("acme", "run-1", 90_050)
	err := w.db.Update(t.Context(), func(tx *store.Tx) error {
		const series = "WITH RECURSIVE n (n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM n WHERE n < 5000) "
		_, err := tx.Exec("INSERT INTO attempts (intent_id, step, number, generation, wire_key, trigger_by, worker, boot, fence, started_at, deadline_at, finished_at, result, request_id) "+series+
			"SELECT a.intent_id, a.step, n, 1, a.wire_key, 'retry', a.worker, a.boot, n, a.started_at + 10 * n, a.deadline_at, a.started_at + 10 * n + 5, 'unknown', '' FROM n CROSS JOIN attempts a WHERE a.intent_id = ? AND a.step = 'create-payout' AND a.number = 1", id)
		return err
	})
	w.must(err)
	b := w.browse("Olga")
	first := b.get("/intents/" + id)
	if want := "5,000 times"; !strings.Contains(first.text(), want) || len(first.body) > 100_000 {
		t.Errorf("%d bytes, %q is there: %v", len(first.body), want, strings.Contains(first.text(), want))
	}
	for query, want := range map[string]string{
		"?attempts=attempt-create-payout-4000": "attempt-create-payout-3999\"",
		"?attempts=attempt-nothing-7'+OR+1=1":  "attempt-create-payout-5000\"",
		"?attempts=attempt-create-payout-5001": "attempt-create-payout-5000\"",
		"?attempts=attempt--99999999999999999": "attempt-create-payout-5000\"",
		"?evidence=%00":                        "attempt-create-payout-5000\"",
	} {
		if body := b.get("/intents/" + id + query).body; !strings.Contains(body, want) {
			t.Errorf("%s has no %s", query, want)
		}
	}
}
