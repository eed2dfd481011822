package model

import "testing"

func TestState(t *testing.T) {
	// A payout in short: a local step with an undo after the effect.
	build := func(given func(*Case, *Step, *Step)) *Case {
		c, s := caseOf(bank)
		ledger := &Step{IntentID: c.ID, Name: "post-ledger", Class: Local, Operation: "ledger.post", State: Pending, Generation: 1}
		c.Steps = append(c.Steps, ledger)
		given(c, s, ledger)
		return c
	}
	refuse := func(f Failure) func(*Case, *Step, *Step) {
		return func(_ *Case, s, _ *Step) { s.State, s.Failure = FailedSafely, f }
	}
	for _, test := range []struct {
		name  string
		given func(*Case, *Step, *Step)
		want  IntentState
	}{
		{"never claimed", func(c *Case, _, _ *Step) { c.Fence = 0 }, Received},
		{"claimed", func(*Case, *Step, *Step) {}, Processing},
		{"settling", func(_ *Case, s, _ *Step) { s.State, s.Settling = InProgress, true }, Processing},
		{"all done", func(_ *Case, s, l *Step) { s.State, l.State = Confirmed, Confirmed }, Completed},
		{"done or moot", func(_ *Case, s, l *Step) { s.State, l.State = Confirmed, NotNeeded }, Completed},
		{"unknown, check planned", func(_ *Case, s, _ *Step) { s.State, s.NextCheckAt = OutcomeUnknown, sec(99) }, Processing},
		{"unknown, send planned", func(_ *Case, s, _ *Step) { s.State, s.NextTryAt = OutcomeUnknown, sec(99) }, Processing},
		{"unknown, nothing planned", func(_ *Case, s, _ *Step) { s.State = OutcomeUnknown }, NeedsReview},
		{"failed, try planned", func(_ *Case, s, _ *Step) { s.State, s.Failure, s.NextTryAt = FailedSafely, Retryable, sec(99) }, RetryableFailure},
		{"failed, budget spent", refuse(Retryable), NeedsReview},
		{"curable", refuse(Curable), NeedsReview},
		{"object failed", refuse(FailedObject), NeedsReview},
		{"refused for good", refuse(Permanent), TerminalFailure},
		{"refused for good after an effect", func(_ *Case, s, l *Step) { s.State, l.State, l.Failure = Confirmed, FailedSafely, Permanent }, NeedsReview},
		{"abandoned", func(c *Case, _, _ *Step) { c.Abandonment = &Abandonment{} }, Abandoned},
		{"abandoned though unknown", func(c *Case, s, _ *Step) { c.Abandonment, s.State = &Abandonment{}, OutcomeUnknown }, Abandoned},
		{"conflict on a completed one", func(c *Case, s, l *Step) {
			s.State, l.State = Confirmed, Confirmed
			c.Conflicts = []Contradiction{{Step: s.Name, Reason: "two answers"}}
		}, NeedsReview},
		{"conflict on an abandoned one", func(c *Case, s, _ *Step) {
			c.Abandonment, c.Conflicts = &Abandonment{}, []Contradiction{{Step: s.Name, Reason: "two answers"}}
		}, NeedsReview},
		{"closed conflict", func(c *Case, s, l *Step) {
			s.State, l.State = Confirmed, Confirmed
			c.Conflicts = []Contradiction{{Step: s.Name, ClosedAt: sec(1)}}
		}, Completed},
		{"compensation asked for", func(c *Case, s, _ *Step) {
			s.State, c.Compensations = Confirmed, []Compensation{{State: CompensationAsked}}
		}, Compensating},
		{"compensation open", func(c *Case, s, _ *Step) {
			s.State, c.Compensations = Confirmed, []Compensation{{State: CompensationOpen}}
		}, Compensating},
		{"compensation done", func(c *Case, s, _ *Step) {
			s.State, c.Compensations = Confirmed, []Compensation{{State: CompensationDone}}
		}, Compensated},
		{"compensation withdrawn", func(c *Case, s, l *Step) {
			s.State, l.State = Confirmed, Confirmed
			c.Compensations = []Compensation{{State: CompensationWithdrawn}}
		}, Completed},
		{"due date passed before it was sent", func(c *Case, s, _ *Step) { c.DueBy, s.Operation = sec(1), "dispute.respond" }, NeedsReview},
		{"approval asked for", func(c *Case, s, _ *Step) {
			s.Operation, s.Class, s.PeopleNeeded = ApprovalStep, Local, 1
			c.Requests = []Approval{{Action: ApproveIntent, State: ApprovalOpen}}
		}, AwaitingApproval},
		{"approval lapsed", func(c *Case, s, _ *Step) {
			s.Operation, s.Class, s.PeopleNeeded = ApprovalStep, Local, 1
			c.Requests = []Approval{{Action: ApproveIntent, State: ApprovalExpired}}
		}, NeedsReview},
	} {
		c := build(test.given)
		c.Derive(NormalPace(), sec(50))
		if c.State != test.want {
			t.Errorf("%s: %s (%s), want %s", test.name, c.State, c.Reason, test.want)
		}
		if (c.State == NeedsReview) != (c.ReviewDue != 0) {
			t.Errorf("%s: review due %v", test.name, c.ReviewDue)
		}
		if c.Reason == "" && c.State != Processing {
			t.Errorf("%s: no reason is given", test.name)
		}
	}
}

