package web

import (
	"fmt"
	"slices"
	"time"

	"countersign/internal/actions"
	"countersign/internal/model"
	"countersign/web/templates"
)

// idle is how long a list may stand still before its page offers to go on.
const idle = 10 * time.Second

// awaitBulk waits a moment for the results of a list's items and for what the
// engine makes of them, so that the page after it can mostly show all of them.
func (v *visit) awaitBulk(l actions.List) {
	for until := time.Now().Add(v.patience); (bulkPage{List: l}).awaited() && time.Now().Before(until); time.Sleep(glance) {
		next, err := v.Runner.GetBulk(v.r.Context(), v.actor, l.ID)
		if err != nil {
			return
		}
		l = next
	}
}

// awaited reports whether more is going to be known of a confirmed list soon.
func (p bulkPage) awaited() bool {
	return p.State == model.BulkRunning || slices.ContainsFunc(p.Items, func(i model.BulkItem) bool {
		became := p.Stands[i.Position].Became()
		return i.Outcome == model.ItemExecuted && (became == model.BecameOrdered || became == model.BecameUnderWay)
	})
}

// carriedOut reports whether items of the list have results, or are getting them.
func (p bulkPage) carriedOut() bool {
	return p.State == model.BulkRunning || p.State == model.BulkDone
}

// counts reports whether an item is one of those that the page's figures are
// about: what was done; of a list that nobody has decided, what would be.
func (p bulkPage) counts(item model.BulkItem) bool {
	switch {
	case p.carriedOut():
		return item.Outcome == model.ItemExecuted
	case p.Standing(p.Now) == model.BulkPreviewed, p.Standing(p.Now) == model.BulkOpen:
		return item.Included() && !slices.Contains(p.Moved, item.Position)
	}
	return item.Included()
}

// counted is how many items the figures are about.
func (p bulkPage) counted() (n int) {
	for _, item := range p.Items {
		if p.counts(item) {
			n++
		}
	}
	return n
}

// progress says how far the list has got, and what that came to.
func (p bulkPage) progress() *templates.BulkProgress {
	left := p.Left()
	done := p.Planned - left
	g := &templates.BulkProgress{Done: done, All: p.Planned, Text: say(fmt.Sprintf("%s of %s reached", grouped(int64(done)), grouped(int64(p.Planned)))), Counts: p.tally()}
	last := p.UsedAt
	for _, item := range p.Items {
		last = max(last, item.At)
	}
	g.GoOn = left > 0 && p.Now.Sub(last) > idle
	return g
}

// tally counts what the items have come to, as far as is known now: that a plan
// was carried out does not say that anything happened.
func (p bulkPage) tally() (lines []templates.Line) {
	became, ended := map[model.Became]int{}, map[model.BulkOutcome]int{}
	for _, item := range p.Items {
		if item.Outcome == model.ItemExecuted {
			became[p.Stands[item.Position].Became()]++
		} else {
			ended[item.Outcome]++
		}
	}
	add := func(n int, words string) {
		if n > 0 {
			lines = append(lines, templates.Line{Text: say(grouped(int64(n)), " ", words)})
		}
	}
	for _, b := range model.Becames {
		add(became[b], becameWords[b])
	}
	for _, o := range model.BulkOutcomes {
		add(ended[o], outcomeWords[o])
	}
	add(p.Left(), "not done yet")
	add(len(p.Items)-p.Planned, "left out")
	return lines
}

// becameWords are how items are counted by what they came to.
var becameWords = map[model.Became]string{model.BecameConfirmed: "confirmed", model.BecameSettling: "in transit, not final", model.BecameUnknown: "still unknown",
	model.BecameFailed: "failed safely", model.BecameOrdered: "ordered, not carried out yet", model.BecameUnderWay: "under way", model.BecamePending: "pending",
	model.BecameNotNeeded: "not needed", model.BecameGivenUp: "given up"}

// outcomeWords are how items that were not done are counted.
var outcomeWords = map[model.BulkOutcome]string{model.ItemStale: "not done: moved since", model.ItemRefused: "not done: refused",
	model.ItemDenied: "not done: a right is gone", model.ItemFailed: "not done: a fault of ours"}

// itemResult says what became of an item, never more than is known.
func (v *visit) itemResult(p bulkPage, row *templates.BulkRow, i model.Intent, item model.BulkItem) {
	if row.Result = "waiting"; item.Outcome != model.ItemWaiting {
		row.Result, row.Said = templates.Outcome(item.Outcome), v.proseOf(i, item.Said)
	}
	if at := slices.IndexFunc(p.cases, func(c *model.Case) bool { return c.ID == item.IntentID }); at >= 0 && item.Outcome == model.ItemExecuted {
		v.itemCame(p, row, p.cases[at], item)
	}
	if item.Attempt > 0 {
		row.Record = say(templates.Link("/intents/"+item.IntentID+"#attempts", fmt.Sprintf("attempt %d", item.Attempt)))
	}
	if item.Entry == "" {
		return
	}
	if len(row.Record) > 0 {
		row.Record = say(row.Record, " · ")
	}
	row.Record = say(row.Record, templates.Link("/audit/"+item.Entry, "audit entry"))
}

