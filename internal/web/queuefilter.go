package web

import (
	"errors"
	"math"
	"regexp"
	"slices"
	"time"

	"countersign/internal/model"
	"countersign/internal/store"
	"countersign/internal/zone"
	"countersign/web/templates"
)

// kinds are what the kind filter offers.
var kinds = []string{model.KindPayout, model.KindStatement, model.KindDispute, model.KindCompensation}

// filter checks the query. Faults are of what was typed; an error is about what
// no form of ours offers.
func (q queueQuery) filter(v *visit) (f store.ListFilter, faults templates.FieldErrors, err error) {
	f = store.ListFilter{Accounts: v.actor.Accounts(), Kind: q.kind, State: q.state, Currency: q.currency, Owner: q.owner, Order: store.Order(q.sort), Provider: q.provider, Limit: rowsPerPage}
	if q.account != "" {
		if !v.actor.Sees(q.account) {
			return f, nil, notFound("There is no account %s, or it is not yours to see.", q.account)
		}
		f.Accounts = []string{q.account}
	}
	if err := q.known(); err != nil {
		return f, nil, err
	}
	if q.state == stateOpen {
		f.State = ""
	}
	f.Acting = q.state == "" && q.text == ""
	switch q.due {
	case duePast:
		f.Due = v.now()
	case dueSoon:
		f.Due = v.now().Add(deadlineSoon)
	case dueAny:
		f.Due = math.MaxInt64
	}
	if q.owner == "me" {
		f.Owner = v.actor.ID
	}
	faults = append(q.amounts(&f), q.days(v, &f)...)
	return f, faults, nil
}

// personID is how a person is named in an address; whom it names may have gone.
var personID = regexp.MustCompile(`^person-[0-9A-Za-z]{20,40}$`)

// noSuchFilter refuses a value that a list does not offer.
func noSuchFilter(name string) error {
	return model.Errorf(model.Invalid, "invalid-params", "The list has no such filter.").WithFields(model.Field{Location: name, Message: "is none of those offered"})
}

// known refuses values that the lists do not have.
func (q queueQuery) known() error {
	_, money := model.Exponent(q.currency)
	own := []string{"", stateOpen, store.AnyState, store.StateUnknown}
	switch {
	case q.kind != "" && !slices.Contains(kinds, q.kind):
		return noSuchFilter("kind")
	case !slices.Contains(own, q.state) && !slices.Contains(model.IntentStates, model.IntentState(q.state)):
		return noSuchFilter("state")
	case q.currency != "" && q.currency != store.NoMoney && !money:
		return noSuchFilter("currency")
	case !slices.Contains([]string{"", "amount", "age", "new"}, q.sort):
		return noSuchFilter("sort")
	case !slices.Contains([]string{"", duePast, dueSoon, dueAny}, q.due):
		return noSuchFilter("due")
	case !slices.Contains([]string{"", "me", store.Nobody}, q.owner) && !personID.MatchString(q.owner):
		return noSuchFilter("owner")
	case len(q.provider) > 64:
		return noSuchFilter("provider")
	}
	return nil
}

// amounts reads the smallest and the largest amount, in minor units.
func (q queueQuery) amounts(f *store.ListFilter) (faults templates.FieldErrors) {
	read := func(field, typed string, into *int64) {
		if typed == "" {
			return
		}
		var m model.Money
		err := errors.New("choose the currency of the amount")
		if q.currency != "" && q.currency != store.NoMoney {
			m, err = model.ParseDecimal(typed, q.currency)
		}
		if err != nil {
			faults = append(faults, templates.FieldError{Field: field, Message: faultOf(err)})
			return
		}
		*into = m.Amount
	}
	read("min", q.min, &f.Min)
	read("max", q.max, &f.Max)
	if f.Min > 0 && f.Max > 0 && f.Max < f.Min {
		faults = append(faults, templates.FieldError{Field: "max", Message: "The largest amount is below the smallest"})
	}
	return faults
}

