package authz

import (
	"time"

	"countersign/internal/model"
)

// How long a fresh factor counts. It is shorter for a person's key, which works
// without its person looking on.
const (
	FreshOnPages = 15 * time.Minute
	FreshForKeys = 5 * time.Minute
)

// grave are the permissions that need a fresh factor: those that move or close
// money, and those that give rights away.
var grave = map[Permission]bool{
	RetryUnfinished: true, MarkExternalResult: true, Compensate: true, Abandon: true,
	Decide: true, ManagePeople: true, ManageKeys: true, ManageWorkers: true, LiftHold: true, SettleOrphans: true,
}

// Grave reports whether using the permission needs a fresh factor.
func Grave(p Permission) bool { return grave[p] }

// StepUpNeeded allows when the actor showed a fresh factor lately enough to use
// the permission, or when it needs none; else it refuses with "step-up-required".
func StepUpNeeded(a Actor, p Permission, now model.Time) Decision {
	if !Grave(p) {
		return allow("step-up-not-needed", "This needs no fresh sign-in.")
	}
	return Fresh(a, now)
}

// Fresh allows when the actor showed a fresh factor lately, whatever it is for.
func Fresh(a Actor, now model.Time) Decision {
	limit, where := FreshOnPages, "Confirm your password first"
	if a.Key != nil {
		limit, where = FreshForKeys, "Confirm your password on your own page (/me) first"
	}
	if a.SteppedUpAt != 0 && now.Sub(a.SteppedUpAt) <= limit {
		return allow("step-up-fresh", "Signed in afresh a moment ago.")
	}
	return deny("step-up", CodeStepUp, where+"; it then counts for "+words(limit)+".")
}

func words(d time.Duration) string {
	if d == FreshForKeys {
		return "five minutes"
	}
	return "fifteen minutes"
}
