package actions

import (
	"context"

	"countersign/internal/authz"
	"countersign/internal/model"
	"countersign/internal/store"
)

// ApproveBulk signs a list that needs another person; its items are then carried
// out. Whoever asked, or answers for any of its intents, does not sign it.
// Errors are those of Approve.
func (r *Runner) ApproveBulk(ctx context.Context, actor authz.Actor, id string, in Confirmation) (List, error) {
	return r.decideBulk(ctx, actor, id, sayApprove, in)
}

// RejectBulk refuses a list for good; nothing of it is done. Errors are those of
// Approve.
func (r *Runner) RejectBulk(ctx context.Context, actor authz.Actor, id string, in Confirmation) (List, error) {
	return r.decideBulk(ctx, actor, id, sayReject, in)
}

// WithdrawBulk takes back one's own request; nothing of it is done. Errors are
// those of Approve.
func (r *Runner) WithdrawBulk(ctx context.Context, actor authz.Actor, id string, in Confirmation) (List, error) {
	return r.decideBulk(ctx, actor, id, sayWithdraw, in)
}

func (r *Runner) decideBulk(ctx context.Context, actor authz.Actor, id, says string, in Confirmation) (List, error) {
	if err := in.checkSealed(); err != nil {
		return List{}, err
	}
	kept := func(b model.Bulk) bool { return (&decidingList{actor: actor, says: says, in: in}).said(b) }
	return r.onBulk(ctx, actor, id, kept, func(tx *store.Tx) (refusal, err error) {
		t := &decidingList{Runner: r, tx: tx, actor: actor, says: says, in: in}
		err = t.run(id)
		return t.refusal, err
	})
}

// decidingList is one run of one decision on a list in one transaction.
type decidingList struct {
	*Runner
	tx      *store.Tx
	actor   authz.Actor
	says    string
	in      Confirmation
	b       model.Bulk
	refusal error // committed as an entry: the transaction decided nothing
}

// said reports whether the same word was said before: a repeat changes nothing.
func (t *decidingList) said(b model.Bulk) bool {
	for _, d := range b.Decisions {
		if d.Person == t.actor.ID && d.Says == t.says && d.Reason == t.in.Reason && t.in.Digest == b.Digest {
			return true
		}
	}
	return false
}

func (t *decidingList) run(id string) (err error) {
	if t.b, err = t.tx.LockBulk(id); err != nil {
		return err
	}
	if !readsBulk(t.actor, t.b) {
		return notFound("list", id)
	}
	if t.said(t.b) {
		return nil
	}
	q := question{BulkAsked(t.b), RequestState(t.b, t.tx.Now()), t.b.Digest}
	if err := q.mayDecide(t.tx, t.actor, t.says, t.in); err != nil {
		return t.refuse(err)
	}
	if t.says == sayApprove {
		lost, err := requesterLost(t.tx, &model.Approval{Account: t.b.Account, Action: t.b.Action, RequestedBy: t.b.Actor, RequesterName: t.b.ActorName})
		if err != nil {
			return err
		}
		if lost != "" {
			return t.dismissed(lost)
		}
	}
	d := model.ApprovalDecision{ApprovalID: id, Person: t.actor.ID, Name: t.actor.Name, Says: t.says, Reason: t.in.Reason, At: t.tx.Now()}
	if _, err := t.tx.DecideBulk(d); err != nil {
		return err
	}
	return t.end()
}

// ends are the states to which words lead, and the entries that they leave.
var ends = map[string]struct {
	to    model.BulkState
	event string
}{
	sayApprove: {model.BulkRunning, "approved"}, sayReject: {model.BulkRejected, "rejected"}, sayWithdraw: {model.BulkWithdrawn, "withdrawn"},
}

// end moves the list on, or to its end.
func (t *decidingList) end() error {
	to, because := ends[t.says], t.in.Reason
	if t.says == sayApprove {
		because = ""
	}
	if _, err := t.tx.MoveBulk(t.b.ID, model.BulkOpen, to.to, because); err != nil {
		return err
	}
	return t.append(to.event, to.event, "")
}

// dismissed ends the request because who asked may not ask any more.
func (t *decidingList) dismissed(because string) error {
	if _, err := t.tx.MoveBulk(t.b.ID, model.BulkOpen, model.BulkDismissed, because); err != nil {
		return err
	}
	t.refusal = model.Errorf(model.Conflict, "approval-closed", "%s The request was dismissed.", because).
		With("state", string(model.ApprovalDismissed)).With("changes", []string{because})
	return t.append("refused", "approval-closed", "")
}

// requestState is the state of a request about a list, in the words of requests.
func requestState(s model.BulkState) model.ApprovalState {
	switch s {
	case model.BulkRunning, model.BulkDone:
		return model.ApprovalExecuted
	}
	return model.ApprovalState(s)
}

// RequestState is the state at which a list's request stands at a moment, as those
// about one intent are called; a list that is being carried out counts as executed.
func RequestState(b model.Bulk, now model.Time) model.ApprovalState {
	return requestState(b.Standing(now))
}

// refuse ends the run with an entry and nothing else.
func (t *decidingList) refuse(why error) error {
	event, err := refusalEvent(why)
	if err != nil {
		return err
	}
	t.refusal = why
	return t.append(event, codeOf(why), ruleOf(why))
}

func (t *decidingList) append(event, result, policy string) error {
	entry := listEntry(t.actor, t.b, event, result, policy, t.in.Reason)
	entry.Detail["requested_by"] = t.b.ActorName
	_, err := t.log.Append(t.tx, entry)
	return err
}
