package web

import (
	"fmt"
	"html"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"countersign/internal/model"
	"countersign/internal/store"
)

// TestQueueLeavesOutWhatWaitsForApprovers: it is named in a line with a link, and
// listed on demand.
func TestQueueLeavesOutWhatWaitsForApprovers(t *testing.T) {
	w := newWorld(t)
	w.unknown("acme", "run-1", 90_050)
	waiting := w.payout("acme", "run-2", 420_000)
	olga, ann := w.browse("Olga"), w.browse("Ann")
	p := olga.get("/")
	olga.wants(p, 200, "1 match", "1 more waits for approvers", "2 open, 0 taken by you")
	if strings.Contains(p.body, waiting) {
		t.Error("what waits for approvers is in the operator's list")
	}
	olga.wants(olga.get("/?state=open"), 200, "2 match", "An approver decides")
	olga.wants(olga.get("/?state=awaiting_approval"), 200, "1 match")
	ann.wants(ann.get("/"), 200, "1 request for you to sign", "Ends, UTC")
}

// TestWhatNeedsYou goes through what the block above the list says by role.
func TestWhatNeedsYou(t *testing.T) {
	w := newWorld(t)
	for name, want := range map[string]string{"Olga": "Nothing needs you.", "Ann": "Nothing needs you.", "Ada": "Nothing needs you.", "Audrey": "has no root yet", "Nemo": "Nothing needs you."} {
		b := w.browse(name)
		b.wants(b.get("/"), 200, want)
	}
	w.fault(map[string]string{"method": "POST", "path": "/payouts"}, "reject_curable", 1)
	id := w.payout("acme", "run-1", 90_050)
	olga, audrey := w.browse("Olga"), w.browse("Audrey")
	audrey.post("/intents/" + id + "/actions/retry_unfinished")
	w.work()
	audrey.wants(audrey.get("/"), 200, "What to look at first", "Newest refused or denied: retry unfinished.denied by Audrey", "Newest acts of people: retry unfinished.denied by Audrey", "entries under a root of")
	audrey.post("/intents/"+id+"/owner", "do", "take")
	w.work()
	audrey.wants(audrey.get("/"), 200, "Newest refused or denied: owner.denied by Audrey", "Newest acts of people: owner.denied by Audrey")
	for _, show := range []string{"refusals", "people"} {
		p := audrey.get("/audit?show=" + show)
		audrey.wants(p, 200, "2 entries on this page", "owner.denied", "action.retry_unfinished.denied")
	}
	audrey.wants(audrey.get("/audit?show=nothing"), 422)
	olga.wants(olga.get("/"), 200, "What needs you", "1 proposes a decision, and nobody has taken it")
	olga.wants(olga.get("/?due=any&owner=none"), 200, "1 match")
	olga.post("/intents/"+id+"/owner", "do", "take")
	olga.wants(olga.get("/"), 200, "Nothing needs you.")
	w.wait(21 * time.Hour)
	olga = w.browse("Olga")
	olga.wants(olga.get("/"), 200, "1 that you took is to be decided within 4 hours")
	olga.wants(olga.get("/?owner=me&due=soon"), 200, "1 match")
	w.wait(4 * time.Hour)
	olga = w.browse("Olga")
	otto := w.browse("Otto")
	olga.wants(olga.get("/"), 200, "1 that you took is past its deadline", "Overdue")
	olga.wants(olga.get("/?owner=me&due=past"), 200, "1 match")
	otto.wants(otto.get("/"), 200, "1 past its deadline that others took, or nobody")
	ada := w.browse("Ada")
	ada.wants(ada.get("/"), 200, "1 process not seen for longer than a lease")
	w.update(func(tx *store.Tx) error { _, err := tx.Exec("UPDATE boots SET workers = 0"); return err })
	ada.wants(ada.get("/"), 200, "No process with workers runs")
}

