package web

import (
	"fmt"
	"strings"
	"time"

	"countersign/internal/model"
	"countersign/web/templates"
)

// proposal is what comes next, in a few words, and why.
func (n narrator) proposal() (lead, why templates.Text) {
	r := n.c.Review(n.timing, n.now())
	if open := n.c.OpenRequest(); open != nil {
		return say(templates.Link("/approvals/"+open.ID, "Approve or reject")), say(n.asksFor(open), ", asked until ", n.clockAt(open.ExpiresAt))
	}
	if s := n.worthAsking(); s != nil {
		return say("Reconcile"), n.whyAsk(s, r)
	}
	if r != nil {
		return n.proposed(r)
	}
	if n.c.State.Final() {
		return nil, nil
	}
	w := n.c.Work(n.timing, n.now())
	if w.Do == model.DoNothing {
		return say("Nothing by itself"), nil
	}
	return say("Nothing: ", n.work(w)), say(n.until(w), n.clockAt(w.At), ", ", templates.Ago(n.at(w.At)))
}

// asksFor says what a request is about: "compensate create-payout".
func (n narrator) asksFor(open *model.Approval) string {
	switch {
	case open.Action == model.ApproveIntent:
		return "approve the " + n.c.Kind
	case open.Step == "":
		return words(open.Action)
	case open.Action == model.MarkExternalResult && statedIn(open.Input).Result == markNothing:
		return "record " + open.Step + " as not happened"
	}
	return words(open.Action) + ", " + open.Step
}

// soon is how near the engine's own look must be for people to wait for it.
const soon = 2 * time.Minute

// worthAsking is the unknown step that a person had better ask about now: asking
// changes nothing at the provider, and the answer can settle it. nil where the
// engine asks soon, or where "not found" would prove nothing yet.
func (n narrator) worthAsking() *model.Step {
	s, now := n.c.Unfinished(), n.now()
	_, open := n.c.OpenAttempt()
	if s == nil || s.State != model.OutcomeUnknown || !s.Contract.Queryable() || s.Ordered != model.NoOrder || open != nil || n.stopped() {
		return nil
	}
	if s.NextCheckAt != 0 && s.NextCheckAt <= now.Add(soon) {
		return nil
	}
	final, known := n.c.NotFoundFinalAt(s)
	if known && final > now && s.ExternalRef == "" && s.Looks() > 0 {
		return nil
	}
	return s
}

