package engine

import (
	"context"

	"countersign/internal/model"
	"countersign/internal/store"
)

// searchForHold has every provider searched, once nothing that an older process
// sent can still appear there, and notes when that is complete.
func (e *Engine) searchForHold(ctx context.Context, h model.Hold, sweeps bool) (more bool, err error) {
	quiet, dead := h.QuietAt()
	if !dead || e.DB.Now() < quiet {
		return false, nil
	}
	if h.SweepAsked == 0 {
		err = e.DB.Update(ctx, func(tx *store.Tx) error {
			after := h
			after.SweepAsked = tx.Now()
			if err := tx.AskSweep(h.SweepFrom); err != nil {
				return err
			}
			return tx.MoveHold(h, after)
		})
		return err == nil, err
	}
	if sweeps {
		if _, err := e.SweepDue(ctx); err != nil {
			return false, err
		}
	}
	return e.searchedForHold(ctx, h)
}

// searchedForHold goes on once every operation that can be listed was.
func (e *Engine) searchedForHold(ctx context.Context, h model.Hold) (done bool, err error) {
	err = e.DB.Update(ctx, func(tx *store.Tx) error {
		done = false
		left, err := tx.Unswept(h.SweepFrom, h.SweepAsked)
		if err != nil {
			return err
		}
		for _, s := range left {
			if s.Lists {
				return nil
			}
		}
		after := h
		after.SweptAt, after.Phase, after.Reached, done = tx.Now(), model.HoldCheck, "", true
		return tx.MoveHold(h, after)
	})
	return done && err == nil, err
}

// takeFound makes those effects of an intent unknown that were never sent from
// here, but whose object the search after a restore found; a look at the object
// then decides. So it does with what no search can find, where the intent was
// posted while the hold was on: it may have been sent in the time that was lost.
func (e *Engine) takeFound(tx *store.Tx, c *model.Case) error {
	h := c.Hold
	if h == nil || h.SweptAt == 0 || c.CreatedAt <= h.Since {
		return nil
	}
	for _, s := range c.Steps {
		if s.State != model.Pending || !s.Class.Effect() || len(s.Attempts) > 0 || s.Restored() != 0 {
			continue
		}
		why, err := whyFound(tx, c, s)
		if err != nil || why == "" {
			if err != nil {
				return err
			}
			continue
		}
		if err := c.TakeFound(s, tx.NewID("ev"), why, e.Timing, tx.Now()); err != nil {
			return err
		}
	}
	return nil
}

// whyFound says why a step that was never sent from here may have happened, or "".
func whyFound(tx *store.Tx, c *model.Case, s *model.Step) (string, error) {
	refs, err := tx.FoundForStep(s)
	if err != nil || len(refs) > 0 {
		return foundReason(refs), err
	}
	during := c.Hold.On() || c.CreatedAt <= c.Hold.LiftedAt
	lists, err := tx.Listed(s.Provider, s.Operation)
	if err != nil || lists || !during {
		return "", err
	}
	return "The database was restored, and the provider cannot be searched; whether this was sent before is not known.", nil
}

func foundReason(refs []string) string {
	if len(refs) == 0 {
		return ""
	}
	return "The search after the restore found " + refs[0] + " under this step's key."
}
