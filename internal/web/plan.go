package web

import (
	"encoding/json"
	"fmt"

	"countersign/internal/actions"
	"countersign/internal/model"
	"countersign/web/templates"
)

// planner words a sealed plan, for its preview and for its approval alike.
type planner struct {
	narrator
	action string
	plan   model.Plan
	input  json.RawMessage
	digest string
}

// typed reports whether the plan's code is typed in: the act opens the way to a
// second payment, or cannot be undone.
func (p planner) typed() bool {
	switch p.action {
	case model.RetryUnfinished:
		return len(p.plan.Calls) > 0 && p.plan.Calls[0].State == model.OutcomeUnknown
	case model.MarkExternalResult:
		return p.stated().Result == "did_not_happen"
	case model.Compensate:
		return true
	case model.Abandon:
		return len(p.stated().Acknowledge) > 0
	}
	return false
}

// statedInput is what the person stated, as far as pages show it.
type statedInput struct {
	Result      string   `json:"result"`
	ExternalRef string   `json:"external_ref"`
	Amount      int64    `json:"amount"`
	Currency    string   `json:"currency"`
	Date        string   `json:"date"`
	Acknowledge []string `json:"acknowledge"`
	Document    struct {
		URL, SHA256, Upload string
	} `json:"document"`
}

func (p planner) stated() (in statedInput) {
	_ = json.Unmarshal(p.input, &in) // stored by the runner, which decoded it strictly
	return in
}

// view is the plan as pages show it.
func (p planner) view() templates.PlanView {
	v := templates.PlanView{Code: actions.PlanCode(p.digest), Digest: p.digest, UntouchedNote: say("No other intent."),
		NoCalls: say("Nothing is sent to any provider.")}
	for _, call := range p.plan.Calls {
		v.Calls = append(v.Calls, p.call(call))
	}
	for _, s := range p.plan.Untouched {
		v.Untouched = append(v.Untouched, templates.Line{State: templates.State(s.State), Text: say(s.Step, ", ", words(string(s.State)))})
	}
	for _, s := range p.plan.Then {
		v.Then = append(v.Then, templates.Line{State: templates.State(s.State), Text: say(s.Step), Sub: say(string(s.Class), " · ", templates.Key(s.StepKey))})
	}
	if len(p.plan.Then) > 0 {
		v.ThenNote = say("Only once what comes before is confirmed.")
	}
	for _, c := range p.plan.Changes {
		v.Changes = append(v.Changes, templates.Change{What: c.Subject, Was: words(c.From), Now: words(c.To), Because: say(c.Because)})
	}
	v.Records = p.records()
	if p.action == model.Compensate {
		v.Money = []templates.Fact{{Label: "Confirmed", Text: say(p.confirmedMoney())}, {Label: "To undo", Text: say("what is named in the calls, in full")}}
	}
	return v
}

func (p planner) confirmedMoney() any {
	if p.c.Currency == "" {
		return "no money"
	}
	return model.Money{Amount: p.c.Confirmed, Currency: p.c.Currency}
}

// records are what a mark or an abandonment writes down.
func (p planner) records() (facts []templates.Fact) {
	in := p.stated()
	add := func(label string, text templates.Text) {
		facts = append(facts, templates.Fact{Label: label, Text: text})
	}
	if p.action == model.Abandon && len(in.Acknowledge) > 0 {
		for _, key := range in.Acknowledge {
			add("Acknowledged", say(templates.Key(key)))
		}
	}
	if p.action != model.MarkExternalResult {
		return facts
	}
	add("Result", say(words(in.Result)))
	if in.ExternalRef != "" {
		add("External reference", say(templates.Key(in.ExternalRef)))
	}
	if in.Amount != 0 && in.Currency != "" {
		add("Amount that moved", say(model.Money{Amount: in.Amount, Currency: in.Currency}))
	}
	add("Dated", say(in.Date))
	if in.Document.Upload != "" {
		add("Document", say(templates.Link("/uploads/"+in.Document.Upload, "the file"), " ", templates.Key(in.Document.Upload)))
	} else {
		add("Document", say(templates.Code(in.Document.URL), " ", templates.Code(in.Document.SHA256)))
	}
	return facts
}

// call words one request.
func (p planner) call(call model.PlannedCall) templates.CallView {
	v := templates.CallView{Step: call.Step, State: templates.State(call.State), Method: call.Method, URL: call.URL, StepKey: call.StepKey,
		Class: string(call.Class), Body: call.Body, BodySHA256: call.BodySHA256}
	if v.Method == "" {
		v.Method, v.URL = "inside", "our own database"
	}
	if call.OnRepeat != "" {
		v.OnRepeat = say(call.OnRepeat)
	}
	s := p.c.Step(call.Step)
	if undone := p.undone(call); undone != nil {
		v.Undoes, v.To, v.Money = undone.Name, undone.Provider, money(undone.Moved-undone.Returned, undone.Currency)
	} else if s != nil {
		v.To, v.Money, v.Class = s.Provider, money(s.Amount, s.Currency), classWords(s)
		v.Party = say(" to ", templates.Name(p.c.Payee))
	}
	if call.WireKey != "" {
		v.WireKey = say(templates.Key(call.WireKey))
	}
	p.callHistory(&v, call, s)
	return v
}

// callHistory says how often the request went out, and until when it may again.
func (p planner) callHistory(v *templates.CallView, call model.PlannedCall, s *model.Step) {
	v.SentBefore = say("never")
	if call.SentBefore > 0 {
		v.SentBefore = say(times(call.SentBefore), ", last ", p.at(call.LastSentAt), ", ", templates.Ago(p.at(call.LastSentAt)))
	}
	if call.Class.Effect() && call.Method != "GET" {
		v.Generation = say(fmt.Sprint(call.Generation))
		v.BodyNote = say(grouped(int64(len(call.Body))), " bytes, as they will go out")
	}
	if s == nil || p.undone(call) != nil {
		return
	}
	switch g := s.Frozen(); {
	case call.Generation != s.Generation:
		v.Generation = say(fmt.Sprintf("%d, opened by this retry: under the old key the provider could only repeat its refusal", call.Generation))
	case g != nil && call.Body != "":
		v.Generation = say(fmt.Sprintf("%d, the same as before", call.Generation))
		v.BodyNote = say(grouped(int64(len(call.Body))), " bytes, frozen ", p.clockAt(g.FrozenAt), ", rebuilt from the frozen bytes")
	}
	if s.Contract.Operation != "" {
		v.Contract = say("Contract ", s.Contract.Provider, "/", s.Contract.Operation, ", checked ", s.Contract.Checked)
	}
	if call.SafeUntil != 0 {
		until := p.at(call.SafeUntil)
		v.SafeUntil, v.Gauge = &until, gaugeOf(p.timing, p.clock, s.Frozen(), s)
	}
}

// undoes are the operations that the steps of a compensation undo, by the
// step's name; "" is a message.
var undoes = map[string]string{"reverse-payout": "payout.create", "reverse-credit": "credit.create", "reverse-ledger": "ledger.post",
	"void-statement": "document.issue", "send-correction": "message.send"}

// undone is the step of the intent that a call of its compensation undoes.
func (p planner) undone(call model.PlannedCall) *model.Step {
	operation, ok := undoes[call.Step]
	if p.action != model.Compensate || !ok {
		return nil
	}
	for i := len(p.c.Steps) - 1; i >= 0; i-- {
		if p.c.Steps[i].Operation == operation {
			return p.c.Steps[i]
		}
	}
	return nil
}
