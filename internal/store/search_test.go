package store

import (
	"cmp"
	"fmt"
	"io/fs"
	"regexp"
	"strings"
	"testing"

	schema "countersign/db"
	"countersign/internal/model"
)

func TestSearch(t *testing.T) {
	db := openLists(t, open("acme", 1), open("acme", 2), open("globex", 3))
	cases := map[string]string{
		"intent-acme00001":                 "acme00001",
		"INTENT-ACME00001":                 "acme00001",
		"intent-acme00001:create-payout":   "acme00001",
		"intent-acme00001:create-payout#2": "acme00001",
		"intent-acme0":                     "acme00001 acme00002",
		"intent-a":                         "", // too little of an id
		"run-2":                            "acme00002",
		"run-":                             "acme00001 acme00002",
		"run-3":                            "", // another account's
		"w-intent-acme00002":               "acme00002",
		"po_intent-acme00002":              "acme00002",
		"po_intent-globex00003":            "",
		"ada":                              "acme00001 acme00002",
		"Ada R":                            "acme00001 acme00002",
		"da Rep":                           "", // only beginnings of words
		"rep":                              "acme00001 acme00002",
		"acme00001":                        "acme00001",
		"http://127.0.0.1:1/intents/intent-acme00001?attempts=all#attempts": "acme00001",
		"/documents/intent-acme00001%3Acreate-payout":                       "acme00001",
		"<intent-acme00002.notify@countersign.invalid>":                     "acme00002",
		"Message-ID: <INTENT-acme00002.notify@x.invalid>":                   "acme00002",
		"about payout intent-acme00002, thank you":                          "acme00002",
		"intent-acme\u200b000\u00ad02\ufeff":                                "acme00002",
		"W-intent-acme00002":                                                "acme00002",
		"\u200b":                                                            "",
		"\u2060\u00ad":                                                      "",
		"rep-1":                                                             "acme00001",
		"%":                                                                 "",
		"_":                                                                 "",
		"' OR 1=1 --":                                                       "",
		"a\x00b":                                                            "",
		strings.Repeat("a", 10_000):                                         "",
		"\xff":                                                              "",
		"":                                                                  "",
	}
	for text, want := range cases {
		if got := foundFor(t, db, text, "acme"); got != want {
			t.Errorf("%.40q found %q, want %q", text, got, want)
		}
	}
}

