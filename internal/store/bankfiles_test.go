package store

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"countersign/internal/model"
)

// movesMoney makes the steps of openLists ones that pay.
func movesMoney(t *testing.T, db *DB) *DB {
	t.Helper()
	err := db.Update(t.Context(), func(tx *Tx) error {
		_, err := tx.Exec("UPDATE steps SET operation = 'payout.create'")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return db
}

func ofIntents(steps []MoneyStep) (list []string) {
	for _, s := range steps {
		list = append(list, s.IntentID)
	}
	slices.Sort(list)
	return list
}

func TestReferencesLeadToSteps(t *testing.T) {
	db := movesMoney(t, openLists(t, open("acme", 1), open("acme", 2), open("acme", 3), open("acme", 4), open("globex", 5)))
	err := db.Update(t.Context(), func(tx *Tx) error {
		one := &model.Step{IntentID: "intent-acme00004", Name: "create-payout"}
		frozen := model.Generation{IntentID: one.IntentID, Step: one.Name, Number: 1, WireKey: "w-earlier", Method: "POST", URL: "u", ContentType: "c", Body: []byte{1}, BodySHA256: []byte{1}}
		if err := tx.Insert("generations", "intent_id, step, number, wire_key, method, url, content_type, body, body_sha256, frozen_at", frozen); err != nil {
			return err
		}
		_, err := tx.Exec(`INSERT INTO evidence (id, intent_id, step, source, says, began_at, at, ref) VALUES ('e1', 'intent-acme00003', 'create-payout', 'operator', 'happened', 1, 1, 'LINE-"3"')`)
		if err != nil {
			return err
		}
		if err := tx.InsertUpload(Upload{ID: "upload-1", Account: "acme", SHA256: []byte{1}, Body: []byte{1}}); err != nil {
			return err
		}
		if _, err := tx.AddBankFile(BankFile{ID: "bankfile-1", Account: "acme", Upload: "upload-1", SHA256: []byte{1}}); err != nil {
			return err
		}
		_, err = tx.Exec(`INSERT INTO evidence (id, intent_id, step, source, says, began_at, at, ref, document, dated, amount, currency) VALUES ('e2', 'intent-acme00002', 'create-payout', 'operator', 'happened', 1, 1, 'LINE 2', 'upload:upload-1', 86400000000, 700, 'EUR')`)
		if err != nil {
			return err
		}
		_, err = tx.Exec(`INSERT INTO conflicts (id, intent_id, step, evidence_id, reason, opened_at) VALUES ('k1', 'intent-acme00002', 'create-payout', 'e2', 'Two objects.', 1)`)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	view(t, db, func(tx *Tx) error {
		refs := []string{"w-intent-acme00001", "po_intent-acme00002", "w-earlier", "w-intent-globex00005", "nobody", "w-intent-acme0000", "", "bad\x00ref"}
		steps, err := tx.NamedSteps("acme", refs, []string{`LINE-"3"`, "po_intent-acme00001"})
		if want := []string{"intent-acme00001", "intent-acme00002", "intent-acme00003", "intent-acme00004"}; err != nil || !slices.Equal(ofIntents(steps), want) {
			t.Errorf("%v, %v", ofIntents(steps), err)
		}
		for _, s := range steps {
			switch s.IntentID {
			case "intent-acme00002":
				if !slices.Equal(s.PaidBy, []Payment{{86_400_000_000, model.Money{Amount: 700, Currency: "EUR"}, "LINE 2"}}) || !s.Contradicted || s.Conflict != "Two objects." {
					t.Errorf("paid by %v, contradicted by %q", s.PaidBy, s.Conflict)
				}
			case "intent-acme00003":
				if !slices.Equal(s.LineRefs, []string{`LINE-"3"`}) || len(s.PaidBy) != 0 {
					t.Errorf("recorded %q, paid by %q", s.LineRefs, s.PaidBy)
				}
			case "intent-acme00004":
				if !slices.Equal(s.Sent, []SentKey{{1, "w-earlier"}}) || s.Payee != "Ada Rep" || s.Contradicted {
					t.Errorf("%+v", s)
				}
			}
		}
		none, err := tx.NamedSteps("acme", nil, nil)
		if len(none) != 0 {
			t.Errorf("no reference leads to %v", ofIntents(none))
		}
		return err
	})
}

func TestAStepKeyLeadsToItsStep(t *testing.T) {
	id := "intent-" + strings.Repeat("0", 26)
	row := open("acme", 1)
	row.ID = id
	db := movesMoney(t, openLists(t, row))
	view(t, db, func(tx *Tx) error {
		steps, err := tx.NamedSteps("acme", []string{id + ":create-payout#2"}, nil)
		if !slices.Equal(ofIntents(steps), []string{id}) {
			t.Errorf("%v", ofIntents(steps))
		}
		return err
	})
}

func TestOpenStepsOfCurrencies(t *testing.T) {
	dollars := open("acme", 3)
	dollars.Currency = "USD"
	db := movesMoney(t, openLists(t, open("acme", 1), open("acme", 2), dollars, open("globex", 4)))
	err := db.Update(t.Context(), func(tx *Tx) error {
		_, err := tx.Exec("UPDATE steps SET state = 'in_progress', settling = TRUE WHERE intent_id = 'intent-acme00002'")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	view(t, db, func(tx *Tx) error {
		steps, err := tx.OpenSteps("acme", []string{"EUR", "CHF"}, 10)
		if !slices.Equal(ofIntents(steps), []string{"intent-acme00001", "intent-acme00002"}) {
			t.Errorf("%v", ofIntents(steps))
		}
		return err
	})
}

// However much there is, what a file's page reads is found by index.
func TestBankFilesAreReadByIndex(t *testing.T) {
	var many []string
	for i := range 40_000 {
		many = append(many, fmt.Sprint("ref-", i))
	}
	db := openPlans(t)
	ctx, asked := Asked(t.Context())
	err := db.View(ctx, func(tx *Tx) error {
		_, named := tx.NamedSteps("acme", many, many)
		_, open := tx.OpenSteps("acme", []string{"EUR", "USD"}, 20_201)
		_, files := tx.BankFiles("acme", ApprovalMark{At: 1, ID: "x"}, 51)
		_, lists := tx.BankLists("bankfile-1")
		_, last := tx.LastMapping("bankfile-1")
		_, count := tx.Recorded("bankfile-1")
		_, of := tx.BankFileOf("upload-1")
		_, part := tx.OfBankFile("intent-1", "preview-1")
		_, body := tx.BankFileBody("bankfile-1")
		return errors.Join(named, open, files, lists, last, count, of, part, body)
	})
	if err != nil || len(asked.Sent()) != 9 {
		t.Fatalf("%d statements, %v", len(asked.Sent()), err)
	}
	few := regexp.MustCompile(`^SCAN (each|named|open|part|CONSTANT ROW)\b`)
	view(t, db, func(tx *Tx) error {
		for _, s := range asked.Sent() {
			for line := range strings.SplitSeq(explain(t, tx, s.Query, s.Args), "\n") {
				if strings.HasPrefix(line, "SCAN ") && !few.MatchString(line) || strings.Contains(line, "AUTOMATIC") {
					t.Errorf("%s in %s", line, s.Query)
				}
			}
		}
		return nil
	})
}

func view(t *testing.T, db *DB, fn func(*Tx) error) {
	t.Helper()
	if err := db.View(t.Context(), fn); err != nil {
		t.Fatal(err)
	}
}
