package model

import "testing"

// Histories that once led astray, each with what must come of it.

func look(f Finding, ref string, amount int64) Look {
	return Look{Observation: Observation{Finding: f, ExternalRef: ref, Amount: amount, Currency: "USD", Detail: "seen"}, Source: FromQuery, EvidenceID: "ev-look", Began: sec(100)}
}

func observe(t *testing.T, c *Case, s *Step, l Look, at Time) Evidence {
	t.Helper()
	e, err := c.Observe(s, l, NormalPace(), 0.5, at)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestACreditIsSentAfterTheDisputesDate(t *testing.T) {
	c, s := caseOf(bank)
	s.Operation, c.DueBy = "credit.create", sec(1)
	if r := c.MaySend(s, ByEngine, NormalPace(), sec(10)); r != nil {
		t.Errorf("refused: %v", r)
	}
	s.Operation = "dispute.respond"
	if r := c.MaySend(s, ByEngine, NormalPace(), sec(10)); r == nil || r.Rule != "send.due-date-passed" {
		t.Errorf("the response itself: %v", r)
	}
	s.State, s.Failure, s.NextTryAt = FailedSafely, Retryable, sec(5)
	c.Derive(NormalPace(), sec(10))
	if c.State != NeedsReview || c.ReviewDue == 0 {
		t.Errorf("a try planned for after the date leaves it %s", c.State)
	}
}

func TestAWithdrawnRequestDoesNotHideAPartWayEnd(t *testing.T) {
	c, s := caseOf(bank)
	s.State, s.Moved = Confirmed, 1000
	c.Undone = map[string]string{"ledger.post": "intent-y"}
	c.Compensations = []Compensation{{Step: s.Name, State: CompensationEnded}, {Step: s.Name, State: CompensationWithdrawn}}
	c.Derive(NormalPace(), sec(10))
	if c.State != NeedsReview || c.BrokenOff() == nil {
		t.Errorf("%s", c.State)
	}
}

func TestADecidedConflictStaysClosed(t *testing.T) {
	c, s := caseOf(bank, unknown(0, 2))
	several := look(FoundSeveral, "po_1", 2000)
	observe(t, c, s, several, sec(101))
	if c.OpenConflict() == nil {
		t.Fatal("no conflict")
	}
	if _, err := c.ApplyMark(s, Mark{Happened: true, ExternalRef: "po_1", Amount: 1000, EvidenceID: "ev-mark"}, NormalPace(), 0.5, sec(200)); err != nil {
		t.Fatal(err)
	}
	several.EvidenceID = "ev-again"
	if e := observe(t, c, s, several, sec(300)); e.Says != Inconclusive || c.OpenConflict() != nil {
		t.Errorf("the same look reopened it: %s, %v", e.Says, c.OpenConflict())
	}
	news := look(FoundOther, "po_7", 5000)
	if observe(t, c, s, news, sec(400)); c.OpenConflict() == nil {
		t.Error("other news must open one")
	}
}

func TestASecondObjectIsSeen(t *testing.T) {
	for _, f := range []Finding{FoundHappened, FoundSettling, FoundReturned} {
		c, s := caseOf(bank)
		s.State, s.Moved, s.ExternalRef = Confirmed, 1000, "po_1"
		if observe(t, c, s, look(f, "po_2", 1000), sec(101)); c.OpenConflict() == nil || s.ExternalRef != "po_1" || s.Returned != 0 {
			t.Errorf("%s beside po_1: conflict %v, ref %s, returned %d", f, c.OpenConflict(), s.ExternalRef, s.Returned)
		}
	}
	c, s := caseOf(bank)
	s.State, s.Moved, s.ExternalRef = Confirmed, 1000, "po_1"
	if observe(t, c, s, look(FoundFailed, "po_2", 1000), sec(101)); c.OpenConflict() != nil || s.State != Confirmed {
		t.Error("a failed object beside the step's own is nothing to it")
	}
}

func TestNewsOfAnOlderGeneration(t *testing.T) {
	for f, conflict := range map[Finding]bool{FoundFailed: false, FoundNone: false, FoundOther: false, FoundHappened: true, FoundSettling: true} {
		c, s := caseOf(bank, unknown(0, 2))
		s.Generation = 2
		l := look(f, "po_1", 1000)
		l.Generation = 1
		if observe(t, c, s, l, sec(1000)); s.State != OutcomeUnknown || (c.OpenConflict() != nil) != conflict {
			t.Errorf("%s: %s, conflict %v", f, s.State, c.OpenConflict())
		}
	}
}

func TestOneObjectsAbsenceProvesNothing(t *testing.T) {
	for _, f := range []Finding{FoundNone, FoundFailed} {
		c, s := caseOf(bank, unknown(0, 2))
		l := look(f, "po_1", 1000)
		l.Single = true
		if e := observe(t, c, s, l, sec(1000)); s.State != OutcomeUnknown || e.Says != Inconclusive {
			t.Errorf("%s of one object: %s, %s", f, s.State, e.Says)
		}
	}
}

func TestReturnedAfterItWasDeniedKeepsExposureWhole(t *testing.T) {
	c, s := caseOf(bank)
	s.State, s.Failure = FailedSafely, Retryable
	l := look(FoundReturned, "po_1", 1000)
	l.Returned = 1000
	observe(t, c, s, l, sec(101))
	if _, err := c.ApplyMark(s, Mark{Happened: true, ExternalRef: "line-1", Amount: 980, EvidenceID: "ev-mark"}, NormalPace(), 0.5, sec(200)); err != nil {
		t.Fatal(err)
	}
	c.Derive(NormalPace(), sec(200))
	if c.Confirmed != 20 || s.Moved != 1000 || s.Returned != 980 {
		t.Errorf("confirmed %d, moved %d, returned %d", c.Confirmed, s.Moved, s.Returned)
	}
	l.EvidenceID = "ev-again"
	if observe(t, c, s, l, sec(300)); s.Returned != 980 || c.OpenConflict() != nil {
		t.Errorf("what a person recorded was overwritten: %d, %v", s.Returned, c.OpenConflict())
	}
}

func TestALateAnswerNamesTheObject(t *testing.T) {
	c, s := caseOf(bank, lost(0, 60))
	version := c.Version
	c.Late(s, &s.Attempts[0], Outcome{Result: ResultAccepted, ExternalRef: "po_1"}, "ev-late", sec(70))
	if s.ExternalRef != "po_1" || s.NextTryAt != 0 || s.NextCheckAt == 0 || c.Version == version {
		t.Errorf("ref %q, next try %v, next look %v", s.ExternalRef, s.NextTryAt, s.NextCheckAt)
	}
	if r := c.MaySend(s, ByOperator, NormalPace(), sec(80)); r == nil || r.Rule != "send.object-known" {
		t.Errorf("a person may send it again: %v", r)
	}
}

// TestDoubtBeginsWhenItBegins: what is sent or in transit is not in doubt yet. It
// is since its outcome became unknown, anew each time, and checks are counted on.
func TestDoubtBeginsWhenItBegins(t *testing.T) {
	c, s := caseOf(bank)
	s.Attempts = []Attempt{{Number: 1, Generation: 1, Step: s.Name, StartedAt: sec(1)}}
	move := func(to StepState, by Who, at float64) {
		t.Helper()
		if err := c.move(s, to, by, "cause", "because", sec(at)); err != nil {
			t.Fatal(err)
		}
		c.Derive(Timing{}, sec(at))
	}
	move(InProgress, WhoEngine, 1)
	s.Checks = 3
	if s.UncertainSince != 0 || c.UncertainSince != 0 || c.Uncertain != s.Amount {
		t.Errorf("in transit: uncertain since %v, %v, %d", s.UncertainSince, c.UncertainSince, c.Uncertain)
	}
	move(OutcomeUnknown, WhoEngine, 90)
	if s.UncertainSince != sec(90) || c.UncertainSince != sec(90) || c.SortOpen != int64(sec(90)) || s.Checks != 3 || s.SentAt() != sec(1) {
		t.Errorf("overdue: uncertain since %v, %v, %d checks, sent %v", s.UncertainSince, c.UncertainSince, s.Checks, s.SentAt())
	}
	move(InProgress, WhoProvider, 100)
	move(OutcomeUnknown, WhoEngine, 200)
	if s.UncertainSince != sec(200) {
		t.Errorf("overdue again: uncertain since %v", s.UncertainSince)
	}
	move(Confirmed, WhoProvider, 300)
	if s.UncertainSince != 0 || s.Checks != 0 {
		t.Errorf("confirmed: uncertain since %v, %d checks", s.UncertainSince, s.Checks)
	}
}
