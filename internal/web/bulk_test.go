package web

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"countersign/internal/model"
	"countersign/internal/store"
)

// carryOut does what confirmed lists have left, and what it ordered.
func (w *world) carryOut() {
	w.Helper()
	w.must(w.run.WorkBulks(w.Context(), nil))
	w.work()
}

// bulk makes a list and gives its path and page.
func (b *browser) bulk(action string, ids ...string) (string, page) {
	b.Helper()
	fields := []string{"action", action}
	for _, id := range ids {
		fields = append(fields, "intent", id)
	}
	made := b.post("/bulk", fields...)
	return made.header.Get("Location"), b.follow(made)
}

func TestManyFromPreviewToResult(t *testing.T) {
	w := newWorld(t)
	w.web.patience = 0
	ids := []string{w.unknown("acme", "run-1", 90_050), w.unknown("acme", "run-2", 70_000)}
	foreign := w.unknown("globex", "run-3", 50_000)
	olga := w.browse("Olga")
	path, preview := olga.bulk("reconcile", append(ids, foreign)...)
	olga.wants(preview, 200, "Preview: ask about 2 intents", "What would be done", "ask about create-payout", "sent once under this key", "Left out, and why", foreign,
		"1,600.50 EUR", "Nobody else.", "Confirm list", "reconcile.uncertain", "not-found")
	if strings.Contains(preview.body, `href="/intents/`+foreign) || strings.Contains(preview.text(), "500.00") {
		t.Error("the list tells of another account's intent")
	}
	digest := found(t, digestField, preview)
	olga.wants(olga.post(path+"/confirm", "digest", digest, "reason", "no"), 422, "The reason is shorter than 8 characters")
	olga.wants(olga.follow(olga.post(path+"/confirm", "digest", digest, "reason", because)), 200, "0 of 2 reached", "Not done yet", because)
	w.wait(11 * time.Second)
	olga.wants(olga.get(path), 200, "Nothing has moved for a while", "Go on")
	olga.wants(olga.follow(olga.post(path+"/go-on")), 200, "2 not done yet")
	w.carryOut()
	olga.wants(olga.get(path), 200, "2 of 2 reached", "2 confirmed", "1 left out", "Confirmed Bank says that it happened", "nothing of it is uncertain now", "audit entry")
	olga.wants(olga.follow(olga.post(path+"/confirm", "digest", digest, "reason", because)), 200, "2 of 2 reached")
	olga.wants(olga.post(path+"/confirm", "digest", digest, "reason", "something else entirely"), 409, "2 of 2 reached")
	audrey := w.browse("Audrey")
	audrey.wants(audrey.get(path), 200, "Confirmed by Olga", "What was done")
	audrey.wants(audrey.get("/audit?event=bulk"), 200, "bulk.confirmed")
	gus := w.browse("Gus")
	gus.wants(gus.get(path), 404)
}

func TestManyBySignature(t *testing.T) {
	w := newWorld(t)
	w.web.patience = 0
	ids := []string{w.unknown("acme", "run-1", 90_050), w.unknown("acme", "run-2", 70_000)}
	olga, ann := w.browse("Olga"), w.browse("Ann")
	path, preview := olga.bulk("abandon", ids...)
	olga.wants(preview, 200, "Nothing can be done: every intent is left out", "abandon.acknowledge", "To give up what has effects too")
	made := olga.post("/bulk", "of", strings.TrimPrefix(path, "/bulk/"), "acknowledge", ids[0]+":create-payout", "acknowledge", ids[1]+":create-payout")
	path, preview = made.header.Get("Location"), olga.follow(made)
	olga.wants(preview, 200, "Ask for approval: give 2 intents up", "One more person for the whole list", "Abe , Ann", "acknowledged: create-payout, which stays as it is")
	digest, code := found(t, digestField, preview), found(t, planCode, preview)
	olga.wants(olga.post(path+"/confirm", "digest", digest, "reason", because), 422, "Type the code of this list")
	olga.wants(olga.follow(olga.post(path+"/confirm", "digest", digest, "reason", because, "plan_code", code)), 200, "Waiting", "You cannot approve this.", "Withdraw the request")
	ann.wants(ann.get("/approvals"), 200, "Abandon 2 intents", "1,600.50 EUR", because, "1 of those shown for you to decide", "1 request")
	ann.wants(ann.get("/"), 200, "1 request for you to sign", "Abandon 2 intents")
	request := ann.get(path)
	ann.wants(request, 200, "Your decision, Ann", "Asked by Olga", "May approve Abe , Ann", "Approve: give 2 intents up", code)
	olga.wants(olga.post(path+"/approve", "digest", digest, "reason", because), 403, "somebody else must approve")
	ann.wants(ann.post(path+"/approve", "digest", digest, "reason", because), 422, "Type the code of this list")
	ann.wants(ann.post(path+"/approve", "digest", digest), 422, "The reason is shorter than 8 characters Type the code of this list")
	ann.wants(ann.follow(ann.post(path+"/approve", "digest", digest, "reason", because, "plan_code", code)), 200, "0 of 2 reached")
	w.carryOut()
	for _, id := range ids {
		if got := w.state(id); got != model.Abandoned {
			t.Errorf("the payout is %s, want abandoned", got)
		}
	}
	ann.wants(ann.get("/approvals?state=executed"), 200, "Abandon 2 intents", "Executed")
	ann.wants(ann.post(path+"/reject", "digest", digest, "reason", because), 409)
}

