package workflow

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"countersign/internal/model"
	"countersign/internal/provider"
)

// The steps of a dispute.
const (
	AssembleEvidence = "assemble-evidence"
	ApproveResponse  = "approve-response"
	SubmitResponse   = "submit-response"
	RecordResolution = "record-resolution"
	CreditBalance    = "credit-balance"
	NotifyParties    = "notify-parties"
)

// The responses to a dispute, and the ways in which it can end.
const (
	Contest = "contest"
	Accept  = "accept"

	Won      = "won"
	Lost     = "lost"
	Accepted = "accepted"
)

// Credit is what a payee gets once the dispute was won or accepted: 1 minor
// unit up to the disputed amount, in its currency. The payee follows the rules of Payee;
// its name and email are optional, and nothing is sent to the email.
type Credit struct {
	Payee  *Payee `json:"payee"`
	Amount int64  `json:"amount"`
}

func (c *Credit) check(f *faults, location string, disputed int64) {
	if c.Payee == nil {
		f.add(location+"/payee", "is missing")
	} else {
		c.Payee.check(f, location+"/payee")
	}
	f.amount(location+"/amount", c.Amount)
	if c.Amount > disputed && disputed > 0 {
		f.add(location+"/amount", "is more than the disputed amount, on which the response is approved")
	}
}

// Dispute are the params of a dispute: the answer to one chargeback. Dispute
// and Charge are the provider's ids, 1 to 100 ASCII letters, digits and
// _ . : - beginning with a letter, a digit or _. Amount is in minor units, 1 to
// 2^53-1; Currency an ISO 4217 code with a minor unit; Reason one line of at
// most 200 characters; Response "contest" or "accept". DueBy is an RFC 3339
// time, after which nothing is sent. Evidence is at most 50 pieces, each with a
// type (one line, at most 100 characters) and a text (at most 20,000, line breaks
// allowed); contesting needs at least one. Credit is optional. Notify is
// optional: up to 20 different mail addresses, all in one message. All but the
// notes is meaningful.
type Dispute struct {
	Dispute  string          `json:"dispute"`
	Charge   string          `json:"charge"`
	Amount   int64           `json:"amount"`
	Currency string          `json:"currency"`
	Reason   string          `json:"reason"`
	Response string          `json:"response"`
	Credit   *Credit         `json:"credit"`
	DueBy    string          `json:"due_by"`
	Notify   []string        `json:"notify"`
	Evidence []provider.Item `json:"evidence"`
	Notes
}

func (p *Dispute) check(f *faults) {
	f.segment("/dispute", p.Dispute)
	f.segment("/charge", p.Charge)
	f.amount("/amount", p.Amount)
	f.currency("/currency", p.Currency)
	f.text("/reason", p.Reason, maxName)
	if p.Response != Contest && p.Response != Accept {
		f.add("/response", "is neither contest nor accept")
	}
	if p.Credit != nil {
		p.Credit.check(f, "/credit", p.Amount)
	}
	p.checkDue(f)
	p.checkNotify(f)
	p.checkEvidence(f)
	p.Notes.check(f)
}

func (p *Dispute) checkDue(f *faults) {
	if p.DueBy == "" {
		f.add("/due_by", "is missing")
		return
	}
	f.moment("/due_by", p.DueBy)
}

func (p *Dispute) checkNotify(f *faults) {
	if len(p.Notify) > maxNotified {
		f.add("/notify", "has more than %d items", maxNotified)
		return
	}
	for i, address := range p.Notify {
		f.address(at("/notify", i, ""), address)
		if slices.Contains(p.Notify[:i], address) {
			f.add(at("/notify", i, ""), "is there twice")
		}
	}
}

func (p *Dispute) checkEvidence(f *faults) {
	if p.Response == Contest && len(p.Evidence) == 0 {
		f.add("/evidence", "is missing: contesting needs at least one piece")
	}
	if len(p.Evidence) > maxItems {
		f.add("/evidence", "has more than %d items", maxItems)
		return
	}
	for i, item := range p.Evidence {
		f.text(at("/evidence", i, "/type"), item.Type, maxWord)
		f.prose(at("/evidence", i, "/text"), item.Text, maxEvidence)
	}
}

// due is when the answer must be in.
func (p *Dispute) due() model.Time {
	var f faults
	return model.At(f.moment("/due_by", p.DueBy))
}

type dispute struct{}

func (dispute) Name() string { return model.KindDispute }

func (dispute) Accept(raw json.RawMessage) (Draft, error) {
	var p Dispute
	d, err := accept(raw, &p)
	if err != nil {
		return d, err
	}
	d.Amount, d.Currency, d.DueBy = p.Amount, p.Currency, p.due()
	d.Payee, d.PayeeRef, d.Contacts = "Dispute "+p.Dispute, p.Dispute, p.Notify
	if p.Credit != nil {
		d.Contacts = append(slices.Clone(d.Contacts), p.Credit.Payee.Destination, p.Credit.Payee.Email)
	}
	d.lookAlike(model.KindDispute)
	d.Steps = steps(
		model.Step{Name: AssembleEvidence, Class: model.Pure},
		model.Step{Name: ApproveResponse, Class: model.Local, Operation: model.ApprovalStep},
		model.Step{Name: SubmitResponse, Class: model.Keyed, Operation: model.DisputeRespond, Amount: p.Amount, Currency: p.Currency},
		model.Step{Name: RecordResolution, Class: model.Local, Operation: model.DisputeRecord, Amount: p.Amount, Currency: p.Currency},
		p.creditStep(),
		message(NotifyParties, strings.Join(p.Notify, ", ")),
	)
	return d, nil
}

