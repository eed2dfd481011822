package model

import (
	"fmt"
	"time"
)

// HoldCause says how it was found that the database was restored.
type HoldCause string

// The causes of a restore hold.
const (
	HoldCopy    HoldCause = "copy"    // the database is marked as a copy
	HoldOlder   HoldCause = "older"   // its log is shorter than the checkpoint outside
	HoldDiffers HoldCause = "differs" // its log is another than the checkpoint outside says
)

// HoldPhase is what the engine does next about a hold.
type HoldPhase string

// The phases, in their order. Each is done in batches and goes on after a death.
const (
	HoldDoubt HoldPhase = "doubt" // effects that may have happened become unknown
	HoldSweep HoldPhase = "sweep" // once nothing older can send, providers are searched
	HoldCheck HoldPhase = "check" // what was found, and what was not, is looked at step by step
	HoldWait  HoldPhase = "wait"  // for two administrators
	HoldWake  HoldPhase = "wake"  // lifted: every held intent goes on
	HoldOver  HoldPhase = "over"
)

// Hold is a restore hold: the database is older than the world. While it is on,
// nothing external and no message is sent, and absence proves nothing.
type Hold struct {
	ID           string    `db:"id"`
	Cause        HoldCause `db:"cause"`
	Since        Time      `db:"since"`
	RestoredFrom Time      `db:"restored_from"` // the time of the database's last numbered entry
	SweepFrom    Time      `db:"sweep_from"`    // providers are searched from here on
	KeptSize     int64     `db:"kept_size"`     // the audit log as it was found
	KeptRoot     []byte    `db:"kept_root"`
	OldSize      int64     `db:"old_size"` // the log as it is known from outside
	OldRoot      []byte    `db:"old_root"`
	Call         int64     `db:"call_us"`   // microseconds: how long a call of an older process can take
	Settle       int64     `db:"settle_us"` // microseconds: how long providers then work on it
	DeadAt       Time      `db:"dead_at"`   // since when every older process is known dead
	DeadBy       string    `db:"dead_by"`
	DeadBecause  string    `db:"dead_because"`
	Phase        HoldPhase `db:"phase"`
	Reached      string    `db:"reached"`     // the last intent that the phase has dealt with
	Turned       int64     `db:"turned"`      // steps made unknown so far
	SweepAsked   Time      `db:"sweep_asked"` // when the search that counts was asked for
	SweptAt      Time      `db:"swept_at"`    // when it was complete
	LiftedAt     Time      `db:"lifted_at"`
	// LiftedBecause says how the hold ended, "" while it is on.
	LiftedBecause string `db:"lifted_because"`
}

// HoldLifter is an administrator who wants a hold lifted.
type HoldLifter struct {
	HoldID string `db:"hold_id"`
	Person string `db:"person"`
	Name   string `db:"name"`
	Reason string `db:"reason"`
	At     Time   `db:"at"`
}

// HoldAlarm names the alarm that a hold raises.
func HoldAlarm(h Hold) string { return "hold:" + h.ID }

// LiftersNeeded is how many different administrators lift a hold.
const LiftersNeeded = 2

// On reports whether the hold holds. It may be called on nil, which never does.
func (h *Hold) On() bool { return h != nil && h.LiftedAt == 0 }

// LastSend is the last moment at which any older process can have sent; ok is
// false while one of them may still live.
func (h *Hold) LastSend() (at Time, ok bool) {
	return h.DeadAt.Add(time.Duration(h.Call) * time.Microsecond), h.DeadAt != 0
}

// QuietAt is the moment from which nothing of an older process can appear any
// more at a provider; ok is false while one of them may still live.
func (h *Hold) QuietAt() (at Time, ok bool) {
	last, ok := h.LastSend()
	return last.Add(time.Duration(h.Settle)*time.Microsecond) + 1, ok
}

// MayLift tells what is still missing before administrators can lift the hold;
// nil is nothing.
func (h *Hold) MayLift(now Time) *Refusal {
	if !h.On() {
		return &Refusal{"hold.none", "No restore hold is on."}
	}
	quiet, dead := h.QuietAt()
	switch {
	case h.Phase == HoldDoubt:
		return &Refusal{"hold.turning", "The effects that may have happened meanwhile are still being made unknown."}
	case !dead:
		return &Refusal{"hold.older-process", "An older process may still live and send; end every one, and declare that they are ended."}
	case now < quiet:
		return &Refusal{"hold.too-early", fmt.Sprintf("Until %s what an older process sent may still act.", quiet)}
	case h.SweptAt == 0:
		return &Refusal{"hold.sweep", "The search for what the providers did meanwhile is not complete."}
	case h.Phase != HoldWait:
		return &Refusal{"hold.checking", "What the search found is still being looked at, step by step."}
	}
	return nil
}

