package store

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"countersign/internal/model"
)

// openLists gives a database with open work of two accounts.
func openLists(t *testing.T, intents ...model.Intent) *DB {
	t.Helper()
	return fill(t, OpenPlace(t), intents...)
}

// openPlans gives an empty SQLite database: query plans are read from that one.
func openPlans(t *testing.T) *DB {
	t.Helper()
	db, err := Open(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "lists.db"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return fill(t, db)
}

func fill(t *testing.T, db *DB, intents ...model.Intent) *DB {
	t.Helper()
	err := db.Update(t.Context(), func(tx *Tx) error {
		for _, account := range []string{"acme", "globex"} {
			if err := tx.EnsureAccount(account); err != nil {
				return err
			}
		}
		for _, i := range intents {
			i.Fingerprint, i.Params, i.Version = []byte{1}, []byte("{}"), 1
			c := &model.Case{Intent: i, Steps: []*model.Step{{IntentID: i.ID, Account: i.Account, Name: "create-payout", Class: model.Keyed, Generation: 1, State: model.OutcomeUnknown,
				Amount: i.Amount, Open: i.Amount, Currency: i.Currency, WireKey: "w-" + i.ID, ExternalRef: "po_" + i.ID, UncertainSince: i.UncertainSince}}}
			if _, err := tx.InsertCase(c); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return db
}

func open(account string, n int64) model.Intent {
	return model.Intent{ID: fmt.Sprintf("intent-%s%05d", account, n), Account: account, Kind: model.KindPayout, Key: fmt.Sprintf("run-%d", n),
		State: model.NeedsReview, Stuck: "create-payout", Amount: 100 * n, Currency: "EUR", Payee: "Ada Rep", PayeeRef: fmt.Sprintf("rep-%d", n),
		LookAlike: "same", CreatedAt: model.Time(1000 - n), StuckSince: model.Time(n), UncertainSince: model.Time(n), SortOpen: n}
}

func names(rows []model.Intent) string {
	var list []string
	for _, r := range rows {
		list = append(list, strings.TrimPrefix(r.ID, "intent-"))
	}
	return strings.Join(list, " ")
}

// explain gives SQLite's plan of a query.
func explain(t *testing.T, tx *Tx, query string, args []any) string {
	t.Helper()
	var rows []struct {
		ID      int    `db:"id"`
		Parent  int    `db:"parent"`
		NotUsed int    `db:"notused"`
		Detail  string `db:"detail"`
	}
	if err := tx.Select(&rows, "EXPLAIN QUERY PLAN "+query, args...); err != nil {
		t.Fatalf("%v\n%s", err, query)
	}
	var plan []string
	for _, r := range rows {
		plan = append(plan, r.Detail)
	}
	return strings.Join(plan, "\n")
}

// TestListsUseTheirIndex: no list scans a table or sorts one; only the merge of
// a few accounts may sort what each gave.
func TestListsUseTheirIndex(t *testing.T) {
	both := []string{"acme", "globex"}
	crowded := ListFilter{Kind: "payout", State: "needs_review", Currency: "EUR", Min: 5, Max: 9, Before: 9, After: 2, Due: 8, Provider: "bank", Acting: true, Owner: "me", From: &Position{Key: 3, ID: "x"}, Limit: 10}
	cases := map[string]struct {
		filter func(*ListFilter)
		index  string
	}{
		"open work":     {func(f *ListFilter) { f.State = "" }, "intents_queue"},
		"in one state":  {func(*ListFilter) {}, "intents_queue"},
		"unknown":       {func(f *ListFilter) { f.State = StateUnknown }, "intents_queue"},
		"by amount":     {func(f *ListFilter) { f.Order = LargestAmount }, "intents_amount"},
		"by age":        {func(f *ListFilter) { f.Order = OldestIntent }, "intents_age"},
		"finished":      {func(f *ListFilter) { f.State, f.Kind, f.Owner = "completed", "", "" }, "intents_state"},
		"failed":        {func(f *ListFilter) { f.State, f.Owner = "terminal_failure", Nobody }, "intents_state"},
		"of a kind":     {func(f *ListFilter) { f.State, f.Owner = "completed", "" }, "intents_kind"},
		"all of a kind": {func(f *ListFilter) { f.State, f.Owner = AnyState, "" }, "intents_kind"},
		"all of one":    {func(f *ListFilter) { f.State = AnyState }, "intents_owner"},
		"everything":    {func(f *ListFilter) { f.State, f.Kind, f.Owner = AnyState, "", "" }, "intents_created"},
		"backwards":     {func(f *ListFilter) { f.From.Back = true }, "intents_queue"},
		"nobody's":      {func(f *ListFilter) { f.Owner = Nobody }, "intents_queue"},
		"newest of one": {func(f *ListFilter) { f.Order, f.Kind, f.Currency, f.Owner = NewestIntent, "", "", "" }, "intents_state"},
		"by age, state": {func(f *ListFilter) { f.Order, f.State = OldestIntent, StateUnknown }, "intents_age"},
	}
	db := openPlans(t)
	for name, c := range cases {
		for _, accounts := range [][]string{both[:1], both} {
			f, from := crowded, *crowded.From
			f.Accounts, f.From = accounts, &from
			c.filter(&f)
			query, args := f.listQuery()
			counting, countArgs := f.countQuery()
			err := db.View(t.Context(), func(tx *Tx) error {
				plan := explain(t, tx, query, args)
				if strings.Count(plan, "USING INDEX "+c.index+" ") != len(accounts) || strings.Contains(plan, "SCAN intents") ||
					len(accounts) == 1 && strings.Contains(plan, "TEMP B-TREE") {
					t.Errorf("%s of %v:\n%s\n%s", name, accounts, query, plan)
				}
				if plan := explain(t, tx, counting, countArgs); !strings.Contains(plan, "SEARCH intents USING ") || strings.Contains(plan, "SCAN intents") {
					t.Errorf("counting %s:\n%s", name, plan)
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestOtherQueriesUseIndexes(t *testing.T) {
	both := []string{"acme", "globex"}
	sums, sumArgs := uncertaintyQuery(both)
	err := openPlans(t).View(t.Context(), func(tx *Tx) error {
		for name, q := range map[string]struct {
			query string
			args  []any
		}{"uncertainty": {sums, sumArgs}} {
			plan := explain(t, tx, q.query, q.args)
			if name == "uncertainty" && !strings.Contains(plan, "intents_uncertain") {
				t.Errorf("the sums do not go by their index:\n%s", plan)
			}
			for _, table := range []string{"intents", "steps", "s", "generations", "evidence"} {
				if strings.Contains(plan+"\n", "SCAN "+table+"\n") || strings.Contains(plan, "SCAN "+table+" ") {
					t.Errorf("%s scans %s:\n%s", name, table, plan)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestListPages(t *testing.T) {
	db := openLists(t, open("acme", 1), open("acme", 3), open("acme", 5), open("globex", 2), open("globex", 4))
	both := ListFilter{Accounts: []string{"acme", "globex"}, Limit: 2}
	at := func(f ListFilter, n int64, account string, back bool) ListFilter {
		i := open(account, n)
		f.From = &Position{Key: f.Key(&i), ID: i.ID, Back: back}
		return f
	}
	amount, age := both, both
	amount.Order, amount.Currency = LargestAmount, "EUR"
	age.Order = OldestIntent
	cases := []struct {
		name string
		f    ListFilter
		want string
		more bool
	}{
		{"first page", both, "acme00001 globex00002", true},
		{"second page", at(both, 2, "globex", false), "acme00003 globex00004", true},
		{"last page", at(both, 4, "globex", false), "acme00005", false},
		{"back again", at(both, 5, "acme", true), "acme00003 globex00004", true},
		{"back to the first", at(both, 3, "acme", true), "acme00001 globex00002", false},
		{"by amount", amount, "acme00005 globex00004", true},
		{"by amount, second page", at(amount, 4, "globex", false), "acme00003 globex00002", true},
		{"by age", age, "acme00005 globex00004", true},
		{"one account", ListFilter{Accounts: []string{"globex"}, Limit: 5}, "globex00002 globex00004", false},
		{"no account", ListFilter{Limit: 5}, "", false},
		{"amount from", ListFilter{Accounts: []string{"acme"}, Currency: "EUR", Min: 300, Limit: 5}, "acme00003 acme00005", false},
		{"stuck before", ListFilter{Accounts: []string{"acme"}, Before: 3, Limit: 5}, "acme00001", false},
		{"nothing finished", ListFilter{Accounts: []string{"acme"}, State: "completed", Limit: 5}, "", false},
		{"unknown in a currency", ListFilter{Accounts: []string{"acme"}, State: StateUnknown, Currency: "EUR", Limit: 5}, "acme00001 acme00003 acme00005", false},
		{"unknown without money", ListFilter{Accounts: []string{"acme"}, State: StateUnknown, Currency: NoMoney, Limit: 5}, "", false},
		{"unknown elsewhere", ListFilter{Accounts: []string{"acme"}, State: StateUnknown, Provider: "other", Limit: 5}, "", false},
		{"everything without money", ListFilter{Accounts: []string{"acme"}, State: AnyState, Currency: NoMoney, Order: LargestAmount, Limit: 5}, "", false},
		{"everything", ListFilter{Accounts: []string{"acme"}, State: AnyState, Limit: 5}, "acme00001 acme00003 acme00005", false},
	}
	err := db.View(t.Context(), func(tx *Tx) error {
		for _, c := range cases {
			rows, more, err := tx.List(c.f)
			if err != nil || names(rows) != c.want || more != c.more {
				t.Errorf("%s: %q more %v (%v), want %q %v", c.name, names(rows), more, err, c.want, c.more)
			}
		}
		n, err := tx.Count(both)
		if err != nil || n.N != 5 || n.Capped {
			t.Errorf("count %+v (%v)", n, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestCasesAreWhatCaseLoads(t *testing.T) {
	db := openLists(t, open("acme", 1), open("globex", 2))
	err := db.View(t.Context(), func(tx *Tx) error {
		rows, _, err := tx.List(ListFilter{Accounts: []string{"acme", "globex"}, Limit: 5})
		if err != nil {
			return err
		}
		many, err := tx.Cases(rows)
		if err != nil {
			return err
		}
		for _, got := range many {
			want, err := tx.Case(got.ID)
			if err != nil {
				return err
			}
			want.Params, want.Fingerprint = nil, nil
			if fmt.Sprintf("%+v %+v", got.Intent, *got.Steps[0]) != fmt.Sprintf("%+v %+v", want.Intent, *want.Steps[0]) {
				t.Errorf("got %+v, want %+v", got, want)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestUncertainty(t *testing.T) {
	db := openLists(t, open("acme", 1), open("acme", 3), open("globex", 2))
	err := db.View(t.Context(), func(tx *Tx) error {
		sums, capped, err := tx.Uncertainty([]string{"acme"})
		if err != nil || capped || len(sums) != 1 || sums[0] != (Uncertain{"EUR", 2, 400, 1}) {
			t.Errorf("sums %+v %v (%v)", sums, capped, err)
		}
		n, err := tx.NavCounts([]string{"acme", "globex"})
		if err != nil || n.Uncertain.N != 3 || n.Approvals.N != 0 {
			t.Errorf("counts %+v (%v)", n, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