// TestSearchOfWhatHangsOnAnIntent looks for ids that are pasted from its record.
func TestSearchOfWhatHangsOnAnIntent(t *testing.T) {
	db := openLists(t, open("acme", 1), open("acme", 2))
	id := "intent-acme00002"
	err := db.Update(t.Context(), func(tx *Tx) error {
		for _, statement := range []string{
			"INSERT INTO attempts (intent_id, step, number, generation, wire_key, trigger_by, worker, boot, fence, started_at, deadline_at, finished_at, result, request_id) SELECT intent_id, name, 1, 1, 'w', 'engine', 'w', 'b', 1, 1, 2, 2, 'unknown', 'req-01M1XQ' FROM steps WHERE intent_id = ?",
			"INSERT INTO evidence (id, intent_id, step, source, says, began_at, at, document) SELECT 'evidence-01M1XQ', intent_id, name, 'operator', 'happened', 1, 1, 'upload:upload-01M1XQ' FROM steps WHERE intent_id = ?",
			"INSERT INTO evidence (id, intent_id, step, source, says, began_at, at, document) SELECT 'evidence-01M2XQ', intent_id, name, 'operator', 'happened', 1, 1, 'https://bank.example/intents/letter-7#day=3' FROM steps WHERE intent_id = ?",
			"INSERT INTO evidence (id, intent_id, step, source, says, began_at, at, ref) SELECT 'evidence-01M3XQ', intent_id, name, 'webhook', 'conflict', 1, 1, 'po_Other' FROM steps WHERE intent_id = ?",
			"INSERT INTO evidence (id, intent_id, step, source, says, began_at, at, ref) SELECT 'evidence-01M4XQ', intent_id, name, 'query', 'inconclusive', 2, 2, 'po_Other' FROM steps WHERE intent_id = ?",
			"INSERT INTO previews (id, intent_id, account, actor, action, input, plan, digest, version, people, created_at, expires_at) VALUES ('preview-01M1XQ', ?, 'acme', 'a', 'retry', '0', '0', 'd', 1, 1, 1, 1)",
			"INSERT INTO approvals (id, state, action, intent_id, account, digest, plan, input, needed, created_at, expires_at, version) VALUES ('approval-01M1XQ', 'open', 'retry', ?, 'acme', 'd', '0', '0', 1, 1, 1, 1)",
			"INSERT INTO audit_entries (id, at, actor, event, account, intent_id, canonical, mac) VALUES ('audit-01M1XQ', 1, 'a', 'e', 'acme', ?, '0', '0')",
			"INSERT INTO audit_log (idx, entry_id, account, event, intent_id, actor, at, leaf_hash) VALUES (4405, 'audit-01M1XQ', 'acme', 'e', ?, 'a', 1, '0')",
		} {
			if _, err := tx.Exec(statement, id); err != nil {
				return fmt.Errorf("%.60s: %w", statement, err)
			}
		}
		if _, err := tx.KeepWebhook(Webhook{Provider: "bank", EventID: "evt_77", Body: []byte("{}")}); err != nil {
			return err
		}
		return tx.SettleWebhook(Webhook{Provider: "bank", EventID: "evt_77"}, "applied", "", id)
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"req-01M1XQ", "upload-01M1XQ", "UPLOAD-01m1xq", "https://console/uploads/upload-01M1XQ", "https://bank.example/intents/letter-7#day=3", "po_Other", "evt_77", "evidence-01M3XQ",
		"preview-01M1XQ", "PREVIEW-01M1XQ", "preview-01m1xq", "https://console/previews/preview-01M1XQ/result", "Approval-01m1xq", "/approvals/approval-01M1XQ", "audit-01M1XQ", "AUDIT-01M1XQ",
		"#4405", "4405", "/audit/4405", "4,405", "Audit number 4,405", "audit entry 4,405", "#4,405"} {
		if got := foundFor(t, db, text, "acme"); got != "acme00002" {
			t.Errorf("%s found %q", text, got)
		}
		if got := foundFor(t, db, text, "globex"); got != "" {
			t.Errorf("%s is found behind the wall: %s", text, got)
		}
	}
}

func TestFolded(t *testing.T) {
	for name, want := range map[string]string{"María Fernanda Quiñones": "maria fernanda quinones", "Đặng Minh Châu": "dang minh chau", "Σοφία Καραγιάννη": "σοφια καραγιαννη",
		"ΝΙΚΟΣ": "νικοσ", "Νίκος": "νικοσ", "Łukasz Żółkiewski": "lukasz zolkiewski", "Søren Kjærgaard": "soren kjaergaard", "O'Brien, Ann": "o brien ann", "田中 陽子": "田中 陽子", "Yıldırım": "yildirim", "%": ""} {
		if got := folded(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	rows := payeeWords(&model.Intent{ID: "i", Account: "acme", Payee: "Ann " + strings.Repeat("é", 100)})
	if len(rows) != 2 || rows[1].Word != strings.Repeat("e", maxPayeeWord) {
		t.Errorf("%+v", rows)
	}
}

// TestNamesThatRepeat are taken and found, however often a word comes again.
func TestNamesThatRepeat(t *testing.T) {
	var intents []model.Intent
	for n, payee := range []string{strings.Repeat("ab ", 23), strings.Repeat("ab cd ", 30), strings.Repeat("x", 70) + " " + strings.Repeat("x", 80)} {
		i := open("acme", int64(n+1))
		i.Payee = payee
		intents = append(intents, i)
	}
	db := openLists(t, intents...)
	for text, want := range map[string]string{"ab ab": "acme00001 acme00002", "cd ab": "acme00002", "xxxx": "acme00003"} {
		if got := foundFor(t, db, text, "acme"); got != want {
			t.Errorf("%q found %q, want %q", text, got, want)
		}
	}
}

func sorted(rows []model.Intent) []model.Intent {
	for i := range rows {
		for j := i; j > 0 && rows[j].ID < rows[j-1].ID; j-- {
			rows[j], rows[j-1] = rows[j-1], rows[j]
		}
	}
	return rows
}

// TestSearchesUseIndexes: whatever a text may be, no table is read whole, and
// each word of a name is answered by an index.
func TestSearchesUseIndexes(t *testing.T) {
	both := []string{"acme", "globex"}
	err := openPlans(t).View(t.Context(), func(tx *Tx) error {
		for _, text := range []string{"intent-abcdefg:create-payout", "po_7", "405", "41,800", "41,800 EUR", "rep@example.com", "Anna María López", "a b c d e f g h"} {
			w := waysOf(text, both)
			for _, ask := range []func() (string, []any){w.crowdedQuery, func() (string, []any) { return w.query(ListFilter{Accounts: both, Kind: "payout"}) }} {
				query, args := ask()
				plan := explain(t, tx, query, args)
				for line := range strings.Lines(plan) {
					if strings.HasPrefix(line, "SCAN ") && !ownTable.MatchString(line) {
						t.Errorf("%s: %s%s", text, line, query)
					}
				}
				if strings.Contains(text, " ") && !strings.Contains(plan, "payee_words") {
					t.Errorf("%s does not go by words:\n%s", text, plan)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// ownTable is what a query has made itself, of few rows.
var ownTable = regexp.MustCompile(`^SCAN (part|found|seen|by_evidence|CONSTANT ROW)`)

// TestSearchByNames: the words of a name in any order, each by its beginning.
func TestSearchByNames(t *testing.T) {
	var intents []model.Intent
	for n, payee := range []string{"Hans Müller", "Hans Peter Schmidt", "Müller, Hansa", "María Fernanda Quiñones", "田中 陽子"} {
		i := open("acme", int64(n+1))
		i.Payee = payee
		intents = append(intents, i)
	}
	foreign := open("globex", 9)
	foreign.Payee = "Hans Müller"
	db := openLists(t, append(intents, foreign)...)
	for text, want := range map[string]string{
		"müller hans":                        "acme00001 acme00003",
		"MULLER HANS":                        "acme00001 acme00003",
		"mü ha":                              "acme00001 acme00003",
		"hans mül":                           "acme00001 acme00003",
		"schmidt, hans":                      "acme00002",
		"peter hans sch":                     "acme00002",
		"hans hans":                          "acme00001 acme00002 acme00003",
		"quinones maria":                     "acme00004",
		"陽子 田中":                              "acme00005",
		"müller anna":                        "",
		"üller hans":                         "",
		"hans % müller":                      "acme00001 acme00003",
		"a b c d e f g h i j":                "",
		"hans' OR '1'='1":                    "",
		strings.Repeat("hans ", 50):          "",
		"müller" + strings.Repeat(" x", 100): "",
	} {
		if got := foundFor(t, db, text, "acme"); got != want {
			t.Errorf("%.40q found %q, want %q", text, got, want)
		}
	}
}

// TestSearchOfManyNamesSaysThatThereAreMore: where more begin so than are looked
// at, nothing pretends to be all.
func TestSearchOfManyNamesSaysThatThereAreMore(t *testing.T) {
	var intents []model.Intent
	for n := range int64(MaxFound + 2) {
		i := open("acme", n)
		i.State = model.Completed
		intents = append(intents, i)
	}
	err := openLists(t, intents...).View(t.Context(), func(tx *Tx) error {
		for text, want := range map[string]bool{"ada": true, "ada rep": true, "run-1": false, "rep-17": false} {
			if _, more, err := tx.Search(text, ListFilter{Accounts: []string{"acme"}}); err != nil || more != want {
				t.Errorf("%s: more %v (%v)", text, more, err)
			}
			rows, more, err := tx.Search(text, ListFilter{Accounts: []string{"acme"}, State: string(model.NeedsReview)})
			if err != nil || len(rows) != 0 || more != want {
				t.Errorf("%s of a state that none has: %s, more %v (%v)", text, names(rows), more, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// foundFor is what a text finds in an account; more is not expected.
func foundFor(t *testing.T, db *DB, text, account string) (found string) {
	t.Helper()
	err := db.View(t.Context(), func(tx *Tx) error {
		rows, more, err := tx.Search(text, ListFilter{Accounts: []string{account}})
		if more {
			t.Errorf("%.40q finds more than %s", text, names(rows))
		}
		found = names(sorted(rows))
		return err
	})
	if err != nil {
		t.Fatalf("%.40q: %v", text, err)
	}
	return found
}

// TestSearchOfAReferenceOfMany: a reference that the evidence of many names is
// not followed to the last of them.
func TestSearchOfAReferenceOfMany(t *testing.T) {
	var intents []model.Intent
	for n := range int64(MaxFound + 50) {
		intents = append(intents, open("acme", n))
	}
	db := openLists(t, intents...)
	err := db.Update(t.Context(), func(tx *Tx) error {
		_, err := tx.Exec("INSERT INTO evidence (id, intent_id, step, source, says, began_at, at, ref) SELECT 'evidence-' || intent_id, intent_id, name, 'query', 'inconclusive', 1, 1, 'pending' FROM steps")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	err = db.View(t.Context(), func(tx *Tx) error {
		var ids []string
		if err := tx.Select(&ids, seenAs, "pending", "pending"); err != nil || len(ids) != MaxFound+1 {
			t.Errorf("%d are followed: %v", len(ids), err)
		}
		rows, more, err := tx.Search("pending", ListFilter{Accounts: []string{"acme"}})
		if len(rows) != MaxFound || !more {
			t.Errorf("%d found, more %v", len(rows), more)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestSearchByAmount: an amount is found as letters write it, in whatever style.
func TestSearchByAmount(t *testing.T) {
	priced := func(n, amount int64, currency string) model.Intent {
		i := open("acme", n)
		i.Amount, i.Currency = amount, currency
		return i
	}
	other := open("globex", 9)
	other.Amount = 84250
	db := openLists(t, priced(1, 84250, "EUR"), priced(2, 4180000, "USD"), priced(3, 41800, "KWD"), priced(4, 41800, "JPY"), priced(5, 61900, "EUR"), priced(6, 61900, "GBP"),
		priced(7, 123456789, "CHF"), priced(8, 84250, "JPY"), other)
	for text, want := range map[string]string{
		"842.50": "acme00001", "842,50": "acme00001", "842.5 EUR": "acme00001", "eur 842.50": "acme00001", "842.50 USD": "", "+842.50": "acme00001", "−842,50 €": "acme00001",
		"842.505": "", "€619": "acme00005", "619 €": "acme00005", "£619.00": "acme00006", "$619": "acme00005 acme00006", "619": "acme00005 acme00006", "US$41,800": "acme00002",
		"41,800": "acme00002 acme00003 acme00004", "41.800": "acme00002 acme00003 acme00004", "41 800,00": "acme00002", "41\u00a0800": "acme00002 acme00004",
		"1,234,567.89": "acme00007", "1.234.567,89": "acme00007", "1'234'567.89 CHF": "acme00007", "12,34,567.89": "acme00007", "1234567.89": "acme00007", "1,234,567,89": "",
		"41,80": "acme00003", "84250": "acme00008", "4,18,00": "", "1,2,3": "", "842.50 ABC": "", "about 842.50": "", "EUR": "", ".": "", "0": "", "9007199254740993": "", "٨٤٢": "",
	} {
		if got := foundFor(t, db, text, "acme"); got != want {
			t.Errorf("%s found %q, want %q", text, got, want)
		}
	}
}

// paramsOf are params as each kind has them.
var paramsOf = map[string]string{
	model.KindPayout:    `{"payee":{"destination":"acct_rep_101","email":"Rep-101@Example.com","name":"R"}}`,
	model.KindStatement: `{"rep":{"email":"stmt@example.com"}}`,
	model.KindDispute:   `{"credit":{"payee":{"destination":"acct_cr","email":""}},"notify":["a@example.com","B@example.com"]}`,
}

// TestSearchByContact finds where money and letters go, also of rows of before.
func TestSearchByContact(t *testing.T) {
	text, err := fs.ReadFile(schema.Migrations, "migrations/00024_search_money.sql")
	if err != nil {
		t.Fatal(err)
	}
	contacts := map[string][]string{model.KindPayout: {"acct_rep_101", "Rep-101@Example.com", ""}, model.KindStatement: {"stmt@example.com"}, model.KindDispute: {"acct_cr", "a@example.com", "B@example.com", "a@example.com"},
		model.KindCompensation: {"acct_rep_101", "rep-101@example.com"}}
	db := openLists(t)
	err = db.Update(t.Context(), func(tx *Tx) error {
		for n, kind := range []string{model.KindPayout, model.KindStatement, model.KindDispute, model.KindCompensation} {
			i := open("acme", int64(n+1))
			i.Kind, i.Fingerprint, i.Params, i.Version = kind, []byte{1}, []byte(cmp.Or(paramsOf[kind], "{}")), 1
			if kind == model.KindCompensation {
				i.Parent = "intent-acme00001"
			}
			if _, err := tx.InsertCase(&model.Case{Intent: i, Contacts: contacts[kind]}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	find := func(of string) {
		for text, want := range map[string]string{"acct_rep_101": "acme00001 acme00004", "rep-101@example.com": "acme00001 acme00004", "REP-101@example.COM": "acme00001 acme00004", "ACCT_REP_101": "", "acct_rep_1": "",
			"stmt@example.com": "acme00002", "acct_cr": "acme00003", "a@example.com": "acme00003", "b@example.com": "acme00003"} {
			if got := foundFor(t, db, text, "acme"); got != want {
				t.Errorf("%s: %s found %q, want %q", of, text, got, want)
			}
			if got := foundFor(t, db, text, "globex"); got != "" {
				t.Errorf("%s: %s found %q behind the wall", of, text, got)
			}
		}
	}
	find("as inserted")
	err = db.Update(t.Context(), func(tx *Tx) error {
		if _, err := tx.Exec("DELETE FROM payee_contacts"); err != nil {
			return err
		}
		for statement := range strings.SplitSeq(db.dialect.text(string(text)), ";\n") {
			if at := strings.Index(statement, "INSERT INTO"); at >= 0 {
				if _, err := tx.Exec(statement[at:]); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	find("as migrated")
}
