package web

import (
	"strings"
	"testing"
	"time"

	"countersign/internal/model"
	"countersign/web/templates"
)

// shownAt is when the pages of these tests are shown.
var shownAt = model.At(time.Date(2026, 11, 30, 9, 42, 18, 0, time.UTC))

func ago(d time.Duration) model.Time { return shownAt.Add(-d) }

// told is an intent of three steps, the middle of which is sent to a bank.
func told(change func(*model.Case, *model.Step)) narrator {
	s := &model.Step{IntentID: "intent-x", Name: "create-payout", Position: 2, Class: model.Keyed, Operation: "payout.create", Provider: "bank", Generation: 1,
		State: model.OutcomeUnknown, Amount: 4_820_000, Currency: "EUR", UncertainSince: ago(104 * time.Minute),
		Contract: model.Contract{Carrier: "header Idempotency-Key", Retention: 24 * time.Hour, ActsAreStored: true, Stored: model.StoredAll, Lookup: model.LookupReference,
			SettleDelay: time.Hour, LongestCall: 30 * time.Second, Provider: "bank", Operation: "payout.create"},
		Generations: []model.Generation{{Number: 1, FrozenAt: ago(104 * time.Minute)}},
		Attempts:    []model.Attempt{{Number: 1, Generation: 1, StartedAt: ago(104 * time.Minute), FinishedAt: ago(104 * time.Minute), Result: model.ResultUnknown, Code: "reset"}}}
	c := &model.Case{Intent: model.Intent{ID: "intent-x", Account: "acme", Kind: model.KindPayout, Key: "run-1", Amount: 4_820_000, Currency: "EUR", Payee: "Ελένη",
		PayeeRef: "rep-118", Period: "2026-10", Params: []byte(`{"payee":{"destination":"acct_9"},"memo":"October"}`), CreatedBy: "key payroll", CreatedAt: ago(2 * time.Hour), Fence: 3}}
	c.Steps = []*model.Step{{Name: "verify-payee", Class: model.Pure, State: model.Confirmed, Generation: 1}, s, {Name: "post-ledger", Class: model.Local, State: model.Pending, Generation: 1}}
	change(c, s)
	timing := model.NormalPace()
	c.Derive(timing, shownAt)
	return narrator{c: c, timing: timing, clock: templates.Clock{Now: int64(shownAt)}}
}

// plain is a text as its reader sees it.
func plain(t *testing.T, texts ...templates.Text) string {
	t.Helper()
	var page strings.Builder
	view := templates.ErrorView{Title: "{", Text: texts, NotDone: templates.Say("}")}
	view.Page.RequestID = "r"
	if err := templates.Error(view).Render(t.Context(), &page); err != nil {
		t.Fatal(err)
	}
	text := plainText(page.String())
	_, text, _ = strings.Cut(text, "} ")
	text, _, _ = strings.Cut(text, " Request id")
	return text
}

func plainText(body string) string { return page{body: body}.text() }

func facts(t *testing.T, list []templates.Fact) string {
	t.Helper()
	var lines []string
	for _, f := range list {
		lines = append(lines, f.Label+": "+plain(t, f.Text))
	}
	return strings.Join(lines, "\n")
}

