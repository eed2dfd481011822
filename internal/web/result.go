package web

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"countersign/internal/actions"
	"countersign/internal/audit"
	"countersign/internal/model"
	"countersign/internal/store"
	"countersign/web/templates"
)

// resultPatience is how long a confirmation waits for what comes of it, and
// glance how long between two looks.
const (
	resultPatience = 2 * time.Second
	glance         = 40 * time.Millisecond
)

// receiptOf is the stored answer of a confirmed preview; nil before.
func receiptOf(row store.Preview) (*actions.Receipt, error) {
	if row.UsedAt == 0 {
		return nil, nil
	}
	var r actions.Receipt
	if err := json.Unmarshal(row.Receipt, &r); err != nil {
		return nil, fmt.Errorf("read the receipt of %s: %w", row.ID, err)
	}
	return &r, nil
}

// awaitResult waits a moment for the engine's result and the entry's number, so
// that the page after it can mostly tell both. What is committed stays so
// whether it comes in time or not.
func (v *visit) awaitResult(preview string, r actions.Receipt) {
	for until := time.Now().Add(v.patience); time.Now().Before(until); time.Sleep(glance) {
		over := false
		err := v.read(func(tx *store.Tx) error {
			c, err := tx.Outline(r.Intent)
			if err != nil {
				return err
			}
			entry, err := v.Log.ByID(tx, audit.Of(c.Account), r.Audit)
			over = err == nil && entry.Index != nil && !ordered(c, preview)
			return err
		})
		if err != nil || over || v.r.Context().Err() != nil {
			return
		}
	}
}

// ordered reports whether the engine still has to do what a preview ordered.
func ordered(c *model.Case, preview string) bool {
	for _, s := range c.Steps {
		if s.Ordered != model.NoOrder && s.OrderID == preview {
			return true
		}
	}
	_, open := c.OpenAttempt()
	return open != nil
}

// result shows what a confirmed preview came to, as it is committed now.
func (v *visit) result() error {
	p, err := v.openPreview()
	if err != nil {
		return err
	}
	if p.receipt == nil {
		return v.to("/previews/" + p.ID)
	}
	var entry audit.Item
	err = v.read(func(tx *store.Tx) error {
		entry, err = v.Log.ByID(tx, audit.Of(p.c.Account), p.receipt.Audit)
		return err
	})
	if err != nil && !errors.Is(err, model.NotFound) {
		return err
	}
	return v.show(http.StatusOK, templates.Result(v.resultView(p, entry)))
}

func (v *visit) resultView(p previewPage, entry audit.Item) templates.ResultView {
	view := templates.ResultView{Page: v.titled("Result: " + words(p.Action)), Crumb: crumb(p.c), State: intentState(&p.c.Intent),
		Meta: []templates.Text{auditMeta(entry), say("Plan ", templates.Code(actions.PlanCode(p.Digest)))},
		Back: templates.Button{Href: "/intents/" + p.c.ID, Label: "Back to the " + p.c.Kind}, Others: []templates.Button{{Href: "/", Label: "To the queue"}},
		Facts: []templates.Fact{{Label: "Reason given", Text: say("“", templates.Name(entry.Reason), "”")}}, About: "The record"}
	if text := exposureOf(p.c).line(); text != nil {
		view.Meta = append(view.Meta, text)
	}
	s := p.c.Step(p.stepName())
	view.Facts = append(view.Facts, templates.Fact{Label: "Confirmed by", Text: say(templates.Name(entry.Actor.Name), ", ", v.at(p.UsedAt))})
	if s != nil {
		view.State, view.Of = stepState(s), s.Name
		view.Facts = append(view.Facts, p.stepFacts(s)...)
		if was := p.was(s); was != view.State {
			view.Was = was
		}
	}
	if p.receipt.Outcome == actions.AwaitingApproval {
		v.asked(p, &view)
	} else {
		view.Pending = ordered(p.c, p.ID)
		v.happened(p, s, &view)
	}
	if len(view.Next) == 0 {
		view.Next = p.nextLines()
	}
	return view
}

// stepFacts name the step that it is about, and the money on it.
func (p previewPage) stepFacts(s *model.Step) []templates.Fact {
	facts := []templates.Fact{{Label: "Step key", Text: say(templates.Key(s.Key()))}}
	if s.HasMoney() {
		facts = append(facts, templates.Fact{Label: "Money", Text: p.moneyOf(s)})
	}
	return facts
}

// moneyOf is the money that the plan is about: of a mark what it records, beside
// what was asked for where that is another sum.
func (p previewPage) moneyOf(s *model.Step) templates.Text {
	asked := model.Money{Amount: s.Amount, Currency: s.Currency}
	if m, ok := p.statedMoney(s); ok && p.Action == model.MarkExternalResult && m != asked {
		return say(m, ", ", asked, " asked")
	}
	return say(asked)
}

// was is the state of the step in the plan; "" where the plan does not name it.
func (p previewPage) was(s *model.Step) templates.State {
	for _, call := range p.Plan.Calls {
		if call.Step == s.Name && p.undone(call) == nil {
			return templates.State(call.State)
		}
	}
	return ""
}

// auditMeta names the entry by its number, once it has one.
func auditMeta(entry audit.Item) templates.Text {
	if entry.Index == nil {
		return say("Audit entry ", templates.Link("/audit/"+entry.ID, "not yet numbered"))
	}
	return say("Audit number ", templates.Link(fmt.Sprintf("/audit/%d", *entry.Index), grouped(*entry.Index)))
}

