package web

import (
	"fmt"
	"strings"
	"time"

	"countersign/internal/model"
	"countersign/web/templates"
)

// narrator says in sentences what is known about one intent. Everything that it
// says follows from the case; it reads nothing and decides nothing.
type narrator struct {
	c      *model.Case
	timing model.Timing
	clock  templates.Clock
}

func (n narrator) now() model.Time                     { return model.Time(n.clock.Now) }
func (n narrator) at(t model.Time) templates.Time      { return n.clock.At(int64(t)) }
func (n narrator) clockAt(t model.Time) templates.Part { return templates.Clocktime(n.at(t)) }

// verbs of the kinds, as the title of a page begins.
var verbs = map[string]struct{ verb, joiner string }{
	model.KindPayout:       {"Payout of", "to"},
	model.KindStatement:    {"Statement of", "for"},
	model.KindDispute:      {"Response about", "in"},
	model.KindCompensation: {"Compensation of", "paid to"},
}

// done is how an operation reads once it happened: "may or may not have been …".
var done = map[string]string{
	"payout.create": "paid", "credit.create": "credited", "message.send": "sent", "dispute.respond": "submitted",
	"payout.reverse": "reversed", "credit.reverse": "reversed",
}

func doneWord(s *model.Step) string {
	if word, ok := done[s.Operation]; ok {
		return word
	}
	return "done"
}

// stuckState is the state that a row of a list shows, and what it is about.
func (n narrator) stuckState() (templates.State, templates.Text) {
	state := templates.State(n.c.State)
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
	return stepState(u), say(u.Name, " · ", words(string(n.c.State)))
}

// since is from when on the intent has been as it is.
func (n narrator) since() model.Time {
	if n.c.UncertainSince != 0 {
		return n.c.UncertainSince
	}
	return n.c.StuckSince
}

// proposal is what comes next, in a few words, and why.
func (n narrator) proposal() (lead, why templates.Text) {
	if r := n.c.Review(n.timing, n.now()); r != nil {
		return n.proposed(r)
	}
	if open := n.c.OpenRequest(); open != nil {
		return say(templates.Link("/approvals/"+open.ID, "Approve or reject")), say("asked until ", n.clockAt(open.ExpiresAt))
	}
	if n.c.State.Final() {
		return nil, nil
	}
	w := n.c.Work(n.timing, n.now())
	if w.Do == model.DoNothing {
		return say("Nothing by itself"), nil
	}
	return say("Nothing: ", n.work(w)), say(n.clockAt(w.At), ", ", templates.Ago(n.at(w.At)))
}

// work says what the engine does next, as "the engine …".
func (n narrator) work(w model.Work) string {
	switch w.Do {
	case model.DoRun:
		return "the engine runs " + w.Step.Name
	case model.DoSend:
		if w.Step.State == model.Pending {
			return "the engine sends " + w.Step.Name
		}
		return "the engine sends " + w.Step.Name + " again"
	case model.DoCheck:
		return "the engine asks " + w.Step.Provider + " about " + w.Step.Name
	case model.DoOverdue:
		return w.Step.Provider + " says how " + w.Step.Name + " ended, or it becomes unknown"
	case model.DoRecover:
		return "a worker has an attempt of " + w.Step.Name + " under way"
	}
	return "the approval request ends"
}

// reviewed is the step that a review is about.
func (n narrator) reviewed() *model.Step {
	if k := n.c.OpenConflict(); k != nil {
		return n.c.Step(k.Step)
	}
	return n.c.Unfinished()
}

// proposed words the act that a review proposes.
func (n narrator) proposed(r *model.Review) (lead, why templates.Text) {
	s := n.reviewed()
	switch r.Propose {
	case model.RetryUnfinished:
		return n.proposedRetry(s, r)
	case model.Reconcile:
		if at, ok := n.c.NotFoundFinalAt(s); ok {
			return say("Reconcile"), say("“not found” is final ", n.fromOrSince(at))
		}
		return say("Reconcile"), say("ask ", s.Provider, " again")
	case model.MarkExternalResult:
		return say("Mark with a document"), say(r.Because)
	case model.Compensate:
		return say("Compensate, or leave it as it is"), say(s.Reason)
	}
	return say(title(r.Propose)), say(r.Because)
}

func (n narrator) proposedRetry(s *model.Step, r *model.Review) (lead, why templates.Text) {
	if s.State == model.OutcomeUnknown {
		if until, ok := s.SafeUntil(n.timing.Call); ok {
			return say("Send again, same key"), say("safe until ", n.clockAt(until), ", ", templates.Left(n.at(until)))
		}
	}
	if number, opens := n.c.NextGeneration(s); opens {
		return say("Retry under a new key"), say(fmt.Sprintf("opens generation %d: ", number), s.Reason)
	}
	if s.Failure == model.Curable {
		return say("Retry once the cause is cured"), say(s.Reason)
	}
	return say("Retry"), say(r.Because)
}

func (n narrator) fromOrSince(at model.Time) templates.Text {
	if at <= n.now() {
		return say("since ", n.clockAt(at))
	}
	return say("from ", n.clockAt(at), ", ", templates.Ago(n.at(at)))
}

