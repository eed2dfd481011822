package engine

import "time"

// allowance is how long a call may take, from before its claim was asked for.
type allowance struct {
	start time.Time
	limit time.Duration
}

// left is what is left of it; negative when it is over. Of the two clocks of
// this machine the one counts that has gone further: the monotonic one stands
// still while the machine sleeps, and the wall clock may be set back.
func (a allowance) left(now time.Time) time.Duration {
	return a.limit - max(now.Sub(a.start), now.Round(0).Sub(a.start.Round(0)))
}
