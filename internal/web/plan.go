package web

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"countersign/internal/actions"
	"countersign/internal/model"
	"countersign/internal/store"
	"countersign/web/templates"
)

// planner words a sealed plan, for its preview and for its approval alike.
type planner struct {
	narrator
	action string
	about  string // the step's name, "" for the whole intent
	plan   model.Plan
	input  json.RawMessage
	digest string
	upload store.Upload // that a mark refers to, without its bytes; zero for none
}

// findUpload reads what is known of the document that a mark refers to.
func (p *planner) findUpload(tx *store.Tx, account string) (err error) {
	if id := p.stated().Document.Upload; id != "" {
		p.upload, err = tx.Upload(account, id)
		p.upload.Body = nil
	}
	return err
}

// typed reports whether the plan's code is typed in: the act opens the way to a
// second payment, or cannot be undone.
func (p planner) typed() bool {
	switch p.action {
	case model.RetryUnfinished:
		return len(p.plan.Calls) > 0 && p.plan.Calls[0].State == model.OutcomeUnknown
	case model.MarkExternalResult:
		return p.stated().Result != markHappened
	case model.Compensate:
		return true
	case model.Abandon:
		return len(p.stated().Acknowledge) > 0
	}
	return false
}

// The results of a mark: that something took place, and that it did not.
const (
	markHappened = "happened"
	markNothing  = "did_not_happen"
)

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

func (p planner) stated() statedInput { return statedIn(p.input) }

// statedIn reads the input of a plan.
func statedIn(input json.RawMessage) (in statedInput) {
	_ = json.Unmarshal(input, &in) // stored by the runner, which decoded it strictly
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
		v.Untouched = append(v.Untouched, templates.Line{State: templates.State(s.State), Text: say(s.Step, ", ", stateWords(s.State)), Sub: say(p.classOf(s.Step, s.Class))})
	}
	for _, s := range p.plan.Then {
		v.Then = append(v.Then, templates.Line{State: templates.State(s.State), Text: say(s.Step), Sub: say(p.classOf(s.Step, s.Class), " · ", templates.Key(s.StepKey))})
	}
	if len(p.plan.Then) > 0 {
		v.ThenNote = say("Only once what comes before is confirmed.")
		if p.action == model.RetryUnfinished {
			v.ThenNote = say(v.ThenNote, " If this try fails, nothing more is sent without a new preview.")
		}
	}
	for _, c := range p.plan.Changes {
		v.Changes = append(v.Changes, templates.Change{What: c.Subject, Was: words(c.From), Now: words(c.To), Because: p.prose(c.Because)})
	}
	v.Records = p.records()
	if p.action == model.Compensate {
		v.Money = p.undoing()
	}
	if p.c.Currency != "" {
		v.Money = append(v.Money, templates.Fact{Label: exposureLabel, Text: exposureOf(p.c).text()})
	}
	return v
}

// exposureLabel names the one fact of a plan that is of the moment of the page.
const exposureLabel = "Exposure now"

// classOf words a step's class, with its provider where it has one.
func (p planner) classOf(step string, class model.Class) string {
	if s := p.c.Step(step); s != nil {
		return classWords(s)
	}
	return classWords(&model.Step{Class: class})
}

// undoing says what is out and what is taken back of it.
func (p planner) undoing() []templates.Fact {
	confirmed, undone := say("no money"), say("no money")
	if p.c.Confirmed != 0 && p.c.Currency != "" {
		confirmed = say(model.Money{Amount: p.c.Confirmed, Currency: p.c.Currency})
	}
	facts := []templates.Fact{{Label: "Confirmed", Text: confirmed}, {Label: "To take back", Text: undone}}
	if m, ok := p.undoneMoney(); ok {
		facts[1].Text, facts[1].Sub = say(m), say(upper(m.Words()))
		if p.takenBack() {
			facts[1].Label = "Taken back"
		}
	}
	return facts
}

// takenBack reports whether all the money that the plan is to take back is back.
func (p planner) takenBack() bool {
	return !slices.ContainsFunc(p.plan.Calls, func(call model.PlannedCall) bool {
		s := p.undone(call)
		return s != nil && s.MovesMoney() && p.c.UndoneBy(s) == ""
	})
}