func TestARejectedListSaysSo(t *testing.T) {
	w := newWorld(t)
	id := w.unknown("acme", "run-1", 90_050)
	olga, ann := w.browse("Olga"), w.browse("Ann")
	made := olga.post("/bulk", "action", "abandon", "intent", id, "acknowledge", id+":create-payout")
	path, preview := made.header.Get("Location"), olga.follow(made)
	digest := found(t, digestField, preview)
	olga.follow(olga.post(path+"/confirm", "digest", digest, "reason", because, "plan_code", found(t, planCode, preview)))
	ann.wants(ann.follow(ann.post(path+"/reject", "digest", digest, "reason", "Not before the bank answers")), 200, "Rejected by Ann 27 Nov 2026 09:00:00 +00:00 . Nothing of this list was done.", "Not before the bank answers")
	if w.carryOut(); w.state(id) == model.Abandoned {
		t.Error("it was done all the same")
	}
}

func TestAListThatExpiredIsMadeAnew(t *testing.T) {
	w := newWorld(t)
	id := w.unknown("acme", "run-1", 90_050)
	olga := w.browse("Olga")
	path, preview := olga.bulk("reconcile", id)
	w.wait(11 * time.Minute)
	olga.wants(olga.get(path), 200, "This preview has expired. Nothing was done.", "Make a fresh list")
	olga.wants(olga.post(path+"/confirm", "digest", found(t, digestField, preview), "reason", because), 409, "This preview has expired")
	olga.wants(olga.follow(olga.post("/bulk", "of", strings.TrimPrefix(path, "/bulk/"))), 200, "Preview: ask about 1 intent")
}

func TestALongListComesInPages(t *testing.T) {
	w := newWorld(t)
	w.web.patience = 0
	var ids []string
	for i := range plansPerPage + 3 {
		ids = append(ids, w.unknown("acme", "run-"+strings.Repeat("i", i+1), 1_000))
	}
	olga := w.browse("Olga")
	_, preview := olga.bulk("reconcile", ids...)
	olga.wants(preview, 200, "Items 1–20 of 23", "Items after", "Preview: ask about 23 intents")
	next := olga.get(strings.ReplaceAll(found(t, regexp.MustCompile(`<a href="([^"]+)" rel="next">`), preview), "&amp;", "&"))
	olga.wants(next, 200, "Items 21–23 of 23", "Items before")
	if len(preview.body) > 60_000 {
		t.Errorf("the page has %d bytes", len(preview.body))
	}
	if found(t, digestField, next) != found(t, digestField, preview) {
		t.Error("pages of one list have different digests")
	}
}

// TestAListSaysWhatIsElsewhere: whoever made it learns at once what of another
// account was left out, and nobody else ever does.
func TestAListSaysWhatIsElsewhere(t *testing.T) {
	w := newWorld(t)
	w.web.patience = 0
	w.update(func(tx *store.Tx) error { return tx.Grant(w.ids["Olga"], "globex", model.RoleOperator) })
	own, other := w.unknown("acme", "run-1", 90_050), w.unknown("globex", "run-2", 70_000)
	olga, audrey := w.browse("Olga"), w.browse("Audrey")
	path, preview := olga.bulk("reconcile", own, other)
	olga.wants(preview, 200, "Preview: ask about 1 intent", "1 intent of another account is not in this list.", "here acme. Left out:", "(globex)")
	if !strings.Contains(preview.body, "/intents/"+other) || strings.Contains(preview.text(), "Left out 1") {
		t.Error("what is elsewhere is not linked, or is an item of the list")
	}
	olga.wants(olga.follow(olga.post(path+"/confirm", "digest", found(t, digestField, preview), "reason", because)), 200, "0 of 1 reached")
	for _, b := range []*browser{olga, audrey} {
		p := b.get(path)
		b.wants(p, 200, "0 of 1 reached")
		if strings.Contains(p.body, other) || strings.Contains(p.text(), "(globex)") {
			t.Error("the confirmed list tells of another account")
		}
	}
}