func TestExposureCountsConfirmedAndUncertain(t *testing.T) {
	for _, test := range []struct {
		name                 string
		given                func(*Case, *Step)
		confirmed, uncertain int64
	}{
		{"pending", func(*Case, *Step) {}, 0, 0},
		{"in flight", func(_ *Case, s *Step) { s.State = InProgress }, 0, 1000},
		{"settling", func(_ *Case, s *Step) { s.State, s.Settling = InProgress, true }, 0, 1000},
		{"unknown", func(_ *Case, s *Step) { s.State = OutcomeUnknown }, 0, 1000},
		{"confirmed", func(_ *Case, s *Step) { s.State, s.Moved = Confirmed, 1000 }, 1000, 0},
		{"another amount moved", func(_ *Case, s *Step) { s.State, s.Moved = Confirmed, 900 }, 900, 0},
		{"partly came back", func(_ *Case, s *Step) { s.State, s.Moved, s.Returned = Confirmed, 1000, 400 }, 600, 0},
		{"compensated", func(c *Case, s *Step) {
			s.State, s.Moved = Confirmed, 1000
			c.Undone = map[string]string{s.Operation: "intent-y"}
		}, 0, 0},
		{"compensated while settling", func(c *Case, s *Step) {
			s.State, s.Settling = InProgress, true
			c.Undone = map[string]string{s.Operation: "intent-y"}
		}, 0, 0},
		{"a later step was compensated", func(c *Case, s *Step) {
			s.State, s.Moved = Confirmed, 1000
			c.Undone = map[string]string{"ledger.post": "intent-y"}
		}, 1000, 0},
		{"a larger amount was seen", func(c *Case, s *Step) {
			s.State, s.Evidence = OutcomeUnknown, []Evidence{{Says: Conflicting, Amount: 1100, Currency: "USD", Ref: "po_1"}}
			c.Conflicts = []Contradiction{{Step: s.Name, Reason: "x"}}
		}, 0, 1100},
		{"a smaller amount was seen", func(c *Case, s *Step) {
			s.State, s.Evidence = OutcomeUnknown, []Evidence{{Says: Conflicting, Amount: 900, Currency: "USD", Ref: "po_1"}}
			c.Conflicts = []Contradiction{{Step: s.Name, Reason: "x"}}
		}, 0, 1000},
		{"a second object was seen", func(c *Case, s *Step) {
			s.State, s.Moved, s.ExternalRef = Confirmed, 1000, "po_1"
			s.Evidence = []Evidence{{Says: Conflicting, Amount: 1000, Currency: "USD", Ref: "po_2"}}
			c.Conflicts = []Contradiction{{Step: s.Name, Reason: "x"}}
		}, 1000, 1000},
		{"abandoned while unknown", func(c *Case, s *Step) { c.Abandonment, s.State = &Abandonment{}, OutcomeUnknown }, 0, 1000},
	} {
		c, s := caseOf(bank)
		test.given(c, s)
		c.Derive(NormalPace(), sec(1))
		if c.Confirmed != test.confirmed || c.Uncertain != test.uncertain {
			t.Errorf("%s: %d confirmed, %d uncertain", test.name, c.Confirmed, c.Uncertain)
		}
	}
}
