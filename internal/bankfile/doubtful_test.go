package bankfile

import (
	"runtime"
	"strings"
	"testing"

	"countersign/internal/model"
)

// again is a payout that was sent a second time under a key of its own, after the
// first sending had ended without effect.
func again(state model.StepState) Step {
	s := payout("k#2", state, 1250)
	s.Generation = 2
	s.Refs = []StepRef{{"k", 1}, {"wire-k", 1}, {"k#2", 2}, {"wire-k#2", 2}}
	return s
}

// What was sent before the present generation had ended without effect. A bank
// that shows it contradicts that, and proves nothing of what was sent since.
func TestAnEarlierGenerationProvesNothing(t *testing.T) {
	for _, state := range []model.StepState{model.OutcomeUnknown, model.Confirmed, model.FailedSafely} {
		m := Find([]Line{paid(1, 1250, "wire-k")}, []Step{again(state)})[0]
		if m.Finding != Doubtful || !strings.Contains(m.Because, "Its EndToEndId wire-k names k#2. That was generation 1 of the step, which had ended without effect before generation 2 began.") {
			t.Errorf("%s: %s: %s", state, m.Finding, m.Because)
		}
	}
	if m := Find([]Line{paid(1, 1250, "k#2")}, []Step{again(model.OutcomeUnknown)})[0]; m.Finding != Proves {
		t.Errorf("the present one: %s: %s", m.Finding, m.Because)
	}
	both := paid(1, 1250, "k#2")
	both.Refs = append(both.Refs, Ref{"text", "k"})
	if m := Find([]Line{both}, []Step{again(model.OutcomeUnknown)})[0]; m.Finding != Doubtful || m.By.Value != "k" {
		t.Errorf("names both: %s: %s", m.Finding, m.Because)
	}
	for _, m := range Find([]Line{paid(1, 1250, "k"), paid(2, 1250, "k#2")}, []Step{again(model.OutcomeUnknown)}) {
		if m.Finding != Several {
			t.Errorf("both were paid: %s: %s", m.Finding, m.Because)
		}
	}
}

func TestALineInDoubtProvesNothing(t *testing.T) {
	line := paid(1, 1250, "k")
	line.Doubt = "The bank says one amount of several payments."
	m := Find([]Line{line}, []Step{payout("k", model.OutcomeUnknown, 1250)})[0]
	if m.Finding != Doubtful || m.Because != "Its EndToEndId names k. The bank says one amount of several payments." {
		t.Errorf("%s: %s", m.Finding, m.Because)
	}
	if !Doubtful.NeedsPerson() || !Doubtful.Odd() || Proves.Odd() || Known.NeedsPerson() || Charged.NeedsPerson() {
		t.Error("which findings need a person")
	}
}

// A second debit may come in another file, days after the first was recorded.
func TestAPaymentThatIsRecordedByAnotherLine(t *testing.T) {
	for _, state := range []model.StepState{model.OutcomeUnknown, model.Confirmed} {
		s := payout("k", state, 1250)
		s.LineRefs, s.PaidBy = []string{"bank-monday"}, []Payment{{"bank-monday", "2026-11-23", model.Money{Amount: 1250, Currency: "EUR"}}}
		m := Find([]Line{paid(1, 1250, "k")}, []Step{s})[0]
		if m.Finding != Several || !strings.Contains(m.Because, "recorded by the bank's line bank-monday of 2026-11-23, 12.50 EUR, already, and this is another line: it may have been paid twice.") {
			t.Errorf("%s: %s: %s", state, m.Finding, m.Because)
		}
	}
	same := paid(1, 1250, "k")
	same.BankRef = ""
	s := payout("k", model.Confirmed, 1250)
	s.LineRefs, s.PaidBy = []string{same.Identity()}, []Payment{{Ref: same.Identity()}}
	if m := Find([]Line{same}, []Step{s})[0]; m.Finding != Known {
		t.Errorf("the same line: %s: %s", m.Finding, m.Because)
	}
	other := payout("other", model.OutcomeUnknown, 1250)
	same.Refs[0].Value = "other"
	s.LineRefs = []string{same.Identity()}
	if m := Find([]Line{same}, []Step{s, other})[0]; m.Finding != Several {
		t.Errorf("the line of one step names another: %s: %s", m.Finding, m.Because)
	}
}

func TestAChargeIsNoPayment(t *testing.T) {
	fee := paid(2, 1250, "k")
	fee.Charge = true
	m := Find([]Line{paid(1, 1250, "k"), fee}, []Step{payout("k", model.OutcomeUnknown, 1250)})
	if m[0].Finding != Proves || m[1].Finding != Charged || !strings.Contains(m[1].Because, "a charge of the bank, 12.50 EUR") {
		t.Errorf("%s; %s: %s", m[0].Finding, m[1].Finding, m[1].Because)
	}
}

func TestWhatHappensNextToAStepThatHadEnded(t *testing.T) {
	s := payout("k", model.FailedSafely, 1250)
	s.NextTryAt = model.Time(1_796_000_000_000_000)
	later := again(model.FailedSafely)
	later.NextTryAt = s.NextTryAt
	for _, test := range []struct {
		line    Line
		step    Step
		finding Finding
	}{{paid(1, 1250, "k"), s, Ended}, {paid(1, 1251, "k"), s, Differs}, {paid(1, 1250, "k"), later, Doubtful}} {
		m := Find([]Line{test.line}, []Step{test.step})[0]
		if m.Finding != test.finding || !strings.HasSuffix(m.Because, "It will be sent at "+s.NextTryAt.String()+" by itself, and may be paid twice then: abandon the intent, or reconcile the step, to stop that.") {
			t.Errorf("%s: %s", m.Finding, m.Because)
		}
	}
	waits := payout("k", model.Pending, 1250)
	waits.Awaited = true
	if m := Find([]Line{paid(1, 1250, "k")}, []Step{waits})[0]; m.Finding != Ended || !strings.HasSuffix(m.Because, "It is sent when its turn comes, and may be paid twice then: abandon the intent to stop that.") {
		t.Errorf("%s: %s", m.Finding, m.Because)
	}
}

// What is said of a step is said once, however many lines name it: twice the lines
// take twice the memory, and no more.
func TestWorkGrowsWithTheLinesAlone(t *testing.T) {
	taken := func(n int) uint64 {
		lines := make([]Line, n)
		for i := range lines {
			lines[i] = paid(i+1, 1250, "k")
			lines[i].BankRef = ""
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		matches := Find(lines, []Step{payout("k", model.OutcomeUnknown, 1250)})
		runtime.ReadMemStats(&after)
		if because := matches[n-1].Because; matches[0].Finding != Several || !strings.HasPrefix(because, "Lines 1, 2, 3, 4, 5 and ") {
			t.Fatalf("%s: %s", matches[0].Finding, because)
		}
		return after.TotalAlloc - before.TotalAlloc
	}
	few, many := taken(2_000), taken(20_000)
	if many > 15*few {
		t.Errorf("2,000 lines take %d bytes, 20,000 take %d", few, many)
	}
}
