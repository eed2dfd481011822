package e2e

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// TestPeopleInAHurry does to an approval and to a plan what people in a hurry do:
// press twice, go back, decide in two tabs. With and without JavaScript, what was
// asked for happens once, and the page says so.
func TestPeopleInAHurry(t *testing.T) {
	s, browser := theScene(t), startBrowser(t)
	for _, l := range []look{light, plain} {
		t.Run("approve twice and go back, "+l.name, func(t *testing.T) {
			s.t = t
			b := openTab(t, browser, s.demo.Address, l)
			b.use(signIn(t, s.demo.Address, s.person('a')))
			approveTwice(t, s, b)
		})
		t.Run("two tabs, "+l.name, func(t *testing.T) {
			s.t = t
			first, second := openTab(t, browser, s.demo.Address, l), openTab(t, browser, s.demo.Address, l)
			v := signIn(t, s.demo.Address, s.person('o'))
			first.use(v)
			second.use(v)
			inTwoTabs(t, s, first, second)
		})
	}
}

// approveTwice double-clicks, and afterwards goes back to the form.
func approveTwice(t *testing.T, s *scene, b *tab) {
	intent := s.post(440_000)
	request := s.requestOf(intent)
	b.open("/approvals/" + request.ID)
	b.sign("Checked twice, signed once, though the button was pressed in a hurry.")
	b.call("double click", chromedp.DoubleClick(chromedp.CSS(`form.sign button.main`)))
	b.decided()
	b.await("/intents/"+intent, "completed")
	b.call("Back", chromedp.Evaluate[chromedp.Void](`history.back()`))
	b.decided()
	if b.attribute("form.sign", "method") != "" {
		t.Errorf("a signed request can be signed once more:\n%s", b.text("main"))
	}
	if n := s.count(intent, "approval.approved"); n != 1 {
		t.Errorf("%d entries of the approval, want 1", n)
	}
	if paid := s.demo.effects(t, intent+":create-payout"); len(paid) != 1 {
		t.Errorf("the books have %+v, want one payout", paid)
	}
}

// decided waits until the tab shows a page without a form to sign, whichever of
// several answers led there.
func (b *tab) decided() {
	b.t.Helper()
	for range 120 {
		if evaluate(b, "waiting", chromedp.Evaluate[bool](`document.readyState === "complete" && !!document.querySelector("main") && !document.querySelector("form.sign")`)) {
			return
		}
		time.Sleep(250 * time.Millisecond)
	}
	b.t.Fatalf("%s still asks for a signature:\n%s", b.at(), b.text("main"))
}

// inTwoTabs confirms one plan in two tabs, with another reason in each.
func inTwoTabs(t *testing.T, s *scene, first, second *tab) {
	completed := s.completed(t)
	plan := "/previews/" + s.preview(s.person('o'), completed, "compensate", "create-payout").ID
	first.open(plan)
	second.open(plan)
	second.sign("The second tab says something else about it.") // a form with words in it is left alone
	first.confirm("The first tab says why it should be given back.")
	if status := second.press(`form.sign button.main`); status != http.StatusConflict {
		t.Errorf("confirming in the second tab: status %d at %s:\n%s", status, second.at(), second.text("main"))
	}
	second.saysDone(t)
	if n := s.count(completed, "action.compensate.requested"); n != 1 {
		t.Errorf("%d requests, want 1", n)
	}
}

// completed makes a payout and waits until it is.
func (s *scene) completed(t *testing.T) string {
	t.Helper()
	intent := s.post(7_700)
	for range 300 {
		for _, found := range s.list('o', "q="+url.QueryEscape(intent)) {
			if found.State == "completed" {
				return intent
			}
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatalf("%s is not completed", intent)
	return ""
}

// count says how many entries the log has of an event about an intent.
func (s *scene) count(intent, event string) int {
	s.t.Helper()
	var found struct {
		Count int `json:"count"`
	}
	s.demo.call(s.t, s.person('u').APIKey, http.MethodGet, "/audit?event="+event+"&intent="+intent, nil, &found)
	return found.Count
}

// saysDone reports a page that does not tell of the confirmation in another tab.
func (b *tab) saysDone(t *testing.T) {
	t.Helper()
	if said := b.text("main"); !strings.Contains(said, "You confirmed this plan") {
		t.Errorf("the second tab does not say that it was confirmed before:\n%s", said)
	}
}
