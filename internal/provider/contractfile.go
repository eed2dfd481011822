package provider

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	"countersign/internal/model"
	"github.com/BurntSushi/toml"
)

// ContractFile is what a provider promises, as data. The text is TOML:
//
//	[all]                        facts of every operation
//	[like.NAME]                  facts of the operations that say like = "NAME"
//	[operation."payout.create"]  an operation, its own facts before the others
//
// Every fact that applies is to be stated, with "?" for what is not known.
type ContractFile struct {
	Name string // for messages
	Text []byte
}

// contractTables is the form of a contracts file.
type contractTables struct {
	All       map[string]any            `toml:"all"`
	Like      map[string]map[string]any `toml:"like"`
	Operation map[string]map[string]any `toml:"operation"`
}

// contractReader gathers the files and everything that is wrong with them.
type contractReader struct {
	names  []string
	tables []contractTables
	faults []model.Field
}

// Contracts reads contracts by operation, without provider, type and id. A
// later file's facts go before an earlier one's of the same table; each table
// of a later file states source and checked anew, as they are what its facts
// rest on. The error is of kind Invalid and has all faults at once, each with
// file and key, or line where the file is not TOML.
func Contracts(files ...ContractFile) (map[string]model.Contract, error) {
	var r contractReader
	for _, file := range files {
		r.add(file)
	}
	all := map[string]model.Contract{}
	for _, operation := range r.operations() {
		f := r.facts(operation)
		c := f.contract()
		c.Operation = operation
		all[operation] = c
		r.faults = append(r.faults, f.faults...)
	}
	if len(r.faults) > 0 {
		return nil, model.Errorf(model.Invalid, "invalid-params", "the contracts are wrong").WithFields(r.sorted()...)
	}
	return all, nil
}

// add parses one file.
func (r *contractReader) add(file ContractFile) {
	var t contractTables
	meta, err := toml.Decode(string(bytes.TrimPrefix(file.Text, []byte("\ufeff"))), &t)
	if err != nil {
		r.wrong(file.Name, "is not a contracts file: %s", tomlFault(err))
		return
	}
	for _, key := range meta.Undecoded() {
		r.wrong(file.Name+": "+key.String(), "is neither all nor like.NAME nor operation.NAME")
	}
	r.names, r.tables = append(r.names, file.Name), append(r.tables, t)
	if len(r.tables) > 1 {
		r.sourced(file.Name, t)
	}
}

// tomlFault says what TOML finds wrong, with the line.
func tomlFault(err error) string {
	var parsing toml.ParseError
	if errors.As(err, &parsing) {
		return fmt.Sprintf("line %d: %s", parsing.Position.Line, parsing.Message)
	}
	return err.Error()
}

// sourced demands of each table of a later file what its facts rest on.
func (r *contractReader) sourced(file string, t contractTables) {
	demand := func(at string, table map[string]any) {
		for _, name := range []string{"source", "checked"} {
			if _, ok := table[name]; !ok && len(table) > 0 {
				r.wrong(file+": "+at+"."+name, "is missing: facts that replace others need a source of their own")
			}
		}
	}
	demand("all", t.All)
	for name, table := range t.Like {
		demand("like."+name, table)
	}
	for name, table := range t.Operation {
		demand("operation."+name, table)
	}
}

// operations are all that some file has a table of, in order. Tables that no
// operation takes are faults.
func (r *contractReader) operations() []string {
	names, used := map[string]bool{}, map[string]bool{}
	for i, t := range r.tables {
		for name := range t.Operation {
			if !slices.Contains(Operations(), name) {
				r.wrong(r.names[i]+": operation."+name, "is no operation of ours")
				continue
			}
			names[name] = true
		}
	}
	for name := range names {
		used[r.likeOf(name)] = true
	}
	for i, t := range r.tables {
		for name := range t.Like {
			if !used[name] {
				r.wrong(r.names[i]+": like."+name, "is taken by no operation")
			}
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// likeOf is the table that an operation takes facts from; "" is none.
func (r *contractReader) likeOf(operation string) (name string) {
	for _, t := range r.tables {
		if like, ok := t.Operation[operation]["like"].(string); ok {
			name = like
		}
	}
	return name
}

// facts puts the tables of an operation on each other: what holds for all, then
// for its like, then its own.
func (r *contractReader) facts(operation string) *facts {
	f := &facts{at: r.begun(operation), said: map[string]statement{}, read: map[string]bool{"like": true}}
	lay := func(i int, at string, table map[string]any) {
		for name, value := range table {
			f.said[name] = statement{value: value, at: r.names[i] + ": " + at + "." + name}
		}
	}
	for i, t := range r.tables {
		lay(i, "all", t.All)
	}
	if like, found := r.likeOf(operation), false; like != "" {
		for i, t := range r.tables {
			table, ok := t.Like[like]
			found = found || ok
			lay(i, "like."+like, table)
		}
		if !found {
			f.wrong(f.at+".like", "names the table like.%s, which is not there", like)
		}
	}
	for i, t := range r.tables {
		lay(i, "operation."+operation, t.Operation[operation])
	}
	return f
}

// begun is where the first table of an operation is.
func (r *contractReader) begun(operation string) string {
	i := slices.IndexFunc(r.tables, func(t contractTables) bool { return t.Operation[operation] != nil })
	return r.names[i] + ": operation." + operation
}

func (r *contractReader) wrong(location, format string, args ...any) {
	r.faults = append(r.faults, model.Field{Location: location, Message: fmt.Sprintf(format, args...)})
}

// sorted are the faults in order, each once: one of a table that many
// operations take is found with each of them.
func (r *contractReader) sorted() []model.Field {
	slices.SortFunc(r.faults, func(a, b model.Field) int {
		return cmp.Or(cmp.Compare(a.Location, b.Location), cmp.Compare(a.Message, b.Message))
	})
	return slices.Compact(r.faults)
}
