package moments

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"time"

	"countersign/internal/model"
)

// invariant02 counts in the provider's books; all generations of a step together.
func (tr *truth) invariant02() (broken []string) {
	standing := map[string]int{}
	for _, e := range tr.effects {
		if e.UndoneAt != nil {
			continue
		}
		step := e.Operation + " " + e.Reference
		if s, _ := tr.stepOf(e); s != nil {
			step = s.IntentID + ":" + s.Name
		}
		if standing[step]++; standing[step] == 2 {
			broken = append(broken, "two effects of "+step+" stand")
		}
	}
	return broken
}

// standstill is how far stored time may run ahead of a world's clock, which
// stands still while every transaction is a microsecond later than the one before.
const standstill = time.Second

// invariant03: each effect has a committed attempt of that step, under that key
// and with those bytes, which began before it.
func (tr *truth) invariant03() (broken []string) {
	for _, e := range tr.effects {
		if lost := tr.w.memory.lost; !lost.IsZero() && !e.At.Before(lost) {
			continue // its attempt was in the part of the database that is gone
		}
		if s, generation := tr.stepOf(e); s == nil || !reserved(s, generation, e) {
			broken = append(broken, fmt.Sprintf("%s of %s at %s has no attempt", e.Operation, e.Reference, e.At))
		}
	}
	return broken
}

func reserved(s *model.Step, generation int, e effect) bool {
	for _, a := range s.Attempts {
		g := frozen(s, a.Generation)
		if a.Generation == generation && (s.Class != model.Keyed || a.WireKey == e.Key) && g != nil &&
			hex.EncodeToString(g.BodySHA256) == e.BodySHA256 && !a.StartedAt.Std().After(e.At.Add(standstill)) {
			return true
		}
	}
	return false
}

func frozen(s *model.Step, generation int) *model.Generation {
	for i := range s.Generations {
		if s.Generations[i].Number == generation {
			return &s.Generations[i]
		}
	}
	return nil
}

// invariant04 follows the attempts of everything that a provider cannot recognise.
func (tr *truth) invariant04() []string {
	return tr.each(func(c *model.Case, s *model.Step) (broken []string) {
		if s.Class != model.Unkeyed && s.Class != model.Message {
			return nil
		}
		for i := range s.Attempts {
			for j := range s.Attempts[:i] {
				if !tr.nothing(s, j, s.Attempts[i].StartedAt) {
					broken = append(broken, fmt.Sprintf("attempt %d of %s went out while attempt %d was unknown", i+1, s.Key(), j+1))
				}
			}
		}
		return broken
	})
}

// nothing reports whether it was known at a moment that an attempt had done
// nothing, or that what it did had failed.
func (tr *truth) nothing(s *model.Step, attempt int, at model.Time) bool {
	a := &s.Attempts[attempt]
	switch a.Result {
	case model.ResultNotSent, model.ResultThrottled, model.ResultPermanent, model.ResultCurable, model.ResultFailed, model.ResultNothing:
		return a.FinishedAt <= at
	}
	for _, e := range s.Evidence {
		if e.Says == model.DidNotHappen && e.Attempt == 0 && e.At <= at && e.At >= a.StartedAt && tr.conclusive(s, a, e) {
			return true
		}
	}
	return false
}

// conclusive: a person's word and an object that failed are; that a look found
// nothing is only from the moment on at which nothing can be on its way any more.
func (tr *truth) conclusive(s *model.Step, a *model.Attempt, e model.Evidence) bool {
	if e.Source != model.FromQuery || e.Ref != "" {
		return true
	}
	sent, bounded := tr.lastSend(s, a)
	return bounded && e.BeganAt > sent.Add(s.Contract.LongestCall+max(s.Contract.SettleDelay, s.Contract.LookupDelay))
}

