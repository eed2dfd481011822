package web

import (
	"strings"

	"countersign/internal/model"
	"countersign/internal/store"
	"countersign/web/templates"
)

// charts draws each currency by itself, by age: amounts of different currencies
// are never set against each other. What has no money is drawn by its number.
func charts(parts []store.UncertainPart) (list []templates.AgeChart) {
	for _, u := range sumParts(parts) {
		cells := make([]templates.UncertainCell, len(ageHeads))
		for _, p := range parts {
			if p.Currency == u.Currency {
				add(&cells[p.Age], p)
			}
		}
		chart := templates.AgeChart{Title: "Without money", Total: counted(u.Effects, "effect")}
		if u.Currency != "" {
			chart.Title, chart.Total = upper(model.CurrencyName(u.Currency)), model.Money{Amount: u.Amount, Currency: u.Currency}.String()
		}
		chart.Bars, chart.Label = bars(cells, chart)
		list = append(list, chart)
	}
	if len(list) > 1 && list[0].Title == "Without money" {
		list = append(list[1:], list[0])
	}
	return list
}

// bars are as long as their part of the longest, and the sentence says the same.
func bars(cells []templates.UncertainCell, chart templates.AgeChart) (list []templates.AgeBar, sentence string) {
	most := int64(0)
	for _, c := range cells {
		most = max(most, size(c))
	}
	var said []string
	for i, c := range cells {
		bar := templates.AgeBar{Age: ageHeads[i]}
		switch {
		case c.Count == 0:
			said = append(said, lower(ageHeads[i])+" nothing")
		case c.Money != nil:
			bar.Text = c.Money.Digits()
			said = append(said, lower(ageHeads[i])+" "+c.Money.String()+" in "+counted(c.Count, "effect"))
		default:
			bar.Text = grouped(int64(c.Count))
			said = append(said, lower(ageHeads[i])+" "+counted(c.Count, "effect"))
		}
		if n := size(c); n > 0 {
			bar.Part = max(int(float64(n)/float64(most)*1000), 1)
		}
		list = append(list, bar)
	}
	return list, chart.Title + " by age, " + chart.Total + " together: " + strings.Join(said, ", ") + "."
}

// size is what a bar's length shows.
func size(c templates.UncertainCell) int64 {
	if c.Money != nil {
		return c.Money.Amount
	}
	return int64(c.Count)
}

// plainSums is the number as text, for a report: in the viewer's zone, with its
// offset, what is uncertain and what settles in time.
func (v *visit) plainSums(sums []store.Uncertain, d uncertainData) string {
	moment := func(t model.Time) string { return t.Std().In(v.zone()).Format("2006-01-02 15:04:05 -07:00") }
	var text strings.Builder
	effects, oldest := 0, model.Time(0)
	for _, u := range sums {
		effects += u.Effects
		if oldest == 0 || u.Oldest < oldest {
			oldest = u.Oldest
		}
	}
	text.WriteString("Uncertain as of " + moment(v.now()) + ", " + v.zone().String() + ": ")
	if effects == 0 {
		text.WriteString("nothing\n")
	} else {
		text.WriteString(counted(effects, "effect") + ", the oldest since " + moment(oldest) + "\n")
	}
	for _, u := range sums {
		if u.Currency == "" {
			text.WriteString("without money: " + counted(u.Effects, "effect") + "\n")
			continue
		}
		text.WriteString(model.Money{Amount: u.Amount, Currency: u.Currency}.String() + " (" + counted(u.Effects, "effect") + ")\n")
	}
	for _, s := range d.settling {
		if s.Currency != "" {
			text.WriteString("settling in time at " + s.Provider + ": " + model.Money{Amount: s.Amount, Currency: s.Currency}.String() + " (" + counted(s.Effects, "effect") + ")\n")
		}
	}
	if d.crowded {
		text.WriteString("more settles than is counted here: of each account the first " + grouped(store.MaxCount) + "\n")
	}
	return text.String()
}
