package actions

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"countersign/internal/authz"
	"countersign/internal/model"
	"countersign/internal/store"
)

// Approval is a request as a reader sees it: the API's entry.
type Approval struct {
	ID          string          `json:"id"`
	State       string          `json:"state"`
	Action      string          `json:"action"`
	Intent      string          `json:"intent"`
	StepKey     *string         `json:"step_key"`
	Digest      string          `json:"digest"`
	Plan        json.RawMessage `json:"plan"`
	RequestedBy string          `json:"requested_by"`
	Needed      int             `json:"needed"`
	Decisions   []Decision      `json:"decisions"`
	MayApprove  []string        `json:"may_approve"` // names of who may still sign
	ExpiresAt   model.Time      `json:"expires_at"`

	// Stored is the row behind it, for pages.
	Stored model.Approval `json:"-"`
}

// Decision is one person's word.
type Decision struct {
	By     string     `json:"by"`
	At     model.Time `json:"at"`
	Says   string     `json:"says"`
	Reason string     `json:"reason"`
}

// ApprovalQuery picks a page of requests. State "" is every state; Cursor is
// that of the page before; Limit is 1 to 200, 0 is 50.
type ApprovalQuery struct {
	State  string
	Cursor string
	Limit  int
}

// ApprovalPage is one page of the list, the newest first.
type ApprovalPage struct {
	Items       []Approval `json:"items"`
	NextCursor  *string    `json:"next_cursor"`
	Count       int        `json:"count"`
	CountCapped bool       `json:"count_capped"`
}

const (
	defaultLimit = 50
	maxLimit     = 200
)

// Approvals lists the requests of all accounts in which the actor may see them.
// The error is of kind Invalid for a cursor that is none.
func (r *Runner) Approvals(ctx context.Context, actor authz.Actor, q ApprovalQuery) (page ApprovalPage, err error) {
	f := store.ApprovalFilter{State: model.ApprovalState(q.State), Limit: min(q.Limit, maxLimit)}
	if f.Limit <= 0 {
		f.Limit = defaultLimit
	}
	for _, account := range actor.Accounts() {
		if actor.May(account, authz.ReadApprovals).Allowed {
			f.Accounts = append(f.Accounts, account)
		}
	}
	if f.After, err = parseCursor(q.Cursor); err != nil {
		return page, err
	}
	err = r.db.View(ctx, func(tx *store.Tx) error {
		page, err = approvalPage(tx, f)
		return err
	})
	return page, err
}

func approvalPage(tx *store.Tx, f store.ApprovalFilter) (page ApprovalPage, err error) {
	page.Items = []Approval{}
	if page.Count, page.CountCapped, err = tx.CountApprovals(f); err != nil {
		return page, err
	}
	f.Limit++ // one more tells whether there is a next page
	rows, err := tx.Approvals(f)
	if err != nil {
		return page, err
	}
	if len(rows) == f.Limit {
		rows = rows[:f.Limit-1]
		page.NextCursor = optional(cursorOf(rows[len(rows)-1]))
	}
	signers := map[string][]model.Person{}
	for _, row := range rows {
		item, err := approvalOf(tx, row, signers)
		if err != nil {
			return page, err
		}
		page.Items = append(page.Items, item)
	}
	return page, nil
}

// Approval gives one request. The error is of kind NotFound behind an account wall.
func (r *Runner) Approval(ctx context.Context, actor authz.Actor, id string) (a Approval, err error) {
	err = r.db.View(ctx, func(tx *store.Tx) error {
		row, err := tx.Approval(id)
		if err != nil {
			return err
		}
		if !actor.Sees(row.Account) {
			return notFound("approval request", id)
		}
		if err := actor.May(row.Account, authz.ReadApprovals).Err(); err != nil {
			return err
		}
		a, err = approvalOf(tx, row, map[string][]model.Person{})
		return err
	})
	return a, err
}

// approvalOf adds to a row who may still sign. people are kept by account.
func approvalOf(tx *store.Tx, row model.Approval, people map[string][]model.Person) (Approval, error) {
	a := Approval{ID: row.ID, State: string(row.State), Action: row.Action, Intent: row.IntentID, Digest: row.Digest, Plan: row.Plan,
		RequestedBy: row.RequesterName, Needed: row.Needed, Decisions: []Decision{}, MayApprove: []string{}, ExpiresAt: row.ExpiresAt, Stored: row}
	a.StepKey = optional(stepKey(tx, row.IntentID, row.Step))
	for _, d := range row.Decisions {
		a.Decisions = append(a.Decisions, Decision{d.Name, d.At, d.Says, d.Reason})
	}
	if row.State != model.ApprovalOpen {
		return a, nil
	}
	intent, err := tx.Creator(row.IntentID)
	if err != nil {
		return a, err
	}
	if _, known := people[row.Account]; !known {
		if people[row.Account], err = tx.People(row.Account); err != nil {
			return a, err
		}
	}
	request := authz.Request{Account: row.Account, Requester: row.RequestedBy, Creator: intent, Decisions: row.Decisions}
	for _, p := range authz.Approvers(people[row.Account], request) {
		a.MayApprove = append(a.MayApprove, p.Name)
	}
	return a, nil
}

func cursorOf(row model.Approval) string {
	return base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "%d %s", row.CreatedAt, row.ID))
}

func parseCursor(cursor string) (store.ApprovalMark, error) {
	if cursor == "" {
		return store.ApprovalMark{}, nil
	}
	raw, err := base64.RawURLEncoding.DecodeString(cursor)
	at, id, ok := strings.Cut(string(raw), " ")
	micro, parseErr := strconv.ParseInt(at, 10, 64)
	if err != nil || parseErr != nil || !ok || id == "" {
		return store.ApprovalMark{}, invalid("/cursor", "is no cursor of this list")
	}
	return store.ApprovalMark{CreatedAt: model.Time(micro), ID: id}, nil
}