// TestManySayWhatTheyCameTo: that a plan was carried out does not read as if
// anything had happened.
func TestManySayWhatTheyCameTo(t *testing.T) {
	w := newWorld(t)
	w.web.patience = 0
	ids := []string{w.unknown("acme", "run-1", 90_050), w.unknown("acme", "run-2", 70_000)}
	w.fault(map[string]string{"method": "GET"}, "500_before", 1000)
	olga := w.browse("Olga")
	many := func(action string) (path string) {
		path, preview := olga.bulk(action, ids...)
		fields := []string{"digest", found(t, digestField, preview), "reason", because}
		if action == model.RetryUnfinished {
			fields = append(fields, "plan_code", found(t, planCode, preview))
		}
		olga.follow(olga.post(path+"/confirm", fields...))
		w.must(w.run.WorkBulks(t.Context(), nil))
		return path
	}
	asked := many(model.Reconcile)
	olga.wants(olga.get(asked), 200, "2 of 2 reached 2 ordered, not carried out yet", "create-payout: Outcome unknown Ordered, not carried out yet.")
	w.work()
	p := olga.get(asked)
	olga.wants(p, 200, "2 of 2 reached 2 still unknown", "create-payout: Outcome unknown The answer settles nothing", "The outcome is still unknown.")
	w.fault(map[string]string{"method": "POST", "path": "/payouts"}, "drop_after_accept", 2)
	tried := many(model.RetryUnfinished)
	w.work()
	again := olga.get(tried)
	olga.wants(again, 200, "2 still unknown", "create-payout: Outcome unknown Tried once more: unknown.", "The outcome is still unknown.", "attempt 2",
		"Acted on 2 intents 2 intents uncertain now", "1,600.50 EUR 2 intents; 1,600.50 EUR uncertain now")
	for _, p := range []page{p, again} {
		if text := p.text(); strings.Contains(text, "Executed") || strings.Contains(text, "2 done") || strings.Contains(text, "may have been paid already") {
			t.Error("an unknown outcome reads as done, or what happened since is not looked at")
		}
	}
	if !strings.Contains(again.body, `href="/intents/`+ids[0]+`#attempts"`) {
		t.Error("the attempt is not linked")
	}
}

// TestManyCountWhatIsLeftToDo: what has moved is in no figure of what would be
// done, nor of what was.
func TestManyCountWhatIsLeftToDo(t *testing.T) {
	w := newWorld(t)
	w.web.patience = 0
	w.fault(map[string]string{"method": "POST", "path": "/payouts"}, "reject_curable", 3)
	var ids []string
	for n, amount := range []int64{90_050, 70_000, 30_000} {
		ids = append(ids, w.payout("acme", "run-"+strings.Repeat("i", n+1), amount))
	}
	olga := w.browse("Olga")
	path, preview := olga.bulk(model.RetryUnfinished, ids...)
	olga.wants(preview, 200, "Acts on 3 intents", "1,900.50 EUR 3 intents", "Try 3 intents once more, 1,900.50 EUR")
	alone, one := olga.preview(ids[0], model.RetryUnfinished)
	olga.follow(olga.post(alone+"/confirm", "digest", found(t, digestField, one), "reason", because))
	olga.wants(olga.get(path), 200, "Preview: try 2 intents once more", "1 intent has moved", "Acts on 2 intents", "1,000.00 EUR 2 intents", "Try 2 intents once more, 1,000.00 EUR")
	olga.follow(olga.post(path+"/confirm", "digest", found(t, digestField, preview), "reason", because))
	w.carryOut()
	olga.wants(olga.get(path), 200, "3 of 3 reached 2 in transit, not final 1 not done: moved since", "Acted on 2 intents nothing of it is uncertain now", "1,000.00 EUR 2 intents; 1,000.00 EUR in transit now")
	for _, later := range []time.Duration{10 * time.Second, time.Minute} {
		w.wait(later)
		w.work()
	}
	olga.wants(olga.get(path), 200, "2 confirmed", "create-payout: Confirmed Tried once more: accepted.", "Now:")
	path, _ = olga.bulk(model.Reconcile, w.unknown("acme", "run-x", 90_050))
	w.wait(10 * time.Second)
	w.work()
	left := olga.get(path)
	olga.wants(left, 200, "1 intent has moved since it was planned.", "Make a fresh list")
	if strings.Contains(left.body, path+"/confirm") {
		t.Error("a list of which nothing would be done can be confirmed")
	}
}

// TestManyThatLookAlike: before a list is confirmed or signed it says which of its
// intents look alike, and of each what else does.
func TestManyThatLookAlike(t *testing.T) {
	w := newWorld(t)
	w.web.patience = 0
	w.fault(map[string]string{"method": "POST", "path": "/payouts"}, "reject_curable", 4)
	ids := []string{w.payoutTo("rep", "acme", "one", 90_050), w.payoutTo("other", "acme", "two", 70_000), w.payoutTo("rep", "acme", "three", 90_050)}
	elsewhere := w.payoutTo("other", "acme", "four", 70_000)
	olga := w.browse("Olga")
	path, preview := olga.bulk(model.RetryUnfinished, ids...)
	olga.wants(preview, 200, "Some intents of this list look alike.", "item 1 and item 3 have the same payee, amount and period.", "1 other has the same payee, amount and period")
	if !strings.Contains(preview.body, `<a href="/intents/`+elsewhere+`">1 other</a>`) {
		t.Error("what looks alike outside of the list is not named in its row")
	}
	olga.follow(olga.post(path+"/confirm", "digest", found(t, digestField, preview), "reason", because))
	if done := olga.get(path); strings.Contains(done.text(), "look alike") {
		t.Error("a list that was confirmed still asks whether all are meant")
	}
	_, apart := olga.bulk(model.Reconcile, ids[1], elsewhere)
	if strings.Contains(apart.text(), "look alike.") {
		t.Error("a list of which nothing is done asks whether all are meant")
	}
}
