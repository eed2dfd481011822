package templates

import (
	"context"
	"maps"
	"slices"
)

// look is how a state is said: a shape, the class that colours it, and a word.
// Circles move, squares have stopped, diamonds wait for a person, and the
// triangle alone is not known.
type look struct{ shape, class, word string }

var looks = map[State]look{
	"pending":           {"pending", "pending", "Pending"},
	"in_progress":       {"progress", "progress", "In progress"},
	"settling":          {"settling", "settling", "Settling"},
	"confirmed":         {"confirmed", "confirmed", "Confirmed"},
	"failed_safely":     {"failed", "failed", "Failed safely"},
	"outcome_unknown":   {"unknown", "unknown", "Outcome unknown"},
	"not_needed":        {"notneeded", "notneeded", "Not needed"},
	"received":          {"received", "received", "Received"},
	"processing":        {"progress", "progress", "Processing"},
	"awaiting_approval": {"approval", "approval", "Awaiting approval"},
	"needs_review":      {"review", "review", "Needs review"},
	"retryable_failure": {"retryable", "retryable", "Will be tried again"},
	"completed":         {"confirmed", "completed", "Completed"},
	"terminal_failure":  {"terminal", "terminal", "Failed for good"},
	"undo_asked":        {"approval", "approval", "Undo asked for"},
	"compensating":      {"progress", "progress", "Compensating"},
	"compensated":       {"undone", "undone", "Compensated"},
	"abandoned":         {"abandoned", "abandoned", "Abandoned"},
}

// look finds how a state is said; one that this page does not know is shown by
// its own name.
func (s State) look() look {
	if l, ok := looks[s]; ok {
		return l
	}
	return look{"no", "no", string(s)}
}

// Word is how the state is said everywhere: "Failed for good".
func (s State) Word() string { return s.look().word }

// Sign is what an alert, its delivery or a worker is, for the eye: no state of an intent.
type Sign string

var signs = map[Sign]look{
	"overdue":            {"overdue", "review", "Overdue"},
	"review":             {"review", "review", "Needs review"},
	"conflict":           {"review", "review", "Conflict"},
	"review_overdue":     {"overdue", "review", "Review overdue"},
	"settlement_overdue": {"settling", "settling", "Settlement overdue"},
	"orphan":             {"approval", "review", "Orphan at a provider"},
	"hold":               {"terminal", "terminal", "Restore hold"},
	"audit":              {"failed", "failed", "Audit log trouble"},
	"clock":              {"failed", "failed", "Clock off"},
	"alive":              {"yes", "yes", "Alive"},
	"silent":             {"overdue", "review", "Silent"},
	"dead":               {"no", "no", "Dead"},
	"delivered":          {"yes", "yes", "Delivered"},
	"waiting":            {"pending", "pending", "Waiting"},
	"sending":            {"progress", "progress", "Being sent"},
	"retrying":           {"retryable", "retryable", "Failed, will be tried again"},
	"given_up":           {"no", "no", "Given up"},
}

// look finds how a sign is shown; one that is not known has its own name.
func (s Sign) look() look {
	if l, ok := signs[s]; ok {
		return l
	}
	return look{"no", "no", string(s)}
}

// outcomes use a bare tick or bar, so that they are never read as states.
var outcomes = map[Outcome]look{
	"open":      {"approval", "approval", "Waiting"},
	"approved":  {"yes", "yes", "Approved"},
	"executed":  {"yes", "yes", "Executed"},
	"done":      {"yes", "yes", "Done"},
	"requested": {"approval", "approval", "Requested"},
	"rejected":  {"no", "no", "Rejected"},
	"withdrawn": {"no", "no", "Withdrawn"},
	"dismissed": {"no", "no", "Dismissed"},
	"expired":   {"no", "no", "Expired"},
	"refused":   {"no", "no", "Refused"},
	"denied":    {"no", "no", "Denied"},
	"planned":   {"yes", "yes", "Allowed"},
	"moved":     {"no", "no", "Moved since"},
	"waiting":   {"pending", "pending", "Not done yet"},
	"stale":     {"no", "no", "Not done: it moved"},
	"failed":    {"no", "no", "Not done: a fault of ours"},
}

func (o Outcome) look() look {
	if l, ok := outcomes[o]; ok {
		return l
	}
	return look{"no", "no", string(o)}
}

// symbolSet remembers which shapes a page has used, so that each is defined
// once and none in vain. One page is rendered by one goroutine.
type symbolSet map[string]bool

type symbolKey struct{}

func withSymbols(ctx context.Context) context.Context {
	return context.WithValue(ctx, symbolKey{}, symbolSet{})
}

// symbolRef notes that a shape is used and gives the address of its definition.
func symbolRef(ctx context.Context, shape string) string {
	if used, ok := ctx.Value(symbolKey{}).(symbolSet); ok {
		used[shape] = true
	}
	return "#s-" + shape
}

func usedSymbols(ctx context.Context) []string {
	used, _ := ctx.Value(symbolKey{}).(symbolSet)
	return slices.Sorted(maps.Keys(used))
}