// stories are how an intent can stand, and what its page must then say.
var stories = map[string]struct {
	change                               func(*model.Case, *model.Step)
	confirmed, uncertain, next, proposed string
	uncertainFacts                       []string
}{
	"unknown, to be asked": {
		func(_ *model.Case, s *model.Step) {
			s.NextCheckAt = shownAt.Add(time.Minute)
			s.NextTryAt = shownAt.Add(time.Hour)
		},
		"No money is confirmed.", "48,200.00 EUR may or may not have been paid.", "The engine asks bank about create-payout", "Nothing: the engine asks bank",
		[]string{"Sent: once", "Came back: 1 × reset", "Checked: not asked yet; first", "Safe to send again: until", "“Not found” is final: since"},
	},
	"unknown, tries spent": {
		func(_ *model.Case, s *model.Step) {
			s.Tries = 6
			s.Evidence = []model.Evidence{{Source: model.FromQuery, Says: model.Inconclusive, At: ago(time.Minute), Detail: "Not found by our reference."}}
		},
		"", "at worst it was paid once.", "Reconcile: ask bank. Asking changes nothing at bank. “Not found” settles it too: that answer is final since", "Reconcile “not found” is final", []string{"Checked: once, last", "Not found by our reference."},
	},
	"unknown, told by a webhook": {
		func(_ *model.Case, s *model.Step) {
			s.Evidence = []model.Evidence{{Source: model.FromWebhook, Says: model.Inconclusive, At: ago(time.Minute), Detail: "The bank calls it pending."}}
		},
		"", "at worst it was paid once.", "Reconcile", "Reconcile", []string{"Checked: not asked yet. What is known came by webhook, 09:41:18 +00:00 : inconclusive. The bank calls it pending."},
	},
	"unknown, without a key": {
		func(_ *model.Case, s *model.Step) { s.Class, s.Contract = model.Unkeyed, model.Contract{} },
		"", "Bank takes no key here", "Mark with a document", "Mark with a document", []string{"Safe to send again: no: bank takes no key here", "“Not found” is final: never", "Checked: never: bank cannot be asked"},
	},
	"a message, unknown": {
		func(_ *model.Case, s *model.Step) {
			s.Class, s.Operation, s.Amount, s.Currency = model.Message, "message.send", 0, ""
		},
		"", "The message of create-payout may or may not have been sent.", "Reconcile", "Reconcile", []string{"a message is not repeated while unknown"},
	},
	"window closed": {
		func(_ *model.Case, s *model.Step) {
			s.Generations[0].FrozenAt = ago(23 * time.Hour)
			s.Evidence = []model.Evidence{{Source: model.FromQuery, Says: model.Inconclusive, At: ago(time.Minute)}}
		},
		"", "may or may not have been paid", "Reconcile", "Reconcile", []string{"ended"},
	},
	"settling": {
		func(_ *model.Case, s *model.Step) {
			s.State, s.Settling, s.SettlesBy, s.NextCheckAt, s.ExternalRef = model.InProgress, true, shownAt.Add(time.Hour), shownAt.Add(time.Minute), "po_1"
		},
		"No money is confirmed.", "accepted and is not final yet", "The engine asks bank", "Nothing: the engine asks bank", []string{"Settles by: 30 Nov 2026 10:42:18", "Object: po_1"},
	},
	"lack of funds": {
		func(_ *model.Case, s *model.Step) {
			s.State, s.Failure, s.Reason, s.Code = model.FailedSafely, model.Curable, "The balance does not cover this.", "insufficient_funds"
		},
		"", "Nothing. No effect was sent whose outcome is open.", "Refused until a person cures the cause", "Retry once the cause is cured", nil,
	},
	"refused for good, nothing happened": {
		func(_ *model.Case, s *model.Step) {
			s.State, s.Failure, s.Reason = model.FailedSafely, model.Permanent, "The account is closed."
		},
		"", "Nothing.", "It was refused for good, and nothing happened", "", nil,
	},
	"two observations differ": {
		func(c *model.Case, s *model.Step) {
			c.Conflicts = []model.Contradiction{{ID: "k", Step: s.Name, Reason: "The object has another amount."}}
		},
		"", "contradict each other on create-payout: The object has another amount.", "Mark with a document", "Mark with a document", []string{"Safe to send again: no: the contradiction must be closed first"},
	},
	"settlement overdue": {
		func(_ *model.Case, s *model.Step) {
			s.ExternalRef, s.Attempts[0].Result, s.Attempts[0].Code = "po_1", model.ResultAccepted, ""
			s.NextCheckAt = shownAt.Add(time.Hour)
		},
		"", "Bank took create-payout as po_1 and has not said in time how it ended", "It says where po_1 stands. If nobody acts: The engine asks bank", "Reconcile ask bank again",
		[]string{"Came back: 1 × accepted", "Safe to send again: no: its object is known"},
	},
	"another amount": {
		func(c *model.Case, s *model.Step) {
			s.Evidence = []model.Evidence{{ID: "e", Source: model.FromWebhook, Says: model.Conflicting, Ref: "po_9", Amount: 4_820_100, Currency: "EUR", At: ago(time.Minute)}}
			c.Conflicts = []model.Contradiction{{ID: "k", Step: s.Name, EvidenceID: "e", Reason: "The object has another amount."}}
		},
		"", "Whether 48,200.00 EUR or another amount was paid is not settled. We sent 48,200.00 EUR to acct_9 at 07:58:18 +00:00 . Bank has made something of it that we did not ask for. Bank shows 48,201.00 EUR as po_9 ; 48,200.00 EUR was asked for.",
		"Mark with a document. Bank shows 48,201.00 EUR as po_9", "Mark with a document Bank shows 48,201.00 EUR", []string{"Object: po_9 , 48,201.00 EUR , by webhook", "Asked for: 48,200.00 EUR"},
	},
	"paid, then returned": {
		func(c *model.Case, s *model.Step) {
			s.State, s.Moved, s.Returned = model.Confirmed, 4_820_000, 4_820_000
			c.Conflicts = []model.Contradiction{{ID: "k", Step: s.Name, Reason: "The money came back."}}
		},
		"48,200.00 EUR came back", "happened, and the money came back by itself. Nothing is sent again under this intent. A person records what came back", "Mark with a document", "Mark with a document", nil,
	},
	"returned, and recorded": {
		func(c *model.Case, s *model.Step) {
			s.State, s.Moved, s.Returned = model.Confirmed, 4_820_000, 4_820_000
			c.Steps[2].State, c.Steps[2].Operation = model.Confirmed, "ledger.post"
		},
		"48,200.00 EUR was paid and", "Nothing. Every effect", "the ledger entry of post-ledger still stands: compensate post-ledger to reverse it", "", nil,
	},
	"completed": {
		func(c *model.Case, s *model.Step) {
			s.State, s.Moved, s.ExternalRef = model.Confirmed, 4_820_000, "po_1"
			c.Steps[2].State = model.Confirmed
		},
		"48,200.00 EUR is confirmed.", "Nothing. Every effect that was sent is certain.", "Nothing. This intent is complete and sends no more.", "", nil,
	},
	"abandoned": {
		func(c *model.Case, s *model.Step) { c.Abandonment = &model.Abandonment{By: "Olga", Reason: "given up"} },
		"", "may or may not have been paid", "Nothing is sent any more. What is uncertain stays open", "", nil,
	},
	"waits for approval": {
		func(c *model.Case, s *model.Step) {
			s.State, s.Attempts, s.Generations = model.Pending, nil, nil
			c.Steps[0].State, c.Steps[0].Operation, c.Steps[0].PeopleNeeded = model.Pending, model.ApprovalStep, 1
			c.Requests = []model.Approval{{ID: "approval-1", State: model.ApprovalOpen, Action: model.ApproveIntent, Needed: 1, ExpiresAt: shownAt.Add(time.Hour)}}
		},
		"Nothing yet: no step is confirmed.", "Nothing. No effect was sent", "People decide: approve the payout", "Approve or reject", nil,
	},
	"being undone": {
		func(c *model.Case, s *model.Step) {
			s.State, s.Moved = model.Confirmed, 4_820_000
			c.Compensations = []model.Compensation{{Step: s.Name, State: model.CompensationOpen, ChildID: "intent-y"}}
		},
		"48,200.00 EUR is confirmed.", "Nothing.", "It is being undone by its compensation .", "Nothing by itself", nil,
	},
}