// stuckAt makes an unknown payout that has been so since a moment.
func (w *world) stuckAt(key, since string) string {
	w.Helper()
	id := w.unknown("acme", key, 90_050)
	at, err := time.Parse(time.RFC3339, since)
	w.must(err)
	w.update(func(tx *store.Tx) error {
		_, err := tx.Exec("UPDATE intents SET uncertain_since = ?, sort_open = ? WHERE id = ?", model.At(at), model.At(at), id)
		return err
	})
	return id
}

// TestDaysOfTheFilter: both days count whole in the zone that the address names,
// the long and the short day of a change of the clocks too.
func TestDaysOfTheFilter(t *testing.T) {
	w := newWorld(t)
	for i, since := range []string{
		"2026-10-24T21:59:59Z", "2026-10-24T22:00:00Z", "2026-10-25T22:59:59Z", "2026-10-25T23:00:00Z", // around 25 October in Paris, of 25 hours
		"2026-11-01T03:59:59Z", "2026-11-01T04:00:00Z", "2026-11-02T04:59:59Z", "2026-11-02T05:00:00Z", // around 1 November in New York, of 25 hours
		"2026-03-08T04:59:59Z", "2026-03-08T05:00:00Z", "2026-03-09T03:59:59Z", "2026-03-09T04:00:00Z", // around 8 March in New York, of 23 hours
	} {
		w.stuckAt(fmt.Sprintf("run-%d", i), since)
	}
	olga := w.browse("Olga")
	for filter, want := range map[string]string{
		"from=2026-10-25&before=2026-10-25&zone=Europe/Paris":     "2 match",
		"from=2026-11-01&before=2026-11-01&zone=America/New_York": "2 match",
		"from=2026-03-08&before=2026-03-08&zone=America/New_York": "2 match",
		"before=2026-03-08&zone=America/New_York":                 "3 match",
		"from=2026-11-02&zone=America/New_York":                   "1 match",
		"from=2026-10-25&before=2026-10-25":                       "2 match", // UTC, the viewer's own
	} {
		olga.wants(olga.get("/?"+filter), 200, want)
	}
	olga.wants(olga.get("/?from=2026-10-25&zone=Europe/Paris"), 200, "Stuck from this day on, Europe/Paris", "Both days count whole, in Europe/Paris")
	olga.wants(olga.get("/?from=2026-10-26&before=2026-10-25"), 200, "The last day lies before the first")
	olga.wants(olga.get("/?from=2026-02-30&zone=Mars/Olympus"), 200, "This is no date", "The zone in this address is not known")
	olga.post("/me/settings", "zone", "Europe/Paris")
	olga.wants(olga.get("/?from=2026-10-25&before=2026-10-25"), 200, "2 match", "Since, Europe/Paris", "Sun 25 Oct 00:00", "Sun 25 Oct 23:59")
}

func TestAmountsOfTheFilter(t *testing.T) {
	w := newWorld(t)
	for i, amount := range []int64{10_000, 20_000, 30_000} {
		w.unknown("acme", fmt.Sprintf("run-%d", i), amount)
	}
	olga := w.browse("Olga")
	olga.wants(olga.get("/?currency=EUR&min=200.00&max=300"), 200, "2 match")
	olga.wants(olga.get("/?currency=EUR&max=199.99"), 200, "1 match")
	olga.wants(olga.get("/?max=199.99"), 200, "Choose the currency of the amount")
	olga.wants(olga.get("/?currency=EUR&min=300&max=200"), 200, "The largest amount is below the smallest")
	olga.wants(olga.get("/?currency=KWD&min=0.0001"), 200, "The list is not filtered by what could not be read")
	olga.wants(olga.get("/?currency=EUR&provider=bank"), 200, "3 match")
	olga.wants(olga.get("/?currency=EUR&provider=other"), 200, "Nothing matches this filter")
	olga.wants(olga.get("/?due=never"), 422, "is none of those offered")
}

