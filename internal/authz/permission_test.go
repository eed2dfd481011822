package authz_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	. "countersign/internal/authz"
	"countersign/internal/model"
)

// matrix says who has each permission: o, p, u, a for operator, approver,
// auditor and administrator; r, w, l for a service key with intents:read,
// intents:write and audit:read.
var matrix = map[Permission]string{
	ReadIntents:        "opua r",
	WriteIntents:       "o w",
	RetryUnfinished:    "o",
	Reconcile:          "o",
	MarkExternalResult: "o",
	Compensate:         "o",
	Abandon:            "o",
	ReadApprovals:      "opua",
	Decide:             "p",
	ReadAudit:          "opua l",
	ExportAudit:        "ual",
	ManagePeople:       "a",
	ManageKeys:         "a",
	ManageWorkers:      "a",
	LiftHold:           "a",
	TakeOwnership:      "o",
	WriteNotes:         "opa",
	SettleOrphans:      "oa",
}

func person(id string, roles ...model.Role) Actor {
	return Actor{Type: model.ActorPerson, ID: id, Name: id, Roles: map[string][]model.Role{"acme": roles}}
}

func serviceKey(abilities ...model.Ability) Actor {
	return Actor{Type: model.ActorKey, ID: "key-1", Account: "acme", Key: &model.KeyInfo{ID: "key-1", Abilities: abilities, Issuer: "boss"}}
}

var columns = map[string]Actor{
	"o": person("p", model.RoleOperator), "p": person("p", model.RoleApprover),
	"u": person("p", model.RoleAuditor), "a": person("p", model.RoleAdministrator),
	"r": serviceKey(model.CanReadIntents), "w": serviceKey(model.CanWriteIntents), "l": serviceKey(model.CanReadAudit),
}

func TestPermissions(t *testing.T) {
	if len(matrix) != len(Permissions) {
		t.Fatalf("the matrix has %d permissions, the package %d", len(matrix), len(Permissions))
	}
	for _, p := range Permissions {
		for column, actor := range columns {
			d := actor.May("acme", p)
			if want := strings.Contains(matrix[p], column); d.Allowed != want {
				t.Errorf("%s, %s: allowed %v, want %v (%s)", p, column, d.Allowed, want, d.Because)
			}
			if d.Because == "" || d.Rule == "" || d.Allowed == (d.Code != "") || strings.Contains(d.Because, string(p)) {
				t.Errorf("%s, %s: a decision without words, rule or code: %+v", p, column, d)
			}
		}
	}
}

func TestReasons(t *testing.T) {
	for _, test := range []struct {
		decision Decision
		rule     string
		because  string
	}{
		{person("p", model.RoleOperator).May("acme", Compensate), "role-operator", "An operator of acme may compensate."},
		{person("p", model.RoleOperator).May("acme", Decide), "role-missing", "Only approvers of acme may approve or reject."},
		{person("p", model.RoleApprover).May("acme", ExportAudit), "role-missing", "Only auditors and administrators of acme may export the audit log."},
		{serviceKey(model.CanReadIntents).May("acme", Abandon), "service-key-limits", "A service key may not abandon an intent; a person may, with a key of their own."},
		{serviceKey(model.CanReadIntents).May("acme", WriteIntents), "key-ability-missing", "This key was made without intents:write."},
	} {
		if test.decision.Rule != test.rule || test.decision.Because != test.because {
			t.Errorf("got %+v, want %s: %s", test.decision, test.rule, test.because)
		}
	}
}

func TestAccountWalls(t *testing.T) {
	both := person("p", model.RoleOperator)
	both.Roles["globex"] = []model.Role{model.RoleAuditor}
	both.Roles["former"] = nil
	for _, test := range []struct {
		name     string
		actor    Actor
		accounts []string
	}{
		{"person of two", both, []string{"acme", "globex"}},
		{"person of none", Actor{Type: model.ActorPerson, ID: "p"}, nil},
		{"service key", serviceKey(model.CanReadIntents), []string{"acme"}},
		{"engine", Engine(), nil},
	} {
		if got := test.actor.Accounts(); !slices.Equal(got, test.accounts) {
			t.Errorf("%s: accounts %v, want %v", test.name, got, test.accounts)
		}
	}
	for name, actor := range columns {
		for _, account := range []string{"globex", ""} {
			for _, p := range Permissions {
				if err := actor.May(account, p).Err(); !errors.Is(err, model.NotFound) {
					t.Errorf("%s, %s in %q: %v, want not found", name, p, account, err)
				}
			}
		}
	}
	if d := both.May("globex", RetryUnfinished); d.Allowed || d.Code != CodeDenied {
		t.Errorf("an operator of acme acts in globex: %+v", d)
	}
}

func TestForAction(t *testing.T) {
	for action, want := range map[string]Permission{"retry_unfinished": RetryUnfinished, "reconcile": Reconcile,
		"mark_external_result": MarkExternalResult, "compensate": Compensate, "abandon": Abandon} {
		if got := ForAction(action); got != want {
			t.Errorf("%s needs %s, want %s", action, got, want)
		}
	}
	if d := person("p", model.Roles...).May("acme", ForAction("run_again")); d.Allowed {
		t.Errorf("an action that does not exist: %+v", d)
	}
}

func TestRolesIn(t *testing.T) {
	p := person("p", model.RoleOperator, model.RoleApprover)
	if got := p.RolesIn("acme"); !slices.Equal(got, []string{"operator", "approver"}) {
		t.Errorf("got %v", got)
	}
	if got := p.RolesIn("globex"); got == nil || len(got) != 0 {
		t.Errorf("elsewhere %#v, want an empty list", got)
	}
}

func TestErr(t *testing.T) {
	if err := person("p", model.RoleOperator).May("acme", Compensate).Err(); err != nil {
		t.Errorf("allowed, yet %v", err)
	}
	var refusal *model.Error
	err := person("p", model.RoleAuditor).May("acme", Compensate).Err()
	if !errors.As(err, &refusal) || refusal.Kind != model.Denied || refusal.Code != "denied" || refusal.Extra["rule"] != "role-missing" {
		t.Errorf("got %#v", err)
	}
}
