package web

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"countersign/internal/model"
	"countersign/internal/store"
	"countersign/web/templates"
)

// ages are the classes of age of the table, the youngest first; the last has
// no limit.
var ages = [3]time.Duration{time.Hour, 6 * time.Hour, 24 * time.Hour}

var ageHeads = []string{"Under 1 h", "1 to 6 h", "6 to 24 h", "Over a day"}

// uncertainty shows all open uncertainty by provider, currency and age.
func (v *visit) uncertainty() error {
	accounts := v.actor.Accounts()
	view := templates.UncertainPageView{Page: v.titled("Uncertain"), Heading: "Uncertain, " + strings.Join(accounts, ", "), Ages: ageHeads}
	var since [3]model.Time
	for i, age := range ages {
		since[i] = v.now().Add(-age)
	}
	err := v.read(func(tx *store.Tx) error {
		sums, capped, err := tx.Uncertainty(accounts)
		if err != nil {
			return err
		}
		view.Sums = v.sums(sums, capped)
		view.Plain = v.plainSums(sums)
		cells, err := tx.UncertaintyTable(accounts, since)
		view.Rows = v.uncertainRows(cells)
		return err
	})
	if err != nil {
		return err
	}
	if len(view.Rows) == 0 {
		view.Empty = &templates.EmptyView{Title: "Nothing is uncertain", Text: say("Every effect that was sent is certain, or settling within its time. Nothing leaves this list by age.")}
	}
	return v.show(http.StatusOK, templates.Uncertain(view))
}

// uncertainRows turns cells, which come in order, into rows.
func (v *visit) uncertainRows(cells []store.UncertainCell) (rows []templates.UncertainRow) {
	for _, c := range cells {
		last := len(rows) - 1
		if last < 0 || rows[last].Provider != c.Provider || rows[last].Currency != c.Currency {
			rows = append(rows, templates.UncertainRow{Href: queueQuery{state: store.StateUnknown, currency: c.Currency}.address(), Provider: c.Provider, Currency: c.Currency,
				Cells: make([]templates.UncertainCell, len(ageHeads)), Oldest: v.at(c.Oldest), Together: templates.UncertainCell{Noun: "effect"}})
			last++
		}
		row := &rows[last]
		row.Cells[c.Age] = templates.UncertainCell{Count: c.Effects, Money: money(c.Amount, c.Currency), Noun: "effect"}
		row.Together.Count += c.Effects
		if c.Currency != "" {
			sum := model.Money{Currency: c.Currency, Amount: c.Amount}
			if row.Together.Money != nil {
				sum.Amount += row.Together.Money.Amount
			}
			row.Together.Money = &sum
		}
		if c.Oldest < model.Time(row.Oldest.At) {
			row.Oldest = v.at(c.Oldest)
		}
	}
	return rows
}

// plainSums is the same as text, for a report.
func (v *visit) plainSums(sums []store.Uncertain) string {
	var text strings.Builder
	text.WriteString("Uncertain as of " + v.now().Std().Format("2006-01-02 15:04:05 MST") + "\n")
	for _, u := range sums {
		if u.Currency == "" {
			text.WriteString("without money: " + counted(u.Effects, "effect") + "\n")
			continue
		}
		text.WriteString(model.Money{Amount: u.Amount, Currency: u.Currency}.String() + " (" + strconv.Itoa(u.Effects) + ")\n")
	}
	if len(sums) == 0 {
		text.WriteString("nothing\n")
	}
	return text.String()
}
