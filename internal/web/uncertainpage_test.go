package web

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"html"
	"regexp"
	"strings"
	"testing"
	"time"

	"countersign/internal/actions"
	"countersign/internal/model"
	"countersign/internal/store"
)

// unknownIn makes an unknown payout in a currency, uncertain since a moment.
func (w *world) unknownIn(key, payee, currency string, amount int64, since string) string {
	w.Helper()
	w.fault(map[string]string{"method": "POST", "path": "/payouts"}, "drop_after_accept", 1)
	accepted, err := w.run.Accept(w.Context(), w.actor("Olga"), actions.Submission{Key: key, Kind: model.KindPayout, Account: "acme",
		Params: fmt.Appendf(nil, `{"payee":{"reference":"rep-%s","name":%s,"destination":"acct_9"},"amount":%d,"currency":%q}`, key, quote(payee), amount, currency)})
	w.must(err)
	w.work()
	w.since(accepted.Case.ID, since)
	return accepted.Case.ID
}

func quote(text string) string {
	raw, _ := json.Marshal(text)
	return string(raw)
}

// since moves the beginning of an intent's uncertainty.
func (w *world) since(id, moment string) {
	w.Helper()
	at, err := time.Parse(time.RFC3339, moment)
	w.must(err)
	w.update(func(tx *store.Tx) error {
		if _, err := tx.Exec("UPDATE steps SET uncertain_since = ? WHERE intent_id = ? AND state = 'outcome_unknown'", model.At(at), id); err != nil {
			return err
		}
		_, err := tx.Exec("UPDATE intents SET uncertain_since = ?, sort_open = ? WHERE id = ?", model.At(at), model.At(at), id)
		return err
	})
}

// TestUncertainMoney: amounts of every number of decimals, drawn and in the table,
// and each currency by itself.
func TestUncertainMoney(t *testing.T) {
	w := newWorld(t)
	w.unknownIn("a", "山本 健太", "JPY", 800, "2026-11-27T08:30:00Z")
	w.unknownIn("b", "محمد الحربي", "KWD", 731_500, "2026-11-27T05:00:00Z")
	w.unknownIn("c", "Raúl Errázuriz", "CLF", 6_412_500, "2026-11-27T01:00:00Z")
	w.unknownIn("d", "Ada", "KWD", 1_000, "2026-11-24T01:00:00Z")
	olga, gus := w.browse("Olga"), w.browse("Gus")
	p := olga.get("/uncertain")
	olga.wants(p, 200, "4 effects", "800 JPY", "732.500 KWD", "641.2500 CLF", "Kuwaiti dinar , 732.500 KWD", "Over a day", "By kind", "Each effect, the longest uncertain first",
		"Since 26 Nov 2026 09:00:00 +00:00 , a day ago: 4 effects became uncertain, and all of them are still open.", "Uncertain as of 2026-11-27 09:00:00 +00:00, UTC: 4 effects, the oldest since 2026-11-24 01:00:00 +00:00",
		"732.500 KWD (2 effects)")
	for _, sentence := range []string{"Kuwaiti dinar by age, 732.500 KWD together: under 1 h nothing, 1 to 6 h 731.500 KWD in 1 effect, 6 to 24 h nothing, over a day 1.000 KWD in 1 effect.",
		`href="/?currency=KWD&amp;provider=bank&amp;state=outcome_unknown"`} {
		if !strings.Contains(p.body, sentence) {
			t.Errorf("%q is not in the page", sentence)
		}
	}
	olga.wants(olga.get("/?currency=KWD&provider=bank&state=outcome_unknown"), 200, "2 match", "731.500 KWD")
	gus.wants(gus.get("/uncertain"), 200, "Nothing is uncertain")
	w.wait(10 * time.Second)
	w.work() // the engine asks, and finds them
	olga.wants(olga.get("/uncertain"), 200, "Nothing is uncertain", "4 effects became uncertain, and every one is certain by now")
}

