package model

import "time"

// Timing holds every wait of the engine. Windows and deadlines that people see
// (previews, approvals, reviews) keep their length at every pace.
type Timing struct {
	BackoffBase time.Duration // doubles with each try, full jitter
	BackoffCap  time.Duration
	Tries       int             // engine's sends of one step
	Checks      []time.Duration // the first queries, counted from when it became uncertain,
	CheckEvery  time.Duration   // then one in each such span,
	CheckFor    time.Duration   // until it has been uncertain for so long
	Call        time.Duration   // our own limit on one call
	Lease       time.Duration
	Renew       time.Duration
	Preview     time.Duration
	Approval    time.Duration
	Review      time.Duration
	// Sweep is how often every provider's objects are compared with ours; 0 is
	// never by itself.
	Sweep time.Duration
}

// SweepBehind is how far before the pass before it a pass of the sweep lists: an
// object that was hidden from a list then is in one of the next. It keeps its
// length at every pace.
const SweepBehind = 25 * time.Hour

// NormalPace is how production runs.
func NormalPace() Timing {
	return Timing{
		BackoffBase: 2 * time.Second, BackoffCap: 5 * time.Minute, Tries: 6,
		Checks:     []time.Duration{5 * time.Second, 30 * time.Second, 2 * time.Minute, 10 * time.Minute, time.Hour},
		CheckEvery: 6 * time.Hour, CheckFor: 7 * 24 * time.Hour,
		Call: 35 * time.Second, Lease: 60 * time.Second, Renew: 20 * time.Second,
		Preview: 10 * time.Minute, Approval: 72 * time.Hour, Review: 24 * time.Hour, Sweep: time.Hour,
	}
}

// FastFactor is by how much the fast pace divides the waits.
const FastFactor = 20

// FastPace is for the demo and for tests. Calls and leases shrink less than
// the rest: a busy laptop must not look like a lost connection.
func FastPace() Timing {
	t := NormalPace()
	for _, d := range []*time.Duration{&t.BackoffBase, &t.BackoffCap, &t.CheckEvery, &t.CheckFor, &t.Sweep} {
		*d /= FastFactor
	}
	for i := range t.Checks {
		t.Checks[i] /= FastFactor
	}
	t.Call, t.Lease, t.Renew = 4*time.Second, 8*time.Second, 2*time.Second
	return t
}

// Backoff is the wait before the engine's next try after tries sends: full
// jitter over an exponentially growing range. spread is in [0, 1).
func (t Timing) Backoff(tries int, spread float64) time.Duration {
	limit := t.BackoffCap
	if shift := max(tries-1, 0); shift < 30 {
		limit = min(limit, t.BackoffBase<<shift)
	}
	return time.Duration(float64(limit)*spread) + time.Millisecond
}

// CheckAfter is the wait before the next query of an effect that has been
// uncertain for so long; ok is false once checking by itself pays no more.
func (t Timing) CheckAfter(uncertainFor time.Duration) (wait time.Duration, ok bool) {
	var last time.Duration
	for _, at := range t.Checks {
		if at > uncertainFor {
			return at - uncertainFor, true
		}
		last = at
	}
	rounds := (uncertainFor-last)/t.CheckEvery + 1
	return last + rounds*t.CheckEvery - uncertainFor, uncertainFor < t.CheckFor
}
