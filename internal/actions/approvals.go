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

	// Stored is the row behind it, About the intent's, and Beside what is said
	// beside that, for pages.
	Stored model.Approval `json:"-"`
	About  model.Intent   `json:"-"`
	Beside store.Beside   `json:"-"`
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
	Yours  bool // in place of State: what the actor may sign, the soonest ending first
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
	err = r.db.View(ctx, func(tx *store.Tx) error {
		page, err = ApprovalsIn(tx, actor, q)
		return err
	})
	return page, err
}

// ApprovalsIn is Approvals, as a transaction sees them.
func ApprovalsIn(tx *store.Tx, actor authz.Actor, q ApprovalQuery) (page ApprovalPage, err error) {
	f := store.ApprovalFilter{State: model.ApprovalState(q.State), Accounts: readsRequests(actor), Limit: pageLength(q.Limit)}
	if q.Yours {
		f.Accounts, f.Signer = signs(actor), actor.ID
	}
	if f.After, err = parseCursor(q.Cursor); err != nil {
		return page, err
	}
	err = tx.Together(
		func() (err error) { page.Count, page.CountCapped, err = tx.CountApprovals(f); return err },
		func() error { return page.fill(tx, f) })
	return page, err
}

func (p *ApprovalPage) fill(tx *store.Tx, f store.ApprovalFilter) error {
	f.Limit++ // one more tells whether there is a next page
	rows, err := tx.Approvals(f)
	if err != nil {
		return err
	}
	if len(rows) == f.Limit {
		rows = rows[:f.Limit-1]
		p.NextCursor = optional(cursorOf(approvalMark(rows[len(rows)-1], f.Signer != "")))
	}
	p.Items, err = approvalsOf(tx, rows)
	return err
}

// Approval gives one request. The error is of kind NotFound behind an account wall.
func (r *Runner) Approval(ctx context.Context, actor authz.Actor, id string) (a Approval, err error) {
	return r.ApprovalWith(ctx, actor, id, func(*store.Tx, model.Approval) error { return nil })
}

// ApprovalWith is Approval, and reads also what a page shows beside it: in the
// same transaction, and together with the rest of the request.
func (r *Runner) ApprovalWith(ctx context.Context, actor authz.Actor, id string, also func(*store.Tx, model.Approval) error) (a Approval, err error) {
	err = r.db.View(ctx, func(tx *store.Tx) error {
		row, err := tx.ApprovalRow(id)
		if err != nil {
			return err
		}
		if !actor.Sees(row.Account) {
			return notFound("approval request", id)
		}
		if err := actor.May(row.Account, authz.ReadApprovals).Err(); err != nil {
			return err
		}
		return tx.Together(
			func() error {
				list, err := approvalsOf(tx, []model.Approval{row})
				if err == nil {
					a = list[0]
				}
				return err
			},
			func() error { return also(tx, row) })
	})
	return a, err
}

// around is what requests are shown with.
type around struct {
	intents     map[string]model.Intent
	generations map[[2]string]int
	people      map[string][]model.Person // by account
	beside      map[string]store.Beside   // by intent
}

// approvalsOf gives the rows as they stand now, with their decisions, what they
// are about, and who may still sign.
func approvalsOf(tx *store.Tx, rows []model.Approval) ([]Approval, error) {
	list := make([]Approval, len(rows))
	for i := range rows {
		rows[i] = rows[i].AsOf(tx.Now())
	}
	with := around{intents: map[string]model.Intent{}, people: map[string][]model.Person{}}
	if err := with.read(tx, rows); err != nil {
		return nil, err
	}
	for i, row := range rows {
		list[i] = with.approval(row)
	}
	return list, nil
}

func (w *around) read(tx *store.Tx, rows []model.Approval) error {
	ids := make([]string, len(rows))
	var parts []func() error
	for i, row := range rows {
		ids[i] = row.IntentID
		if _, known := w.people[row.Account]; row.State == model.ApprovalOpen && !known {
			w.people[row.Account] = nil
			parts = append(parts, func() (err error) { w.people[row.Account], err = tx.People(row.Account); return err })
		}
	}
	parts = append(parts,
		func() error { return tx.AddDecisions(rows) },
		func() (err error) { w.generations, err = tx.StepGenerations(ids); return err },
		func() (err error) { w.beside, err = tx.Beside(ids); return err },
		func() error {
			found, err := tx.Intents(ids)
			for _, i := range found {
				w.intents[i.ID] = i
			}
			return err
		})
	return tx.Together(parts...)
}

func (w *around) approval(row model.Approval) Approval {
	a := Approval{ID: row.ID, State: string(row.State), Action: row.Action, Intent: row.IntentID, Digest: row.Digest, Plan: row.Plan,
		RequestedBy: row.RequesterName, Needed: row.Needed, Decisions: []Decision{}, MayApprove: []string{}, ExpiresAt: row.ExpiresAt,
		Stored: row, About: w.intents[row.IntentID], Beside: w.beside[row.IntentID]}
	if generation := w.generations[[2]string{row.IntentID, row.Step}]; generation > 0 {
		a.StepKey = optional(model.StepKey(row.IntentID, row.Step, generation))
	}
	for _, d := range row.Decisions {
		a.Decisions = append(a.Decisions, Decision{d.Name, d.At, d.Says, d.Reason})
	}
	if row.State != model.ApprovalOpen {
		return a
	}
	request := authz.Request{Account: row.Account, Requester: row.RequestedBy, Creator: a.About.Creator, Decisions: row.Decisions}
	for _, p := range authz.Approvers(w.people[row.Account], request) {
		a.MayApprove = append(a.MayApprove, p.Name)
	}
	return a
}

func approvalMark(row model.Approval, yours bool) store.ApprovalMark {
	if yours {
		return store.ApprovalMark{At: row.ExpiresAt, ID: row.ID}
	}
	return store.ApprovalMark{At: row.CreatedAt, ID: row.ID}
}

// pageLength is how many rows a page has that may have so many.
func pageLength(limit int) int {
	if limit <= 0 {
		return defaultLimit
	}
	return min(limit, maxLimit)
}

func cursorOf(last store.ApprovalMark) string {
	return base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "%d %s", last.At, last.ID))
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
	return store.ApprovalMark{At: model.Time(micro), ID: id}, nil
}