// TestUncertainFile: the same to take away, in the viewer's zone across a change
// of the clocks, with nothing in it that a spreadsheet would run.
func TestUncertainFile(t *testing.T) {
	w := newWorld(t)
	hostile := `=HYPERLINK("http://evil.example","x"), "quoted"`
	id := w.unknownIn("a", hostile, "KWD", 731_500, "2026-10-25T00:30:00Z")
	w.unknownIn("b", "山本", "JPY", 800, "2026-10-25T01:30:00Z")
	w.unknownIn("c", "Raúl", "CLF", 6_412_500, "2026-11-01T06:30:00Z")
	olga := w.browse("Olga")
	for zone, want := range map[string][]string{
		"Europe/Paris":     {"2026-10-25T02:30:00+02:00", "2026-10-25T02:30:00+01:00", "2026-11-01T07:30:00+01:00"},
		"America/New_York": {"2026-10-24T20:30:00-04:00", "2026-10-24T21:30:00-04:00", "2026-11-01T01:30:00-05:00"},
	} {
		olga.post("/me/settings", "zone", zone)
		p := olga.get("/uncertain/file?format=csv")
		if p.status != 200 || !strings.HasPrefix(p.header.Get("Content-Type"), "text/csv") || !strings.HasPrefix(p.header.Get("Content-Disposition"), "attachment") {
			t.Fatalf("%d %v", p.status, p.header)
		}
		rows, err := csv.NewReader(strings.NewReader(p.body)).ReadAll()
		w.must(err)
		if len(rows) != 4 || rows[1][1] != id || rows[1][2] != id+":create-payout" || rows[1][3] != "bank" || rows[1][4] != "payout" {
			t.Fatalf("%q", rows)
		}
		for i, amount := range [][2]string{{"731.500", "KWD"}, {"800", "JPY"}, {"641.2500", "CLF"}} {
			if row := rows[i+1]; row[7] != amount[0] || row[8] != amount[1] || row[10] != want[i] || row[11] != zone || row[12] != "outcome_unknown" {
				t.Errorf("%s, row %d: %q", zone, i, row)
			}
		}
		if rows[1][6] != "'"+hostile || rows[1][9] != "2026-10-25T00:30:00Z" {
			t.Errorf("%q", rows[1])
		}
	}
	olga.wants(olga.get("/uncertain/file"), 422, "format=csv")
	gus := w.browse("Gus")
	if p := gus.get("/uncertain/file?format=csv"); strings.Count(p.body, "\n") != 1 {
		t.Errorf("another account's file: %s", p.body)
	}
	if got := w.eventsOf("uncertain."); got != "uncertain.exported uncertain.exported uncertain.exported" {
		t.Errorf("entries: %s", got)
	}
}

// TestADeniedExportHasAnEntry: somebody who may not tried to take the log away.
func TestADeniedExportHasAnEntry(t *testing.T) {
	w := newWorld(t)
	olga := w.browse("Olga")
	olga.wants(olga.get("/audit/export"), 403, "Not allowed") // looking has none
	olga.wants(olga.get("/audit/export/file?format=jsonl&zone=UTC"), 403, "Not allowed")
	if got := w.eventsOf("audit.export."); got != "audit.export.denied" {
		t.Errorf("entries: %s", got)
	}
	audrey := w.browse("Audrey")
	audrey.wants(audrey.get("/audit?show=refusals"), 200, "audit.export.denied", "Olga", "Denied")
}

// TestDisputedMoneyIsNamed: what a dispute is about is at stake, and was not sent.
func TestDisputedMoneyIsNamed(t *testing.T) {
	w := newWorld(t)
	w.fault(map[string]string{"method": "POST", "path": "/disputes/dp_31/responses"}, "drop_after_accept", 1)
	_, err := w.run.Accept(w.Context(), w.actor("Olga"), actions.Submission{Key: "dp-1", Kind: model.KindDispute, Account: "acme", Params: json.RawMessage(
		`{"dispute":"dp_31","charge":"ch_8","amount":4200,"currency":"EUR","reason":"fraudulent","response":"contest","due_by":"2026-12-10T00:00:00Z","evidence":[{"type":"shipping","text":"Sent."}]}`)})
	w.must(err)
	w.work()
	w.unknown("acme", "run-1", 90_050)
	olga := w.browse("Olga")
	olga.wants(olga.get("/uncertain"), 200, "942.50 EUR", "Of these sums 42.00 EUR is the disputed amount of 1 response of which nobody knows", "was not sent by us")
	olga.wants(olga.get("/"), 200, "disputed, uncertain")
}

// TestSettlingMoney: what is in transit is shown apart, and is not uncertain.
func TestSettlingMoney(t *testing.T) {
	w := newWorld(t)
	w.fault(map[string]string{"method": "POST", "path": "/payouts"}, "settle_late", 1)
	id := w.payout("acme", "run-1", 90_050)
	olga, gus := w.browse("Olga"), w.browse("Gus")
	olga.wants(olga.get("/uncertain"), 200, "Nothing is uncertain", "Settling in time", "900.50 EUR", "settling in time at bank: 900.50 EUR (1 effect)")
	olga.wants(olga.get("/intents/"+id), 200, "Exposure: 900.50 EUR , all of it in transit", "Nothing is unknown.")
	olga.asks(w, id, model.Compensate, "step", "create-payout")
	olga.wants(olga.get("/approvals"), 200, "Exposure: 900.50 EUR , all of it in transit")
	if strings.Contains(gus.get("/uncertain").text(), "Settling in time") {
		t.Error("another account's money is shown")
	}
	w.update(func(tx *store.Tx) error {
		_, err := tx.Exec(`INSERT INTO steps (intent_id, account, name, position, class, provider, state, settling, amount, open_amount, currency)
			WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 10000)
			SELECT intent_id, account, 'more-' || n, 9, class, provider, state, settling, amount, open_amount, currency FROM steps CROSS JOIN n WHERE settling`)
		return err
	})
	olga.wants(olga.get("/uncertain"), 200, "More than 10,000 effects of one account settle; the sums are of those that must settle first.",
		"more settles than is counted here: of each account the first 10,000")
}

