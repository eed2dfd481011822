package model

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
)

// ApproveIntentRequest is the request for people to approve the whole intent,
// as the engine opens it when the intent's approval step is reached. Its digest
// covers what they sign for: the intent, its params, its money and its steps.
func (c *Case) ApproveIntentRequest(id string, t Timing, now Time) Approval {
	a := Approval{ID: id, State: ApprovalOpen, Action: ApproveIntent, IntentID: c.ID, Account: c.Account,
		Digest: c.intentDigest(), Plan: encode(c.intentPlan()), Input: []byte("{}"),
		RequesterName: "engine", Needed: 1, CreatedAt: now, ExpiresAt: now.Add(t.Approval), Version: c.Version}
	if s := c.ApprovalStep(); s != nil {
		a.Step, a.Needed, a.Reason = s.Name, min(max(s.PeopleNeeded, 1), 2), s.Rule
	}
	return a
}

// ApprovalStep is the step at which rule or people approve the intent, or nil.
func (c *Case) ApprovalStep() *Step {
	for _, s := range c.Steps {
		if s.Operation == ApprovalStep {
			return s
		}
	}
	return nil
}

// intentPlan lists what runs once the intent is approved.
func (c *Case) intentPlan() Plan {
	p := NewPlan()
	for _, s := range c.Steps {
		switch {
		case s.State.Done():
			p.Untouched = append(p.Untouched, s.Planned())
		case s.Operation == ApprovalStep:
			p.Changes = append(p.Changes, PlannedChange{Subject: s.Key(), From: string(s.State), To: string(Confirmed), Because: "People approved it."})
		default:
			p.Then = append(p.Then, s.Planned())
		}
	}
	return p
}

// intentDigest seals what people sign for when they approve an intent.
func (c *Case) intentDigest() string {
	keys := []string{}
	for _, s := range c.Steps {
		keys = append(keys, s.Key())
	}
	return Digest(map[string]any{"action": ApproveIntent, "intent": c.ID, "fingerprint": hex.EncodeToString(c.Fingerprint),
		"amount": c.Amount, "currency": c.Currency, "steps": keys})
}

// Digest is the hex SHA-256 of a value's RFC 8785 form. The value must be plain
// JSON with integers within ±(2^53-1).
func Digest(value any) string {
	canonical, err := Canonical(encode(value))
	if err != nil {
		panic(fmt.Sprintf("digest: %v", err)) // our own values are well-formed
	}
	sum := sha256.Sum256(canonical)
	return hex.EncodeToString(sum[:])
}

// encode is for values of ours, which always marshal.
func encode(value any) []byte {
	raw, err := json.Marshal(value)
	if err != nil {
		panic(fmt.Sprintf("encode %T: %v", value, err))
	}
	return raw
}

// DecideApproval confirms the approval step on the word of enough people, or
// refuses it for good on the word of one. cause is the approval request's id.
func (c *Case) DecideApproval(s *Step, approved bool, cause, reason string, now Time) error {
	if approved {
		return c.move(s, Confirmed, WhoApprover, cause, reason, now)
	}
	return c.fail(s, Permanent, WhoApprover, "approval_rejected", cause, reason, now)
}

// Request finds an approval request of the intent, or nil.
func (c *Case) Request(id string) *Approval {
	for i := range c.Requests {
		if c.Requests[i].ID == id {
			return &c.Requests[i]
		}
	}
	return nil
}

// OpenRequest is the approval request that waits for people, or nil; there is
// never more than one.
func (c *Case) OpenRequest() *Approval {
	for i := range c.Requests {
		if c.Requests[i].State == ApprovalOpen {
			return &c.Requests[i]
		}
	}
	return nil
}

// Without is the case as it would be had the request not been made: its plan is
// compared on that. The steps are shared with the case itself.
func (c *Case) Without(request string) *Case {
	before := *c
	before.Requests = slices.DeleteFunc(slices.Clone(c.Requests), func(r Approval) bool { return r.ID == request })
	before.Compensations = slices.DeleteFunc(slices.Clone(c.Compensations), func(k Compensation) bool {
		return k.ApprovalID == request && k.State == CompensationAsked
	})
	return &before
}
