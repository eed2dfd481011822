package web

import (
	"strings"
	"testing"
	"time"

	"countersign/internal/actions"
	"countersign/internal/authz"
	"countersign/internal/model"
	"countersign/web/templates"
)

// shown is plain, of a text that may be empty.
func shown(t *testing.T, text templates.Text) string {
	if len(text) == 0 {
		return ""
	}
	return plain(t, text)
}

// TestNextTry holds the last column of the steps against the rules of sending.
func TestNextTry(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*model.Case, *model.Step)
		want   string
		after  string // of the step behind it
	}{
		"abandoned": {func(c *model.Case, s *model.Step) {
			s.State, s.Failure = model.FailedSafely, model.Curable
			c.Abandonment = &model.Abandonment{By: "Olga"}
		}, "not sent again, abandoned", "nothing, abandoned"},
		"a message, unknown": {func(_ *model.Case, s *model.Step) {
			s.Class, s.NextCheckAt = model.Message, shownAt.Add(time.Hour)
		}, "not sent again; next look 10:42:18 +00:00", "after create-payout"},
		"two observations differ": {func(c *model.Case, s *model.Step) {
			c.Conflicts = []model.Contradiction{{ID: "k", Step: s.Name, Reason: "Another amount."}}
		}, "not sent again: a person closes the conflict first", "nothing: a person closes the conflict first"},
		"lack of funds": {func(_ *model.Case, s *model.Step) {
			s.State, s.Failure = model.FailedSafely, model.Curable
		}, "by a person", "after create-payout"},
		"refused for good, after an effect": {func(c *model.Case, s *model.Step) {
			s.State, s.Failure = model.FailedSafely, model.Permanent
			c.Steps[0].Operation = "ledger.post"
		}, "not sent again: refused for good", "nothing: create-payout was refused for good"},
		"tries spent": {func(_ *model.Case, s *model.Step) {
			s.Tries = 6
			s.Evidence = []model.Evidence{{Source: model.FromQuery, Says: model.Inconclusive, At: ago(time.Minute)}}
		}, "by a person, under the same key", ""},
		"not asked since": {func(_ *model.Case, s *model.Step) { s.Tries = 6 }, "by a person, after a look", ""},
		"planned":         {func(_ *model.Case, s *model.Step) { s.NextTryAt = shownAt.Add(time.Minute) }, "try 09:43:18 +00:00", ""},
		"completed": {func(c *model.Case, s *model.Step) {
			s.State, c.Steps[2].State = model.Confirmed, model.Confirmed
		}, "", ""},
	} {
		n := told(test.change)
		if got := shown(t, n.nextTry(n.c.Steps[1], "verify-payee")); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
		if got := plain(t, n.nextTry(n.c.Steps[2], "create-payout")); test.after != "" && got != test.after {
			t.Errorf("%s, behind it: %q, want %q", name, got, test.after)
		}
	}
}

// TestWhoElse names the people behind every verdict.
func TestWhoElse(t *testing.T) {
	who := func(id string, role model.Role) model.Person {
		return model.Person{ID: id, Name: id, Roles: map[string][]model.Role{"acme": {role}}}
	}
	people := []model.Person{who("Olga", model.RoleOperator), who("Ada", model.RoleApprover), who("Ben", model.RoleApprover)}
	n := told(func(_ *model.Case, s *model.Step) { s.Amount = 84_250 })
	for viewer, want := range map[string]map[string]string{
		"Olga": {model.Reconcile: "No second person", model.MarkExternalResult: "No second person for 842.50 EUR ; for another amount 1 of Ada , Ben", model.Abandon: "1 of Ada , Ben", model.Compensate: ""},
		"Ada":  {model.Reconcile: "Olga may", model.Abandon: "Olga may; then 1 of Ada , Ben"},
	} {
		i := 0
		for people[i].ID != viewer {
			i++
		}
		actor := authz.Actor{Type: model.ActorPerson, ID: viewer, Roles: people[i].Roles}
		d := decider{narrator: n, people: people, tiers: authz.DefaultTiers, actor: actor}
		for _, row := range d.actionRows(actions.Verdicts(n.c, actor, people, n.timing, d.tiers, shownAt)) {
			action := strings.ReplaceAll(strings.ToLower(row.Label), " ", "_")
			if text, told := want[action]; told && shown(t, row.People) != text {
				t.Errorf("%s for %s: %q, want %q", action, viewer, shown(t, row.People), text)
			}
		}
	}
}

// TestOpenRequestLeads holds that the page leads to an open request and names
// who may sign it.
func TestOpenRequestLeads(t *testing.T) {
	n := told(func(c *model.Case, s *model.Step) {
		c.Requests = []model.Approval{{ID: "approval-1", Account: "acme", State: model.ApprovalOpen, Action: model.MarkExternalResult, Step: s.Name, Needed: 1,
			RequestedBy: "Olga", RequesterName: "Olga", Reason: "the bank wrote", CreatedAt: ago(time.Minute), ExpiresAt: shownAt.Add(time.Hour)}}
	})
	next := n.next()
	if got := plain(t, append(next.Text, next.Lead)...); !strings.Contains(got, "People decide: mark external result, create-payout .") || !strings.Contains(got, "Asked by Olga") || !strings.Contains(got, "the bank wrote") {
		t.Error(got)
	}
	d := decider{narrator: n, people: []model.Person{{ID: "Ada", Name: "Ada", Roles: map[string][]model.Role{"acme": {model.RoleApprover}}}}, tiers: authz.DefaultTiers}
	if got := plain(t, d.signing()); got != "Mark external result, create-payout : Ada may sign." {
		t.Error(got)
	}
}

// TestProseSpeaksTheViewersZone holds that no stored moment reaches a page as UTC text.
func TestProseSpeaksTheViewersZone(t *testing.T) {
	n := told(func(*model.Case, *model.Step) {})
	n.clock.Zone = time.FixedZone("", 2*60*60)
	for _, sentence := range []string{"It should have finished by 2026-11-30 08:00:00 UTC, and has not.", "It should have finished by 2026-11-30T08:00:00.000000Z, and has not."} {
		if got := plain(t, n.prose(sentence)); got != "It should have finished by 10:00:00 +02:00 , and has not." {
			t.Error(got)
		}
	}
}