// whyAsk says what asking is good for, and what else could be done.
func (n narrator) whyAsk(s *model.Step, r *model.Review) templates.Text {
	text := say("ask ", s.Provider, " again")
	if at, ok := n.c.NotFoundFinalAt(s); ok && s.ExternalRef == "" {
		text = say("“not found” is final")
		if at > n.now() {
			text = say(text, " ", n.fromOrSince(at))
		}
	}
	if r != nil && r.Propose == model.RetryUnfinished {
		_, why := n.proposedRetry(s, r)
		text = say(text, "; or send again, same key, ", why)
	}
	return text
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

// until stands before the moment of work: of an attempt under way that is the
// end of its worker's lease.
func (n narrator) until(w model.Work) string {
	switch {
	case w.Do != model.DoRecover:
		return ""
	case w.At <= n.now():
		return "its lease ended "
	}
	return "its lease runs until "
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
	if s == nil { // every step is done, and what was done does not stand as it should
		return say(title(r.Propose)), n.because(r)
	}
	switch r.Propose {
	case model.RetryUnfinished:
		return n.proposedRetry(s, r)
	case model.Reconcile:
		return say("Reconcile"), n.whyAsk(s, nil)
	case model.MarkExternalResult:
		return say("Mark with a document"), n.because(r)
	case model.Compensate:
		return say("Compensate, or leave it as it is"), n.prose(s.Reason)
	case model.Abandon:
		if r.Rule == "partial.refused" {
			return say("Leave it as it is: abandon"), n.prose(s.Reason)
		}
	}
	return say(title(r.Propose)), n.because(r)
}

// because is a review's reason; of a contradiction, its figures.
func (n narrator) because(r *model.Review) templates.Text {
	if k := n.c.OpenConflict(); k != nil {
		if figures := n.figures(k); figures != nil {
			return figures
		}
	}
	if s := n.c.StaleEntry(); s != nil && n.reviewed() == nil {
		return n.entryStands(s)
	}
	return n.prose(r.Because)
}

func (n narrator) proposedRetry(s *model.Step, r *model.Review) (lead, why templates.Text) {
	if s.State == model.OutcomeUnknown {
		if until, ok := s.SafeUntil(n.timing.Call); ok {
			return say("Send again, same key"), say("safe until ", n.clockAt(until), ", ", templates.Left(n.at(until)))
		}
	}
	if number, opens := n.c.NextGeneration(s); opens {
		return say("Retry under a new key"), say(fmt.Sprintf("opens generation %d: ", number), n.prose(s.Reason))
	}
	if s.Failure == model.Curable {
		return say("Retry once the cause is cured"), n.prose(s.Reason)
	}
	return say("Retry"), n.prose(r.Because)
}

func (n narrator) fromOrSince(at model.Time) templates.Text {
	if at <= n.now() {
		return say("since ", n.clockAt(at))
	}
	return say("from ", n.clockAt(at), ", ", templates.Ago(n.at(at)))
}

// next answers what happens next.
func (n narrator) next() templates.NextView {
	v := templates.NextView{Facts: n.later()}
	r := n.c.Review(n.timing, n.now())
	asking := n.worthAsking()
	switch open := n.c.OpenRequest(); {
	case open != nil:
		v.Waiting = true
		v.Lead, v.Text = say("People decide: ", templates.Link("/approvals/"+open.ID, n.asksFor(open)), "."), n.asked(open)
	case asking != nil:
		v.Waiting = true
		v.Lead, v.Text = say("Reconcile: ask ", asking.Provider, "."), n.askFirst(asking, r)
	case r != nil:
		v.Waiting = true
		lead, _ := n.proposed(r)
		v.Lead, v.Text = say(lead, "."), []templates.Text{n.because(r)}
		if more := n.repeatMeans(r); more != nil {
			v.Text = append(v.Text, more)
		}
	case n.c.State.Final():
		v.Text = []templates.Text{n.ended()}
	default:
		v.Lead, v.Text = n.bySelf()
	}
	return v
}

// asked says who asked for signatures, why, and how far the request is.
func (n narrator) asked(open *model.Approval) (text []templates.Text) {
	if open.RequestedBy != "" {
		text = append(text, say("Asked by ", templates.Name(open.RequesterName), ", ", n.clockAt(open.CreatedAt), ": ", templates.Name(open.Reason)))
	}
	return append(text, say(n.signedSoFar(*open), "; the request ends ", n.at(open.ExpiresAt), "."))
}

// askFirst says why a look comes first, and what sending again would do.
func (n narrator) askFirst(s *model.Step, r *model.Review) []templates.Text {
	text := say("Asking changes nothing at ", s.Provider, ".")
	switch at, ok := n.c.NotFoundFinalAt(s); {
	case s.ExternalRef != "":
		text = say(text, " It says where ", templates.Key(s.ExternalRef), " stands.")
	case ok && at <= n.now():
		text = say(text, " “Not found” settles it too: that answer is final ", n.fromOrSince(at), ".")
	case ok:
		text = say(text, " “Not found” is final ", n.fromOrSince(at), ".")
	}
	list := []templates.Text{text}
	if r == nil || r.Propose != model.RetryUnfinished {
		return list
	}
	_, why := n.proposedRetry(s, r)
	return append(list, say(templates.Bold("Or send again, same key: "), why, ". ", n.repeatMeans(r)))
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
	return say(upper(n.work(w)), ", ", n.until(w), n.clockAt(w.At), "."), nil
}

// anew is what it would take to try a kind once more.
var anew = map[string]string{model.KindPayout: "paying anew", model.KindStatement: "issuing it anew", model.KindDispute: "responding anew", model.KindCompensation: "undoing anew"}

// ended says why nothing comes any more.
func (n narrator) ended() templates.Text {
	switch n.c.State {
	case model.Completed:
		if s := n.c.StaleEntry(); s != nil {
			return say("Nothing by itself. ", n.entryStands(s))
		}
		return say("Nothing. This intent is complete and sends no more.")
	case model.Abandoned:
		if n.c.UncertainSince == 0 {
			return say("Nothing is sent any more.")
		}
		return say("Nothing is sent any more. What is uncertain stays open and can still be reconciled, marked or compensated.")
	case model.Compensated:
		return say("Nothing. What was done is undone", n.byKin(), ".")
	}
	return say("Nothing. It was refused for good, and nothing happened; ", anew[n.c.Kind], " is a new intent.")
}

// entryStands says that an entry outlived the money that it records.
func (n narrator) entryStands(s *model.Step) templates.Text {
	return say("The money came back, and the ledger entry of ", templates.Bold(s.Name), " still stands: ",
		templates.Link(actionPath(n.c.ID, model.Compensate, s.Name), "compensate "+s.Name), " to reverse it.")
}

// byKin links to what undid the intent.
func (n narrator) byKin() templates.Text {
	if k := n.c.StandingCompensation(); k != nil && k.ChildID != "" {
		return say(" by ", templates.Link("/intents/"+k.ChildID, "its compensation"))
	}
	return nil
}

// later are the facts under what happens next.
func (n narrator) later() (facts []templates.Fact) {
	if n.c.Review(n.timing, n.now()) != nil || n.worthAsking() != nil {
		text := say("It stays as it is; the engine sends nothing by itself.")
		if w := n.c.Work(n.timing, n.now()); w.Do != model.DoNothing {
			text = say(upper(n.work(w)), ", ", n.until(w), n.clockAt(w.At), ".")
		}
		facts = append(facts, templates.Fact{Label: "If nobody acts", Text: text})
	}
	var then []string
	for _, s := range n.c.Steps {
		if s.State == model.Pending && s != n.c.Unfinished() {
			then = append(then, s.Name)
		}
	}
	if u := n.c.Unfinished(); len(then) > 0 && !n.c.State.Final() && n.c.StandingCompensation() == nil && u.Failure != model.Permanent {
		facts = append(facts, templates.Fact{Label: "Then", Text: say(strings.Join(then, ", "), ", by the engine")})
	}
	if n.c.ReviewDue > n.now() {
		facts = append(facts, templates.Fact{Label: "Alarm", Text: say(n.at(n.c.ReviewDue), ", if still under review")})
	}
	return facts
}
