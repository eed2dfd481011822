package web

import (
	"errors"
	"net/url"
	"slices"
	"strings"
	"time"

	"countersign/internal/model"
	"countersign/internal/store"
	"countersign/web/templates"
)

// queueQuery is the address of a list, as it came.
type queueQuery struct {
	text, kind, state, account, currency, min, before, owner, sort, cursor string
}

func readQueueQuery(q url.Values) queueQuery {
	at := func(name string) string { return strings.TrimSpace(q.Get(name)) }
	return queueQuery{at("q"), at("kind"), at("state"), at("account"), at("currency"), at("min"), at("before"), at("owner"), at("sort"), at("cursor")}
}

// address is the list's address, with other values in place of some; "" drops one.
func (q queueQuery) address(changes ...string) string {
	values := url.Values{}
	set := func(name, value string) {
		values.Del(name)
		if value != "" {
			values.Set(name, value)
		}
	}
	for name, value := range map[string]string{"q": q.text, "kind": q.kind, "state": q.state, "account": q.account, "currency": q.currency,
		"min": q.min, "before": q.before, "owner": q.owner, "sort": q.sort} {
		set(name, value)
	}
	for i := 0; i+1 < len(changes); i += 2 {
		set(changes[i], changes[i+1])
	}
	if len(values) == 0 {
		return "/"
	}
	return "/?" + values.Encode()
}

// kinds are what the kind filter offers.
var kinds = []string{model.KindPayout, model.KindStatement, model.KindDispute, model.KindCompensation}

// filter checks the query. Faults are of what was typed; an error is about what
// no form of ours offers.
func (q queueQuery) filter(v *visit) (f store.ListFilter, faults templates.FieldErrors, err error) {
	f = store.ListFilter{Accounts: v.actor.Accounts(), Kind: q.kind, State: q.state, Currency: q.currency, Owner: q.owner, Order: store.Order(q.sort), Limit: rowsPerPage}
	if q.account != "" {
		if !v.actor.Sees(q.account) {
			return f, nil, notFound("There is no account %s, or it is not yours to see.", q.account)
		}
		f.Accounts = []string{q.account}
	}
	if err := q.known(); err != nil {
		return f, nil, err
	}
	if q.owner == "me" {
		f.Owner = v.actor.ID
	}
	if f.Min, err = q.least(); err != nil {
		faults = append(faults, templates.FieldError{Field: "min", Message: faultOf(err)})
	}
	if q.before != "" {
		day, err := time.ParseInLocation(time.DateOnly, q.before, v.zone())
		if err != nil {
			faults = append(faults, templates.FieldError{Field: "before", Message: "This is no date, as in 2026-11-30"})
		} else {
			f.Before = model.At(day.AddDate(0, 0, 1)) // the day itself counts
		}
	}
	return f, faults, nil
}

// known refuses values that the lists do not have.
func (q queueQuery) known() error {
	bad := func(name string) error {
		return model.Errorf(model.Invalid, "invalid-params", "The list has no such filter.").WithFields(model.Field{Location: name, Message: "is none of those offered"})
	}
	_, money := model.Exponent(q.currency)
	switch {
	case q.kind != "" && !slices.Contains(kinds, q.kind):
		return bad("kind")
	case q.state != "" && q.state != store.AnyState && q.state != store.StateUnknown && !slices.Contains(model.IntentStates, model.IntentState(q.state)):
		return bad("state")
	case q.currency != "" && !money:
		return bad("currency")
	case !slices.Contains([]string{"", "amount", "age", "new"}, q.sort):
		return bad("sort")
	case len(q.owner) > 64:
		return bad("owner")
	}
	return nil
}

// least is the amount from which on the list shows, in minor units.
func (q queueQuery) least() (int64, error) {
	if q.min == "" {
		return 0, nil
	}
	if q.currency == "" {
		return 0, errors.New("choose the currency of the amount")
	}
	m, err := model.ParseDecimal(q.min, q.currency)
	return m.Amount, err
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
func (q queueQuery) form(v *visit, f store.ListFilter, faults templates.FieldErrors, currencies []string) templates.QueueFilter {
	view := templates.QueueFilter{Query: q.text, Sort: q.sort, Min: q.min, Before: q.before, Errors: faults,
		Active: q.address("sort", "") != "/"}
	for _, kind := range kinds {
		view.Kinds = append(view.Kinds, templates.Choice{Value: kind, Label: title(kind), Current: kind == q.kind})
	}
	view.States = append(view.States, templates.Choice{Value: store.StateUnknown, Label: "Outcome unknown", Current: q.state == store.StateUnknown})
	for _, state := range model.IntentStates {
		view.States = append(view.States, templates.Choice{Value: string(state), Label: title(string(state)), Current: q.state == string(state)})
	}
	view.States = append(view.States, templates.Choice{Value: store.AnyState, Label: "All, finished too", Current: q.state == store.AnyState})
	if accounts := v.actor.Accounts(); len(accounts) > 1 {
		for _, account := range accounts {
			view.Accounts = append(view.Accounts, templates.Choice{Value: account, Label: account, Current: account == q.account})
		}
	}
	if q.currency != "" && !slices.Contains(currencies, q.currency) {
		currencies = append(currencies, q.currency)
	}
	for _, currency := range currencies {
		view.Currencies = append(view.Currencies, templates.Choice{Value: currency, Label: currency, Current: currency == q.currency})
	}
	view.Owners = []templates.Choice{{Value: "me", Label: "Me", Current: q.owner == "me"}, {Value: store.Nobody, Label: "Nobody", Current: q.owner == store.Nobody}}
	return view
}