func TestPastedSearches(t *testing.T) {
	w := newWorld(t)
	id := w.unknown("acme", "run-1", 90_050)
	olga := w.browse("Olga")
	for _, text := range []string{"  " + id + "\n", "\"" + id + "\"", "“run-1”,", "'run-1'", "<" + id + ":create-payout>", "https://console.example/intents/" + id + "?attempts=all#attempts", "(rep-run-1).", "\u200b" + id,
		strings.ToUpper(id), id[:20] + "\u200b\u00ad" + id[20:], "Message-ID: <" + id + ".notify-payee@countersign.invalid>", "Παπαδο, ΕΛΕΝΗ", "po-of-nobody, or " + id} {
		olga.wants(olga.get("/?q="+url.QueryEscape(text)), 200, "1 match", "Searched for")
	}
	if p := olga.get("/?q=" + url.QueryEscape("<run-1>")); !strings.Contains(p.body, "&lt;run-1&gt;") || !strings.Contains(p.body, ">Any<") {
		t.Error("what was typed is not shown, or a state that the search does not keep to")
	}
	olga.wants(olga.get("/?q="+strings.Repeat("a", 10_000)), 200, "It is 10,000 bytes long", "Nothing was looked up")
	olga.wants(olga.get("/?q="+url.QueryEscape("a\x07b")), 200, "It holds control characters")
}

var (
	searchBox = regexp.MustCompile(`<input id="q"[^>]*value="([^"]*)"`)
	hiddenQ   = regexp.MustCompile(`<input type="hidden" name="q" value="([^"]*)"`)
)

// TestALongSearchIsFoundAgain: the search box and the filter's form search for all
// of the text, however long what is searched for may be.
func TestALongSearchIsFoundAgain(t *testing.T) {
	w := newWorld(t)
	for _, key := range []string{
		"payroll:2026-10:region-emea:office-nairobi:rep-00000118:run-00000000000000000000000000000000042",
		strings.Repeat("k", 255),
	} {
		w.payoutTo("rep", "acme", key, 90_050)
		olga := w.browse("Olga")
		p := olga.get("/?q=" + url.QueryEscape(key))
		for _, control := range []*regexp.Regexp{searchBox, hiddenQ} {
			holds := control.FindStringSubmatch(p.body)
			if len(holds) == 0 || html.UnescapeString(holds[1]) != key {
				t.Fatalf("a control of the page holds %q, not %q", holds, key)
			}
			olga.wants(olga.get("/?kind=payout&q="+url.QueryEscape(html.UnescapeString(holds[1]))), 200, "1 match", "Searched for "+key[:79]+"…")
		}
	}
	p := w.browse("Olga").get("/?q=" + strings.Repeat("a", 300))
	if again := searchBox.FindStringSubmatch(p.body)[1]; store.Searchable(again) {
		t.Errorf("what is too long to be searched for comes back as another text: %q", again)
	}
}

// TestLookAlikesInTheRow: one is linked, several lead to the intent's own list.
func TestLookAlikesInTheRow(t *testing.T) {
	w := newWorld(t)
	first, second := w.payoutTo("rep", "acme", "run-1", 90_050), ""
	w.fault(map[string]string{"method": "POST", "path": "/payouts"}, "drop_after_accept", 1)
	second = w.payoutTo("rep", "acme", "run-2", 90_050)
	w.payoutTo("rep", "globex", "run-9", 90_050)
	olga := w.browse("Olga")
	p := olga.get("/")
	olga.wants(p, 200, "1 other has the same payee, amount and period")
	if !strings.Contains(p.body, `href="/intents/`+first+`"`) || !strings.Contains(p.body, `<tr id="row-`+second) {
		t.Error("the other is not linked, or the row has no stable id")
	}
	w.payoutTo("rep", "acme", "run-3", 90_050)
	olga.wants(olga.get("/"), 200, "2 others have the same payee, amount and period")
}