func TestStories(t *testing.T) {
	for name, story := range stories {
		n := told(story.change)
		confirmed := n.confirmed()
		said := plain(t, confirmed.Summary)
		for _, e := range confirmed.Effects {
			said += " " + plain(t, e.Text)
		}
		uncertain := n.uncertain()
		doubt := plain(t, append([]templates.Text{uncertain.Lead}, uncertain.Text...)...)
		next := n.next()
		ahead := plain(t, append([]templates.Text{next.Lead}, next.Text...)...) + " " + facts(t, next.Facts)
		lead, why := n.proposal()
		for what, pair := range map[string][2]string{"confirmed": {said, story.confirmed}, "uncertain": {doubt, story.uncertain}, "next": {ahead, story.next},
			"proposed": {plain(t, lead, why), story.proposed}} {
			if !strings.Contains(pair[0], pair[1]) {
				t.Errorf("%s (%s): %s says\n\t%s\nand not\n\t%s", name, n.c.State, what, pair[0], pair[1])
			}
		}
		var items string
		for _, item := range uncertain.Items {
			items += facts(t, item.Facts) + "\n"
		}
		for _, want := range story.uncertainFacts {
			if !strings.Contains(items, want) {
				t.Errorf("%s: %q is not among\n%s", name, want, items)
			}
		}
	}
}

