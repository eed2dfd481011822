package workflow

import (
	"encoding/json"
	"fmt"

	"countersign/internal/model"
	"countersign/internal/provider"
)

// The steps of a payout.
const (
	VerifyPayee    = "verify-payee"
	ApprovePayout  = "approve-payout"
	CreatePayout   = "create-payout"
	PostLedger     = "post-ledger"
	SendRemittance = "send-remittance"
)

// Payee is who gets the money. Reference and destination are words: 1 to 100
// ASCII letters, digits and _ . : / + @ - beginning with a letter, a digit or _.
// Name is one line of at most 200 characters, without control characters and
// without those that override the direction of text, as for every text, and with one
// that is seen; it is required where a payout is made. Email is optional and a valid address.
type Payee struct {
	Reference   string `json:"reference"`
	Name        string `json:"name"`
	Destination string `json:"destination"` // the account at the provider
	Email       string `json:"email"`
}

func (p Payee) check(f *faults, location string) {
	f.word(location+"/reference", p.Reference)
	f.word(location+"/destination", p.Destination)
	f.given(location+"/name", p.Name, maxName)
	if p.Email != "" {
		f.address(location+"/email", p.Email)
	}
}

// Payout are the params of a payout: one payment to one payee. Amount is in
// minor units, 1 to 2^53-1; Currency an ISO 4217 code with a minor unit. Period
// is optional, one line of at most 100 characters, in any words; where it has the
// form of a month, day, week or quarter of ISO 8601, it is one that there is. Without the payee's email no
// remittance advice is sent. All but the notes is meaningful.
type Payout struct {
	Payee    Payee  `json:"payee"`
	Amount   int64  `json:"amount"`
	Currency string `json:"currency"`
	Period   string `json:"period"`
	Notes
}

func (p *Payout) check(f *faults) {
	p.Payee.check(f, "/payee")
	if p.Payee.Name == "" {
		f.add("/payee/name", "is missing")
	}
	f.amount("/amount", p.Amount)
	f.currency("/currency", p.Currency)
	f.period("/period", p.Period)
	p.Notes.check(f)
}

type payout struct{}

func (payout) Name() string { return model.KindPayout }

func (payout) Accept(raw json.RawMessage) (Draft, error) {
	var p Payout
	d, err := accept(raw, &p)
	if err != nil {
		return d, err
	}
	d.Amount, d.Currency, d.Period = p.Amount, p.Currency, p.Period
	d.Payee, d.PayeeRef, d.Contacts = p.Payee.Name, p.Payee.Reference, []string{p.Payee.Destination, p.Payee.Email}
	d.lookAlike(model.KindPayout)
	d.Steps = steps(
		model.Step{Name: VerifyPayee, Class: model.Pure},
		model.Step{Name: ApprovePayout, Class: model.Local, Operation: model.ApprovalStep},
		model.Step{Name: CreatePayout, Class: model.Keyed, Operation: model.PayoutCreate, Amount: p.Amount, Currency: p.Currency},
		model.Step{Name: PostLedger, Class: model.Local, Operation: model.LedgerPost, Amount: p.Amount, Currency: p.Currency},
		message(SendRemittance, p.Payee.Email),
	)
	return d, nil
}

func (payout) Order(c *model.Case, s *model.Step) (provider.Order, error) {
	var p Payout
	if err := stored(c, &p); err != nil {
		return provider.Order{}, err
	}
	o := order(s)
	switch s.Name {
	case CreatePayout:
		o.Amount, o.Currency, o.Destination = p.Amount, p.Currency, p.Payee.Destination
		o.Metadata = map[string]string{"intent": c.ID, "payee": p.Payee.Reference}
		if p.Period != "" {
			o.Metadata["period"] = p.Period
		}
		return o, nil
	case SendRemittance:
		var err error
		o.Message, err = p.remittance(c).message()
		return o, err
	}
	return provider.Order{}, unknownStep(model.KindPayout, s)
}

func (payout) Work(c *model.Case, s *model.Step) (Work, error) {
	var p Payout
	if err := stored(c, &p); err != nil {
		return Work{}, err
	}
	switch s.Name {
	case VerifyPayee:
		return p.verify(), nil
	case ApprovePayout:
		return approved(s), nil
	case PostLedger:
		return p.post(posted(s, p.paid(c))), nil
	}
	return Work{}, unknownStep(model.KindPayout, s)
}

func (payout) Moot(*model.Case, *model.Step) (string, bool) { return "", false }

// verify holds the stored params against today's rules once more, before
// anybody is asked to approve them.
func (p *Payout) verify() Work {
	var f faults
	p.check(&f)
	if len(f) > 0 {
		return Work{Refused: model.ResultPermanent, Code: "payee_invalid", Detail: "The payment cannot be made: " + f.sentence()}
	}
	return Work{Detail: fmt.Sprintf("Payee %s has the well-formed destination %s, and %s can be paid in.",
		p.Payee.Reference, p.Payee.Destination, p.Currency)}
}

// post moves what was paid out of cash and off what is owed to the payee.
func (p *Payout) post(amount int64) Work {
	t := Transfer{Debit: "payables:" + p.Payee.Reference, Credit: "cash", Amount: amount, Currency: p.Currency}
	return Work{Detail: fmt.Sprintf("Posted %s: debit %s, credit %s.", model.Money{Amount: amount, Currency: p.Currency}, t.Debit, t.Credit),
		Transfers: []Transfer{t}}
}

// paid is what really moved, which a person may have recorded as another amount
// than was asked for.
func (p *Payout) paid(c *model.Case) int64 {
	if s := c.Step(CreatePayout); s != nil && s.Moved > 0 {
		return s.Moved
	}
	return p.Amount
}

func (p *Payout) remittance(c *model.Case) notice {
	money := model.Money{Amount: p.paid(c), Currency: p.Currency}.String()
	n := notice{Template: "remittance", To: p.Payee.Email, Subject: "Payment of " + money, Greeting: greeting(p.Payee.Name),
		Paragraphs: []string{fmt.Sprintf("%s has paid you %s.", c.Account, money)},
		Facts:      []fact{{"Amount", money}, {"Payee", p.Payee.Reference}, {"Paid to", p.Payee.Destination}}}
	if p.Period != "" {
		n.Facts = append(n.Facts, fact{"Period", p.Period})
	}
	n.Facts = append(n.Facts, fact{"Reference", c.ID})
	return n
}
