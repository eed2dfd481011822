package web

import (
	"strings"
	"testing"

	"countersign/internal/model"
)

// TestStake holds how the money of a row stands.
func TestStake(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*model.Case, *model.Step)
		money  string
		note   string
	}{
		"unknown": {func(*model.Case, *model.Step) {}, "48,200.00 EUR", ""},
		"more was seen": {func(c *model.Case, s *model.Step) {
			s.Evidence = []model.Evidence{{ID: "e", Says: model.Conflicting, Ref: "po_9", Amount: 4_820_100, Currency: "EUR"}}
			c.Conflicts = []model.Contradiction{{ID: "k", Step: s.Name, EvidenceID: "e", Reason: "another amount"}}
		}, "48,201.00 EUR", ""},
		"to come":  {func(_ *model.Case, s *model.Step) { s.State, s.Attempts, s.Generations = model.Pending, nil, nil }, "48,200.00 EUR", ""},
		"refused":  {func(_ *model.Case, s *model.Step) { s.State, s.Failure = model.FailedSafely, model.Curable }, "48,200.00 EUR", "not paid"},
		"paid":     {func(_ *model.Case, s *model.Step) { s.State, s.Moved = model.Confirmed, 4_820_100 }, "48,201.00 EUR", "paid"},
		"returned": {func(_ *model.Case, s *model.Step) { s.State, s.Moved, s.Returned = model.Confirmed, 4_820_000, 100 }, "1.00 EUR", "came back"},
		"a message": {func(_ *model.Case, s *model.Step) {
			s.Class, s.Operation, s.Amount = model.Message, "message.send", 0
		}, "", ""},
	} {
		m, note, quiet := told(test.change).stake()
		got := ""
		if m != nil {
			got = m.String()
		}
		if got != test.money || note != test.note || quiet != (note != "") {
			t.Errorf("%s: %q %q (quiet %v), want %q %q", name, got, note, quiet, test.money, test.note)
		}
	}
}

// TestExposureSaysHowItStands: only what is unknown is called uncertain.
func TestExposureSaysHowItStands(t *testing.T) {
	for want, change := range map[string]func(*model.Case, *model.Step){
		"48,200.00 EUR , all of it uncertain": func(*model.Case, *model.Step) {},
		"48,200.00 EUR , all of it in transit": func(_ *model.Case, s *model.Step) {
			s.State, s.Settling, s.ExternalRef = model.InProgress, true, "po_1"
		},
		"48,200.00 EUR , all of it being sent": func(_ *model.Case, s *model.Step) {
			s.State, s.Attempts[0].FinishedAt = model.InProgress, 0
		},
		"48,200.00 EUR , all of it confirmed": func(_ *model.Case, s *model.Step) { s.State, s.Moved = model.Confirmed, s.Amount },
		"0.00 EUR":                            func(_ *model.Case, s *model.Step) { s.State, s.Failure = model.FailedSafely, model.Curable },
		"48,600.00 EUR — 48,200.00 EUR confirmed, 300.00 EUR in transit, 100.00 EUR uncertain": func(c *model.Case, s *model.Step) {
			second, third := *s, *s
			second.Name, second.Amount, second.State, second.Settling = "second-payout", 30_000, model.InProgress, true
			third.Name, third.Amount = "third-payout", 10_000
			s.State, s.Moved = model.Confirmed, s.Amount
			c.Steps = append(c.Steps, &second, &third)
		},
	} {
		if got := plain(t, exposureOf(told(change).c).text()); got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
}

// TestUndone holds that what was undone says by what, and that an undo does not
// read as a payment.
func TestUndone(t *testing.T) {
	parent := told(func(c *model.Case, s *model.Step) {
		s.State, s.Moved, c.Steps[2].State = model.Confirmed, s.Amount, model.Confirmed
		c.Undone = map[string]string{s.Operation: "intent-y"}
		c.Compensations = []model.Compensation{{Step: s.Name, State: model.CompensationDone, ChildID: "intent-y", ApprovalID: "approval-1"}}
		c.Requests = []model.Approval{{ID: "approval-1", State: model.ApprovalExecuted, Action: model.Compensate, RequesterName: "Olga", Reason: "paid twice",
			Decisions: []model.ApprovalDecision{{Name: "Ada", At: shownAt}}}}
	})
	child := told(func(c *model.Case, s *model.Step) {
		c.ID, c.Kind, c.Parent, c.ParentStep = "intent-y", model.KindCompensation, "intent-x", "create-payout"
		s.Name, s.Operation, s.State, s.Moved, s.ExternalRef = "reverse-payout", "payout.reverse", model.Confirmed, s.Amount, "rv_1"
	})
	parent.kin, child.kin = child.c, parent.c
	want := "48,200.00 EUR was paid and taken back. Undone from create-payout on by intent-y ; reverse-payout is rv_1 at bank."
	if got := plain(t, parent.standing()); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if got := plain(t, parent.effect(parent.c.Steps[1]).Text); !strings.Contains(got, "; taken back by intent-y") {
		t.Error(got)
	}
	if verb, joiner := child.title(); verb != "Undo of a payout:" || joiner != "back from" {
		t.Error(verb, joiner)
	}
	if verb, joiner := entryOnly(child).title(); verb != "Undo of our records of a payout:" || joiner != "to" {
		t.Error(verb, joiner)
	}
	if got := plain(t, child.standing()); got != "48,200.00 EUR is taken back." {
		t.Error(got)
	}
	if got, by := child.askedBy(), plain(t, child.approved()); plain(t, got.Sub) != "paid twice" || by != "Ada 09:42:18 +00:00 , carried out" {
		t.Error(plain(t, got.Text, got.Sub), by)
	}
}

// entryOnly is a compensation with nothing to do at a provider.
func entryOnly(n narrator) narrator {
	c := *n.c
	c.Steps = []*model.Step{{Name: "reverse-ledger", Class: model.Local, Amount: c.Amount, Currency: c.Currency}}
	n.c = &c
	return n
}