// lastSend is when the last byte of an attempt can have left: its finish, or for
// a lost worker its own late word or its death.
func (tr *truth) lastSend(s *model.Step, a *model.Attempt) (at model.Time, bounded bool) {
	if !a.Lost {
		return a.FinishedAt, a.FinishedAt != 0
	}
	for _, e := range s.Evidence {
		if e.Source == model.FromLate && e.Attempt == a.Number {
			return e.At, true
		}
	}
	died, dead := tr.died[a.Boot]
	return died.Add(a.DeadlineAt.Sub(a.StartedAt)), dead
}

// invariant05 follows keys, bytes and windows of everything that has a key.
func (tr *truth) invariant05() []string {
	broken := tr.each(func(c *model.Case, s *model.Step) (broken []string) {
		if s.Class != model.Keyed {
			return nil
		}
		for i := range s.Attempts {
			broken = append(broken, frozenAs(s, &s.Attempts[i])...)
			broken = append(broken, tr.repeated(s, i)...)
		}
		return broken
	})
	return append(broken, tr.sharedKeys()...)
}

// frozenAs: an attempt carries the key and bytes of its generation.
func frozenAs(s *model.Step, a *model.Attempt) []string {
	g := frozen(s, a.Generation)
	switch {
	case g == nil && a.Result == model.ResultCurable && a.BytesOut == 0:
		return nil // no request could be made, and none was sent
	case g == nil:
		return []string{fmt.Sprintf("attempt %d of %s has no frozen bytes", a.Number, s.Key())}
	case a.WireKey != g.WireKey:
		return []string{fmt.Sprintf("attempt %d of %s went out under %s, its generation is %s", a.Number, s.Key(), a.WireKey, g.WireKey)}
	}
	if digest := sha256.Sum256(g.Body); !bytes.Equal(g.BodySHA256, digest[:]) {
		return []string{fmt.Sprintf("the frozen bytes of %s and their digest differ", s.Key())}
	}
	return nil
}

// repeated judges an attempt by those before it.
func (tr *truth) repeated(s *model.Step, i int) (broken []string) {
	a := &s.Attempts[i]
	for j := range s.Attempts[:i] {
		before := &s.Attempts[j]
		if tr.nothing(s, j, a.StartedAt) || tr.replayed(s, before, a.StartedAt) {
			continue
		}
		name := fmt.Sprintf("attempt %d of %s, sent while attempt %d was %s,", a.Number, s.Key(), before.Number, before.Result)
		switch {
		case before.Result != model.ResultUnknown:
			broken = append(broken, name+" was no repeat of something unknown")
		case before.Generation != a.Generation:
			broken = append(broken, name+" opened another generation")
		case !s.Contract.ActsAreStored:
			broken = append(broken, name+" went to a provider that does not keep what it did")
		case a.StartedAt >= tr.windowEnd(s, a.Generation):
			broken = append(broken, name+" came after the window")
		}
	}
	return broken
}

// replayed: a later answer under the same key, replayed, or a refusal that the
// contract says is kept, answers for the attempts before it too.
func (tr *truth) replayed(s *model.Step, a *model.Attempt, at model.Time) bool {
	for _, b := range s.Attempts[a.Number:] {
		again := b.Replayed && s.Contract.ReplayMarker != "" && s.Contract.ActsAreStored && b.Result != model.ResultUnknown
		kept := (b.Result == model.ResultPermanent || b.Result == model.ResultCurable) && slices.Contains(s.Contract.StoredCodes, b.Code)
		if (again || kept) && b.Generation == a.Generation && b.FinishedAt <= at && b.FinishedAt < tr.windowEnd(s, b.Generation) {
			return true
		}
	}
	return false
}

// windowEnd is until when the provider surely knows a generation's key.
func (tr *truth) windowEnd(s *model.Step, generation int) model.Time {
	g := frozen(s, generation)
	if g == nil {
		return 0
	}
	return g.FrozenAt.Add(s.Contract.Retention - s.Contract.Margin(tr.w.timing.Call))
}