// undoneMoney is what a compensation takes back at providers.
func (p planner) undoneMoney() (m model.Money, ok bool) {
	for _, call := range p.plan.Calls {
		if s := p.undone(call); s != nil && s.Class.Effect() && s.HasMoney() {
			m.Amount, m.Currency, ok = m.Amount+s.Outstanding(), s.Currency, true
		}
	}
	return m, ok
}

// statedMoney is the sum that a mark records: what was stated, else what the
// step asked for, or what is known to have come back.
func (p planner) statedMoney(s *model.Step) (m model.Money, ok bool) {
	in := p.stated()
	if s == nil || !s.HasMoney() || in.Result != markHappened {
		return m, false
	}
	m = model.Money{Amount: in.Amount, Currency: s.Currency}
	if m.Amount == 0 && s.Returned > 0 {
		m.Amount = s.Returned
	} else if m.Amount == 0 {
		m.Amount = s.Amount
	}
	return m, true
}

// statedAs is what a mark records of its step, in words.
func (p planner) statedAs() string {
	s := p.marked()
	if p.stated().Result != markHappened {
		return "not happened"
	}
	text := "happened"
	if s != nil && s.Returned > 0 {
		text = "come back"
	}
	if m, ok := p.statedMoney(s); ok {
		text += ", " + m.String()
	}
	return text
}

// marked is the step that a mark is about.
func (p planner) marked() *model.Step { return p.c.Step(p.about) }

// records are what a mark or an abandonment writes down.
func (p planner) records() (facts []templates.Fact) {
	in := p.stated()
	add := func(label string, text templates.Text) {
		facts = append(facts, templates.Fact{Label: label, Text: text})
	}
	if p.action == model.Abandon && len(in.Acknowledge) > 0 {
		for _, key := range in.Acknowledge {
			facts = append(facts, p.acknowledged(key))
		}
	}
	if p.action != model.MarkExternalResult {
		return facts
	}
	add("Result", say(upper(p.statedAs())))
	if in.ExternalRef != "" {
		add("External reference", say(templates.Key(in.ExternalRef)))
	}
	if m, ok := p.statedMoney(p.marked()); ok {
		facts = append(facts, templates.Fact{Label: "Amount", Text: say(m), Sub: say(upper(m.Words()))})
	}
	add("Dated", p.statedDate(in.Date))
	if p.upload.ID != "" {
		as := ""
		if saved := fileName(p.upload.Name, p.upload.MediaType); saved != p.upload.Name {
			as = " saved as " + saved // of what its bytes are
		}
		add("Document", say(templates.LinkText("/uploads/"+p.upload.ID, templates.Name(p.upload.Name)), as, " ", templates.Key(p.upload.ID)))
		add("Its SHA-256", say(templates.Key(hex.EncodeToString(p.upload.SHA256))))
		return facts
	}
	add("Document", say(templates.Code(in.Document.URL)))
	if in.Document.SHA256 != "" {
		add("Its SHA-256", say(templates.Key(in.Document.SHA256)))
	}
	return facts
}

// acknowledged is an effect that an abandonment leaves as it is.
func (p planner) acknowledged(key string) templates.Fact {
	fact := templates.Fact{Label: "Acknowledged", Text: say(templates.Key(key))}
	_, name, _, err := model.SplitStepKey(key)
	s := p.c.Step(name)
	if err != nil || s == nil {
		return fact
	}
	fact.Text, fact.Sub = say(s.Name, " ", stays(s)), say(templates.Key(key))
	if s.HasMoney() {
		fact.Text = say(templates.Strong(model.Money{Amount: s.Amount, Currency: s.Currency}), ": ", fact.Text)
	}
	return fact
}

// statedDate is the date of a document as the input has it.
func (p planner) statedDate(stated string) templates.Text {
	if at, err := time.Parse(time.DateOnly, stated); err == nil {
		return say(p.dated(model.At(at)))
	}
	at, err := time.Parse(time.RFC3339, stated)
	if err != nil {
		return say(stated)
	}
	return say(p.at(model.At(at)))
}