// days reads the first and the last day since which a row is stuck or uncertain;
// both count whole, in the zone of the address.
func (q queueQuery) days(v *visit, f *store.ListFilter) (faults templates.FieldErrors) {
	zone := q.clockZone(v)
	if zone == nil {
		zone = v.zone()
		faults = append(faults, templates.FieldError{Field: "before", Message: "The zone in this address is not known: the days are read in " + zone.String()})
	}
	read := func(field, typed string) (day time.Time) {
		day, err := time.ParseInLocation(time.DateOnly, typed, zone)
		if err != nil && typed != "" {
			faults = append(faults, templates.FieldError{Field: field, Message: "This is no date, as in 2026-11-30"})
		}
		return day
	}
	if day := read("from", q.from); !day.IsZero() {
		f.After = model.At(day)
	}
	if day := read("before", q.until); !day.IsZero() {
		f.Before = model.At(day.AddDate(0, 0, 1)) // the day itself counts
	}
	if f.After != 0 && f.Before != 0 && f.Before <= f.After {
		faults = append(faults, templates.FieldError{Field: "before", Message: "The last day lies before the first"})
	}
	return faults
}

// clockZone is the zone of the address's days: the viewer's where it names none,
// nil where it names one that does not exist.
func (q queueQuery) clockZone(v *visit) *time.Location {
	if q.zone == "" {
		return v.zone()
	}
	if found, known := zone.Find(q.zone); known {
		return found
	}
	return nil
}

// faultOf is what is wrong with one typed value, as a sentence.
func faultOf(err error) string {
	var e *model.Error
	if errors.As(err, &e) && len(e.Fields) > 0 {
		return upper(e.Fields[0].Message)
	}
	return upper(err.Error())
}

// zone is the viewer's.
func (v *visit) zone() *time.Location {
	if v.page.Clock.Zone == nil {
		return time.UTC
	}
	return v.page.Clock.Zone
}

// form shows the filter as it was sent.
func (q queueQuery) form(v *visit, d queueData, faults templates.FieldErrors) templates.QueueFilter {
	zone := q.clockZone(v)
	if zone == nil {
		zone = v.zone()
	}
	view := templates.QueueFilter{Query: q.again(), Searched: q.shown(), Sort: q.sort, Min: q.min, Max: q.max, From: q.from, Before: q.until, Zone: zone.String(), Errors: faults,
		Active: q.address("sort", "") != "/", Wide: q.max+q.from+q.provider+q.due+q.account != ""}
	view.Default = "With operators"
	if q.text != "" {
		view.Default = "Any" // a search finds finished work too
	}
	view.Kinds = chosen(q.kind, kinds, title)
	states := []templates.Choice{{Value: stateOpen, Label: "Open, with approvers too"}, {Value: store.StateUnknown, Label: "Outcome unknown"}}
	for _, state := range model.IntentStates {
		states = append(states, templates.Choice{Value: string(state), Label: stateTitle(state)})
	}
	view.States = mark(q.state, append(states, templates.Choice{Value: store.AnyState, Label: "All, finished too"}))
	if accounts := v.actor.Accounts(); len(accounts) > 1 {
		view.Accounts = chosen(q.account, accounts, same)
	}
	view.Currencies = chosen(q.currency, append(slices.Clone(d.currencies), store.NoMoney), currencyLabel)
	view.Providers = chosen(q.provider, d.providers, same)
	view.Owners = q.owners(d)
	view.Dues = mark(q.due, []templates.Choice{{Value: duePast, Label: "Past"}, {Value: dueSoon, Label: "Within 4 hours, or past"}, {Value: dueAny, Label: "Any"}})
	return view
}

// owners offers the viewer, nobody, and whom the address names.
func (q queueQuery) owners(d queueData) []templates.Choice {
	list := []templates.Choice{{Value: "me", Label: "Me"}, {Value: store.Nobody, Label: "Nobody"}}
	if q.owner != "" && q.owner != "me" && q.owner != store.Nobody {
		name := "Another person"
		if len(d.cases) > 0 {
			name = d.cases[0].OwnerName
		}
		list = append(list, templates.Choice{Value: q.owner, Label: name})
	}
	return mark(q.owner, list)
}

func same(text string) string { return text }

// currencyLabel names a currency in the filter.
func currencyLabel(code string) string {
	if code == store.NoMoney {
		return "No money"
	}
	return code
}

// chosen offers values, and the one in force even where it is none of them.
func chosen(value string, values []string, label func(string) string) (list []templates.Choice) {
	if value != "" && !slices.Contains(values, value) {
		values = append(slices.Clone(values), value)
	}
	for _, one := range values {
		list = append(list, templates.Choice{Value: one, Label: label(one), Current: one == value})
	}
	return list
}

// mark marks the choice in force.
func mark(value string, list []templates.Choice) []templates.Choice {
	for i := range list {
		list[i].Current = list[i].Value == value
	}
	return list
}