// happened words what was carried out.
func (v *visit) happened(p previewPage, s *model.Step, view *templates.ResultView) {
	switch p.Action {
	case model.RetryUnfinished:
		p.retried(s, view)
	case model.Reconcile:
		p.reconciled(s, view)
	case model.MarkExternalResult:
		view.Title = "Recorded as " + p.statedAs()
		view.Note = templates.Note{Kind: "ok", Title: say("Your statement is evidence now, with its document.")}
	case model.Abandon:
		view.Title, view.State, view.Of = "Given up: nothing more is sent", intentState(&p.c.Intent), ""
		view.Note = templates.Note{Kind: "ok", Title: say("Nothing is sent under this intent any more.")}
	default:
		view.Title, view.Note = title(p.Action)+": done", templates.Note{Kind: "ok", Title: p.prose(upper(p.c.Reason))}
	}
}

// retried words the one attempt that was ordered.
func (p previewPage) retried(s *model.Step, view *templates.ResultView) {
	view.Title, view.Note = "Ordered: one more try", templates.Note{Kind: "go", Title: say("The engine makes exactly one attempt.")}
	if s != nil && s.Rule != "" && !s.Class.Effect() {
		view.Title, view.Note.Title = "Ordered: asked for approval anew", say("The engine makes a new request for signatures; nothing is sent to a provider before people sign it.")
	}
	if s == nil || p.receipt.Attempt == nil || s.Attempt(*p.receipt.Attempt) == nil {
		return
	}
	a := s.Attempt(*p.receipt.Attempt)
	view.About = fmt.Sprintf("Attempt %d", a.Number)
	view.Facts = append(view.Facts, templates.Fact{Label: "Sent", Text: say(p.at(a.StartedAt))})
	if a.FinishedAt == 0 {
		view.Title = "Under way: one more try"
		return
	}
	view.Title = "Tried once more: " + words(string(a.Result))
	view.Note = p.noteOf(s, a.Reason)
	view.Facts = append(view.Facts, templates.Fact{Label: "Answered in", Text: say(grouped(a.FinishedAt.Sub(a.StartedAt).Milliseconds()), " ms", status(a.Status))})
	if a.RequestID != "" {
		view.Facts = append(view.Facts, templates.Fact{Label: "Request", Text: say(templates.Key(a.RequestID))})
	}
}

// status names the HTTP status of an answer, where there was one.
func status(code int) string {
	if code == 0 {
		return ""
	}
	return fmt.Sprintf(", status %d", code)
}

// reconciled words what the provider said.
func (p previewPage) reconciled(s *model.Step, view *templates.ResultView) {
	view.Title, view.Note = "Ordered: the provider is asked", templates.Note{Kind: "go", Title: say("The engine asks at once.")}
	if s == nil {
		return
	}
	looks := looksSince(s, p.UsedAt)
	if len(looks) == 0 {
		return
	}
	e := looks[0] // the first one carries the order out; later ones are the engine's
	view.Title = answered(s.Provider, e)
	view.About = "The answer"
	view.Note = templates.Note{Kind: saysKind[e.Says], Title: p.prose(upper(e.Detail))}
	if s.Reason != e.Detail {
		view.Note.Text = []templates.Text{say("Now: ", p.prose(upper(s.Reason)))}
	}
	view.Facts = append(view.Facts, templates.Fact{Label: "Answered", Text: say(p.at(e.At))})
	if e.Ref != "" {
		view.Facts = append(view.Facts, templates.Fact{Label: "Reference", Text: say(templates.Key(e.Ref))})
	}
	if later := len(looks) - 1; later > 0 {
		last := looks[later]
		view.Facts = append(view.Facts, templates.Fact{Label: "Since then", Text: say("Looked at ", times(later), " more, last ", p.clockAt(last.At), ": ", p.prose(last.Detail))})
	}
}

// looksSince are the looks at the provider from a moment on, oldest first.
func looksSince(s *model.Step, since model.Time) (list []model.Evidence) {
	for _, e := range s.Evidence {
		if (e.Source == model.FromQuery || e.Source == model.FromWebhook) && e.At >= since {
			list = append(list, e)
		}
	}
	return list
}

// saysKind is the look of an answer that settles something.
var saysKind = map[model.Says]string{model.Happened: "ok", model.DidNotHappen: "no", model.Inconclusive: "q", model.Conflicting: "q", model.CameBack: "no"}

// answered is what a look-up came to, as a heading. It reads the answer alone, so
// that what is learnt later does not change it.
func answered(provider string, e model.Evidence) string {
	switch e.Says {
	case model.Happened:
		return upper(provider) + " says that it happened"
	case model.DidNotHappen:
		return upper(provider) + " says that it did not happen"
	case model.Conflicting:
		return upper(provider) + " says something that cannot be true as well"
	case model.CameBack:
		return upper(provider) + " says that the money came back"
	}
	if e.Ref != "" && !e.Final {
		return upper(provider) + " has it; it is not final yet"
	}
	return "The answer settles nothing"
}

// noteOf says what came back, and what is known of the step now.
func (n narrator) noteOf(s *model.Step, back string) templates.Note {
	note := templates.Note{Kind: noteKind(s), Title: n.prose(upper(back))}
	if s.Reason != back {
		note.Text = []templates.Text{n.prose(upper(s.Reason))}
	}
	return note
}

// noteKind is the look of what is known now.
func noteKind(s *model.Step) string {
	switch {
	case s.State == model.OutcomeUnknown:
		return "q"
	case s.State == model.Confirmed:
		return "ok"
	case s.State == model.FailedSafely:
		return "no"
	}
	return "go"
}

// nextLines say what comes now.
func (p previewPage) nextLines() (lines []templates.Line) {
	next := p.next()
	if len(next.Lead) > 0 {
		lines = append(lines, templates.Line{Text: next.Lead, State: intentState(&p.c.Intent)})
	}
	for _, text := range next.Text {
		lines = append(lines, templates.Line{Text: text})
	}
	return lines
}
