package actions

import (
	"context"
	"errors"

	"countersign/internal/authz"
	"countersign/internal/model"
	"countersign/internal/store"
	"countersign/internal/workflow"
)

const (
	// MaxBatch is how many submissions one batch may hold.
	MaxBatch = 1000
	// chunk is how many of them share a transaction: few enough that others get
	// their turn, many enough that a commit is paid seldom.
	chunk = 100
)

// Result is what became of one submission of a batch.
type Result struct {
	Accepted
	Err error // as of Accept
}

// drafted is a submission that can be looked up, with what today's rules refuse
// it for where it is new.
type drafted struct {
	at      int
	in      Submission
	draft   workflow.Draft
	refused error
}

// AcceptBatch accepts up to MaxBatch submissions, each for itself: what one is
// refused for does not touch the others. Results are in the order given.
func (r *Runner) AcceptBatch(ctx context.Context, actor authz.Actor, list []Submission) []Result {
	results := make([]Result, len(list))
	var named []drafted
	for i, in := range list {
		d, err := r.draft(actor, in)
		switch {
		case len(list) > MaxBatch:
			results[i].Err = model.Errorf(model.Invalid, "too-large", "A batch holds at most %d items.", MaxBatch)
		case d.Params == nil:
			results[i].Err = err
		default:
			named = append(named, drafted{i, in, d, err})
		}
	}
	r.noteBatchDenial(ctx, actor, list, results)
	good := r.bindAll(r.skipKnown(ctx, named, results), results)
	for len(good) > 0 {
		n := min(chunk, len(good))
		r.acceptChunk(ctx, actor, good[:n], results)
		good = good[n:]
	}
	return results
}

// noteBatchDenial records once per account that rights stopped submissions.
func (r *Runner) noteBatchDenial(ctx context.Context, actor authz.Actor, list []Submission, results []Result) {
	noted := map[string]bool{}
	for i := range list {
		if account := list[i].Account; model.KindOf(results[i].Err) == model.Denied && !noted[account] {
			noted[account] = true
			results[i].Err = r.noteIntakeDenial(ctx, actor, account, results[i].Err)
		}
	}
}

// skipKnown answers what was accepted before without taking the writer's turn,
// and gives what is left to store. Where reading fails, storing tells why.
func (r *Runner) skipKnown(ctx context.Context, items []drafted, results []Result) (left []drafted) {
	err := r.db.View(ctx, func(tx *store.Tx) error {
		for _, item := range items {
			id := model.IntentID(tx.Installation(), item.in.Account, item.in.Kind, item.in.Key)
			out, err := replay(tx, id, item.draft)
			if kind := model.KindOf(err); err != nil && kind != model.Conflict {
				return err
			}
			results[item.at] = Result{out, err}
			if err == nil && out.Case == nil {
				left = append(left, item)
			}
		}
		return nil
	})
	if err != nil {
		return items
	}
	return left
}

// bindAll gives the steps of each submission their providers, and leaves out
// those that are refused and those for which there is none.
func (r *Runner) bindAll(items []drafted, results []Result) (left []drafted) {
	for _, item := range items {
		err := item.refused
		if err == nil {
			err = r.book.Bind(&item.draft, item.in.Account)
		}
		if err != nil {
			results[item.at] = Result{Err: err}
			continue
		}
		left = append(left, item)
	}
	return left
}

// acceptChunk stores some submissions in one transaction. A refusal of one is
// no failure of the transaction, since it leaves nothing behind.
func (r *Runner) acceptChunk(ctx context.Context, actor authz.Actor, items []drafted, results []Result) {
	err := r.db.Update(ctx, func(tx *store.Tx) error {
		for _, item := range items {
			out, err := r.insert(tx, actor, item.in, item.draft)
			if kind := model.KindOf(err); err != nil && kind != model.Conflict {
				return err
			}
			results[item.at] = Result{out, err}
		}
		return nil
	})
	if err == nil {
		return
	}
	for _, item := range items {
		results[item.at] = Result{Err: err}
		if errors.Is(err, model.Unknown) {
			id := model.IntentID(r.db.Installation, item.in.Account, item.in.Kind, item.in.Key)
			out, err := r.whatStands(ctx, id, item.draft, err)
			results[item.at] = Result{out, err}
		}
	}
}