// itemCame says what came of a plan that was carried out, in the words of the
// page of a single result, and how what it was about stands now.
func (v *visit) itemCame(p bulkPage, row *templates.BulkRow, c *model.Case, item model.BulkItem) {
	n := narrator{c: c, timing: v.Timing, clock: v.page.Clock}
	s := c.Step(item.Step)
	if s == nil {
		row.State, row.Said = intentState(&c.Intent), n.leftOpen(p.Stands[item.Position], item.Currency)
		return
	}
	row.State, row.Of = stepState(s), s.Name
	if p.Stands[item.Position].Became() == model.BecameOrdered {
		row.Said = say("Ordered, not carried out yet.")
		return
	}
	if row.Said = n.tried(s, item.Attempt); p.Action == model.Reconcile {
		row.Said = n.answerTo(s, item.At)
	}
	if s.State == model.OutcomeUnknown {
		row.Said = say(row.Said, " The outcome is still unknown.")
	}
}

// tried says what came of the one attempt that was ordered.
func (n narrator) tried(s *model.Step, number int) templates.Text {
	a := s.Attempt(number)
	switch {
	case a == nil:
		return n.prose(upper(s.Reason))
	case a.FinishedAt == 0:
		return say("Under way.")
	}
	return say("Tried once more: ", words(string(a.Result)), ". ", n.prose(upper(a.Reason)), n.newer(s, a.Reason))
}

// answerTo says what the provider answered to a look that was ordered at a moment.
func (n narrator) answerTo(s *model.Step, ordered model.Time) templates.Text {
	looks := looksSince(s, ordered)
	if len(looks) == 0 {
		return n.prose(upper(s.Reason))
	}
	return say(templates.Link("/intents/"+n.c.ID+"#evidence", answered(s.Provider, looks[0])), ". ", n.prose(upper(looks[0].Detail)), n.newer(s, looks[0].Detail))
}

// newer is what is known of a step since something was said of it; nil where that
// is still the last word, or the outcome is still unknown.
func (n narrator) newer(s *model.Step, said string) templates.Text {
	if s.Reason == said || s.Reason == "" || s.State == model.OutcomeUnknown {
		return nil
	}
	return say(" Now: ", n.prose(n.sentence(s.Reason)))
}

// leftOpen says what stays open of an intent that was given up.
func (n narrator) leftOpen(s model.BulkStand, currency string) templates.Text {
	switch {
	case s.Uncertain > 0:
		return say("Nothing more is sent; ", model.Money{Amount: s.Uncertain, Currency: currency}, " stays uncertain.")
	case s.Transit > 0:
		return say("Nothing more is sent; ", model.Money{Amount: s.Transit, Currency: currency}, " stays in transit.")
	}
	return say("Nothing more is sent.")
}

// sums is the ledger line of what the list acts on, or acted on.
func (p bulkPage) sums() templates.Sums {
	s := templates.Sums{Heading: "Acts on", Figure: counted(p.counted(), "intent"), Calm: true, Note: say("none of them can be paid twice")}
	doubt := 0
	for _, sum := range p.SumsOf(p.counts) {
		note := say(counted(sum.Items, "intent"))
		if sum.Doubt > 0 && !p.carriedOut() {
			note = say(note, "; ", model.Money{Amount: sum.Twice, Currency: sum.Currency}, " may have been paid already")
		}
		doubt += sum.Doubt
		s.Columns = append(s.Columns, templates.SumColumn{Money: model.Money{Amount: sum.Amount, Currency: sum.Currency}, Note: say(note, p.openNow(sum.Currency))})
	}
	switch {
	case p.carriedOut():
		p.sumsSince(&s)
	case doubt > 0:
		s.Calm, s.Note = false, say(counted(doubt, "intent"), " may have happened already")
	case p.Action == model.Reconcile:
		s.Note = say("asking moves no money")
	case p.Action == model.MarkExternalResult:
		s.Note = say("uncertain here; by the bank’s file they happened")
	case p.Action == model.Abandon:
		s.Note = say("nothing more is sent for them")
	}
	if state := p.Standing(p.Now); !p.carriedOut() && state != model.BulkPreviewed && state != model.BulkOpen {
		s.Heading, s.Calm, s.Note = "Was to act on", true, say("nothing of it was done")
	}
	return s
}

// sumsSince puts the figures of a list into the past, and says what is open now.
func (p bulkPage) sumsSince(s *templates.Sums) {
	unknown := 0
	for _, item := range p.Items {
		if stand := p.Stands[item.Position]; p.counts(item) && (stand.Uncertain > 0 || stand.State == model.OutcomeUnknown) {
			unknown++
		}
	}
	s.Heading, s.Note = "Acted on", say("nothing of it is uncertain now")
	if unknown > 0 {
		s.Calm, s.Note = false, say(counted(unknown, "intent"), " uncertain now")
	}
}

// openNow says what of a currency's money is open now, of a list that was carried
// out; nil where nothing is.
func (p bulkPage) openNow(currency string) (text templates.Text) {
	var uncertain, transit int64
	for _, item := range p.Items {
		if p.carriedOut() && p.counts(item) && item.Currency == currency {
			uncertain, transit = uncertain+p.Stands[item.Position].Uncertain, transit+p.Stands[item.Position].Transit
		}
	}
	if uncertain > 0 {
		text = say("; ", model.Money{Amount: uncertain, Currency: currency}, " uncertain now")
	}
	if transit > 0 {
		text = say(text, "; ", model.Money{Amount: transit, Currency: currency}, " in transit now")
	}
	return text
}
