package workflow

import (
	"encoding/json"
	"fmt"
	"time"

	"countersign/internal/model"
	"countersign/internal/provider"
)

// The steps of a statement.
const (
	CalculateStatement = "calculate-statement"
	IssueStatement     = "issue-statement"
	SendStatement      = "send-statement"
)

// Rep is whom a statement is for: a reference by the rule of Payee, a required
// name of at most 200 characters on one line, an optional mail address.
type Rep struct {
	Reference string `json:"reference"`
	Name      string `json:"name"`
	Email     string `json:"email"`
}

func (r Rep) check(f *faults, location string) {
	f.word(location+"/reference", r.Reference)
	f.text(location+"/name", r.Name, maxName)
	if r.Email != "" {
		f.address(location+"/email", r.Email)
	}
}

// Period is half-open: the days from From up to, and without, To, in the
// calendar of a named zone ("America/New_York"; never empty or "Local", which
// differ by machine). Days are YYYY-MM-DD, From before To.
type Period struct {
	From string `json:"from"`
	To   string `json:"to"`
	Zone string `json:"zone"`
}

func (p Period) check(f *faults, location string) {
	from, to := p.day(f, location+"/from", p.From), p.day(f, location+"/to", p.To)
	if !from.IsZero() && !to.IsZero() && !from.Before(to) {
		f.add(location+"/to", "is not after from: the period is half-open")
	}
	if _, err := p.location(); err != nil {
		f.add(location+"/zone", "is not a named time zone such as America/New_York")
	}
}

func (Period) day(f *faults, location, value string) time.Time {
	day, err := time.Parse(time.DateOnly, value)
	if err != nil {
		f.add(location, "is not a day in the form YYYY-MM-DD")
	}
	return day
}

func (p Period) location() (*time.Location, error) {
	if p.Zone == "" || p.Zone == "Local" {
		return nil, fmt.Errorf("the zone has no name")
	}
	return time.LoadLocation(p.Zone)
}

// String is the period as ISO 8601 has intervals, with its zone.
func (p Period) String() string { return p.From + "/" + p.To + " " + p.Zone }

// Line is one entry of a statement. The reference follows the rule of Payee and
// stands once in a statement; the description is one line of at most 200
// characters. Amount is in minor units within ±(2^53-1): negative lessens what
// the rep is owed, zero is a remark.
type Line struct {
	Reference   string `json:"reference"`
	Description string `json:"description"`
	Amount      int64  `json:"amount"`
}

// Statement are the params of a statement: what one rep earned in one period.
// Lines must be given, at most 1,000; an empty list states that nothing
// happened. All lines are of one currency, an ISO 4217 code with a minor unit.
// Their sum must lie within ±(2^53-1). It may be negative: chargebacks can
// exceed sales, and the document then says that the rep owes the balance; no
// money moves by a statement. Without an email it is issued and not sent. All
// but the notes is meaningful.
type Statement struct {
	Rep      Rep    `json:"rep"`
	Period   Period `json:"period"`
	Currency string `json:"currency"`
	Lines    []Line `json:"lines"`
	Notes
}

func (p *Statement) check(f *faults) {
	p.Rep.check(f, "/rep")
	p.Period.check(f, "/period")
	f.currency("/currency", p.Currency)
	if p.Lines == nil {
		f.add("/lines", "is missing")
	}
	if len(p.Lines) > maxLines {
		f.add("/lines", "has more than %d items", maxLines)
	} else {
		p.checkLines(f)
	}
	p.Notes.check(f)
}

func (p *Statement) checkLines(f *faults) {
	seen := make(map[string]bool, len(p.Lines))
	for i, line := range p.Lines {
		f.word(at("/lines", i, "/reference"), line.Reference)
		f.text(at("/lines", i, "/description"), line.Description, maxName)
		if line.Amount > model.MaxAmount || line.Amount < -model.MaxAmount {
			f.add(at("/lines", i, "/amount"), "is outside ±%d minor units", int64(model.MaxAmount))
		}
		if seen[line.Reference] && line.Reference != "" {
			f.add(at("/lines", i, "/reference"), "is there twice")
		}
		seen[line.Reference] = true
	}
	if _, ok := p.total(); !ok {
		f.add("/lines", "add up to more than ±%d minor units", int64(model.MaxAmount))
	}
}

