package store

import (
	"context"
	"sync/atomic"
)

type askedKey struct{}

// Asked gives a context under which transactions count the statements that they
// send, and the number so far: what a page costs in round trips is a promise,
// and tests keep it. Beginning and ending a transaction is none, nor is asking
// once in a process's life for a statement's columns.
func Asked(ctx context.Context) (context.Context, *atomic.Int64) {
	n := &atomic.Int64{}
	return context.WithValue(ctx, askedKey{}, n), n
}

// count counts a statement for Asked.
func (t *Tx) count() {
	if n, ok := t.ctx.Value(askedKey{}).(*atomic.Int64); ok {
		n.Add(1)
	}
}
