package bankfile

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"countersign/internal/model"
	"pgregory.net/rapid"
)

// paid is a booked line by which a payout's money left the account.
func paid(number int, amount int64, ref string) Line {
	return Line{Number: number, Booked: true, Amount: -amount, Currency: "EUR", BookedOn: "2026-11-27", BankRef: "bank-" + ref,
		Refs: []Ref{{Kind: "EndToEndId", Value: ref}}}
}

func payout(key string, state model.StepState, amount int64) Step {
	return Step{Key: key, IntentID: key, Name: "create-payout", State: state, Uncertain: state == model.OutcomeUnknown, Out: true,
		Amount: amount, Currency: "EUR", Generation: 1, Refs: []StepRef{{key, 1}, {"wire-" + key, 1}}}
}

func TestFindings(t *testing.T) {
	steps := []Step{payout("unknown", model.OutcomeUnknown, 1250), payout("done", model.Confirmed, 700), payout("failed", model.FailedSafely, 300),
		payout("not-sent", model.Pending, 40), payout("returned", model.Confirmed, 90), payout("in", model.OutcomeUnknown, 55)}
	steps[1].LineRefs = []string{"bank-recorded"}
	steps[4].Returned = 90
	steps[5].Out = false
	for i := range steps {
		steps[i].FirstDay, steps[i].LastDay = "2026-11-26", "2026-11-28"
	}
	change := func(l Line, with func(*Line)) Line { with(&l); return l }
	for _, test := range []struct {
		name    string
		line    Line
		finding Finding
		says    string
	}{
		{"as sent", paid(1, 1250, "unknown"), Proves, "Its EndToEndId names unknown. 12.50 EUR went out, the amount of the step; its outcome is unknown."},
		{"by the wire key", paid(1, 1250, "wire-unknown"), Proves, "Its EndToEndId wire-unknown names unknown."},
		{"another amount", paid(1, 1251, "unknown"), Differs, "12.51 EUR went out, but the step is about 12.50 EUR."},
		{"another currency", change(paid(1, 1250, "unknown"), func(l *Line) { l.Currency = "USD" }), Differs, "12.50 USD went out, but the step is about 12.50 EUR."},
		{"booked in the future", change(paid(1, 1250, "unknown"), func(l *Line) { l.BookedOn = "2026-11-29" }), Doubtful, "booked on 2026-11-29, which lies in the future"},
		{"booked on the last day", change(paid(1, 1250, "unknown"), func(l *Line) { l.BookedOn = "2026-11-28" }), Proves, "the amount of the step"},
		{"booked on the first day", change(paid(1, 1250, "unknown"), func(l *Line) { l.BookedOn = "2026-11-26" }), Proves, "the amount of the step"},
		{"booked before it was sent", change(paid(1, 1250, "unknown"), func(l *Line) { l.BookedOn = "2026-11-25" }), Doubtful, "booked on 2026-11-25, before the step was first sent"},
		{"of no day", change(paid(1, 1250, "unknown"), func(l *Line) { l.BookedOn = "" }), Doubtful, "says no day"},
		{"not booked", change(paid(1, 1250, "unknown"), func(l *Line) { l.Booked = false }), Pending, "has not booked it"},
		{"the other way", paid(1, -1250, "unknown"), Back, "12.50 EUR came in again"},
		{"a return", change(paid(1, -1250, "unknown"), func(l *Line) { l.Back, l.Code = true, "AC01" }), Back, "(AC01)"},
		{"called a reversal, and a debit", change(paid(1, 1250, "unknown"), func(l *Line) { l.Back = true }), Back, "but 12.50 EUR went out, the same way as the payment"},
		{"called a return, and a credit", change(paid(1, -55, "in"), func(l *Line) { l.Back = true }), Back, "but 0.55 EUR came in, the same way as the payment"},
		{"a return of what came in", change(paid(1, 55, "in"), func(l *Line) { l.Back = true }), Back, "0.55 EUR went out again. That is not recorded"},
		{"called a return of what is known, and a debit", change(paid(1, 90, "returned"), func(l *Line) { l.Back = true }), Back, "but 0.90 EUR went out"},
		{"a return that is known", change(paid(1, -90, "returned"), func(l *Line) { l.Back = true }), Known, "came in again, as is known"},
		{"confirmed", paid(1, 700, "done"), Known, "7.00 EUR went out, as the step has it"},
		{"recorded by the bank's reference", change(paid(1, 700, "recorded"), func(l *Line) { l.Refs = nil }), Known, "The bank's reference bank-recorded is recorded for done."},
		{"confirmed with another amount", paid(1, 701, "done"), Differs, "ask the provider and the bank"},
		{"failed here", paid(1, 300, "failed"), Ended, "the step failed safely"},
		{"not begun here", paid(1, 40, "not-sent"), Ended, "the step has not begun"},
		{"money that comes in", paid(1, -55, "in"), Proves, "0.55 EUR came in"},
		{"and goes out again", paid(1, 55, "in"), Back, "0.55 EUR went out again"},
		{"nobody's", paid(1, 1250, "Unknown"), Nobody, "None of its references"},
		{"the bank's reference is no reference of the payer's", change(paid(1, 1250, "x"), func(l *Line) { l.BankRef = "unknown" }), Nobody, "None"},
		{"two steps", change(paid(1, 1250, "unknown"), func(l *Line) { l.Refs = append(l.Refs, Ref{"text", "done"}) }), Several, "several steps: done and unknown"},
		{"recorded for another", change(paid(1, 1250, "unknown"), func(l *Line) { l.BankRef = "bank-recorded" }), Several, "several steps: done and unknown"},
	} {
		m := Find([]Line{test.line}, steps)[0]
		if m.Finding != test.finding || !strings.Contains(m.Because, test.says) || !strings.HasSuffix(m.Because, ".") {
			t.Errorf("%s: %s: %s", test.name, m.Finding, m.Because)
		}
		if (m.Step == nil) != (m.Finding == Nobody || strings.HasPrefix(test.says, "several steps")) {
			t.Errorf("%s: step %v", test.name, m.Step)
		}
	}
}

