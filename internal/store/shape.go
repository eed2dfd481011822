package store

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"sync"
)

// shape is how the rows of a SELECT become values of a Go type.
type shape struct {
	query  string
	fields []field
	json   string // the columns as a JSON array, of rows named q
}

// field is one column: where it goes, as reflect finds it, and of what sort it is.
type field struct {
	name  string
	index []int // nil is the row itself
}

// shapeKey names a shape: the same SELECT may be read into several types.
type shapeKey struct {
	query string
	row   reflect.Type
}

// mostShapes bounds what is remembered. A page has a few dozen SELECTs, and each
// filter of a list makes some more; finding a shape again takes one statement.
const mostShapes = 1000

// shapes remembers shapes. It is safe for concurrent use.
type shapes struct {
	mu    sync.Mutex
	known map[shapeKey]*shape
}

func (s *shapes) get(key shapeKey) *shape {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.known[key]
}

// keep remembers a shape, and forgets all others when they have become too many.
func (s *shapes) keep(key shapeKey, found *shape) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known == nil || len(s.known) >= mostShapes {
		s.known = map[shapeKey]*shape{}
	}
	s.known[key] = found
}

// shape finds out, once for each SELECT, which columns it has and where they go.
func (t *Tx) shape(q *question) (*shape, error) {
	row := reflect.TypeOf(q.into).Elem()
	if !q.one {
		row = row.Elem()
	}
	key := shapeKey{q.query, row}
	if known := t.db.shapes.get(key); known != nil {
		return known, nil
	}
	columns, err := t.columns(q)
	if err != nil {
		return nil, err
	}
	s := &shape{query: q.query}
	if row.Kind() != reflect.Struct && len(columns) == 1 {
		s.query, columns = named(q.query), []string{"value"}
	}
	if s.fields, err = t.fieldsOf(row, columns); err != nil {
		return nil, fmt.Errorf("%s: %w", verb(q.query), err)
	}
	s.json = t.db.dialect.array(s.expressions(row, t.db.dialect))
	t.db.shapes.keep(key, s)
	return s, nil
}

// named gives the only column of a SELECT a name: what each database calls an
// expression is its own affair, and PostgreSQL's "?column?" has question marks,
// which stand for arguments here.
func named(query string) string { return "WITH one (value) AS (" + query + ") SELECT value FROM one" }

// columns asks the database what a SELECT would give, and for no row of it.
func (t *Tx) columns(q *question) ([]string, error) {
	rows, err := t.tx.QueryContext(t.ctx, t.db.rebind("SELECT * FROM ("+q.query+") AS q LIMIT 0"), q.args...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", verb(q.query), err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", verb(q.query), err)
	}
	return columns, rows.Err()
}

func (t *Tx) fieldsOf(row reflect.Type, columns []string) ([]field, error) {
	if row.Kind() != reflect.Struct {
		if len(columns) != 1 {
			return nil, fmt.Errorf("%d columns for one value", len(columns))
		}
		return []field{{name: columns[0]}}, nil
	}
	fields := make([]field, len(columns))
	for i, index := range t.db.read.Mapper.TraversalsByName(row, columns) {
		if len(index) == 0 {
			return nil, fmt.Errorf("no field for the column %s of %s", columns[i], row)
		}
		fields[i] = field{columns[i], index}
	}
	return fields, nil
}

// expressions are the columns as values that JSON has: bytes in hex.
func (s *shape) expressions(row reflect.Type, d dialect) []string {
	list := make([]string, len(s.fields))
	for i, f := range s.fields {
		list[i] = `q."` + strings.ReplaceAll(f.name, `"`, `""`) + `"`
		if bytesLike(f.typeIn(row)) {
			list[i] = "CASE WHEN " + list[i] + " IS NULL THEN NULL ELSE " + d.hex(list[i]) + " END"
		}
	}
	return list
}

func (f field) typeIn(row reflect.Type) reflect.Type {
	if f.index == nil {
		return row
	}
	return row.FieldByIndex(f.index).Type
}

func bytesLike(t reflect.Type) bool {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8
}

// part is the SELECT as one part of many, under its number.
func (s *shape) part(number int) string {
	return "SELECT " + strconv.Itoa(number) + " AS part, " + s.json + " AS columns FROM (" + s.query + ") AS q"
}

// rowsInto puts the rows of one question where it wants them.
type rowsInto struct {
	*shape
	q    *question
	into reflect.Value
}

func newRowsInto(q *question, s *shape) *rowsInto {
	return &rowsInto{shape: s, q: q, into: reflect.ValueOf(q.into).Elem()}
}

// add takes one row; of a question for one row only the first counts.
func (r *rowsInto) add(text string) error {
	if r.q.one {
		if r.q.found {
			return nil
		}
		r.q.found = true
		return r.fill(r.into, text)
	}
	r.q.found = true
	if n := r.into.Len(); n < r.into.Cap() {
		r.into.SetLen(n + 1)
		r.into.Index(n).SetZero()
	} else {
		r.into.Set(reflect.Append(r.into, reflect.Zero(r.into.Type().Elem())))
	}
	return r.fill(r.into.Index(r.into.Len()-1), text)
}

func (r *rowsInto) fill(row reflect.Value, text string) error {
	list := jsonList{text: text}
	for _, f := range r.fields {
		v, err := list.next()
		if err != nil {
			return fmt.Errorf("column %s: %w", f.name, err)
		}
		to := row
		if f.index != nil {
			to = row.FieldByIndex(f.index)
		}
		if err := v.into(to); err != nil {
			return fmt.Errorf("column %s: %w", f.name, err)
		}
	}
	return nil
}
