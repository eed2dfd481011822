package e2e

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// TestManyWithoutScript acts on many intents with JavaScript switched off: an
// operator ticks them on two pages, looks at what is selected, takes one out,
// reads the verdict of each, and sends again what the bank had refused; then
// asks for another to be given up, which an approver signs. The bank's books say
// what was paid.
func TestManyWithoutScript(t *testing.T) {
	demo, browser := startDemo(t), startBrowser(t)
	s := &scene{t: t, demo: demo}
	refused := []string{s.refuse(420_000, "USD"), s.refuse(310_000, "USD")}
	lost := s.lose(500_000, "EUR")
	operator := openTab(t, browser, demo.Address, plain)
	operator.signIn(demo.of(t, "operator"))
	settled := selectOverPages(t, operator, append(slices.Clone(refused), lost))
	lookAndTakeOut(t, operator, lost)
	sendAgain(t, demo, operator, refused, settled)
	for _, id := range refused {
		operator.await("/intents/"+id, "completed")
		paidOnce(t, demo, id)
	}
	s.stands(lost, "needs_review") // the engine does nothing more of itself that would move the plan
	request := askToGiveUp(t, operator, lost)
	approver := openTab(t, browser, demo.Address, plain)
	approver.signIn(demo.of(t, "approver"))
	approver.open("/approvals")
	approver.follow(request)
	approver.sign("The rep was paid by hand; the letter is with the case.")
	approver.press(`form.sign button.main`)
	approver.results(request, 1)
	operator.await("/intents/"+lost, "abandoned")
	paidOnce(t, demo, lost) // giving up takes nothing back
}

// selectOverPages ticks intents on the first page of all payouts, and a settled
// one on the second, which it gives.
func selectOverPages(t *testing.T, b *tab, intents []string) (settled string) {
	b.open("/?kind=payout&state=all")
	for _, id := range intents {
		b.tick(id)
	}
	b.press(`#selecting button[name="go"]`)
	if !slices.ContainsFunc(b.texts("#selecting b"), func(said string) bool { return said == "3 selected on 1 page" }) {
		t.Errorf("the second page forgets the first:\n%s", b.text("#selecting"))
	}
	settled = strings.TrimPrefix(b.rowOf("Completed"), "/intents/")
	b.tick(settled)
	b.press(`#selecting button[value="look"]`)
	return settled
}

// tick ticks the box of an intent, or takes the tick away.
func (b *tab) tick(intent string) {
	b.t.Helper()
	b.call("ticking "+intent, chromedp.Click(chromedp.CSS(fmt.Sprintf(`input[name="intent"][value=%q]`, intent))))
}

// lookAndTakeOut reads what is selected, and takes one out of it.
func lookAndTakeOut(t *testing.T, b *tab, out string) {
	b.shot("selection")
	if rows, said := b.texts("tbody tr"), b.text("main"); len(rows) != 4 || !strings.Contains(said, "4 intents, ticked on 2 pages") || !strings.Contains(said, "5,000.00") {
		t.Errorf("the selection has %d rows:\n%s", len(rows), said)
	}
	b.tick(out)
	b.press(`#selecting button[value="keep"]`)
	if rows := b.texts("tbody tr"); len(rows) != 3 || strings.Contains(strings.Join(rows, "\n"), out) {
		t.Errorf("it is not taken out: %q", rows)
	}
}

// sendAgain previews the selection, confirms it, and follows it to its results.
func sendAgain(t *testing.T, demo *product, b *tab, refused []string, settled string) {
	before := len(demo.effects(t, settled+":create-payout"))
	b.choose("retry_unfinished")
	b.press(`#selecting button[value="preview"]`)
	b.shot("many-preview")
	planned, left := b.texts("table:has(.num) tbody tr"), b.text(`section[aria-labelledby="excluded"]`)
	if len(planned) != 2 || !strings.Contains(left, settled) || !strings.Contains(left, "retry.") {
		t.Errorf("%d are planned; left out:\n%s", len(planned), left)
	}
	for _, id := range refused {
		if paid := append(demo.effects(t, id+":create-payout"), demo.effects(t, id+":create-payout#2")...); len(paid) != 0 {
			t.Errorf("a preview paid: %+v", paid)
		}
	}
	list := b.at()
	b.sign("The account has funds again, says the bank.")
	b.press(`form.sign button.main`)
	b.results(list, len(refused))
	b.shot("many-results")
	if after := len(demo.effects(t, settled+":create-payout")); after != before {
		t.Errorf("what was left out has %d effects, and had %d", after, before)
	}
}

// choose picks the action that is to be taken on what is selected.
func (b *tab) choose(action string) {
	b.t.Helper()
	b.call("choosing", chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`document.querySelector("#f-bulk").value = %q`, action)))
}

// results opens a list until each of its items has a result, and all were done.
func (b *tab) results(list string, items int) {
	b.t.Helper()
	for range 60 {
		b.open(list)
		if strings.Contains(b.text("main"), fmt.Sprintf("%d of %d reached", items, items)) {
			break
		}
		time.Sleep(500 * time.Millisecond)
	}
	if done := b.texts(`td[data-l="Result"]`); len(done) != items || slices.ContainsFunc(done, func(r string) bool { return strings.Contains(r, "Not done") || strings.Contains(r, "Executed") }) {
		b.t.Fatalf("the results of %s are %q:\n%s", list, done, b.text("main"))
	}
}

// askToGiveUp asks for a list of one lost payout to be given up, with what may
// stand acknowledged, and gives the address of the request.
func askToGiveUp(t *testing.T, b *tab, lost string) (request string) {
	b.open("/?" + url.Values{"q": {lost}}.Encode())
	b.tick(lost)
	b.choose("abandon")
	b.press(`#selecting button[value="preview"]`)
	if said := b.text("main"); !strings.Contains(said, "Nothing can be done: every intent is left out") || !strings.Contains(said, "abandon.acknowledge") {
		t.Errorf("an effect that may stand is not asked about:\n%s", said)
	}
	b.call("acknowledging", chromedp.Click(chromedp.CSS(`input[name="acknowledge"]`)))
	b.press(`form[action="/bulk"] button`)
	b.sign("The rep was paid by hand, and wants no second payment.")
	b.press(`form.sign button.main`)
	b.shot("many-asked")
	if said := b.text("main"); !strings.Contains(said, "You cannot approve this.") {
		t.Errorf("who asks may sign, or nobody was asked:\n%s", said)
	}
	return b.at()
}

// paidOnce holds that the bank's books have one payout of an intent, not undone.
func paidOnce(t *testing.T, demo *product, intent string) {
	t.Helper()
	key := intent + ":create-payout"
	if paid := append(demo.effects(t, key), demo.effects(t, key+"#2")...); len(paid) != 1 || paid[0].UndoneAt != nil {
		t.Errorf("the books have %+v of %s, want one payout", paid, intent)
	}
}