// A second debit of one payment is exactly what a person must see, whatever its
// amount, and also where the step is confirmed.
func TestTwoDebitsOfOneStepProveNothing(t *testing.T) {
	for _, state := range []model.StepState{model.OutcomeUnknown, model.Confirmed} {
		steps := []Step{payout("k", state, 1250)}
		for _, second := range []int64{1250, 1} {
			for _, m := range Find([]Line{paid(3, 1250, "k"), paid(9, second, "wire-k")}, steps) {
				if m.Finding != Several || !strings.Contains(m.Because, "Lines 3 and 9 all name k") {
					t.Errorf("%s, %d: %s: %s", state, second, m.Finding, m.Because)
				}
			}
		}
	}
}

// A payment that came back, in whole or in part, is a person's to decide: a mark
// of the payment alone would hide the return. Of a confirmed step it is told.
func TestPaidAndReturnedInOneFile(t *testing.T) {
	back := paid(2, -1250, "k")
	back.Back = true
	part := paid(2, -50, "k")
	for _, returned := range []Line{back, part} {
		m := Find([]Line{paid(1, 1250, "k"), returned}, []Step{payout("k", model.OutcomeUnknown, 1250)})
		if m[0].Finding != Doubtful || !strings.Contains(m[0].Because, "paid by line 1 and came back by line 2") || m[1].Finding != Back {
			t.Errorf("%s: %s; %s", m[0].Finding, m[0].Because, m[1].Finding)
		}
	}
	m := Find([]Line{paid(1, 1250, "k"), back}, []Step{payout("k", model.Confirmed, 1250)})
	if m[0].Finding != Known || !strings.Contains(m[0].Because, "Money of it came back by line 2") {
		t.Errorf("confirmed: %s: %s", m[0].Finding, m[0].Because)
	}
	twice := []Line{back, back}
	twice[1].Number = 3
	known := payout("k", model.Confirmed, 1250)
	known.Returned = 1250
	for _, m := range Find(twice, []Step{known}) {
		if m.Finding != Back {
			t.Errorf("it came back twice and was known once: %s", m.Finding)
		}
	}
}