// TestAnEmptyListSaysWhatItLeavesOut: what the same filter finds in another state
// is named, in the list and in a search.
func TestAnEmptyListSaysWhatItLeavesOut(t *testing.T) {
	w := newWorld(t)
	done := w.paid("run-1")
	olga := w.browse("Olga")
	for _, at := range []string{"/?currency=EUR&min=395.00&max=395.00", "/?kind=payout&state=needs_review", "/?q=395.00&state=needs_review"} {
		p := olga.get(at)
		olga.wants(p, 200, "Nothing matches in this state", "1 finished payout matches:", "395.00 EUR", ", completed.")
		if !strings.Contains(p.body, `href="/intents/`+done+`"`) {
			t.Errorf("%s does not lead to %s", at, done)
		}
	}
	olga.wants(olga.get("/?currency=EUR&min=395.01"), 200, "Nothing matches this filter")
	w.payout("acme", "run-2", 39_500)
	olga.wants(olga.get("/?currency=EUR&min=395.00&max=395.00"), 200, "2 in other states match")
	olga.wants(olga.get("/?q=395,00+EUR"), 200, "2 match")
	gus := w.browse("Gus")
	gus.wants(gus.get("/?currency=EUR&min=395.00&max=395.00"), 200, "Nothing matches this filter")
}

// TestAStateHasOneWord: the filter and the sentences say a state as its shape does.
func TestAStateHasOneWord(t *testing.T) {
	w := newWorld(t)
	olga := w.browse("Olga")
	w.fault(map[string]string{"method": "POST", "path": "/payouts"}, "reject_permanent", 1)
	id := w.payout("acme", "run-1", 90_050)
	w.work()
	for _, at := range []string{"/?state=terminal_failure", "/?state=completed&kind=payout", "/intents/" + id, "/help"} {
		p := olga.get(at)
		olga.wants(p, 200)
		if text := p.text(); strings.Contains(text, "erminal failure") || !strings.Contains(strings.ToLower(text), "failed for good") {
			t.Errorf("%s: another word for failed for good: %s", at, text)
		}
	}
}

// A payee of whose name nothing is seen is named by the reference, with a link that
// can be pressed.
func TestAnUnseenNameGivesWayToTheReference(t *testing.T) {
	w := newWorld(t)
	id := w.unknown("acme", "run-1", 1_250)
	w.update(func(tx *store.Tx) error {
		_, err := tx.Exec("UPDATE intents SET payee = ? WHERE id = ?", "\u200b\u3164 ", id)
		return err
	})
	olga := w.browse("Olga")
	olga.wants(olga.get("/intents/"+id), 200, "Payout of 12.50 EUR to rep-run-1")
	for _, path := range []string{"/", "/uncertain"} {
		if p := olga.get(path); !regexp.MustCompile(`href="/intents/` + id + `"[^>]*>\s*(<[^>]*>\s*)*rep-run-1<`).MatchString(p.body) {
			t.Errorf("%s has no link under the reference:\n%s", path, p.text())
		}
	}
}

// TestTheInboxOpensWithWhatEndsSoonest: for who signs, with what they may sign, the
// soonest ending first, here and above the queue; the others come on demand.
func TestTheInboxOpensWithWhatEndsSoonest(t *testing.T) {
	w := newWorld(t)
	for i := range 3 {
		w.payout("acme", fmt.Sprintf("run-%d", i), 420_000)
	}
	var soonest string
	w.update(func(tx *store.Tx) error {
		if _, err := tx.Get(&soonest, "SELECT min(id) FROM approvals"); err != nil {
			return err
		}
		_, err := tx.Exec("UPDATE approvals SET expires_at = expires_at - 3600000000 WHERE id = ?", soonest)
		return err
	})
	order := regexp.MustCompile(`href="(/approvals/approval-[^"]+)"`)
	ann, olga := w.browse("Ann"), w.browse("Olga")
	for _, at := range []string{"/approvals", "/"} {
		p := ann.get(at)
		ann.wants(p, 200)
		found := order.FindAllStringSubmatch(p.body, -1)
		if len(found) != 3 || found[0][1] != "/approvals/"+soonest {
			t.Errorf("%s begins with %v, not with the one that ends soonest", at, found)
		}
	}
	ann.wants(ann.get("/approvals"), 200, "3 requests", "the soonest ending first", "for you to sign")
	ann.wants(ann.get("/approvals?state=open"), 200, "3 requests", "newest first")
	olga.wants(olga.get("/approvals"), 200, "3 requests", "newest first")
	olga.wants(olga.get("/approvals?state=yours"), 200, "Nothing waits for your signature")
}
