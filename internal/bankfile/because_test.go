package bankfile

import (
	"strings"
	"testing"

	"countersign/internal/model"
)

// What is said of a step is true in whichever state it is.
func TestSentencesOfEveryState(t *testing.T) {
	const contradiction = "Its observations contradict each other: The provider shows po_2."
	sure := []model.StepState{model.Pending, model.FailedSafely, model.NotNeeded, model.Confirmed}
	open := []model.StepState{model.InProgress, model.OutcomeUnknown}
	words := map[model.StepState]string{model.Pending: "has not begun", model.FailedSafely: "failed safely", model.NotNeeded: "is not needed", model.InProgress: "its provider has not said how it ended", model.OutcomeUnknown: "its outcome is unknown"}
	type want struct {
		finding Finding
		says    string
	}
	check := func(s Step, pays, differs, back want) {
		t.Helper()
		for amount, want := range map[int64]want{1250: pays, 1251: differs, -800: back} {
			m := Find([]Line{paid(1, amount, "k")}, []Step{s})[0]
			if m.Finding != want.finding || !strings.Contains(m.Because, want.says) {
				t.Errorf("%s, returned %d, conflict %q: %d is %s: %s", s.State, s.Returned, s.Conflict, amount, m.Finding, m.Because)
			}
			for state, says := range words {
				if state != s.State && strings.Contains(m.Because, says) || strings.Contains(m.Because, "..") {
					t.Errorf("%s: %s", s.State, m.Because)
				}
			}
			if s.Returned > 0 && !strings.Contains(m.Because, "Of it 5.00 EUR is known to have come back.") {
				t.Errorf("%s: what came back is not said: %s", s.State, m.Because)
			}
		}
	}
	for _, state := range append(sure, open...) {
		s := payout("k", state, 1250)
		s.Uncertain, s.Conflict = true, "The provider shows po_2"
		check(s, want{Doubtful, contradiction}, want{Differs, contradiction}, want{Back, contradiction})
		s.Uncertain, s.Conflict, s.Returned = false, "", 500
		if state != model.Confirmed {
			check(s, want{Doubtful, "It is not confirmed: a person decides it"}, want{Differs, "the step is about 12.50 EUR"}, want{Back, "a person decides it"})
		}
	}
	for _, state := range sure[:3] {
		here := "ere the step " + words[state]
		check(payout("k", state, 1250), want{Ended, here}, want{Differs, here}, want{Back, here})
	}
	for _, state := range open {
		s := payout("k", state, 1250)
		s.Uncertain = true
		check(s, want{Proves, words[state]}, want{Differs, "by two people"}, want{Back, "reconcile the step"})
	}
	s := payout("k", model.Confirmed, 1250)
	check(s, want{Known, "which is confirmed"}, want{Differs, "It is confirmed with that amount"}, want{Back, "reconcile the step"})
	s.Returned = 500
	check(s, want{Known, "which is confirmed"}, want{Differs, "It is confirmed with that amount"}, want{Back, "a person decides it"})
}

// A bank uses a reference again: a line is the recorded one on its day, of its amount.
func TestAReferenceTellsALineOnItsDay(t *testing.T) {
	s := payout("k", model.Confirmed, 1250)
	s.PaidBy = []Payment{{"bank-k", "2026-11-27", model.Money{Amount: 1250, Currency: "EUR"}}}
	for _, test := range []struct {
		amount  int64
		day     string
		finding Finding
	}{{1250, "2026-11-27", Known}, {1250, "2026-11-28", Several}, {1250, "", Several}, {1251, "2026-11-27", Several}} {
		line := paid(1, test.amount, "k")
		line.BookedOn = test.day
		if m := Find([]Line{line}, []Step{s})[0]; m.Finding != test.finding {
			t.Errorf("%d on %q: %s: %s", test.amount, test.day, m.Finding, m.Because)
		}
	}
}
