package store

import (
	"crypto/rand"
	"sync"

	"github.com/oklog/ulid/v2"
)

// ids makes the ids of one open database: each is greater than every one before
// it, so that what one transaction records keeps its order however many
// transactions of whatever time make ids beside it. The zero value is ready.
type ids struct {
	mu      sync.Mutex
	ms      uint64 // of the newest id: never goes back
	entropy *ulid.MonotonicEntropy
}

// next makes an id of the moment ms, in milliseconds, or of the newest id's
// where that is later.
func (g *ids) next(ms uint64) ulid.ULID {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.entropy == nil {
		g.entropy = ulid.Monotonic(rand.Reader, 0)
	}
	g.ms = max(g.ms, ms)
	return ulid.MustNew(g.ms, g.entropy)
}