// drawn are lines and steps that name each other often.
func drawn(t *rapid.T) (lines []Line, steps []Step) {
	names := rapid.SampledFrom([]string{"a", "b", "c", "d", ""})
	states := rapid.SampledFrom([]model.StepState{model.Pending, model.InProgress, model.Confirmed, model.FailedSafely, model.OutcomeUnknown, model.NotNeeded})
	currency := rapid.SampledFrom([]string{"EUR", "USD"})
	for i := range rapid.IntRange(0, 4).Draw(t, "steps") {
		steps = append(steps, Step{Key: string(rune('A' + i)), State: states.Draw(t, "state"), Uncertain: rapid.Bool().Draw(t, "uncertain"), Out: rapid.Bool().Draw(t, "out"),
			Amount: rapid.Int64Range(0, 2).Draw(t, "amount"), Returned: rapid.Int64Range(0, 2).Draw(t, "returned"), Currency: currency.Draw(t, "currency"),
			Generation: rapid.IntRange(1, 2).Draw(t, "generation"), LineRefs: rapid.SliceOfN(names, 0, 1).Draw(t, "line refs"), Conflict: rapid.SampledFrom([]string{"", "They do not fit."}).Draw(t, "conflict")})
		for _, name := range rapid.SliceOfN(names, 0, 1).Draw(t, "paid by") {
			steps[i].PaidBy = append(steps[i].PaidBy, Payment{name, rapid.SampledFrom([]string{"", "2026-11-27"}).Draw(t, "day"), model.Money{Amount: steps[i].Amount, Currency: steps[i].Currency}})
		}
		for _, name := range rapid.SliceOfN(names, 0, 2).Draw(t, "refs") {
			steps[i].Refs = append(steps[i].Refs, StepRef{name, rapid.IntRange(1, steps[i].Generation).Draw(t, "generation of a reference")})
		}
	}
	for i := range rapid.IntRange(0, 6).Draw(t, "lines") {
		line := Line{Number: i + 1, Entry: rapid.IntRange(1, 3).Draw(t, "entry"), Charge: rapid.Bool().Draw(t, "charge"), Doubt: rapid.SampledFrom([]string{"", "It is odd."}).Draw(t, "doubt"), Booked: rapid.Bool().Draw(t, "booked"), Back: rapid.Bool().Draw(t, "back"), Amount: rapid.Int64Range(-2, 2).Draw(t, "line amount"), BookedOn: rapid.SampledFrom([]string{"", "2026-11-27", "2026-11-27"}).Draw(t, "booked"),
			Currency: currency.Draw(t, "line currency"), BankRef: names.Draw(t, "bank ref"),
			origin: origin{statement: rapid.IntRange(1, 2).Draw(t, "statement"), kind: rapid.SampledFrom([]Kind{Booked, Interim}).Draw(t, "kind")}}
		for _, name := range rapid.SliceOfN(names, 0, 2).Draw(t, "line refs") {
			line.Refs = append(line.Refs, Ref{Kind: "text", Value: name})
		}
		lines = append(lines, line)
	}
	return lines, steps
}

// namesEarlier reports whether a line names what was sent before the step's
// present generation.
func namesEarlier(line Line, s *Step) bool {
	return slices.ContainsFunc(s.Refs, func(own StepRef) bool {
		return own.Generation != s.Generation && own.Value != "" && slices.ContainsFunc(line.Refs, func(r Ref) bool { return r.Value == own.Value })
	})
}

func TestProofIsNeverAmbiguous(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines, steps := drawn(t)
		proved := map[string]bool{}
		for i, m := range Find(lines, steps) {
			if !reflect.DeepEqual(m.Line, lines[i]) {
				t.Fatalf("match %d is not of its line", i)
			}
			if m.Because == "" || !strings.HasSuffix(m.Because, ".") {
				t.Fatalf("because %q", m.Because)
			}
			if m.Finding != Proves {
				continue
			}
			s := m.Step
			if proved[s.Key] || !m.Booked || m.BookedOn == "" || m.Back || m.Charge || m.Doubt != "" || namesEarlier(m.Line, s) || !s.Uncertain || s.Conflict != "" || s.Returned > 0 || s.State == model.Confirmed || m.Currency != s.Currency || s.Out && m.Amount != -s.Amount || !s.Out && m.Amount != s.Amount {
				t.Fatalf("%+v proves %+v", m.Line, s)
			}
			proved[s.Key] = true
		}
	})
}

func TestOrderOfLinesChangesNoFinding(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines, steps := drawn(t)
		told := func(lines []Line) map[int]Match {
			all := map[int]Match{}
			for _, m := range Find(lines, steps) {
				all[m.Number] = m
			}
			return all
		}
		if a, b := told(lines), told(rapid.Permutation(slices.Clone(lines)).Draw(t, "order")); !reflect.DeepEqual(a, b) {
			t.Fatalf("%+v\n%+v", a, b)
		}
	})
}