var (
	rowLink  = regexp.MustCompile(`href="(/\?[^"]*state=outcome_unknown[^"]*)"`)
	rowCount = regexp.MustCompile(`([\d,]+)(?: effects?| matche?s?|</td>)`)
)

// TestUncertainLinksToWhatItCounts: the list behind each row has as many rows as the
// row counts effects, those without money and those of another currency too.
func TestUncertainLinksToWhatItCounts(t *testing.T) {
	w := newWorld(t)
	w.fault(map[string]string{"method": "POST", "path": "/messages"}, "drop_after_accept", 2)
	w.payout("acme", "told-1", 90_050) // paid; whether the notice went out is not known
	w.payout("acme", "told-2", 70_000)
	w.wait(10 * time.Second)
	w.work()
	w.unknownIn("a", "Ada", "EUR", 800, "2026-11-27T08:30:00Z")
	w.unknownIn("b", "Ben", "KWD", 731_500, "2026-11-27T05:00:00Z")
	olga := w.browse("Olga")
	rows := 0
	for row := range strings.SplitSeq(olga.get("/uncertain").body, "<tr>") {
		link := rowLink.FindStringSubmatch(row)
		if link == nil || !strings.Contains(row, `class="quiet"`) {
			continue
		}
		rows++
		counted := rowCount.FindAllStringSubmatch(row, -1)
		want := counted[len(counted)-1][1]
		list := olga.get(html.UnescapeString(link[1])).text()
		if !strings.Contains(list, want+" match") {
			t.Errorf("%s is behind %s effects and lists %q", link[1], want, regexp.MustCompile(`\d+ match`).FindString(list))
		}
	}
	if rows < 6 {
		t.Errorf("%d rows have links", rows)
	}
}

// secondDoubt gives an intent another unknown effect like the one that it has, as a
// restore makes all of its effects unknown that are not confirmed.
func (w *world) secondDoubt(id string) {
	w.Helper()
	w.update(func(tx *store.Tx) error {
		c, err := tx.Case(id)
		w.must(err)
		s := *c.Step("create-payout")
		s.Name, s.Position, s.WireKey = "second-payout", len(c.Steps)+1, "second"
		return tx.Insert("steps", "intent_id, account, name, position, class, operation, provider, contract_id, generation, wire_key, state, amount, currency, uncertain_since", s)
	})
	w.update(func(tx *store.Tx) error {
		c, err := tx.LockCase(id)
		w.must(err)
		c.Derive(model.NormalPace(), tx.Now())
		return tx.SaveCase(c)
	})
}

// TestTwoUnknownEffectsCountOnce: the number of the morning is the exposure, where an
// intent has two unknown effects with money too, wherever it stands.
func TestTwoUnknownEffectsCountOnce(t *testing.T) {
	w := newWorld(t)
	id := w.unknown("acme", "run-1", 90_050)
	w.secondDoubt(id)
	olga := w.browse("Olga")
	p := olga.get("/uncertain")
	olga.wants(p, 200, "2 effects", "Euro , 1,801.00 EUR", "1,801.00 EUR (2 effects)", "create-payout", "second-payout")
	olga.wants(olga.get("/"), 200, "2 effects", "1,801.00 EUR uncertain") // the sums, and the row of the intent
	olga.wants(olga.get("/intents/"+id), 200, "1,801.00 EUR , all of it uncertain")
	rows, err := csv.NewReader(strings.NewReader(olga.get("/uncertain/file?format=csv").body)).ReadAll()
	w.must(err)
	if len(rows) != 3 || rows[1][7] != "900.50" || rows[2][7] != "900.50" {
		t.Errorf("%q", rows)
	}
	for _, page := range []page{p, olga.get("/")} {
		if strings.Contains(page.text(), "3,602.00") {
			t.Error("the money is counted twice")
		}
	}
}

// TestWhenItWasSentStandsBesideTheDoubt: an effect that was in transit for long is
// uncertain since its outcome became unknown; the page and the file say both.
func TestWhenItWasSentStandsBesideTheDoubt(t *testing.T) {
	w := newWorld(t)
	w.since(w.unknown("acme", "run-1", 90_050), "2026-11-27T10:00:00Z")
	olga := w.browse("Olga")
	olga.wants(olga.get("/uncertain"), 200, "sent Fri 27 Nov 09:00")
	if file := olga.get("/uncertain/file?format=csv").body; !strings.Contains(file, `,"2026-11-27T09:00:00Z"`+"\r\n") || !strings.Contains(file, `"2026-11-27T10:00:00Z",`) {
		t.Errorf("the file does not say when it was sent: %s", file)
	}
}
