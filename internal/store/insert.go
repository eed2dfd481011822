package store

import (
	"fmt"
	"reflect"
	"strings"
	"sync"

	"github.com/jmoiron/sqlx/reflectx"
)

// fields finds the columns of a struct by its db tags.
var fields = reflectx.NewMapperFunc("db", strings.ToLower)

// layout is where the columns of an INSERT stand in a struct.
type layout struct {
	count int
	index [][]int
}

// layouts are kept by struct and columns: an insert is on every hot path.
var layouts sync.Map // layoutKey → layout

type layoutKey struct {
	row     reflect.Type
	columns string
}

func layoutOf(row reflect.Type, columns string) (layout, error) {
	key := layoutKey{row, columns}
	if known, ok := layouts.Load(key); ok {
		return known.(layout), nil
	}
	var l layout
	byName := fields.TypeMap(row).Names
	for column := range strings.SplitSeq(columns, ",") {
		field, ok := byName[strings.TrimSpace(column)]
		if !ok {
			return l, fmt.Errorf("%s has no column %s", row, strings.TrimSpace(column))
		}
		l.index = append(l.index, field.Index)
	}
	l.count = len(l.index)
	layouts.Store(key, l)
	return l, nil
}

// Insert writes a struct, or a slice of structs in one statement, by their db
// tags. columns names them.
func (t *Tx) Insert(table, columns string, rows any) error {
	_, err := t.insert(table, columns, "", rows)
	return err
}

// InsertNew writes one row unless a unique key of it exists; inserted tells.
func (t *Tx) InsertNew(table, columns string, row any) (inserted bool, err error) {
	n, err := t.insert(table, columns, " ON CONFLICT DO NOTHING", row)
	return n > 0, err
}

// insert writes one or more rows in one statement, and tells how many.
func (t *Tx) insert(table, columns, suffix string, rows any) (int64, error) {
	list := each(rows)
	if len(list) == 0 {
		return 0, nil
	}
	args, err := arguments(table, columns, list)
	if err != nil {
		return 0, err
	}
	n, err := t.Changed(insertion(table, columns, len(args)/len(list), len(list))+suffix, args...)
	if err != nil {
		return 0, fmt.Errorf("insert into %s: %w", table, err)
	}
	return n, nil
}

// insertion is the statement that inserts rows of a width.
func insertion(table, columns string, width, rows int) string {
	one := "(" + marks(width) + ")"
	return "INSERT INTO " + table + " (" + columns + ") VALUES " + one + strings.Repeat(", "+one, rows-1)
}

// arguments are the columns of all rows, one row after the other.
func arguments(table, columns string, list []reflect.Value) ([]any, error) {
	l, err := layoutOf(list[0].Type(), columns)
	if err != nil {
		return nil, fmt.Errorf("insert into %s: %w", table, err)
	}
	args := make([]any, 0, l.count*len(list))
	for _, row := range list {
		for _, index := range l.index {
			args = append(args, row.FieldByIndex(index).Interface())
		}
	}
	return args, nil
}

// each gives the structs of one struct or a slice of them, pointers followed.
func each(rows any) []reflect.Value {
	value := reflect.Indirect(reflect.ValueOf(rows))
	if value.Kind() != reflect.Slice {
		return []reflect.Value{value}
	}
	list := make([]reflect.Value, value.Len())
	for i := range list {
		list[i] = reflect.Indirect(value.Index(i))
	}
	return list
}
