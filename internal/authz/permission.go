package authz

import (
	"slices"

	"countersign/internal/model"
)

// Permission is one thing that somebody may or may not do in an account.
type Permission string

// The permissions. Those of the five actions are "action." and the action's name.
const (
	ReadIntents        Permission = "intents.read"
	WriteIntents       Permission = "intents.write"
	RetryUnfinished    Permission = "action.retry_unfinished"
	Reconcile          Permission = "action.reconcile"
	MarkExternalResult Permission = "action.mark_external_result"
	Compensate         Permission = "action.compensate"
	Abandon            Permission = "action.abandon"
	ReadApprovals      Permission = "approvals.read"
	Decide             Permission = "approvals.decide"
	ReadAudit          Permission = "audit.read"
	ExportAudit        Permission = "audit.export"
	ManagePeople       Permission = "people.manage"
	ManageKeys         Permission = "keys.manage"
	ManageWorkers      Permission = "workers.manage"
	LiftHold           Permission = "hold.lift"
	TakeOwnership      Permission = "owner.take"
	WriteNotes         Permission = "notes.write"
	SettleOrphans      Permission = "orphans.settle"
)

// Permissions lists every permission.
var Permissions = []Permission{ReadIntents, WriteIntents, RetryUnfinished, Reconcile, MarkExternalResult, Compensate,
	Abandon, ReadApprovals, Decide, ReadAudit, ExportAudit, ManagePeople, ManageKeys, ManageWorkers, LiftHold, TakeOwnership, WriteNotes, SettleOrphans}

// ForAction is the permission that one of the operator's actions needs.
func ForAction(action string) Permission { return Permission("action." + action) }

// byRole says what each role may do. Those who run the system read everything
// of their account but never touch money; those who sign never ask.
var byRole = map[model.Role][]Permission{
	model.RoleOperator: {ReadIntents, WriteIntents, RetryUnfinished, Reconcile, MarkExternalResult, Compensate, Abandon,
		ReadApprovals, ReadAudit, TakeOwnership, WriteNotes, SettleOrphans},
	model.RoleApprover:      {ReadIntents, ReadApprovals, Decide, ReadAudit, WriteNotes},
	model.RoleAuditor:       {ReadIntents, ReadApprovals, ReadAudit, ExportAudit},
	model.RoleAdministrator: {ReadIntents, ReadApprovals, ReadAudit, ExportAudit, ManagePeople, ManageKeys, ManageWorkers, LiftHold, WriteNotes, SettleOrphans},
}

// byAbility says what each ability of a service key allows.
var byAbility = map[model.Ability][]Permission{
	model.CanReadIntents:  {ReadIntents},
	model.CanWriteIntents: {WriteIntents},
	model.CanReadAudit:    {ReadAudit, ExportAudit}, // an export is many reads
}

// phrases say a permission in words: "may …".
var phrases = map[Permission]string{
	ReadIntents:        "see intents",
	WriteIntents:       "post intents",
	RetryUnfinished:    "retry unfinished work",
	Reconcile:          "reconcile",
	MarkExternalResult: "mark an external result",
	Compensate:         "compensate",
	Abandon:            "abandon an intent",
	ReadApprovals:      "see approval requests",
	Decide:             "approve or reject",
	ReadAudit:          "read the audit log",
	ExportAudit:        "export the audit log",
	ManagePeople:       "manage people",
	ManageKeys:         "manage service keys",
	ManageWorkers:      "manage workers",
	LiftHold:           "decide about a restore hold",
	TakeOwnership:      "take ownership",
	WriteNotes:         "write notes",
	SettleOrphans:      "settle an orphan",
}

// Words says the permission as the end of "may …".
func (p Permission) Words() string {
	if words, ok := phrases[p]; ok {
		return words
	}
	return string(p)
}

// RoleMay reports whether a role has a permission.
func RoleMay(role model.Role, p Permission) bool { return slices.Contains(byRole[role], p) }

// rolesWith lists the roles that have a permission.
func rolesWith(p Permission) []model.Role {
	var list []model.Role
	for _, role := range model.Roles {
		if RoleMay(role, p) {
			list = append(list, role)
		}
	}
	return list
}
