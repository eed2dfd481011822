package web

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"countersign/internal/model"
	"countersign/internal/store"
	"countersign/web/templates"
)

// narrator says in sentences what is known about one intent. Everything that it
// says follows from the case; it reads nothing and decides nothing.
type narrator struct {
	c      *model.Case
	kin    *model.Case // the parent of a compensation, or what undoes the intent; nil where not read
	timing model.Timing
	clock  templates.Clock
	lost   map[string]store.Boot // by id, the starts that may still send; those not read are named by their id
	boss   bool                  // the viewer may declare them dead
	listed []store.ListedAct     // what signed lists did about it; nil where not read
	files  map[string]string     // by the ids of their uploads, the banks' files that are evidence; those not read are plain uploads
}

func (n narrator) now() model.Time                     { return model.Time(n.clock.Now) }
func (n narrator) at(t model.Time) templates.Time      { return n.clock.At(int64(t)) }
func (n narrator) clockAt(t model.Time) templates.Part { return templates.Clocktime(n.at(t)) }

// verbs of the kinds, as the title of a page begins.
var verbs = map[string]struct{ verb, joiner string }{
	model.KindPayout:    {"Payout of", "to"},
	model.KindStatement: {"Statement of", "for"},
	model.KindDispute:   {"Response about", "in"},
}

// title is what stands before the money, if there is any, and between it and
// the name.
func (n narrator) title() (verb, joiner string) {
	if n.c.Kind == model.KindCompensation {
		return n.undoTitle()
	}
	words := verbs[n.c.Kind]
	if _, ok := n.c.Money(); !ok {
		return title(n.c.Kind) + " " + words.joiner, ""
	}
	return words.verb, words.joiner
}

// undoTitle must not read as a payment to somebody.
func (n narrator) undoTitle() (verb, joiner string) {
	what := "an intent"
	if n.kin != nil {
		what = "a " + n.kin.Kind
	}
	if _, ok := n.c.Money(); !ok {
		return "Undo of " + what + ":", ""
	}
	if !n.atProvider() {
		return "Undo of our records of " + what + ":", "to"
	}
	return "Undo of " + what + ":", "back from"
}

// atProvider reports whether a step of the intent acts at a provider, messages apart.
func (n narrator) atProvider() bool {
	return slices.ContainsFunc(n.c.Steps, func(s *model.Step) bool { return movesMoney(s.Class) })
}

// kindTitle names a kind at the beginning of a line.
func kindTitle(kind string) string {
	if kind == model.KindCompensation {
		return "Undo"
	}
	return title(kind)
}

// headline names an intent in a list: its kind and whom it concerns.
func headline(kind, payee string) templates.Text {
	switch kind {
	case model.KindDispute: // the party of a dispute is named so
		return say(templates.Name(payee))
	case model.KindCompensation:
		return say("Undo, ", templates.Name(payee))
	case model.KindStatement:
		return say("Statement for ", templates.Name(payee))
	}
	return say(title(kind), " to ", templates.Name(payee))
}

// done is how an operation reads once it happened: "may or may not have been …".
var done = map[string]string{
	model.PayoutCreate: "paid", model.CreditCreate: "credited", model.MessageSend: "sent", model.DisputeRespond: "submitted",
	model.PayoutReverse: "reversed", model.CreditReverse: "reversed",
}

func doneWord(s *model.Step) string {
	if word, ok := done[s.Operation]; ok {
		return word
	}
	return "done"
}

// stuckState is the state that a row of a list shows, and what it is about.
func (n narrator) stuckState() (templates.State, templates.Text) {
	state := intentState(&n.c.Intent)
	if k := n.c.OpenConflict(); k != nil {
		if n.cameBackItself(k) {
			return state, say(k.Step, " · the money came back")
		}
		return state, say(k.Step, " · two observations differ")
	}
	u := n.c.Unfinished()
	if u == nil || n.c.State.Final() {
		return state, nil
	}
	if n.c.State == model.AwaitingApproval || n.c.State == model.Compensating || u.State == model.Pending {
		return state, say(u.Name)
	}
	return stepState(u), say(u.Name, " · ", stateWords(n.c.State))
}

// since is from when on the intent has been as it is.
func (n narrator) since() model.Time {
	if n.c.UncertainSince != 0 {
		return n.c.UncertainSince
	}
	return n.c.StuckSince
}

