package actions

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"countersign/internal/audit"
	"countersign/internal/authz"
	"countersign/internal/model"
	"countersign/internal/store"
	"countersign/internal/workflow"
)

// Runner accepts intents and runs actions, each in one transaction with its
// audit entry. It is safe for concurrent use.
type Runner struct {
	db     *store.DB
	log    *audit.Log
	book   *workflow.Book
	timing model.Timing
	tiers  authz.Tiers
	boot   string        // of the process that answers; "" where it drives no intents
	lists  chan struct{} // told of a list that is to be carried out
	self   string        // names this runner among those that carry lists out
	files  *parsedFiles  // banks' files as they were read last
}

// New makes a runner.
func New(db *store.DB, log *audit.Log, book *workflow.Book, timing model.Timing, tiers authz.Tiers) *Runner {
	return &Runner{db: db, log: log, book: book, timing: timing, tiers: tiers, lists: make(chan struct{}, 1), self: "runner-" + rand.Text(), files: newParsedFiles()}
}

// ServedBy names the start of the process that answers requests, which nobody
// can declare dead through it. It is called before the first request.
func (r *Runner) ServedBy(boot string) *Runner {
	r.boot = boot
	return r
}

// patience is how long a confirmation waits for a worker that only looks, and
// pause how long between two tries.
const (
	patience = 2 * time.Second
	pause    = 50 * time.Millisecond
)

// errLooking says that a worker holds the intent without sending: a moment later
// the same request may succeed.
var errLooking = errors.New("a worker holds the intent for a look")

// patiently runs fn again while a worker only looks at the intent. fn is told
// when it is the last time, and must then decide.
func patiently(ctx context.Context, fn func(last bool) error) error {
	return patientlyUntil(ctx, time.Now().Add(patience), fn)
}

// patientlyUntil is patiently with a patience that began before.
func patientlyUntil(ctx context.Context, until time.Time, fn func(last bool) error) error {
	for {
		last := !time.Now().Before(until)
		err := fn(last)
		if !errors.Is(err, errLooking) || last {
			return err
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// entryActor is the actor as the audit log names it.
func entryActor(a authz.Actor, account string) audit.Actor {
	return audit.Actor{Type: string(a.Type), ID: a.ID, Name: a.Name, Roles: a.RolesIn(account)}
}

// notFound is what stands behind an account wall looks like: it does not exist.
func notFound(what, id string) error {
	return model.Errorf(model.NotFound, authz.CodeNotFound, "There is no %s %s, or it is not yours to see.", what, id)
}

// invalid is a fault in one member of the input.
func invalid(location, message string) error {
	return model.Errorf(model.Invalid, "invalid-params", "The input is not valid.").
		WithFields(model.Field{Location: location, Message: message})
}

// within places faults that were found in one member in the whole input.
func within(member string, err error) error {
	var known *model.Error
	if errors.As(err, &known) {
		for i := range known.Fields {
			known.Fields[i].Location = member + known.Fields[i].Location
		}
	}
	return err
}