// TestSendsAreCounted: one entry stands for six sends, and the page says so.
func TestSendsAreCounted(t *testing.T) {
	n := told(func(_ *model.Case, s *model.Step) {})
	if n.sends() != nil {
		t.Errorf("one send: %s", plain(t, n.sends()))
	}
	n = told(func(_ *model.Case, s *model.Step) {
		for number := 2; number <= 6; number++ {
			s.Attempts = append(s.Attempts, model.Attempt{Number: number, StartedAt: ago(time.Duration(10-number) * time.Minute)})
		}
	})
	if got := plain(t, n.sends()); !strings.Contains(got, "create-payout was sent 6 times, ") || !strings.Contains(got, " to 09:38:18 +00:00 . Each is in the table of attempts .") {
		t.Errorf("six sends: %s", got)
	}
}

func TestIntended(t *testing.T) {
	n := told(func(*model.Case, *model.Step) {})
	got := facts(t, n.intended())
	for _, want := range []string{"Pay: 48,200.00 EUR to Ελένη , rep-118 , at acct_9", "For: Period 2026-10", "Memo: October", "Asked by: key payroll", "Intent key: run-1"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
}

func TestWords(t *testing.T) {
	for got, want := range map[string]string{
		grouped(7): "7", grouped(18412): "18,412", grouped(1_000_000): "1,000,000", counted(1, "effect"): "1 effect", counted(2, "entry"): "2 entries",
		counted(0, "live process"): "0 live processes", times(1): "once", times(2): "twice", times(3): "3 times", upper("ä"): "Ä", title("retry_unfinished"): "Retry unfinished",
		span(90 * time.Second): "1 min 30 s", span(2*time.Hour + 24*time.Minute): "2 h 24 min", span(72 * time.Hour): "3 days", span(time.Second): "1 s",
		wholeEvent("action"): "action.", wholeEvent("signin.ok"): "signin.ok", wholeEvent("action.reconcile"): "action.reconcile.", wholeEvent("action.reconcile.executed"): "action.reconcile.executed",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestPlanCodesAreComparedAsSpoken(t *testing.T) {
	for typed, same := range map[string]bool{"3F22 FD28": true, "3f22fd28": true, " 3f 22 fd 28 ": true, "3f22-fd28": true, "３Ｆ２２ ｆｄ２８": true, "3F22": false, "": false, "3F22 FD29": false} {
		if sameCode(typed, "3F22 FD28") != same {
			t.Errorf("%q: %v", typed, !same)
		}
	}
	for typed, want := range map[string]string{"": "Type the code of this plan", " - ": "Type the code of this plan", "3F22": "This is not the code of this plan"} {
		if got := codeFault(typed, "plan").For("plan_code"); got != want {
			t.Errorf("%q: %q", typed, got)
		}
	}
}
