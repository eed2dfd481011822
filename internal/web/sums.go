package web

import (
	"countersign/internal/model"
	"countersign/internal/store"
	"countersign/web/templates"
)

// sums is the ledger line of what is uncertain now.
func (v *visit) sums(list []store.Uncertain, capped bool) templates.Sums {
	s := templates.Sums{Heading: "Uncertain now", Href: "/uncertain"}
	effects, moneyless, oldest := 0, 0, model.Time(0)
	for _, u := range list {
		effects += u.Effects
		if oldest == 0 || u.Oldest < oldest {
			oldest = u.Oldest
		}
		if u.Currency == "" {
			moneyless = u.Effects
		} else {
			s.Columns = append(s.Columns, templates.SumColumn{Money: model.Money{Amount: u.Amount, Currency: u.Currency},
				Note: say(counted(u.Effects, "effect"), " · oldest ", templates.Ago(v.at(u.Oldest)))})
		}
	}
	if effects == 0 {
		s.Calm, s.Figure, s.Note = true, "Nothing", say("every effect that was sent is certain")
		return s
	}
	s.Figure, s.Note = counted(effects, "effect"), say("oldest ", templates.Ago(v.at(oldest)))
	if moneyless > 0 && len(s.Columns) > 0 {
		s.Note = say(s.Note, "; ", grouped(int64(moneyless)), " without money")
	}
	if capped {
		s.Note = say("more than ", grouped(store.MaxCount), "; the sums are of the first")
	}
	return s
}
