package store

import (
	"errors"
	"fmt"
	"iter"
	"strings"
)

// A page asks many small questions, and most do not need each other's answers.
// Together lets each part of a page ask in its own words, one after the other,
// and sends what the parts wait for as one statement:
//
//	part 1:  Person ────────┐        Roles ───┐
//	part 2:  Hold ──────────┤ one             │ one
//	part 3:  NavCounts ─────┘ statement       ┘ statement
//
// The parts never run at the same time, so they may share what they like. Each
// runs until it asks; when all of them wait or are done, their questions are
// answered, and they go on in their order.

// question is one SELECT that a part waits for.
type question struct {
	into  any
	query string
	args  []any
	one   bool // at most one row, into a value and not a slice
	found bool
	err   error
}

// errStopped is what a part gets that asks on after another one has panicked.
var errStopped = errors.New("the other parts of this read have stopped")

// part is one function of Together, as a coroutine that gives its questions.
type part struct {
	next  func() ([]*question, bool)
	stop  func()
	yield func([]*question) bool
	err   error
}

func begin(fn func() error) *part {
	p := &part{}
	p.next, p.stop = iter.Pull(func(yield func([]*question) bool) {
		p.yield = yield
		p.err = fn()
	})
	return p
}

// Together runs functions that read by this transaction, and answers in one
// statement what they ask at the same time: it takes as many statements as the
// longest of them asks one after the other. All of them run to their end; the
// error is the first one's that has one. It may be used within itself. In a
// transaction that writes they simply run in turn.
func (t *Tx) Together(parts ...func() error) error {
	if t.writes || len(parts) == 1 {
		return inTurn(parts)
	}
	outer := t.ask
	defer func() { t.ask = outer }()
	all := make([]*part, len(parts))
	for i, fn := range parts {
		all[i] = begin(fn)
		defer all[i].stop()
	}
	for waiting := all; len(waiting) > 0; {
		var still []*part
		var asked []*question
		for _, p := range waiting {
			t.ask = func(list []*question) bool { return p.yield(list) }
			if list, more := p.next(); more {
				still, asked = append(still, p), append(asked, list...)
			}
		}
		t.ask = outer
		t.answer(asked)
		waiting = still
	}
	for _, p := range all {
		if p.err != nil {
			return p.err
		}
	}
	return nil
}

func inTurn(parts []func() error) error {
	for _, fn := range parts {
		if err := fn(); err != nil {
			return err
		}
	}
	return nil
}

// answer waits for the answers with the other parts of an outer Together, or
// reads them now.
func (t *Tx) answer(asked []*question) {
	if len(asked) == 0 {
		return
	}
	if t.ask == nil {
		t.readTogether(asked)
		return
	}
	if !t.ask(asked) {
		for _, q := range asked {
			q.err = errStopped
		}
	}
}

// wait asks one question; it comes back with its answer.
func (t *Tx) wait(q question) (found bool, err error) {
	t.answer([]*question{&q})
	return q.found, q.err
}

// readTogether answers several questions by one statement: each row is the
// number of its question and the columns as a JSON array.
func (t *Tx) readTogether(asked []*question) {
	if len(asked) == 1 {
		asked[0].found, asked[0].err = t.readAlone(asked[0])
		return
	}
	if err := t.readUnited(asked); err != nil {
		for _, q := range asked {
			q.err = err
		}
	}
}

func (t *Tx) readAlone(q *question) (found bool, err error) {
	if q.one {
		return t.getNow(q.into, q.query, q.args...)
	}
	return true, t.selectNow(q.into, q.query, q.args...)
}

func (t *Tx) readUnited(asked []*question) error {
	var args []any
	parts, rows, told := make([]string, len(asked)), make([]*rowsInto, len(asked)), make([]Statement, len(asked))
	for i, q := range asked {
		shape, err := t.shape(q)
		if err != nil {
			return err
		}
		parts[i], rows[i] = shape.part(i), newRowsInto(q, shape)
		args, told[i] = append(args, q.args...), Statement{Query: q.query, Args: q.args}
	}
	query := strings.Join(parts, " UNION ALL ")
	t.note(query, args, told...)
	found, err := t.tx.QueryxContext(t.ctx, t.db.rebind(query), args...)
	if err != nil {
		return failed(asked, err)
	}
	defer found.Close()
	for found.Next() {
		var number int
		var text string
		if err := found.Scan(&number, &text); err != nil {
			return failed(asked, err)
		}
		if err := rows[number].add(text); err != nil {
			return failed(asked[number:number+1], err)
		}
	}
	if err := found.Err(); err != nil {
		return failed(asked, err)
	}
	return nil
}

// failed says which questions a statement was for.
func failed(asked []*question, err error) error {
	verbs := make([]string, len(asked))
	for i, q := range asked {
		verbs[i] = verb(q.query)
	}
	return fmt.Errorf("%s: %w", strings.Join(verbs, " with "), err)
}
