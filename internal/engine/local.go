package engine

import (
	"crypto/sha256"
	"fmt"

	"countersign/internal/audit"
	"countersign/internal/model"
	"countersign/internal/store"
	"countersign/internal/workflow"
)

// runLocal runs a pure or local step within the transaction that confirms it.
func (e *Engine) runLocal(tx *store.Tx, c *model.Case, w model.Work) error {
	s := w.Step
	kind, ok := e.Book.Kind(c.Kind)
	if !ok {
		return fmt.Errorf("unknown kind %s", c.Kind)
	}
	if w.Trigger == model.ByOperator { // what was ordered may have been overtaken
		if r := e.maySend(c, w, tx.Now()); r != nil {
			return e.holdBack(tx, c, w, r)
		}
	}
	if reason, moot := kind.Moot(c, s); moot {
		return c.MakeMoot(s, reason, tx.Now())
	}
	if s.Operation == model.ApprovalStep && s.PeopleNeeded > 0 {
		clearOrder(s)
		return e.askPeople(tx, c)
	}
	result, err := kind.Work(c, s)
	if err != nil {
		return fmt.Errorf("work of %s: %w", s.Key(), err)
	}
	if result.NotNeeded {
		return c.MakeMoot(s, result.Detail, tx.Now())
	}
	return e.finishLocal(tx, c, w, result)
}

// finishLocal writes what the step decided, with its attempt and confirmation.
func (e *Engine) finishLocal(tx *store.Tx, c *model.Case, w model.Work, result workflow.Work) error {
	s := w.Step
	clearOrder(s)
	attempt := model.Attempt{Trigger: w.Trigger, Worker: c.LeaseWorker, Boot: e.boot, Fence: c.Fence, DeadlineAt: c.LeaseUntil}
	if _, err := c.Reserve(s, attempt, tx.Now()); err != nil {
		return err
	}
	if result.Refused == "" {
		refused, err := e.write(tx, c, s, result)
		if err != nil {
			return err
		}
		if refused != "" {
			result = workflow.Work{Refused: model.ResultCurable, Code: "standing", Detail: refused}
		}
	}
	out := result.Outcome()
	out.ByRule = s.Operation == model.ApprovalStep
	e.Logger.Info("attempt", "intent", c.ID, "step", s.Key(), "attempt", len(s.Attempts), "result", out.Result, "code", out.Code, "worker", c.LeaseWorker)
	_, err := c.Settle(s, out, tx.NewID("ev"), e.Timing, e.Spread(), tx.Now())
	return err
}

// write stores the step's transfers and documents. refused says why one of them
// cannot stand beside what is there.
func (e *Engine) write(tx *store.Tx, c *model.Case, s *model.Step, result workflow.Work) (refused string, err error) {
	for i, t := range result.Transfers {
		row := store.Transfer{ID: tx.NewID("tr"), StepKey: s.Key(), Line: i + 1, IntentID: c.ID, Debit: t.Debit, Credit: t.Credit,
			Amount: t.Amount, Currency: t.Currency, At: tx.Now()}
		if err := tx.InsertTransfer(row); err != nil {
			return "", err
		}
	}
	if result.Void != "" {
		if err := tx.VoidDocument(result.Void); err != nil {
			return "", err
		}
	}
	if d := result.Document; d != nil {
		digest := sha256.Sum256(d.Body)
		standing, err := tx.IssueDocument(store.Document{StepKey: s.Key(), IntentID: c.ID, Account: c.Account, Rep: d.Rep, Period: d.Period,
			Name: d.Name, MediaType: d.MediaType, Body: d.Body, SHA256: digest[:], IssuedAt: tx.Now()})
		if err != nil || standing != "" {
			return standingRefusal(standing), err
		}
	}
	return "", nil
}

func standingRefusal(intent string) string {
	if intent == "" {
		return ""
	}
	return "A statement for this rep and period stands already, issued by " + intent + ". Compensate that one first, then retry."
}

// askPeople opens the request to approve the intent.
func (e *Engine) askPeople(tx *store.Tx, c *model.Case) error {
	request := c.ApproveIntentRequest(tx.NewID("approval"), e.Timing, tx.Now())
	if err := tx.OpenApproval(request); err != nil {
		return err
	}
	c.Requests = append(c.Requests, request)
	_, err := e.Log.Append(tx, audit.Entry{Actor: e.actor(), Event: "approval.requested", Account: c.Account, Intent: c.ID,
		StepKey: c.ApprovalStep().Key(), Policy: c.ApprovalStep().Rule,
		Detail: map[string]any{"approval": request.ID, "action": request.Action, "needed": request.Needed}})
	return err
}

// clearOrder takes a person's order off the step: it is being carried out.
func clearOrder(s *model.Step) {
	s.Ordered, s.OrderDigest = model.NoOrder, nil
}