// call words one request.
func (p planner) call(call model.PlannedCall) templates.CallView {
	v := templates.CallView{Step: call.Step, State: templates.State(call.State), Method: call.Method, URL: call.URL, StepKey: call.StepKey,
		Class: p.classOf(call.Step, call.Class), Body: call.Body, BodySHA256: call.BodySHA256}
	v.Mail = mailOf(call)
	if v.Method == "" {
		v.Inside = say("Nothing is sent: it is an entry in this console’s own database.")
	}
	if call.OnRepeat != "" {
		v.OnRepeat = say(call.OnRepeat)
	}
	s := p.c.Step(call.Step)
	if undone := p.undone(call); undone != nil {
		v.Undoes, v.To, v.Money = undone.Name, undone.Provider, money(undone.Outstanding(), undone.Currency)
		v.Class = classWords(&model.Step{Class: call.Class, Provider: undone.Provider})
		if undone.MovesMoney() {
			v.Party = p.backFrom(call, undone.Operation)
		}
	} else if s != nil {
		v.To, v.Money, v.Class = s.Provider, money(s.Amount, s.Currency), classWords(s)
		v.Party = say(" to ", templates.Name(p.c.Who()))
		if to := p.told().Payee.Destination; to != "" && s.Operation == model.PayoutCreate {
			v.Party = say(v.Party, ", ", templates.Code(to))
		}
		switch {
		case call.Class == model.Local:
			v.Party = nil
		case s.TakesMoneyBack():
			v.Party = p.backFrom(call, model.TakesBack(s.Operation))
		}
	}
	v.WireKey = wireKey(call)
	v.Pretty = indented(call.Body)
	p.callHistory(&v, call, s)
	return v
}

// backFrom says from whom money comes back, and to whom. What a credit took is
// named by its destination: the party of a dispute need not be who had it.
func (p planner) backFrom(call model.PlannedCall, operation string) templates.Text {
	var body struct{ Destination string }
	_ = json.Unmarshal([]byte(call.Body), &body) // one without names nobody
	from := say(templates.Code(body.Destination))
	if operation == model.PayoutCreate {
		from = say(templates.Name(p.c.Payee), ", ", from)
	}
	return say(" from ", from, " back to ", templates.Name(p.c.Account))
}

// wireKey shows the key as it goes out, and in which header, or that it is in the
// body; nil where none goes out.
func wireKey(call model.PlannedCall) templates.Text {
	if call.WireKey == "" {
		return nil
	}
	where := say()
	switch {
	case call.KeyHeader != "":
		where = say("in the header ", templates.Code(call.KeyHeader))
	case strings.Contains(call.Body, call.WireKey):
		where = say("in the body")
	}
	switch {
	case call.WireKey != call.StepKey:
		return say(templates.Key(call.WireKey), " ", where)
	case len(where) == 0:
		return say(templates.Key(call.WireKey), " the step key as it is")
	}
	return say(templates.Key(call.WireKey), " the step key as it is, ", where)
}

// indented is a JSON body as people read it; "" where it is none, or reads no
// better. The digest is that of the bytes, which are shown as well.
func indented(body string) string {
	var pretty bytes.Buffer
	if !strings.HasPrefix(body, "{") || json.Indent(&pretty, []byte(body), "", "  ") != nil {
		return ""
	}
	return pretty.String()
}

// callHistory says how often the request went out, and until when it may again.
func (p planner) callHistory(v *templates.CallView, call model.PlannedCall, s *model.Step) {
	v.SentBefore = say("never")
	if call.SentBefore > 0 {
		v.SentBefore = say(templates.Bold(times(call.SentBefore)), ", last ", p.at(call.LastSentAt), ", ", templates.Ago(p.at(call.LastSentAt)))
		if call.State == model.OutcomeUnknown {
			v.SentBefore = say(v.SentBefore, "; no answer that says what happened")
		}
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

// undoes are the operations that the steps of a compensation undo, by the step's
// name: before somebody agrees, a plan knows nothing else of them.
var undoes = map[string]string{"reverse-payout": model.PayoutCreate, "reverse-credit": model.CreditCreate, "reverse-ledger": model.LedgerPost,
	"void-statement": model.DocumentIssue, "send-correction": model.MessageSend}

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

// mailOf reads what a message says to people, so that its bytes need not be.
func mailOf(call model.PlannedCall) *templates.Mail {
	if call.Class != model.Message || call.Body == "" {
		return nil
	}
	var m struct{ To, Subject, Text string }
	if err := json.Unmarshal([]byte(call.Body), &m); err != nil || m.Text == "" {
		return nil // it is shown as it is
	}
	return &templates.Mail{To: m.To, Subject: m.Subject, Text: m.Text}
}