// confirmed answers what is confirmed.
func (n narrator) confirmed() templates.ConfirmedView {
	v := templates.ConfirmedView{Summary: say("No money is confirmed.")}
	if n.c.Confirmed > 0 && n.c.Currency != "" {
		v.Summary = say(templates.Strong(model.Money{Amount: n.c.Confirmed, Currency: n.c.Currency}), " is confirmed.")
	}
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

func isAre(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// effect says of one confirmed step what happened and what says so.
func (n narrator) effect(s *model.Step) templates.Effect {
	e := templates.Effect{Step: s.Name, Text: say("confirmed ", n.clockAt(s.ChangedAt))}
	if s.Class.Effect() {
		e.Text = say(doneWord(s), " by ", s.Provider, ", confirmed ", n.clockAt(s.ChangedAt))
	}
	if s.Moved != 0 && s.Currency != "" {
		e.Text = say(templates.Strong(model.Money{Amount: s.Moved, Currency: s.Currency}), " ", e.Text)
	}
	if s.Returned != 0 && s.Currency != "" {
		e.Text = say(e.Text, "; ", templates.Strong(model.Money{Amount: s.Returned, Currency: s.Currency}), " came back")
	}
	if s.ExternalRef != "" {
		e.Text = say(e.Text, ", ", templates.Key(s.ExternalRef))
	}
	if last := lastThat(s.Evidence, func(e model.Evidence) bool { return e.Says == model.Happened }); last != nil {
		e.Evidence = say("Evidence: ", evidenceOf(s, *last), ", ", n.clockAt(last.At), "; ", last.Detail)
	} else if s.Reason != "" {
		e.Evidence = say(s.Reason)
	}
	return e
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

// next answers what happens next.
func (n narrator) next() templates.NextView {
	v := templates.NextView{Facts: n.later()}
	r := n.c.Review(n.timing, n.now())
	switch open := n.c.OpenRequest(); {
	case r != nil:
		v.Waiting = true
		lead, _ := n.proposed(r)
		v.Lead, v.Text = say(lead, "."), []templates.Text{say(r.Because)}
		if more := n.repeatMeans(r); more != nil {
			v.Text = append(v.Text, more)
		}
	case open != nil:
		v.Waiting = true
		v.Lead = say("People decide: ", templates.Link("/approvals/"+open.ID, words(open.Action)), ".")
		v.Text = []templates.Text{say(counted(open.Needed, "signature"), " needed; the request ends ", n.at(open.ExpiresAt), ".")}
	case n.c.State.Final():
		v.Text = []templates.Text{n.ended()}
	default:
		v.Lead, v.Text = n.bySelf()
	}
	return v
}

// repeatMeans says what sending again would do, where that is proposed.
func (n narrator) repeatMeans(r *model.Review) templates.Text {
	s := n.reviewed()
	if r.Propose != model.RetryUnfinished || s == nil || s.State != model.OutcomeUnknown {
		return nil
	}
	return say("If ", s.Provider, " has it, it answers with its first result and does nothing more. If it does not, it acts now.")
}

// bySelf says what the engine does without anybody.
func (n narrator) bySelf() (lead templates.Text, text []templates.Text) {
	if k := n.c.StandingCompensation(); k != nil && k.ChildID != "" {
		return say("It is being undone by ", templates.Link("/intents/"+k.ChildID, "its compensation"), "."), nil
	}
	w := n.c.Work(n.timing, n.now())
	if w.Do == model.DoNothing {
		return nil, []templates.Text{say("The engine has nothing to do here.")}
	}
	return say(upper(n.work(w)), ", ", n.clockAt(w.At), "."), nil
}

// ended says why nothing comes any more.
func (n narrator) ended() templates.Text {
	switch n.c.State {
	case model.Completed:
		return say("Nothing. This intent is complete and sends no more.")
	case model.Abandoned:
		if n.c.UncertainSince == 0 {
			return say("Nothing is sent any more.")
		}
		return say("Nothing is sent any more. What is uncertain stays open and can still be reconciled, marked or compensated.")
	case model.Compensated:
		return say("Nothing. What was done is undone.")
	}
	return say("Nothing. It was refused for good, and nothing happened; paying anew is a new intent.")
}

// later are the facts under what happens next.
func (n narrator) later() (facts []templates.Fact) {
	if n.c.Review(n.timing, n.now()) != nil {
		text := say("It stays as it is; the engine sends nothing by itself.")
		if w := n.c.Work(n.timing, n.now()); w.Do != model.DoNothing {
			text = say(upper(n.work(w)), ", ", n.clockAt(w.At), ".")
		}
		facts = append(facts, templates.Fact{Label: "If nobody acts", Text: text})
	}
	var then []string
	for _, s := range n.c.Steps {
		if s.State == model.Pending && s != n.c.Unfinished() {
			then = append(then, s.Name)
		}
	}
	if len(then) > 0 && !n.c.State.Final() && n.c.StandingCompensation() == nil {
		facts = append(facts, templates.Fact{Label: "Then", Text: say(strings.Join(then, ", "), ", by the engine")})
	}
	if n.c.ReviewDue != 0 {
		facts = append(facts, templates.Fact{Label: "Alarm", Text: say(n.at(n.c.ReviewDue), ", if still under review")})
	}
	return facts
}

// span writes a duration in whole units, the two largest.
func span(d time.Duration) string {
	d = d.Round(time.Second)
	h, m, s := int(d.Hours()), int(d.Minutes())%60, int(d.Seconds())%60
	switch {
	case h >= 48:
		return fmt.Sprintf("%d days", h/24)
	case h > 0 && m > 0:
		return fmt.Sprintf("%d h %d min", h, m)
	case h > 0:
		return fmt.Sprintf("%d h", h)
	case m > 0 && s > 0:
		return fmt.Sprintf("%d min %d s", m, s)
	case m > 0:
		return fmt.Sprintf("%d min", m)
	}
	return fmt.Sprintf("%d s", s)
}
