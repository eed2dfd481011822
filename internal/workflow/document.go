package workflow

import (
	"fmt"
	"strings"
	"time"

	"countersign/internal/model"
)

// documentView is what the page of a statement shows.
type documentView struct {
	Account, Name, Reference string
	From, LastDay, Zone      string
	Currency, CurrencyName   string
	Lines                    []documentLine
	Total, TotalLabel        string
	Intent, Prepared         string
}

type documentLine struct {
	Reference, Description, Amount string
	Negative                       bool
}

// document is the statement as a page of its own, without anything to load. The
// same intent gives the same bytes.
func (p *Statement) document(c *model.Case) ([]byte, error) {
	zone, err := p.Period.location()
	if err != nil {
		return nil, fmt.Errorf("zone of the period: %w", err)
	}
	total, _ := p.total()
	view := documentView{
		Account: c.Account, Name: p.Rep.Name, Reference: p.Rep.Reference,
		From: p.Period.From, LastDay: p.Period.lastDay(), Zone: p.Period.Zone,
		Currency: p.Currency, CurrencyName: model.CurrencyName(p.Currency),
		Total:  model.Money{Amount: total, Currency: p.Currency}.String(),
		Intent: c.ID, Prepared: c.CreatedAt.Std().In(zone).Format(time.DateOnly), TotalLabel: balance(total),
	}
	for _, line := range p.Lines {
		view.Lines = append(view.Lines, documentLine{Reference: line.Reference, Description: line.Description,
			Amount: model.Money{Amount: line.Amount, Currency: p.Currency}.Digits(), Negative: line.Amount < 0})
	}
	return render("statement.html", view)
}

// balance says in whose favour the total is.
func balance(total int64) string {
	if total < 0 {
		return "Balance owed by you"
	}
	return "Balance in your favour"
}

// lastDay is the last day inside the half-open period.
func (p Period) lastDay() string {
	to, err := time.Parse(time.DateOnly, p.To)
	if err != nil {
		return ""
	}
	return to.AddDate(0, 0, -1).Format(time.DateOnly)
}

// fileName names the document after rep and period, in characters that every
// file system takes.
func (p *Statement) fileName() string {
	safe := strings.Map(func(r rune) rune {
		if strings.ContainsRune("/:@+", r) {
			return '-'
		}
		return r
	}, p.Rep.Reference)
	return "statement-" + safe + "-" + p.Period.From + ".html"
}

// text is the statement for readers of plain mail.
func (p *Statement) text(c *model.Case) string {
	total, _ := p.total()
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\nStatement of %s for %s\n", greeting(p.Rep.Name), c.Account, p.Rep.Reference)
	fmt.Fprintf(&b, "From %s to %s, both included (%s)\n\n", p.Period.From, p.Period.lastDay(), p.Period.Zone)
	for _, line := range p.Lines {
		fmt.Fprintf(&b, "%s  %s: %s\n", line.Reference, line.Description, p.money(line.Amount))
	}
	fmt.Fprintf(&b, "\n%s: %s\nReference: %s\n", balance(total), p.money(total), c.ID)
	return b.String()
}
