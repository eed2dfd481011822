package engine

import (
	"fmt"
	"time"

	"countersign/internal/model"
	"countersign/internal/store"
)

// missedApart is how long after a first "not found" an object is asked for once
// more, at least: one answer alone may be the provider's bad moment.
const missedApart = 10 * time.Minute

// claimLooks leases the intents whose objects a sweep wants to be read, after
// the jobs that were claimed already and up to n in all.
func (e *Engine) claimLooks(tx *store.Tx, n int, start time.Time, jobs []*job) ([]*job, error) {
	if n <= len(jobs) {
		return jobs, nil
	}
	due, err := tx.DueLooks(n - len(jobs))
	if err != nil {
		return jobs, err
	}
	for _, l := range due {
		j, err := e.claimLook(tx, l, start)
		if err != nil {
			return jobs, fmt.Errorf("object %s of %s: %w", l.ExternalRef, l.Provider, err)
		}
		if j != nil {
			jobs = append(jobs, j)
		}
	}
	return jobs, nil
}

// claimLook leases the intent whose step an object belongs to or names, for a
// reading of that object.
func (e *Engine) claimLook(tx *store.Tx, l store.SweepLook, start time.Time) (*job, error) {
	c, err := tx.LockCase(l.IntentID)
	if err != nil {
		return nil, err
	}
	s := c.Step(l.Step)
	if l.Why == store.LookMissing && (s.State != model.Confirmed || s.Known() != l.ExternalRef) {
		return nil, tx.SettleLook(l, store.LookMoot) // a person's document names it, or the step moved on
	}
	if _, open := c.OpenAttempt(); open != nil || c.LeaseLive(tx.Now(), "") {
		return nil, tx.PostponeLook(l, tx.Now().Add(busyAgain))
	}
	if _, err := c.FoundBefore(s, l.ExternalRef, tx.NewID("ev"), "sweep", e.Timing, e.Spread(), tx.Now()); err != nil {
		return nil, err
	}
	j, err := e.leaseLook(tx, c, s, l.Generation, start)
	if err != nil {
		return nil, err
	}
	j.swept = &l
	return j, tx.PostponeLook(l, c.LeaseUntil)
}

// leaseLook takes the lease of an intent for one look at a step, by the key of a
// generation where that is known.
func (e *Engine) leaseLook(tx *store.Tx, c *model.Case, s *model.Step, generation int, start time.Time) (*job, error) {
	e.lease(tx, c)
	j, err := e.newJob(tx, c, s, start)
	if err != nil {
		return nil, err
	}
	if generation != 0 {
		j.target.Generation = generation
	}
	return j, e.record(tx, c)
}

// closeLook settles the sweep's part of a look, or plans another one.
func (e *Engine) closeLook(tx *store.Tx, c *model.Case, s *model.Step, j *job, seen model.Observation) error {
	l := *j.swept
	switch {
	case seen.Finding == model.FoundNothing:
		wait, ok := e.Timing.CheckAfter(tx.Now().Sub(l.AskedAt))
		if !ok {
			return tx.SettleLook(l, store.LookUnanswered)
		}
		l.Tries++
		return tx.PostponeLook(l, tx.Now().Add(wait))
	case seen.Finding == model.FoundNone && l.Why == store.LookMissing:
		return e.missed(tx, c, s, l)
	case l.Why == store.LookMissing:
		if err := e.back(tx, c, l); err != nil {
			return err
		}
	}
	return tx.SettleLook(l, store.LookApplied)
}

// back settles the orphan of an object that the provider shows again.
func (e *Engine) back(tx *store.Tx, c *model.Case, l store.SweepLook) error {
	known, err := tx.OpenOrphansOf(store.MissingObject, l.Provider, l.Operation, []string{l.ExternalRef})
	for _, o := range known {
		if err := e.settleFound(tx, o, c.ID); err != nil {
			return err
		}
	}
	return err
}

// missed takes "not found" for an answer when it was given twice, some time
// apart. Nothing is sent because of it, and the step stays as it is: what it was
// confirmed by stands. People are told that the two sides differ.
func (e *Engine) missed(tx *store.Tx, c *model.Case, s *model.Step, l store.SweepLook) error {
	apart := max(e.Timing.Sweep/6, s.Contract.SettleDelay, s.Contract.LookupDelay)
	if e.Timing.Sweep == 0 {
		apart = missedApart
	}
	if l.MissedAt == 0 {
		l.MissedAt = tx.Now()
	}
	if again := l.MissedAt.Add(apart); tx.Now() < again {
		l.Tries++
		return tx.PostponeLook(l, again)
	}
	if err := tx.SettleLook(l, store.LookMissed); err != nil {
		return err
	}
	return e.foundOrphan(tx, store.Orphan{Sort: store.MissingObject, Provider: l.Provider, Operation: l.Operation, ExternalRef: l.ExternalRef,
		Reference: s.Key(), NamedIntent: c.ID, IntentID: c.ID, Step: s.Name, Account: c.Account, Amount: s.Moved, Currency: s.Currency,
		FoundBy: store.BySweep})
}
