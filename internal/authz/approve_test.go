package authz_test

import (
	"math"
	"strings"
	"testing"
	"time"

	. "countersign/internal/authz"
	"countersign/internal/model"
)

// TestOwnBecause: what makes it one's own is said as it is.
func TestOwnBecause(t *testing.T) {
	for want, r := range map[string]Request{"You asked": {Requester: "ann", Creator: "ann"}, "You made the intent": {Creator: "ann"}, "You made one": {Requester: "olga", Creators: []string{"ann"}}} {
		r.Account = "acme"
		if d := MayApprove(person("ann", model.RoleApprover), r); !strings.HasPrefix(d.Because, want) {
			t.Errorf("%q, want %q", d.Because, want)
		}
	}
}

func TestMayApprove(t *testing.T) {
	approver := person("ann", model.RoleApprover)
	stranger := Actor{Type: model.ActorPerson, ID: "ann", Roles: map[string][]model.Role{"globex": {model.RoleApprover}}}
	keyOf := serviceKey(model.CanWriteIntents)
	keyOf.Key.Issuer = "ann"
	said := []model.ApprovalDecision{{Person: "ann", Says: "approve"}}
	for _, test := range []struct {
		name  string
		actor Actor
		req   Request
		code  string // "" is allowed
	}{
		{"somebody else's", approver, Request{Requester: "olga", Creator: "boss"}, ""},
		{"asked by the engine", approver, Request{Creator: "boss"}, ""},
		{"nobody known", approver, Request{}, ""},
		{"own request", approver, Request{Requester: "ann", Creator: "boss"}, CodeSelfApproval},
		{"own intent", approver, Request{Requester: "olga", Creator: "ann"}, CodeSelfApproval},
		{"own, and no approver", person("ann", model.RoleOperator), Request{Requester: "ann"}, CodeSelfApproval},
		{"own, after having decided", approver, Request{Requester: "ann", Decisions: said}, CodeSelfApproval},
		{"own, by a service key", keyOf, Request{Creator: "ann"}, CodeSelfApproval},
		{"a second time", approver, Request{Requester: "olga", Decisions: said}, CodeDenied},
		{"no approver", person("ann", model.RoleOperator), Request{Requester: "olga"}, CodeDenied},
		{"administrator", person("ann", model.RoleAdministrator), Request{Requester: "olga"}, CodeDenied},
		{"service key", keyOf, Request{Requester: "olga"}, CodeDenied},
		{"other account", stranger, Request{Requester: "olga"}, CodeNotFound},
		{"own, in an account that was left", stranger, Request{Requester: "ann"}, CodeNotFound},
	} {
		test.req.Account = "acme"
		if d := MayApprove(test.actor, test.req); d.Code != test.code || d.Allowed != (test.code == "") {
			t.Errorf("%s: %+v, want code %q", test.name, d, test.code)
		}
	}
}

func TestMayRejectAndWithdraw(t *testing.T) {
	request := Request{Account: "acme", Requester: "olga", Creator: "ann"}
	for _, test := range []struct {
		name             string
		actor            Actor
		reject, withdraw bool
	}{
		{"approver", person("bob", model.RoleApprover), true, false},
		{"creator who may approve", person("ann", model.RoleApprover), true, false},
		{"requester", person("olga", model.RoleOperator), false, true},
		{"requester who may approve", person("olga", model.RoleApprover), true, true},
		{"requester without a role left", person("olga"), false, false},
		{"another operator", person("otto", model.RoleOperator), false, false},
	} {
		if d := MayReject(test.actor, request); d.Allowed != test.reject {
			t.Errorf("%s rejects: %+v", test.name, d)
		}
		if d := MayWithdraw(test.actor, request); d.Allowed != test.withdraw {
			t.Errorf("%s withdraws: %+v", test.name, d)
		}
	}
}

func TestApprovers(t *testing.T) {
	member := func(id string, disabled model.Time, roles ...model.Role) model.Person {
		return model.Person{ID: id, DisabledAt: disabled, Roles: map[string][]model.Role{"acme": roles}}
	}
	people := []model.Person{
		member("requester", 0, model.RoleApprover), member("creator", 0, model.RoleApprover),
		member("gone", 1, model.RoleApprover), member("decided", 0, model.RoleApprover),
		member("operator", 0, model.RoleOperator), member("one", 0, model.RoleAuditor, model.RoleApprover),
		{ID: "foreign", Roles: map[string][]model.Role{"globex": {model.RoleApprover}}},
	}
	got := Approvers(people, Request{Account: "acme", Requester: "requester", Creator: "creator",
		Decisions: []model.ApprovalDecision{{Person: "decided"}}})
	if len(got) != 1 || got[0].ID != "one" {
		t.Errorf("got %v, want only one", got)
	}
	if all := WhoMay(people, "acme", Decide); len(all) != 4 {
		t.Errorf("%d people may decide, want 4", len(all))
	}
}

func TestTiers(t *testing.T) {
	for _, test := range []struct {
		amount   int64
		currency string
		people   int
		rule     string
	}{
		{0, "USD", 0, TierByRule},
		{1_000_00, "USD", 0, TierByRule},
		{1_000_01, "USD", 1, TierOneApprover},
		{50_000_00, "USD", 1, TierOneApprover},
		{50_000_01, "USD", 2, TierTwoApprovers},
		{1_000, "JPY", 0, TierByRule},
		{1_001, "JPY", 1, TierOneApprover},
		{1_000_000, "KWD", 0, TierByRule},
		{50_000_001, "KWD", 2, TierTwoApprovers},
		{1, "XAU", 2, TierTwoApprovers},
		{1, "", 2, TierTwoApprovers},
		{-1, "USD", 2, TierTwoApprovers},
		{math.MaxInt64, "USD", 2, TierTwoApprovers},
	} {
		people, rule := DefaultTiers.People(test.amount, test.currency)
		if people != test.people || rule != test.rule {
			t.Errorf("%d %s: %d by %s, want %d by %s", test.amount, test.currency, people, rule, test.people, test.rule)
		}
	}
	if got := DefaultTiers.Because(1_000_01, "USD"); got != "Amounts above 1,000 and up to 50,000 USD need one approver." {
		t.Error(got)
	}
}

func TestStepUp(t *testing.T) {
	const now = model.Time(1e15)
	keyed := person("p", model.RoleOperator)
	keyed.Key = &model.KeyInfo{Person: true}
	paged := person("p", model.RoleOperator)
	for _, test := range []struct {
		name  string
		actor Actor
		at    model.Time
		p     Permission
		fresh bool
	}{
		{"never", paged, 0, Compensate, false},
		{"never, not grave", paged, 0, Reconcile, true},
		{"page, just", paged, now.Add(-FreshOnPages), Decide, true},
		{"page, too long ago", paged, now.Add(-FreshOnPages) - 1, Decide, false},
		{"key, just", keyed, now.Add(-5 * time.Minute), MarkExternalResult, true},
		{"key, too long ago", keyed, now.Add(-5*time.Minute) - 1, MarkExternalResult, false},
		{"key, granted ahead", keyed, now.Add(time.Hour), RetryUnfinished, true},
	} {
		test.actor.SteppedUpAt = test.at
		d := StepUpNeeded(test.actor, test.p, now)
		if d.Allowed != test.fresh || !d.Allowed && d.Code != CodeStepUp {
			t.Errorf("%s: %+v", test.name, d)
		}
	}
}
