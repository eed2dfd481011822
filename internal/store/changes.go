package store

import (
	"fmt"
	"reflect"
	"strings"

	"countersign/internal/model"
)

// change is a sort of update of which many go into one statement.
type change struct {
	table      string
	sets, keys []string // columns
}

// newChange takes columns separated by commas.
func newChange(table, sets, keys string) *change {
	return &change{table, columnsOf(sets), columnsOf(keys)}
}

func columnsOf(list string) []string {
	columns := strings.Split(list, ",")
	for i := range columns {
		columns[i] = strings.TrimSpace(columns[i])
	}
	return columns
}

// changed is a set of updates that wait in the transaction.
type changed struct {
	*change
	count int
	args  []any
}

// change updates one row by the end of the transaction: args are the new values
// and then the keys. The transaction fails with kind Stale where the row has other keys.
func (t *Tx) change(c *change, args ...any) {
	for i := range t.changes {
		if w := &t.changes[i]; w.change == c {
			w.count, w.args = w.count+1, append(w.args, args...)
			return
		}
	}
	t.changes = append(t.changes, changed{c, 1, args})
}

// write makes the updates that wait.
func (w changed) write(t *Tx) error {
	width := len(w.args) / w.count
	return inPowers(w.count, func(from, n int) error {
		args := w.args[from*width : (from+n)*width]
		done, err := t.Changed(w.statement(t.db.dialect, args[:width], n), args...)
		if err == nil && done != int64(n) {
			return model.Errorf(model.Stale, "stale", "A row of %s moved meanwhile; nothing was changed.", w.table)
		}
		return err
	})
}

// statement updates n rows from a list of values. The first row says their
// types: PostgreSQL takes bare parameters for text.
func (w changed) statement(d dialect, first []any, n int) string {
	typed := make([]string, len(first))
	for i, arg := range first {
		typed[i] = "CAST(? AS " + d.typeOf(arg) + ")"
	}
	var sets, keys []string
	for i, column := range w.sets {
		sets = append(sets, fmt.Sprintf("%s = v.column%d", column, i+1))
	}
	for i, column := range w.keys {
		keys = append(keys, fmt.Sprintf("%s.%s = v.column%d", w.table, column, len(w.sets)+i+1))
	}
	return "UPDATE " + w.table + " SET " + strings.Join(sets, ", ") +
		" FROM (VALUES (" + strings.Join(typed, ", ") + ")" + strings.Repeat(", ("+marks(len(first))+")", n-1) + ") AS v" +
		" WHERE " + strings.Join(keys, " AND ")
}

// typeOf is the type of the columns that take an argument.
func (d dialect) typeOf(arg any) string {
	switch reflect.TypeOf(arg).Kind() {
	case reflect.String:
		return "TEXT"
	case reflect.Bool:
		return "BOOLEAN"
	case reflect.Slice:
		return d.bytes
	}
	return "BIGINT"
}
