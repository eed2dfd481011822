package api

import (
	"encoding/json"

	"countersign/internal/audit"
)

// AuditItem is one entry of the log.
type AuditItem struct {
	Index    *int64          `json:"index" doc:"Null until the entry is numbered."`
	ID       string          `json:"id"`
	At       *string         `json:"at" format:"date-time"`
	Actor    AuditActor      `json:"actor"`
	Event    string          `json:"event"`
	Account  *string         `json:"account"`
	Intent   *string         `json:"intent"`
	StepKey  *string         `json:"step_key"`
	Attempt  *int            `json:"attempt"`
	Preview  *string         `json:"preview"`
	Reason   *string         `json:"reason"`
	Result   *string         `json:"result"`
	Policy   *string         `json:"policy" doc:"The rule that allowed or refused it."`
	Detail   json.RawMessage `json:"detail"`
	LeafHash string          `json:"leaf_hash" doc:"RFC 6962, hex."`
}

// AuditActor is who did it, with their roles at that moment.
type AuditActor struct {
	Type  string   `json:"type" enum:"person,key,engine,system"`
	ID    string   `json:"id"`
	Name  string   `json:"name"`
	Roles []string `json:"roles" nullable:"false"`
}

func auditItemOf(i audit.Item) AuditItem {
	shape := AuditItem{Index: i.Index, ID: i.ID, At: moment(i.At),
		Actor: AuditActor{Type: i.Actor.Type, ID: i.Actor.ID, Name: i.Actor.Name, Roles: append([]string{}, i.Actor.Roles...)},
		Event: i.Event, Account: text(i.Account), Intent: text(i.Intent), StepKey: text(i.StepKey), Preview: text(i.Preview),
		Reason: text(i.Reason), Result: text(i.Result), Policy: text(i.Policy), Detail: i.Detail, LeafHash: i.LeafHash}
	if i.Attempt != 0 {
		shape.Attempt = &i.Attempt
	}
	return shape
}
