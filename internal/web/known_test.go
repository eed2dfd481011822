package web

import (
	"strings"
	"testing"
	"time"

	"countersign/internal/model"
	"countersign/web/templates"
)

// TestKnownFacts holds what an act on a step is weighed by, on its form and on
// the request for it alike.
func TestKnownFacts(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(*model.Case, *model.Step)
		want   []string
	}{
		"unknown": {func(*model.Case, *model.Step) {}, []string{"Sent: once", "Checked: not asked yet"}},
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
	if got != "Recorded as happened: po_9, by uploaded file of 30 Nov 2026 ." {
		t.Error(got)
	}
}

// TestMarkedEffect holds that a person's mark stays named with its signatures,
// and that another amount than asked for is said.
func TestMarkedEffect(t *testing.T) {
	n := told(func(c *model.Case, s *model.Step) {
		s.State, s.Moved, s.ChangedAt = model.Confirmed, 4_820_100, ago(time.Minute)
		s.Evidence = []model.Evidence{{Source: model.FromOperator, Says: model.Happened, At: ago(10 * time.Minute), By: "Olga"},
			{Source: model.FromQuery, Says: model.Happened, At: ago(time.Minute), Status: "paid"}}
		c.Requests = []model.Approval{{Action: model.MarkExternalResult, Step: s.Name, State: model.ApprovalExecuted, CreatedAt: ago(20 * time.Minute), ClosedAt: ago(10 * time.Minute),
			Decisions: []model.ApprovalDecision{{Name: "Ada", Says: "approve", At: ago(10 * time.Minute)}}}}
	})
	want := "48,201.00 EUR paid as Olga marked it, 09:32:18 +00:00 , signed by Ada 09:32:18 +00:00 ; asked since, bank calls it “paid”, 09:41:18 +00:00 . That is 1.00 EUR more than the 48,200.00 EUR that was asked for"
	if got := plain(t, n.effect(n.c.Steps[1]).Text); got != want {
		t.Error(got)
	}
}

// TestContradictedMark holds that what a person marked, what the provider shows and
// what was asked for are told apart.
func TestContradictedMark(t *testing.T) {
	n := told(func(c *model.Case, s *model.Step) {
		s.State, s.Moved, s.ExternalRef, s.ChangedAt = model.Confirmed, 5_000_000, "E2E-2", ago(10*time.Minute)
		s.Evidence = []model.Evidence{{Source: model.FromOperator, Says: model.Happened, At: ago(10 * time.Minute), By: "Olga", Ref: "E2E-2", Amount: 5_000_000, Currency: "EUR"},
			{ID: "e", Source: model.FromQuery, Says: model.Conflicting, At: ago(time.Minute), Ref: "po_9", Amount: 4_820_000, Currency: "EUR", Status: "paid"}}
		c.Conflicts = []model.Contradiction{{ID: "k", Step: s.Name, EvidenceID: "e", Reason: "r", OpenedAt: ago(time.Minute)}}
	})
	uncertain := n.uncertain()
	for want, got := range map[string]string{
		"50,000.00 EUR paid as Olga marked it, as E2E-2 , 09:32:18 +00:00 . That is 1,800.00 EUR more than the 48,200.00 EUR that was asked for. " +
			"Since then bank shows 48,200.00 EUR , “paid”, as po_9 , 09:41:18 +00:00": plain(t, n.effect(n.c.Steps[1]).Text),
		"48,200.00 EUR may or may not have been paid beside the 50,000.00 EUR that is confirmed. " +
			"Olga marked 50,000.00 EUR as E2E-2 ; Bank shows 48,200.00 EUR , “paid”, as po_9 ; 48,200.00 EUR was asked for. A person’s mark says what is true.": plain(t, append([]templates.Text{uncertain.Lead}, uncertain.Text...)...),
		"Sent: once, 07:58:18 +00:00\nCame back: 1 × reset\nObject: po_9 , 48,200.00 EUR , by query, 09:41:18 +00:00\nMarked: Olga marked 50,000.00 EUR as E2E-2 , 09:32:18 +00:00\n" +
			"Asked for: 48,200.00 EUR\nChecked: once, last 09:41:18 +00:00 : conflict.": facts(t, uncertain.Items[0].Facts),
	} {
		if got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

// TestConfirmedSinceFirstWord holds that a later look does not move the time at
// which a payment was first known.
func TestConfirmedSinceFirstWord(t *testing.T) {
	n := told(func(_ *model.Case, s *model.Step) {
		s.State, s.Moved, s.ChangedAt = model.Confirmed, 4_820_000, ago(time.Minute)
		s.Evidence = []model.Evidence{{Source: model.FromResponse, Says: model.Happened, At: ago(10 * time.Minute)}, {Source: model.FromQuery, Says: model.Happened, At: ago(time.Minute)}}
	})
	if got := plain(t, n.effect(n.c.Steps[1]).Text); got != "48,200.00 EUR paid by bank, confirmed 09:32:18 +00:00" {
		t.Error(got)
	}
}

// TestDecidedRequest holds that a decided request leads to what ran on it and
// does not show the states of the moment of asking.
func TestDecidedRequest(t *testing.T) {
	n := told(func(c *model.Case, s *model.Step) {
		c.Compensations = []model.Compensation{{Step: s.Name, State: model.CompensationDone, ApprovalID: "approval-1", ChildID: "intent-y"}, {ApprovalID: "approval-0", ChildID: "intent-z"}}
	})
	p := approvalPage{planner: planner{narrator: n, action: model.Compensate}}
	p.ID, p.Stored.State = "approval-1", model.ApprovalExecuted
	p.plan.Calls = []model.PlannedCall{{Step: "reverse-payout", State: model.Pending}}
	p.plan.Then = []model.PlannedStep{{Step: "send-correction", State: model.Pending}}
	if got := plain(t, p.closedBecause()...); got != "It is carried out by the compensation intent-y , done." {
		t.Error(got)
	}
	for state, want := range map[model.ApprovalState]templates.State{model.ApprovalExecuted: "", model.ApprovalOpen: "pending"} {
		p.Stored.State = state
		if plan := new(visit).approvalPlan(p); plan.Calls[0].State != want || plan.Then[0].State != want || plan.Past != (want == "") {
			t.Errorf("%s: %+v", state, plan)
		}
	}
}
