package store

import (
	"fmt"
	"strings"
)

// addition is a set of rows of one table that wait in the transaction.
type addition struct {
	table, columns string
	count          int
	args           []any
}

// Add writes rows as Insert does, by the end of the transaction, together with
// others of their table: a statement for many costs little more than one for
// one. What a statement of this transaction names is written before it runs, so
// nobody sees the difference, except that a refusal comes later.
func (t *Tx) Add(table, columns string, rows any) error {
	list := each(rows)
	if len(list) == 0 {
		return nil
	}
	args, err := arguments(table, columns, list)
	if err != nil {
		return err
	}
	for i := range t.additions {
		if a := &t.additions[i]; a.table == table && a.columns == columns {
			a.count, a.args = a.count+len(list), append(a.args, args...)
			return nil
		}
	}
	t.additions = append(t.additions, addition{table, columns, len(list), args})
	return nil
}

// maxAdded bounds the rows of one statement: both databases bound its arguments.
const maxAdded = 64

// flush writes all that waits: first the changes, which may close what a new row
// takes the place of, then the rows, in the order in which tables first had some: a
// row that refers to another comes after it.
func (t *Tx) flush() error {
	changes, additions := t.changes, t.additions
	t.changes, t.additions, t.saved = nil, nil, nil
	for _, w := range changes {
		if err := w.write(t); err != nil {
			return err
		}
	}
	for _, a := range additions {
		if err := a.write(t); err != nil {
			return err
		}
	}
	return nil
}

func (a addition) write(t *Tx) error {
	width := len(a.args) / a.count
	return inPowers(a.count, func(from, n int) error {
		_, err := t.Exec(insertion(a.table, a.columns, width, n), a.args[from*width:(from+n)*width]...)
		if err != nil {
			return fmt.Errorf("insert into %s: %w", a.table, err)
		}
		return nil
	})
}

// inPowers goes through count rows in runs whose lengths are powers of two:
// statements of such sizes are few to prepare.
func inPowers(count int, fn func(from, n int) error) error {
	for from := 0; from < count; {
		n := largestPower(min(count-from, maxAdded))
		if err := fn(from, n); err != nil {
			return err
		}
		from += n
	}
	return nil
}

// largestPower is the largest power of two up to n.
func largestPower(n int) int {
	p := 1
	for 2*p <= n {
		p *= 2
	}
	return p
}

// flushFor writes what waits if the text of a statement has the name of a table
// of it, in whatever place: once too often does no harm.
func (t *Tx) flushFor(query string) error {
	for _, w := range t.changes {
		if strings.Contains(query, w.table) {
			return t.flush()
		}
	}
	for _, a := range t.additions {
		if strings.Contains(query, a.table) {
			return t.flush()
		}
	}
	return nil
}