// total is the sum of the lines in minor units; not ok where a line or the sum
// is out of range. A thousand lines in range cannot overflow on the way.
func (p *Statement) total() (int64, bool) {
	var sum int64
	for _, line := range p.Lines {
		if line.Amount > model.MaxAmount || line.Amount < -model.MaxAmount {
			return 0, false
		}
		sum += line.Amount
	}
	return sum, sum <= model.MaxAmount && sum >= -model.MaxAmount
}

type statement struct{}

func (statement) Name() string { return model.KindStatement }

func (statement) Accept(raw json.RawMessage) (Draft, error) {
	var p Statement
	d, err := accept(raw, &p)
	if err != nil {
		return d, err
	}
	d.Amount, _ = p.total()
	d.Currency, d.Period = p.Currency, p.Period.String()
	d.Payee, d.PayeeRef, d.Contacts = p.Rep.Name, p.Rep.Reference, []string{p.Rep.Email}
	d.lookAlike(model.KindStatement)
	d.Steps = steps(
		model.Step{Name: CalculateStatement, Class: model.Pure},
		model.Step{Name: IssueStatement, Class: model.Local, Operation: model.DocumentIssue},
		message(SendStatement, p.Rep.Email),
	)
	return d, nil
}

func (statement) Order(c *model.Case, s *model.Step) (provider.Order, error) {
	var p Statement
	if err := stored(c, &p); err != nil {
		return provider.Order{}, err
	}
	if s.Name != SendStatement {
		return provider.Order{}, unknownStep(model.KindStatement, s)
	}
	body, err := p.document(c)
	if err != nil {
		return provider.Order{}, err
	}
	o := order(s)
	o.Message = &provider.Message{To: p.Rep.Email, Template: "statement", HTML: string(body), Text: p.text(c),
		Subject: fmt.Sprintf("Statement for %s to %s", p.Period.From, p.Period.lastDay())}
	return o, nil
}

func (statement) Work(c *model.Case, s *model.Step) (Work, error) {
	var p Statement
	if err := stored(c, &p); err != nil {
		return Work{}, err
	}
	switch s.Name {
	case CalculateStatement:
		return p.calculate(), nil
	case IssueStatement:
		return p.issue(c)
	}
	return Work{}, unknownStep(model.KindStatement, s)
}

func (statement) Moot(*model.Case, *model.Step) (string, bool) { return "", false }

func (p *Statement) calculate() Work {
	var f faults
	p.check(&f)
	if len(f) > 0 {
		return Work{Refused: model.ResultPermanent, Code: "statement_invalid", Detail: "The statement cannot be calculated: " + f.sentence()}
	}
	total, _ := p.total()
	return Work{Detail: fmt.Sprintf("%s up to %s.", p.count(), p.money(total))}
}

func (p *Statement) count() string {
	if len(p.Lines) == 1 {
		return "1 line adds"
	}
	return fmt.Sprintf("%d lines add", len(p.Lines))
}

func (p *Statement) issue(c *model.Case) (Work, error) {
	body, err := p.document(c)
	if err != nil {
		return Work{}, err
	}
	return Work{
		Detail: fmt.Sprintf("Issued the statement of %s for %s.", p.Rep.Reference, p.Period),
		Document: &Document{Rep: p.Rep.Reference, Period: p.Period.String(), Name: p.fileName(),
			MediaType: "text/html; charset=utf-8", Body: body},
	}, nil
}

func (p *Statement) money(amount int64) string {
	return model.Money{Amount: amount, Currency: p.Currency}.String()
}
