package web

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"countersign/internal/alert"
	"countersign/internal/model"
	"countersign/internal/store"
)

func (w *world) raise(causes ...alert.Cause) {
	w.Helper()
	w.update(func(tx *store.Tx) error {
		for _, c := range causes {
			if err := alert.Raise(tx, c); err != nil {
				return err
			}
		}
		return nil
	})
}

func TestAlertsAreOfTheViewersAccounts(t *testing.T) {
	w := newWorld(t)
	w.raise(alert.Cause{Key: "a", Kind: alert.Review, Account: "acme", Intent: "intent-a", Text: "acme waits <b>here</b>", Amount: 5, Currency: "USD"},
		alert.Cause{Key: "b", Kind: alert.Conflict, Account: "globex", Intent: "intent-b", Text: "globex waits"},
		alert.Cause{Key: "c", Kind: alert.AuditTrouble, Text: "rows are refused"})
	p := w.browse("Audrey").get("/admin/alerts")
	for _, want := range []string{"acme waits <b>here</b>", "rows are refused", "Needs review", "Audit log trouble", "Nobody is told"} {
		if !strings.Contains(p.text(), want) {
			t.Errorf("no %q in %.2000s", want, p.text())
		}
	}
	if strings.Contains(p.body, "globex waits") || strings.Contains(p.body, "<b>here</b>") {
		t.Error("another account’s alert is shown, or its text is taken for HTML")
	}
	w.update(func(tx *store.Tx) error { return alert.End(tx, "a", "done") })
	if p := w.browse("Audrey").get("/admin/alerts"); strings.Contains(p.text(), "acme waits") {
		t.Error("an ended alert is among those that stand")
	}
	if p := w.browse("Audrey").get("/admin/alerts?show=all&kind=review"); !strings.Contains(p.text(), "acme waits") || strings.Contains(p.text(), "rows are refused") {
		t.Errorf("all of one kind: %.600s", p.text())
	}
}

func TestAlertsAreReadPageByPage(t *testing.T) {
	w := newWorld(t)
	for i := range 60 {
		w.raise(alert.Cause{Key: fmt.Sprint(i), Kind: alert.Review, Account: "acme", Intent: fmt.Sprintf("intent-%03d", i), Text: "waits"})
	}
	b, seen := w.browse("Ada"), map[string]bool{}
	path := "/admin/alerts"
	for pages := 0; path != ""; pages++ {
		if pages > 3 {
			t.Fatal("the pages do not end")
		}
		p := b.get(path)
		for i := range 60 {
			if id := fmt.Sprintf(">intent-%03d<", i); strings.Contains(p.body, id) {
				if seen[id] {
					t.Errorf("%s stands on two pages", id)
				}
				seen[id] = true
			}
		}
		path = ""
		if before, _, more := strings.Cut(p.body, `" rel="next"`); more {
			path = before[strings.LastIndex(before, `"`)+1:]
		}
	}
	if len(seen) != 60 {
		t.Errorf("%d of 60 alerts are on the pages", len(seen))
	}
	if p := b.get("/admin/alerts?cursor=0.1.x.0000"); p.status != 400 && p.status != 422 {
		t.Errorf("a forged place: %d", p.status)
	}
}

func TestDeliveriesAreShown(t *testing.T) {
	w := newWorld(t)
	w.raise(alert.Cause{Key: "a", Kind: alert.Review, Account: "acme", Intent: "intent-a", Text: "waits"})
	var id string
	w.update(func(tx *store.Tx) error {
		if _, err := tx.PlanDeliveries([]string{"mail", "webhook"}, 10); err != nil {
			return err
		}
		if _, err := tx.Get(&id, "SELECT id FROM alerts"); err != nil {
			return err
		}
		for _, channel := range []string{"mail", "webhook"} {
			if err := tx.ReserveDeliveries(channel, []string{id}, tx.Now().Add(time.Minute)); err != nil {
				return err
			}
		}
		if err := tx.SettleDeliveries("mail", []string{id}, "connection refused", tx.Now().Add(10*time.Minute)); err != nil {
			return err
		}
		return tx.SettleDeliveries("webhook", []string{id}, "the receiver answered 500", 0)
	})
	text := w.browse("Ada").get("/admin/alerts").text()
	for _, want := range []string{"mail: failed, 1 try", "connection refused", "given up", "the receiver answered 500"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %.2000s", want, text)
		}
	}
}

func TestQueueSaysWhatIsOverdue(t *testing.T) {
	w := newWorld(t)
	id := w.unknown("acme", "run-1", 90_050)
	w.update(func(tx *store.Tx) error {
		_, err := tx.Exec("UPDATE intents SET review_due = ? WHERE id = ?", model.At(w.now().Add(24*time.Hour)), id)
		return err
	})
	b := w.browse("Olga")
	if text := b.get("/").text(); !strings.Contains(text, w.now().Add(24*time.Hour).UTC().Format("decide by Mon 2 Jan 15:04 ")) || strings.Contains(text, "Overdue") {
		t.Errorf("before the deadline: %.1500s", text)
	}
	w.wait(25 * time.Hour)
	if p := w.browse("Olga").get("/"); !strings.Contains(p.text(), "Overdue") || !strings.Contains(p.body, "#s-overdue") {
		t.Errorf("after the deadline: %.1500s", p.text())
	}
}

func TestIntentSaysSinceWhenItAlarms(t *testing.T) {
	w := newWorld(t)
	id := w.unknown("acme", "run-1", 90_050)
	w.raise(alert.Cause{Key: "a", Kind: alert.SettlementOverdue, Account: "acme", Intent: id, Text: "late"})
	if text := w.browse("Olga").get("/intents/" + id).text(); !strings.Contains(text, "settlement overdue") {
		t.Errorf("no alarm in %.3000s", text)
	}
}

// A stranger's addresses do not make metrics grow.
func TestRoutesAreCountedByPattern(t *testing.T) {
	w := newWorld(t)
	id := w.unknown("acme", "run-1", 90_050)
	b := w.browse("Olga")
	b.get("/intents/" + id)
	for i := range 5 {
		b.get(fmt.Sprintf("/nothing/%d", i))
		b.send("DELETE", fmt.Sprintf("/intents/x%d", i), nil)
	}
	text := w.browse("").get("/metrics").body
	if !strings.Contains(text, `countersign_http_requests_total{route="/intents/:id",status="200"} 1`) || strings.Contains(text, "/nothing") || strings.Contains(text, "x1") {
		t.Errorf("metrics\n%s", text)
	}
}