func (p *Dispute) creditStep() model.Step {
	s := model.Step{Name: CreditBalance, Class: model.Keyed, Operation: model.CreditCreate}
	if p.Credit == nil {
		s.State, s.Reason = model.NotNeeded, "No credit was asked for."
		return s
	}
	s.Amount, s.Currency = p.Credit.Amount, p.Currency
	return s
}

func (dispute) Order(c *model.Case, s *model.Step) (provider.Order, error) {
	var p Dispute
	if err := stored(c, &p); err != nil {
		return provider.Order{}, err
	}
	o := order(s)
	switch {
	case s.Name == SubmitResponse:
		o.Amount, o.Currency = p.Amount, p.Currency
		o.Object, o.Response, o.Evidence = p.Dispute, p.Response, p.Evidence
		o.Metadata = map[string]string{"intent": c.ID, "charge": p.Charge}
		return o, nil
	case s.Name == CreditBalance && p.Credit != nil:
		o.Amount, o.Currency, o.Destination = p.Credit.Amount, p.Currency, p.Credit.Payee.Destination
		o.Metadata = map[string]string{"intent": c.ID, "payee": p.Credit.Payee.Reference, "dispute": p.Dispute}
		return o, nil
	case s.Name == NotifyParties:
		var err error
		o.Message, err = p.notice(c).message()
		return o, err
	}
	return provider.Order{}, unknownStep(model.KindDispute, s)
}

func (dispute) Work(c *model.Case, s *model.Step) (Work, error) {
	var p Dispute
	if err := stored(c, &p); err != nil {
		return Work{}, err
	}
	switch s.Name {
	case AssembleEvidence:
		return p.assemble(), nil
	case ApproveResponse:
		return approved(s), nil
	case RecordResolution:
		return p.record(c), nil
	}
	return Work{}, unknownStep(model.KindDispute, s)
}

// Moot drops the credit of a dispute that was lost.
func (dispute) Moot(c *model.Case, s *model.Step) (reason string, moot bool) {
	if s.Name == CreditBalance && resolution(c) == Lost {
		return "The dispute was lost, so nothing is credited.", true
	}
	return "", false
}

func (p *Dispute) assemble() Work {
	var f faults
	p.check(&f)
	if len(f) > 0 {
		return Work{Refused: model.ResultPermanent, Code: "response_invalid", Detail: "The response cannot be made: " + f.sentence()}
	}
	types := make([]string, len(p.Evidence))
	for i, item := range p.Evidence {
		types[i] = item.Type
	}
	if len(types) == 0 {
		return Work{Detail: "The response is to " + p.Response + ", without evidence."}
	}
	return Work{Detail: fmt.Sprintf("The response is to %s, with this evidence: %s.", p.Response, strings.Join(types, ", "))}
}

// resolution is how the dispute ended by the newest word that the response
// happened, or "" where that does not say.
func resolution(c *model.Case) string {
	e := happened(c.Step(SubmitResponse))
	if e == nil || e.Status != Won && e.Status != Lost && e.Status != Accepted {
		return ""
	}
	return e.Status
}

// record books the amount that the dispute held back: to cash where it was won,
// to losses otherwise.
func (p *Dispute) record(c *model.Case) Work {
	t := Transfer{Debit: "disputes:losses", Credit: "disputes:held", Amount: p.Amount, Currency: p.Currency}
	ended := resolution(c)
	switch ended {
	case "":
		return Work{Refused: model.ResultCurable, Code: "resolution_unknown",
			Detail: "Nobody has said yet how the dispute ended. Reconcile submit-response to ask the provider, then retry."}
	case Won:
		t.Debit = "cash"
	}
	return Work{Detail: fmt.Sprintf("The dispute was %s. Posted %s: debit %s, credit %s.", ended,
		model.Money{Amount: p.Amount, Currency: p.Currency}, t.Debit, t.Credit), Transfers: []Transfer{t}}
}

// notice tells the parties how it ended. It names no other party.
func (p *Dispute) notice(c *model.Case) notice {
	n := notice{Template: "dispute-notice", To: strings.Join(p.Notify, ", "), Greeting: greeting(""),
		Subject: "Dispute " + p.Dispute + " is closed", Paragraphs: []string{"The dispute named below is closed."}}
	if ended := resolution(c); ended != "" {
		n.Subject = "Dispute " + p.Dispute + " was " + ended
		n.Paragraphs = []string{"The dispute named below was " + ended + "."}
	}
	n.Facts = []fact{{"Dispute", p.Dispute}, {"Charge", p.Charge},
		{"Amount", model.Money{Amount: p.Amount, Currency: p.Currency}.String()}, {"Reference", c.ID}}
	if s := c.Step(CreditBalance); s != nil && s.State == model.Confirmed {
		n.Facts = append(n.Facts, fact{"Credited", model.Money{Amount: s.Moved, Currency: s.Currency}.String()})
	}
	return n
}