// confirmed answers what is confirmed.
func (n narrator) confirmed() templates.ConfirmedView {
	v := templates.ConfirmedView{Summary: n.standing()}
	inside := 0
	for _, s := range n.c.Steps {
		if s.State != model.Confirmed {
			continue
		}
		if !s.Class.Effect() {
			inside++
		}
		v.Effects = append(v.Effects, n.effect(s))
	}
	switch {
	case len(v.Effects) == 0:
		v.Summary = say("Nothing yet: no step is confirmed.")
	case inside == len(v.Effects):
		v.Summary = say(v.Summary, " ", upper(counted(inside, "step")), " without effect outside ", isAre(inside), " done:")
	}
	return v
}

// standing sums up the money that is confirmed, what came back of it, and what
// was undone.
func (n narrator) standing() templates.Text {
	text := say("No money is confirmed.")
	if _, any := n.c.Money(); !any {
		text = say("No money moves under this intent.")
	}
	paid, returned := n.money(func(s *model.Step) int64 { return s.Moved }), n.money(func(s *model.Step) int64 { return s.Returned })
	switch {
	case n.c.Confirmed > 0 && n.c.Currency != "":
		text = say(templates.Strong(model.Money{Amount: n.c.Confirmed, Currency: n.c.Currency}), " is confirmed.")
		if n.c.Kind == model.KindCompensation {
			text = say(templates.Strong(model.Money{Amount: n.c.Confirmed, Currency: n.c.Currency}), " is taken back.")
		}
	case returned != nil:
		text = say("No money is out: ", templates.Strong(*paid), " was paid and ", *returned, " came back by itself.")
	case paid != nil && n.undone() != nil:
		text = say(templates.Strong(*paid), " was paid and taken back.")
	}
	return say(text, n.undone())
}

// money sums a figure of the confirmed movements of money; nil is none.
func (n narrator) money(figure func(*model.Step) int64) *model.Money {
	var sum int64
	for _, s := range n.c.Steps {
		if s.State == model.Confirmed && s.MovesMoney() {
			sum += figure(s)
		}
	}
	return money(sum, n.c.Currency)
}

// undone says by which intent what was done is undone, and under which
// references; nil where nothing is.
func (n narrator) undone() templates.Text {
	k := n.c.StandingCompensation()
	if k == nil || k.State != model.CompensationDone {
		return nil
	}
	text := say(" Undone from ", templates.Bold(k.Step), " on by ", templates.Link("/intents/"+k.ChildID, k.ChildID))
	if n.kin == nil {
		return say(text, ".")
	}
	for _, s := range n.kin.Steps {
		if s.State == model.Confirmed && s.ExternalRef != "" {
			text = say(text, "; ", s.Name, " is ", templates.Key(s.ExternalRef), " at ", s.Provider)
		}
	}
	return say(text, ".")
}