// sharedKeys: no two requests share a wire key, and what the books show under a
// key are the bytes that were frozen for it.
func (tr *truth) sharedKeys() (broken []string) {
	owner, bodies := map[string]string{}, map[string]string{}
	tr.each(func(c *model.Case, s *model.Step) []string {
		for _, g := range s.Generations {
			if s.Class != model.Keyed {
				continue
			}
			key := model.StepKey(s.IntentID, s.Name, g.Number)
			if other := owner[g.WireKey]; other != "" {
				broken = append(broken, key+" and "+other+" share the key "+g.WireKey)
			}
			owner[g.WireKey], bodies[g.WireKey] = key, hex.EncodeToString(g.BodySHA256)
		}
		return nil
	})
	for _, e := range tr.effects {
		if want := bodies[e.Key]; e.Key != "" && want != "" && want != e.BodySHA256 {
			broken = append(broken, "other bytes than those of "+e.Key+" were sent under it")
		}
	}
	return broken
}

// invariant06 looks at what was known when each attempt was reserved.
func (tr *truth) invariant06() (broken []string) {
	for _, c := range tr.cases {
		for _, s := range c.Steps {
			for i := range s.Attempts {
				broken = append(broken, tr.mayReserve(c, s, &s.Attempts[i])...)
			}
		}
		broken = append(broken, fences(c)...)
	}
	return broken
}

func (tr *truth) mayReserve(c *model.Case, s *model.Step, a *model.Attempt) (broken []string) {
	name := fmt.Sprintf("attempt %d of %s was reserved", a.Number, s.Key())
	switch state := tr.stateAt(c, a.StartedAt); state {
	case model.Compensating:
		if !tr.liftedAt(c, a.StartedAt) {
			broken = append(broken, name+" when the intent was compensating")
		}
	case model.Abandoned, model.Completed, model.TerminalFailure, model.Compensated:
		broken = append(broken, name+" when the intent was "+string(state))
	}
	if c.Abandonment != nil && a.StartedAt > c.Abandonment.At {
		broken = append(broken, name+" after the intent was abandoned")
	}
	for _, k := range c.Compensations {
		if a.StartedAt > k.AskedAt && a.StartedAt < tr.lifted(c, k) {
			broken = append(broken, name+" after the compensation of "+k.Step+" was asked for")
		}
	}
	return broken
}

// stateAt is the intent's state before a moment, as the log tells it.
func (tr *truth) stateAt(c *model.Case, at model.Time) (state model.IntentState) {
	for _, e := range tr.about(c.ID, "intent.") {
		if e.At < at && e.Event != "intent.denied" {
			state = model.IntentState(e.Result)
		}
	}
	return state
}

// lifted is when a compensation stopped holding its parent up: when its request
// came to nothing, else never.
func (tr *truth) lifted(c *model.Case, k model.Compensation) model.Time {
	if r := c.Request(k.ApprovalID); k.State == model.CompensationWithdrawn && r != nil {
		return r.ClosedAt
	}
	return tr.now + 1
}

// liftedAt reports whether a compensation stopped holding its parent up at a
// moment: what the same transaction reserved was reserved after that.
func (tr *truth) liftedAt(c *model.Case, at model.Time) bool {
	return slices.ContainsFunc(c.Compensations, func(k model.Compensation) bool { return tr.lifted(c, k) == at })
}

// fences: they only grow from attempt to attempt, none is beyond the intent's
// own, and each was one worker's.
func fences(c *model.Case) (broken []string) {
	type held struct {
		at    model.Time
		fence int64
	}
	var all []held
	workers := map[int64]string{}
	for _, s := range c.Steps {
		for _, a := range s.Attempts {
			all = append(all, held{a.StartedAt, a.Fence})
			if other := workers[a.Fence]; other != "" && other != a.Worker {
				broken = append(broken, fmt.Sprintf("fence %d of %s was held by %s and %s", a.Fence, c.ID, other, a.Worker))
			}
			workers[a.Fence] = a.Worker
		}
	}
	for _, a := range all {
		for _, b := range all {
			if a.at < b.at && a.fence > b.fence || a.fence > c.Fence {
				return append(broken, fmt.Sprintf("%s: an attempt under fence %d came after one under fence %d", c.ID, b.fence, a.fence))
			}
		}
	}
	return broken
}