// restoredWord marks the evidence that a restore left on a step.
const restoredWord = "restored"

// Restored is when the step was last made doubtful by a restore, 0 is never.
func (s *Step) Restored() (at Time) {
	for i := range s.Evidence {
		if e := &s.Evidence[i]; e.Source == FromRule && e.Status == restoredWord {
			at = max(at, e.At)
		}
	}
	return at
}

// underHold is the hold that what is known about the step must reckon with, or nil.
func (c *Case) underHold(s *Step) *Hold {
	if c.Hold != nil && (c.Hold.On() || s.Restored() != 0) {
		return c.Hold
	}
	return nil
}

// mayHaveGone lists the effects that a process of the lost time may have sent:
// all that are neither confirmed nor moot, but none that this database already
// knows to be given up or refused for good, nor what stands behind that.
func (c *Case) mayHaveGone() (list []*Step) {
	over := c.Abandonment != nil
	for _, s := range c.Steps {
		over = over || s.State == FailedSafely && s.Failure == Permanent
		unsent := s.State == Pending || s.State == FailedSafely
		if s.Class.Effect() && !s.State.Done() && !(over && unsent) {
			list = append(list, s)
		}
	}
	return list
}

// Restore makes every effect unknown that may have happened after the moment
// from which the database was restored, and closes what a worker of that time
// left open. newID gives the ids of evidence. It changes nothing where it was
// done before for the same hold, and tells how many steps it turned.
func (c *Case) Restore(h *Hold, newID func() string, t Timing, spread float64, now Time) (turned int, err error) {
	if s, a := c.OpenAttempt(); a != nil {
		if _, err := c.Lose(s, newID(), t, spread, now); err != nil {
			return 0, err
		}
	}
	if c.LeaseWorker != "" {
		c.Fence++
		c.LeaseWorker, c.LeaseBoot, c.LeaseUntil = "", "", 0
	}
	for _, s := range c.mayHaveGone() {
		if s.Restored() >= h.Since {
			continue
		}
		reason := fmt.Sprintf("The database was restored from %s; whether this happened after that is not known.", h.RestoredFrom.Std().Format("2006-01-02 15:04:05 UTC"))
		if err := c.makeDoubtful(s, newID(), reason, t, now); err != nil {
			return turned, err
		}
		turned++
	}
	return turned, nil
}

// TakeFound makes a step unknown that was never sent from here, but may have
// been in the time that a restore lost; a look then decides. why is a sentence.
func (c *Case) TakeFound(s *Step, evidenceID, why string, t Timing, now Time) error {
	return c.makeDoubtful(s, evidenceID, why, t, now)
}

// makeDoubtful records what a restore means for a step, and plans a look.
func (c *Case) makeDoubtful(s *Step, evidenceID, reason string, t Timing, now Time) error {
	// What only a person may send again stays so, whatever a look finds.
	s.PersonOnly = s.PersonOnly || s.State == FailedSafely && s.Failure != Retryable
	e := Evidence{ID: evidenceID, IntentID: s.IntentID, Step: s.Name, Source: FromRule, Says: Inconclusive, BeganAt: now, At: now,
		By: "restore hold", WireKey: s.WireKey, Status: restoredWord, Detail: reason}
	s.Evidence = append(s.Evidence, e)
	c.Version++
	if err := c.doubt(s, WhoEngine, e.ID, reason, now); err != nil {
		return err
	}
	s.NextTryAt, s.NextCheckAt = 0, 0
	if s.Contract.Queryable() && !c.Contradicted(s) {
		s.NextCheckAt = now.Add(t.Checks[0])
	}
	return nil
}

// CheckRestored plans a look at every effect that a restore left unknown, since
// from now on absence can be proof.
func (c *Case) CheckRestored(now Time) {
	for _, s := range c.Steps {
		if s.State == OutcomeUnknown && s.Restored() != 0 && s.Contract.Queryable() && !c.Contradicted(s) {
			s.NextCheckAt = now
		}
	}
}

// takeGeneration takes up a later generation than is known here, which a restore
// lost and the provider shows an object of.
func (c *Case) takeGeneration(s *Step, look Look) {
	if look.Generation <= s.Generation || s.State != OutcomeUnknown || s.Restored() == 0 || look.ExternalRef == "" {
		return
	}
	s.Generation, s.ExternalRef = look.Generation, ""
	s.WireKey = s.Contract.KeyRule.WireKey(s.Key())
	c.Version++
}
