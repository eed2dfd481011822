package engine

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"countersign/internal/alert"
	"countersign/internal/audit"
	"countersign/internal/model"
	"countersign/internal/store"
)

// A restore hold goes through phases, each done in batches that a later start
// goes on with:
//
//	opened ─▶ doubt: what may have happened in the lost time becomes unknown
//	            ▼
//	          sweep: once nothing older can send, every provider is searched
//	            ▼
//	          check: each unknown effect is looked at, since absence counts now
//	            ▼
//	          wait ─── two administrators lift it ──▶ wake: work goes on ─▶ over
//
// What a death leaves: before the commit of a batch, the batch before it; the
// same intents are then dealt with once more, and nothing is done twice to them.

// sweepAtLeast is how far before the restored moment providers are searched, at
// least; longer where a provider remembers keys for longer.
const sweepAtLeast = 25 * time.Hour

// openHold opens a restore hold where the database is marked as a copy, or is
// older or another than the checkpoint outside it says. It is called before
// anything is driven.
func (e *Engine) openHold(tx *store.Tx, outside audit.Checkpoint, kept bool) error {
	if err := tx.LockInstallation(); err != nil { // one start at a time finds it
		return err
	}
	h, err := e.restored(tx, outside, kept)
	if err != nil || h == nil {
		return err
	}
	if err := tx.TakeMark(); err != nil {
		return err
	}
	if err := tx.OpenHold(*h); err != nil {
		return err
	}
	e.Logger.Warn("restore hold opened: nothing is sent until two administrators lift it", "hold", h.ID, "cause", h.Cause, "restored_from", h.RestoredFrom)
	return e.tellHold(tx, *h)
}

// tellHold records the hold, the log's new epoch, and what is known of older
// processes, and raises the alarm.
func (e *Engine) tellHold(tx *store.Tx, h model.Hold) error {
	detail := map[string]any{"hold": h.ID, "cause": string(h.Cause), "restored_from": h.RestoredFrom, "search_from": h.SweepFrom, "older_processes_dead": h.DeadAt != 0}
	if _, err := e.Log.Append(tx, audit.Entry{Actor: e.actor(), Event: "hold.opened", Result: "held", Reason: holdReason(h), Detail: detail}); err != nil {
		return err
	}
	if err := e.Log.OpenEpoch(tx, audit.EpochOf(h), e.actor()); err != nil {
		return err
	}
	return alert.Raise(tx, alert.Cause{Key: model.HoldAlarm(h), Kind: alert.Hold, Text: holdReason(h) + " Nothing is sent until two administrators lift the hold."})
}

func holdReason(h model.Hold) string {
	switch h.Cause {
	case model.HoldCopy:
		return fmt.Sprintf("The database is a copy made by console backup, restored from %s.", h.RestoredFrom)
	case model.HoldOlder:
		return fmt.Sprintf("The database's log has %d entries, and the checkpoint outside it knows of %d: it was restored from %s.", h.KeptSize, h.OldSize, h.RestoredFrom)
	}
	return fmt.Sprintf("The database's log is another than the checkpoint outside it says, which knows of %d entries.", h.OldSize)
}

// restored tells whether the database was restored since it was driven last, as
// the hold to be opened; nil is no.
func (e *Engine) restored(tx *store.Tx, outside audit.Checkpoint, kept bool) (*model.Hold, error) {
	mark, marked, err := tx.Mark()
	if err != nil {
		return nil, err
	}
	present, err := e.Log.Present(tx)
	if err != nil {
		return nil, err
	}
	before, err := tx.Hold()
	if err != nil {
		return nil, err
	}
	h := model.Hold{ID: tx.NewID("hold"), Since: tx.Now(), KeptSize: present.Size, KeptRoot: present.Root,
		OldSize: present.Size, OldRoot: present.Root, Phase: model.HoldDoubt}
	// What an earlier hold was opened for is accounted for.
	fresh := kept && (before == nil || before.OldSize != outside.Size || !bytes.Equal(before.OldRoot, outside.Root))
	if fresh {
		if h.Cause, err = e.behind(tx, present, outside); err != nil {
			return nil, err
		}
	}
	if h.Cause != "" {
		h.OldSize, h.OldRoot = outside.Size, outside.Root
	}
	if marked && h.Cause != model.HoldDiffers {
		h.Cause = model.HoldCopy
	}
	if h.Cause == "" {
		return nil, nil
	}
	return &h, e.fillHold(tx, &h, mark, marked, before)
}

// behind compares the log with the checkpoint outside; "" is no difference.
func (e *Engine) behind(tx *store.Tx, present, outside audit.Checkpoint) (model.HoldCause, error) {
	if outside.Size > present.Size {
		return model.HoldOlder, nil
	}
	root, err := e.Log.Root(tx, outside.Size)
	if err != nil {
		return "", err
	}
	if !bytes.Equal(root, outside.Root) {
		return model.HoldDiffers, nil
	}
	return "", nil
}

