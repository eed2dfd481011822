package store

import (
	"context"
	"sync"
)

type askedKey struct{}

// Statement is one that a transaction sent, with '?' for its arguments. Parts are
// the questions that it answers together; none where it is one.
type Statement struct {
	Query string
	Args  []any
	Parts []Statement
}

// Statements are those that were sent under a context of Asked. It is safe for
// concurrent use.
type Statements struct {
	mu   sync.Mutex
	sent []Statement
}

// Asked gives a context under which transactions write down the statements that
// they send: what a page costs in round trips, and that none of them reads a
// table from end to end, are promises that tests keep. Beginning and ending a
// transaction is no statement, nor is asking for the columns of a statement that
// the process does not remember.
func Asked(ctx context.Context) (context.Context, *Statements) {
	s := &Statements{}
	return context.WithValue(ctx, askedKey{}, s), s
}

// Sent gives the statements so far, in their order.
func (s *Statements) Sent() []Statement {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sent[:len(s.sent):len(s.sent)]
}

// note writes a statement down for Asked.
func (t *Tx) note(query string, args []any, parts ...Statement) {
	if s, ok := t.ctx.Value(askedKey{}).(*Statements); ok {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.sent = append(s.sent, Statement{query, args, parts})
	}
}
