package engine

import (
	"context"
	"sync"

	"countersign/internal/store"
)

// Results that come in while a commit is under way are settled together in the
// next: one transaction, one commit, and as many statements as for one. What a
// process loses by dying before that commit is what it would lose with
// transactions of their own: the attempts are open, and recovery takes them.

// mostTogether bounds one joint transaction, and so how long its intents are locked.
const mostTogether = 64

// settlers is how many joint transactions run at once where the database takes
// several writers: one computes while another waits for the disk.
const settlers = 2

// gathering is where results wait for the next commit. Safe for concurrent use.
type gathering struct {
	mu      sync.Mutex
	waiting []*settlement
	turns   chan struct{} // holds one for each joint transaction under way
}

// settlement is a result on its way into the database.
type settlement struct {
	job  *job
	next *job          // reserved in the same commit
	err  error         // nothing is known to be stored
	done chan struct{} // closed when next and err are there
}

func newGathering(db *store.DB) *gathering {
	n := 1
	if db != nil && db.Shared() {
		n = settlers
	}
	return &gathering{turns: make(chan struct{}, n)}
}

// take gives what waits, up to the most that goes together.
func (g *gathering) take() (batch []*settlement) {
	g.mu.Lock()
	defer g.mu.Unlock()
	n := min(len(g.waiting), mostTogether)
	batch, g.waiting = g.waiting[:n:n], g.waiting[n:]
	return batch
}

// settleTogether stores a job's result with those of others. Whoever gets a turn
// first stores for all. An error may be another's: then each tries alone.
func (e *Engine) settleTogether(ctx context.Context, j *job) (*job, error) {
	s := &settlement{job: j, done: make(chan struct{})}
	g := e.gathering
	g.mu.Lock()
	g.waiting = append(g.waiting, s)
	g.mu.Unlock()
	for { // a turn's batch may be full before it comes to this one
		select {
		case <-s.done:
			return s.next, s.err
		case g.turns <- struct{}{}:
			e.settleBatch(ctx, g.take())
			<-g.turns
		}
	}
}

// settleBatch stores all of the batch, or nothing.
func (e *Engine) settleBatch(ctx context.Context, batch []*settlement) {
	if len(batch) == 0 {
		return
	}
	start := e.Clock()
	err := e.DB.Update(ctx, func(tx *store.Tx) error {
		intents := make([]string, len(batch))
		for i, s := range batch {
			intents[i] = s.job.intent
		}
		if err := tx.LockAhead(intents); err != nil {
			return err
		}
		for _, s := range batch {
			var err error
			if s.next, err = e.settleIn(tx, s.job, start); err != nil {
				return err
			}
		}
		return nil
	})
	for _, s := range batch {
		if s.err = err; err != nil {
			s.next = nil
		}
		close(s.done)
	}
}