// fillHold adds from when the database is, how far back providers are searched,
// and whether every older process is known to be dead: where all of them drove
// this very place, its lock, which this process holds, says so.
func (e *Engine) fillHold(tx *store.Tx, h *model.Hold, mark store.CopyMark, marked bool, before *model.Hold) (err error) {
	if h.RestoredFrom, err = tx.LastNumbered(); err != nil {
		return err
	}
	if marked {
		h.RestoredFrom = min(h.RestoredFrom, mark.MadeAt)
	}
	window := sweepAtLeast
	for _, c := range e.Providers.Contracts() {
		window = max(window, c.Retention)
		h.Settle = max(h.Settle, (c.LongestCall + max(c.SettleDelay, c.LookupDelay, 0)).Microseconds())
	}
	h.SweepFrom = max(h.RestoredFrom.Add(-window), 1)
	if before.On() { // the newer hold covers what the older one was to find
		h.SweepFrom = min(h.SweepFrom, before.SweepFrom)
	}
	// An older process may have run at another pace than this one.
	h.Call = max(e.Timing.Call, model.NormalPace().Call).Microseconds()
	elsewhere, err := tx.LivingElsewhere(e.Place)
	if err != nil || elsewhere || marked && mark.Place != e.Place {
		return err
	}
	h.DeadAt, h.DeadBy, h.DeadBecause = tx.Now(), "engine", "Every older process drove this very file, and its lock was free."
	return nil
}

// holdBatch is how many intents one transaction of a phase deals with.
const holdBatch = 100

// tend does what is next about a restore hold and reports whether more of it can
// be done at once. Without a hold it costs nothing. sweeps says that nobody else
// in this process sweeps.
func (e *Engine) tend(ctx context.Context, sweeps bool) (more bool, err error) {
	if !e.holding.Load() {
		return false, nil
	}
	var h *model.Hold
	if err := e.DB.View(ctx, func(tx *store.Tx) (err error) { h, err = tx.Hold(); return err }); err != nil {
		return false, err
	}
	e.turning.Store(h != nil && h.Phase == model.HoldDoubt)
	switch {
	case h == nil || h.Phase == model.HoldOver:
		e.holding.Store(false)
		return false, nil
	case h.Phase == model.HoldDoubt:
		return e.holdStep(ctx, *h, false, model.HoldSweep, e.restoreOne)
	case h.Phase == model.HoldSweep:
		return e.searchForHold(ctx, *h, sweeps)
	case h.Phase == model.HoldCheck:
		return e.holdStep(ctx, *h, true, model.HoldWait, e.checkOne)
	case h.Phase == model.HoldWake:
		return e.holdStep(ctx, *h, true, model.HoldOver, e.wakeOne)
	}
	return false, nil
}

// tended does all that can be done about a hold now.
func (e *Engine) tended(ctx context.Context, sweeps bool) {
	for ctx.Err() == nil {
		more, err := e.tend(ctx, sweeps)
		if err != nil && ctx.Err() == nil {
			e.Logger.Error("the restore hold does not go on; nothing is sent meanwhile", "err", err)
		}
		if err != nil || !more {
			return
		}
	}
}

// holdStep deals with the next batch of intents of a phase, and goes to the next
// phase behind the last one.
func (e *Engine) holdStep(ctx context.Context, h model.Hold, later bool, next model.HoldPhase,
	one func(*store.Tx, model.Hold, *model.Case) (turned int, err error)) (more bool, err error) {
	err = e.DB.Update(ctx, func(tx *store.Tx) error {
		ids, err := tx.HoldBatch(h, later, holdBatch)
		if err != nil {
			return err
		}
		after := h
		for _, id := range ids {
			c, err := tx.LockCase(id)
			if err != nil {
				return err
			}
			turned, err := one(tx, h, c)
			if err != nil {
				return fmt.Errorf("intent %s: %w", id, err)
			}
			after.Turned += int64(turned)
			if err := e.record(tx, c); err != nil {
				return fmt.Errorf("intent %s: %w", id, err)
			}
			after.Reached = id
		}
		if len(ids) < holdBatch {
			after.Phase, after.Reached = next, ""
		}
		return tx.MoveHold(h, after)
	})
	if model.KindOf(err) == model.Stale {
		return true, nil // another process did it, or people moved the hold
	}
	return err == nil, err
}

func (e *Engine) restoreOne(tx *store.Tx, h model.Hold, c *model.Case) (int, error) {
	return c.Restore(&h, func() string { return tx.NewID("ev") }, e.Timing, e.Spread(), tx.Now())
}

// checkOne plans the looks that can be conclusive now, and takes up what the
// search found of intents that were posted since.
func (e *Engine) checkOne(tx *store.Tx, _ model.Hold, c *model.Case) (int, error) {
	c.CheckRestored(tx.Now())
	return 0, e.takeFound(tx, c)
}

// wakeOne lets an intent go on; storing it plans its work anew.
func (e *Engine) wakeOne(*store.Tx, model.Hold, *model.Case) (int, error) { return 0, nil }
