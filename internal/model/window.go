package model

import (
	"slices"
	"time"
)

// SafeUntil is the moment until which the step's present request may be sent
// again while its outcome is unknown: as long as the provider surely remembers
// the key, less a margin. ok is false where there is no such promise, and none
// is made before the first send, which starts the window.
func (s *Step) SafeUntil(call time.Duration) (until Time, ok bool) {
	frozen := s.Frozen()
	if s.Restored() != 0 {
		return 0, false // the first send may have been in the time that was lost
	}
	if frozen == nil || s.Class != Keyed || !s.Contract.ActsAreStored || s.Contract.Retention <= 0 {
		return 0, false
	}
	return frozen.FrozenAt.Add(s.Contract.Retention - s.Contract.Margin(call)), true
}

// lastSend is the last moment at which the first byte of an attempt can have
// left, with the time that the call could then still take; bounded is false
// while its worker may still be alive and asleep.
func (c *Case) lastSend(s *Step, a *Attempt) (at Time, bounded bool) {
	if a.FinishedAt == 0 {
		return 0, false
	}
	if !a.Lost {
		return a.FinishedAt, true
	}
	for i := range s.Evidence {
		if e := &s.Evidence[i]; e.Source == FromLate && e.Attempt == a.Number {
			return e.At, true
		}
	}
	if died, dead := c.DeadBoots[a.Boot]; dead {
		return died.Add(a.DeadlineAt.Sub(a.StartedAt)), true
	}
	return 0, false
}

// LastSend is the last moment at which any attempt of the step can still have
// sent; bounded is false while one of them has no such moment.
func (c *Case) LastSend(s *Step) (last Time, bounded bool) {
	for i := range s.Attempts {
		at, ok := c.lastSend(s, &s.Attempts[i])
		if !ok {
			return 0, false
		}
		last = max(last, at)
	}
	if h := c.underHold(s); h != nil { // a restore counts as a lost worker
		at, ok := h.LastSend()
		return max(last, at), ok
	}
	return last, true
}

// MayStillSend lists the starts whose worker was lost in an attempt of the step
// and may yet send it: none of them is known to be dead, and no result of that
// attempt came since.
func (c *Case) MayStillSend(s *Step) (boots []string) {
	for i := range s.Attempts {
		a := &s.Attempts[i]
		if _, bounded := c.lastSend(s, a); a.Lost && !bounded && !slices.Contains(boots, a.Boot) {
			boots = append(boots, a.Boot)
		}
	}
	return boots
}

// NotFoundFinalAt is the moment from which a query that finds nothing proves
// that nothing happened: later than any send plus the longest call plus the
// time that the provider needs to show an object. ok is false where no such
// moment is known.
func (c *Case) NotFoundFinalAt(s *Step) (at Time, ok bool) {
	last, bounded := c.LastSend(s)
	if !s.Class.Effect() || !s.Contract.NotFoundCanBeFinal() || !bounded || len(s.Attempts) == 0 && s.Restored() == 0 {
		return 0, false
	}
	wait := s.Contract.LongestCall + max(s.Contract.SettleDelay, s.Contract.LookupDelay)
	at = last.Add(wait) + 1
	if h := c.underHold(s); h != nil { // only the search shows what stands under later generations
		return max(at, h.SweptAt), h.SweptAt != 0
	}
	return at, true
}

// UnknownAttempts are the attempts that may have done something that nobody
// knows of. Attempts add up: one of them keeps the step unknown. Of many attempts
// it looks at each a few times, not at each pair of them.
func (c *Case) UnknownAttempts(s *Step) []*Attempt {
	var open []*Attempt
	denied, answers := s.deniedUntil(), s.keptAnswers()
	for i := range s.Attempts {
		a := &s.Attempts[i]
		if a.Result == ResultUnknown && a.StartedAt >= denied && !c.clearedByAnswer(s, a, answers) {
			open = append(open, a)
		}
	}
	return open
}

// deniedUntil is the moment before which every attempt is known to have done
// nothing: conclusive evidence that began then says so. 0 is no such moment.
func (s *Step) deniedUntil() (until Time) {
	for i := range s.Evidence {
		if e := &s.Evidence[i]; e.Says == DidNotHappen && e.Attempt == 0 {
			until = max(until, e.BeganAt)
		}
	}
	return until
}

// keptAnswer is an attempt's answer that the provider keeps under its key.
type keptAnswer struct {
	*Attempt
	replayed bool // it answers for earlier attempts at once, else after their time
}

// keptAnswers are the answers that can answer for earlier attempts too: the
// provider replayed them, or is known to keep exactly this refusal. Only within
// the window: a forgotten key replays nothing.
func (s *Step) keptAnswers() (list []keptAnswer) {
	for i := range s.Attempts {
		b := &s.Attempts[i]
		refused := b.Result == ResultPermanent || b.Result == ResultCurable
		acted := s.Contract.ActsAreStored && (b.Result == ResultAccepted || b.Result == ResultConfirmed || b.Result == ResultFailed)
		stored := refused && slices.Contains(s.Contract.StoredCodes, b.Code) && s.Contract.SettleDelay >= 0
		replayed := (refused || acted) && b.Replayed && s.Contract.ReplayMarker != ""
		if (stored || replayed) && s.withinRetention(b) {
			list = append(list, keptAnswer{b, replayed})
		}
	}
	return list
}

// clearedByAnswer reports whether a later answer under the same key also answers
// for this attempt: a replayed one, or a kept refusal where the provider had the
// time to finish the earlier request.
func (c *Case) clearedByAnswer(s *Step, a *Attempt, answers []keptAnswer) bool {
	sent, bounded := c.lastSend(s, a)
	if !bounded {
		return false
	}
	settled := sent.Add(s.Contract.LongestCall + max(s.Contract.SettleDelay, 0))
	return slices.ContainsFunc(answers, func(b keptAnswer) bool {
		return b.Number > a.Number && b.Generation == a.Generation && (b.replayed || settled < b.StartedAt)
	})
}

// withinRetention reports whether the provider surely still remembered the key
// when it answered the attempt.
func (s *Step) withinRetention(a *Attempt) bool {
	for i := range s.Generations {
		if g := &s.Generations[i]; g.Number == a.Generation {
			return s.Restored() == 0 && s.Contract.Retention > 0 && a.FinishedAt < g.FrozenAt.Add(s.Contract.Retention-s.Contract.Margin(0))
		}
	}
	return false
}