func isAre(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// effect says of one confirmed step what happened and what says so.
func (n narrator) effect(s *model.Step) templates.Effect {
	last := lastThat(s.Evidence, func(e model.Evidence) bool { return e.Says == model.Happened })
	e := templates.Effect{Step: s.Name, Text: n.happened(s)}
	if s.Moved != 0 && s.Currency != "" {
		e.Text = say(templates.Strong(model.Money{Amount: s.Moved, Currency: s.Currency}), " ", e.Text)
	}
	if s.Returned != 0 && s.Currency != "" {
		e.Text = say(e.Text, "; ", templates.Strong(model.Money{Amount: s.Returned, Currency: s.Currency}), " came back")
	}
	if s.ExternalRef != "" && !named(s) {
		e.Text = say(e.Text, ", ", templates.Key(s.ExternalRef))
	}
	if by := n.c.UndoneBy(s); by != "" {
		e.Text = say(e.Text, "; ", takenBack(s), " by ", templates.Link("/intents/"+by, by))
	}
	e.Text = say(e.Text, otherwise(s), n.shownSince(s))
	if last != nil {
		e.Evidence = say("Evidence: ", evidenceOf(s, *last), ", ", n.clockAt(last.At), "; ", n.prose(last.Detail))
	} else if s.Reason != "" {
		e.Evidence = n.prose(s.Reason)
	}
	return e
}

// takenBack is what an undo does to a step's effect: a message that went out
// stays out, an entry of the ledger is met by another.
func takenBack(s *model.Step) string {
	switch {
	case s.Class == model.Message:
		return "corrected"
	case s.Operation == model.LedgerPost:
		return "reversed"
	}
	return "taken back"
}

// happened says who says that a step happened: a mark is a person's word, not
// the provider's, and stays named when the provider is asked later.
func (n narrator) happened(s *model.Step) templates.Text {
	if !s.Class.Effect() {
		return say("confirmed ", n.clockAt(s.ChangedAt))
	}
	mark := lastThat(s.Evidence, func(e model.Evidence) bool { return e.Source == model.FromOperator && e.Says != model.CameBack })
	if mark == nil || mark.Says != model.Happened {
		return say(doneWord(s), " by ", s.Provider, ", confirmed ", n.clockAt(firstKnown(s)))
	}
	text := say(doneWord(s), " as ", templates.Name(mark.By), " marked it")
	if named(s) {
		text = say(text, ", as ", templates.Key(mark.Ref))
	}
	text = say(text, ", ", n.clockAt(mark.At))
	if r := n.signedMark(s, mark.At); r != nil {
		text = say(text, ", signed by ", n.signatures(*r))
	}
	text = say(text, n.signedByList(s, mark.At))
	look := lastThat(s.Evidence, func(e model.Evidence) bool {
		return e.Source == model.FromQuery && e.At >= mark.At && e.Status != "" && e.Says != model.Conflicting
	})
	if look != nil {
		text = say(text, "; asked since, ", s.Provider, " calls it “", look.Status, "”, ", n.clockAt(look.At))
	}
	return text
}

// named reports whether only the document of a mark names the step's reference: it
// stands with the mark, for the provider never said it.
func named(s *model.Step) bool {
	m := s.Marked()
	return m != nil && m.Ref == s.ExternalRef && s.Known() == ""
}

// shownSince says what a provider showed that is not what a person marked; nil where
// it showed nothing of the kind.
func (n narrator) shownSince(s *model.Step) templates.Text {
	m, seen := s.Marked(), n.object(s)
	if m == nil || seen == nil {
		return nil
	}
	text := say(". Since then ", s.Provider, " shows ", templates.Strong(model.Money{Amount: seen.Amount, Currency: seen.Currency}))
	if seen.Status != "" {
		text = say(text, ", “", seen.Status, "”,")
	}
	return say(text, " as ", templates.Key(seen.Ref), ", ", n.clockAt(seen.At))
}

// firstKnown is when it was first known that a step happened.
func firstKnown(s *model.Step) model.Time {
	for _, e := range s.Evidence {
		if e.Says == model.Happened {
			return e.At
		}
	}
	return s.ChangedAt
}

// signedMark is the request by which a mark of that moment was signed, or nil.
func (n narrator) signedMark(s *model.Step, at model.Time) *model.Approval {
	for i := range n.c.Requests {
		r := &n.c.Requests[i]
		if r.Action == model.MarkExternalResult && r.Step == s.Name && r.State == model.ApprovalExecuted && r.CreatedAt <= at && at <= r.ClosedAt {
			return r
		}
	}
	return nil
}

// otherwise says by how much more or less moved than was asked for; nil where it
// is what was asked for.
func otherwise(s *model.Step) templates.Text {
	if !s.MovesMoney() || s.Moved == 0 || s.Amount == 0 || s.Moved == s.Amount {
		return nil
	}
	return say(". That is ", difference(s), " than the ", model.Money{Amount: s.Amount, Currency: s.Currency}, " that was asked for")
}

// evidenceOf names the source of what confirms a step; our own work needs none.
func evidenceOf(s *model.Step, e model.Evidence) templates.Text {
	if !s.Class.Effect() {
		return say(fmt.Sprintf("attempt %d", e.Attempt))
	}
	return sourceWords(e)
}

func lastThat(list []model.Evidence, fits func(model.Evidence) bool) *model.Evidence {
	for i := len(list) - 1; i >= 0; i-- {
		if fits(list[i]) {
			return &list[i]
		}
	}
	return nil
}

// sourceWords say where a piece of evidence comes from.
func sourceWords(e model.Evidence) templates.Text {
	text := say(title(string(e.Source)))
	if e.Attempt != 0 {
		text = say(text, fmt.Sprintf(" of attempt %d", e.Attempt))
	}
	switch {
	case strings.Contains(e.By, "/"): // a worker's name says nothing to people
		return say(text, ", engine")
	case e.By != "":
		return say(text, ", ", templates.Name(e.By))
	}
	return text
}

// span writes a duration in whole units, the two largest.
func span(d time.Duration) string { return model.Lasting(d) }
