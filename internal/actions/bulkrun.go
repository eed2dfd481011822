package actions

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"countersign/internal/audit"
	"countersign/internal/authz"
	"countersign/internal/model"
	"countersign/internal/store"
)

const (
	// bulkTurn is how many items of a list are done before the next list has its
	// turn: one person's hundreds do not keep another's three waiting.
	bulkTurn = 20
	// bulkLease keeps processes from trying the same items at once. That an item is
	// done once does not rest on it.
	bulkLease = 15 * time.Second
	// bulkRest is how often a process looks for lists that another one left.
	bulkRest = 2 * time.Second
	// bulkAtOnce bounds the lists that have their turn.
	bulkAtOnce = 50
)

// carryOn tells the process's own loop that there is a list to carry out.
func (r *Runner) carryOn() {
	select {
	case r.lists <- struct{}{}:
	default:
	}
}

// GoOn carries out confirmed lists until ctx ends, those too that another process
// left part-way. wake is called when something was ordered. Troubles are logged;
// what could not be done is tried again.
func (r *Runner) GoOn(ctx context.Context, wake func(), logger *slog.Logger) error {
	for {
		if err := r.WorkBulks(ctx, wake); err != nil && ctx.Err() == nil {
			logger.WarnContext(ctx, "lists could not be carried out", "err", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-r.lists:
		case <-time.After(bulkRest):
		}
	}
}

// GoOnWith asks that a list be carried on at once, where this process runs GoOn.
// Whoever may read the list may ask: it changes nothing that was not confirmed.
func (r *Runner) GoOnWith(ctx context.Context, actor authz.Actor, id string) error {
	_, err := r.GetBulk(ctx, actor, id)
	if err == nil {
		r.carryOn()
	}
	return err
}

// WorkBulks carries out what confirmed lists have left, as far as it can be done
// now, and closes requests about lists whose time is over.
func (r *Runner) WorkBulks(ctx context.Context, wake func()) error {
	if err := r.expireBulks(ctx); err != nil {
		return err
	}
	for {
		var ids []string
		err := r.db.View(ctx, func(tx *store.Tx) (err error) { ids, err = tx.UnfinishedBulks(bulkAtOnce); return err })
		if err != nil {
			return err
		}
		done, faults := 0, []error{}
		for _, id := range ids {
			n, err := r.turn(ctx, id)
			done += n
			faults = append(faults, err)
		}
		if done > 0 && wake != nil {
			wake()
		}
		if err := errors.Join(faults...); err != nil || done == 0 || ctx.Err() != nil {
			return err
		}
	}
}

// turn carries out some items of a list and tells how many got a result.
func (r *Runner) turn(ctx context.Context, id string) (done int, err error) {
	mine := false
	err = r.db.Update(ctx, func(tx *store.Tx) (err error) { mine, err = tx.TakeLease(leaseOf(id), r.self, bulkLease); return err })
	if err != nil || !mine {
		return 0, err
	}
	done, err = r.carryOut(ctx, id, bulkTurn)
	return done, errors.Join(err, r.db.Update(context.WithoutCancel(ctx), func(tx *store.Tx) error { return tx.EndLease(leaseOf(id), r.self) }))
}

// leaseOf names the right to carry out a list.
func leaseOf(list string) string { return "bulk " + list }

// carryOut does up to limit items of a list that have no result, in their order,
// and ends the list when none is left. What keeps an item from being decided
// leaves it for later; others go on.
func (r *Runner) carryOut(ctx context.Context, id string, limit int) (done int, err error) {
	var b model.Bulk
	if err := r.db.View(ctx, func(tx *store.Tx) error { b, err = tx.Bulk(id); return err }); err != nil {
		return 0, err
	}
	var faults []error
	for i := range b.Items {
		if item := b.Items[i]; item.Included() && item.Outcome == model.ItemWaiting && done < limit && ctx.Err() == nil {
			if err := r.carryOutItem(ctx, b, item); err != nil {
				faults = append(faults, err)
				if errors.Is(err, model.Busy) {
					break // the others would meet the same
				}
				continue
			}
			done++
		}
	}
	return done, errors.Join(errors.Join(faults...), r.endBulk(ctx, id))
}

// carryOutItem confirms one item's plan by the one way in which plans are
// confirmed. A fault of ours is its result; only a database that is busy, or does
// not say whether it kept the result, leaves it without one.
func (r *Runner) carryOutItem(ctx context.Context, b model.Bulk, item model.BulkItem) error {
	err := patiently(ctx, func(last bool) error {
		return r.db.Update(ctx, func(tx *store.Tx) error {
			preview, err := tx.Preview(item.PreviewID)
			if err != nil {
				return err
			}
			t := &confirming{Runner: r, tx: tx, actor: authz.Actor{Type: model.ActorPerson, ID: b.Actor, Name: b.ActorName}, last: last,
				in: Confirmation{Reason: b.Reason, Digest: preview.Digest}, list: &listed{bulk: b, item: item}}
			return t.run(item.PreviewID)
		})
	})
	switch {
	case err == nil, errors.Is(err, model.Busy), errors.Is(err, model.Unknown), ctx.Err() != nil:
		return err
	}
	return errors.Join(err, r.db.Update(ctx, func(tx *store.Tx) error { return failItem(tx, item) }))
}

// failItem records that a fault of ours kept an item from being done.
func failItem(tx *store.Tx, item model.BulkItem) error {
	if _, err := tx.LockCase(item.IntentID); err != nil {
		return err
	}
	if open, err := tx.BulkItemOpen(item.BulkID, item.Position); err != nil || !open {
		return err
	}
	item.Outcome, item.Said, item.At = model.ItemFailed, "An internal error; nothing was done. Try it by itself, on the page of the intent.", tx.Now()
	return tx.EndBulkItem(item)
}

// endBulk ends a list of which every item has its result. Its lease goes with it,
// also that of a process which comes late and finds nothing left to do.
func (r *Runner) endBulk(ctx context.Context, id string) error {
	return r.db.Update(ctx, func(tx *store.Tx) error {
		b, err := tx.LockBulk(id)
		if err != nil {
			return err
		}
		if b.Left() > 0 {
			return nil
		}
		if _, err = tx.MoveBulk(id, model.BulkRunning, model.BulkDone, ""); err != nil {
			return err
		}
		return tx.DropLease(leaseOf(id), r.self)
	})
}

// expireBulks closes requests whose time is over, aloud. It looks before it
// writes: there is hardly ever one.
func (r *Runner) expireBulks(ctx context.Context) error {
	var ids []string
	err := r.db.View(ctx, func(tx *store.Tx) (err error) { ids, err = tx.ExpiredBulks(bulkAtOnce); return err })
	if err != nil || len(ids) == 0 {
		return err
	}
	return r.db.Update(ctx, func(tx *store.Tx) error {
		for _, id := range ids {
			if err := r.expireBulk(tx, id); err != nil {
				return err
			}
		}
		return nil
	})
}

func (r *Runner) expireBulk(tx *store.Tx, id string) error {
	b, err := tx.LockBulk(id)
	if err != nil {
		return err
	}
	moved, err := tx.MoveBulk(id, model.BulkOpen, model.BulkExpired, model.Undecided)
	if err != nil || !moved {
		return err
	}
	entry := listEntry(authz.Engine(), b, "expired", string(model.BulkExpired), "", model.Undecided)
	entry.Actor = audit.Actor{Type: "engine", ID: "engine", Name: "engine"}
	_, err = r.log.Append(tx, entry)
	return err
}
