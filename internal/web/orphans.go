package web

import (
	"errors"
	"net/http"
	"net/url"
	"slices"

	"countersign/internal/actions"
	"countersign/internal/authz"
	"countersign/internal/model"
	"countersign/internal/store"
	"countersign/internal/web/problem"
	"countersign/web/templates"
)

// orphanQuery is the address of a list of orphans.
type orphanQuery struct{ state, kind, cursor string }

// orphanStates and orphanKinds are what the list can be filtered by.
var (
	orphanStates = []string{actions.OrphansOpen, actions.OrphansSettled, actions.OrphansAll}
	orphanKinds  = []string{"", store.UnknownObject, store.MissingObject}
)

// orphanTitles say what stands alone.
var orphanTitles = map[string]string{store.UnknownObject: "Object without an intent", store.MissingObject: "Step without its object"}

func (q orphanQuery) address() string {
	values := url.Values{}
	for name, value := range map[string]string{"state": q.state, "kind": q.kind, "cursor": q.cursor} {
		if value != "" && !(name == "state" && value == actions.OrphansOpen) {
			values.Set(name, value)
		}
	}
	if len(values) == 0 {
		return "/orphans"
	}
	return "/orphans?" + values.Encode()
}

// orphanQuery reads the address. The error is of kind Invalid for a filter that is
// none of those offered.
func (v *visit) orphanQuery() (orphanQuery, error) {
	values := v.r.URL.Query()
	q := orphanQuery{state: values.Get("state"), kind: values.Get("kind"), cursor: values.Get("cursor")}
	if q.state == "" {
		q.state = actions.OrphansOpen
	}
	switch {
	case !slices.Contains(orphanStates, q.state):
		return q, noSuchFilter("state")
	case !slices.Contains(orphanKinds, q.kind):
		return q, noSuchFilter("kind")
	}
	return q, nil
}

// orphans lists what stands on one side only.
func (v *visit) orphans() error {
	q, err := v.orphanQuery()
	if err != nil {
		return err
	}
	list, err := v.Runner.Orphans(v.r.Context(), v.actor, actions.OrphanQuery{State: q.state, Sort: q.kind, Cursor: q.cursor, Limit: rowsPerPage})
	if err != nil {
		return err
	}
	return v.show(http.StatusOK, templates.Orphans(v.orphansView(q, list)))
}

func (v *visit) orphansView(q orphanQuery, list actions.OrphanPage) templates.OrphansView {
	view := templates.OrphansView{Page: v.titled("Orphans"), Matched: orphanCount(store.Counted{N: list.Count, Capped: list.CountCapped}),
		Say: say("What stands on one side only: a provider’s object that no intent here explains, or a confirmed step whose object the provider does not know. Nothing is sent because of it, and nothing leaves this list by age.")}
	for _, state := range orphanStates {
		view.States = append(view.States, templates.Choice{Href: orphanQuery{state: state, kind: q.kind}.address(), Label: state, Current: q.state == state})
	}
	for _, kind := range orphanKinds {
		label := map[string]string{"": "any", store.UnknownObject: "object without an intent", store.MissingObject: "step without its object"}[kind]
		view.Kinds = append(view.Kinds, templates.Choice{Href: orphanQuery{state: q.state, kind: kind}.address(), Label: label, Current: q.kind == kind})
	}
	for _, o := range list.Items {
		view.Rows = append(view.Rows, v.orphanRow(o))
	}
	if list.Hidden.N > 0 {
		view.Hidden = say(count(list.Hidden), " more at providers that serve other accounts too: nobody can tell whose they are, so they are shown to people of all those accounts and to administrators.")
	}
	if len(view.Rows) == 0 {
		view.Empty = emptyOrphans(q)
	}
	if q.cursor != "" {
		view.Prev = orphanQuery{state: q.state, kind: q.kind}.address()
	}
	if list.NextCursor != nil {
		view.Next = orphanQuery{state: q.state, kind: q.kind, cursor: *list.NextCursor}.address()
	}
	return view
}

func orphanCount(n store.Counted) string {
	if n.N == 1 {
		return "1 orphan"
	}
	return count(n) + " orphans"
}

func emptyOrphans(q orphanQuery) *templates.EmptyView {
	if q.state != actions.OrphansOpen || q.kind != "" {
		return &templates.EmptyView{Title: "No orphan matches", Text: say(templates.Link("/orphans", "Show what is open"))}
	}
	return &templates.EmptyView{Title: "Nothing stands alone", Text: say("Every object that the providers listed belongs to an intent, and every confirmed step has its object. ",
		templates.Link("/orphans?state=settled", "Show settled orphans"))}
}

func (v *visit) orphanRow(o store.Orphan) templates.OrphanRow {
	return templates.OrphanRow{Href: "/orphans/" + o.ID, Title: orphanTitles[o.Sort], Provider: o.Provider, Operation: operationOf(o), Object: o.ExternalRef,
		Reference: o.Reference, Money: money(o.Amount, o.Currency), Status: o.Status, Made: v.at(o.MadeAt), Found: v.at(o.FoundAt), How: foundHow(o),
		MayBe: mayBe(o)[0], Settled: v.at(o.SettledAt), Settler: o.Settler}
}

func operationOf(o store.Orphan) string {
	if o.Operation == "" {
		return "an operation that is none of ours"
	}
	return o.Operation
}

func foundHow(o store.Orphan) string {
	if o.FoundBy == store.ByWebhook {
		return "by a webhook"
	}
	return "by the sweep"
}

// mayBe says what an orphan may be, the likeliest first.
func mayBe(o store.Orphan) []templates.Text {
	switch {
	case o.Sort == store.MissingObject:
		return []templates.Text{say("The step is confirmed here, and the provider, asked twice by the object’s id, does not know it."),
			say("It may have been removed or archived at the provider, or the answer that confirmed the step came from another environment. The step stays confirmed: what confirmed it stands.")}
	case o.NamedIntent != "":
		return []templates.Text{say("Its reference is a step key as this product writes them, and this database has no such intent."),
			say("It may have been sent before the database was restored from an older copy: when its caller posts the same key again, the intent takes this object and nothing is sent twice. Or another installation uses the same account at the provider.")}
	case o.Reference == "":
		return []templates.Text{say("It has no reference of ours: somebody may have made it by hand at the provider, or another system did.")}
	}
	return []templates.Text{say("Its reference is no step key of this product: somebody may have made it by hand at the provider, or another system did.")}
}

// whatToDo says how to find out.
func whatToDo(o store.Orphan) []templates.Text {
	if o.Sort == store.MissingObject {
		return []templates.Text{say("Ask the provider about the object’s id, and look at the bank’s statement for the amount. Do not pay again because of this page."),
			say("Where it did not happen after all, record that on the intent with a document; then settle this here.")}
	}
	if o.NamedIntent != "" {
		return []templates.Text{say("Have the caller post the intent again with the same key. It takes this object by itself, and this orphan is settled with it."),
			say("Where no caller knows it, look it up at the provider, and settle it with what you found.")}
	}
	return []templates.Text{say("Look it up at the provider by its id and find out who made it. Where it pays what an intent here was to pay, say so on that intent before anything more is sent."),
		say("Then settle it with what you found.")}
}

// orphan shows one orphan.
func (v *visit) orphan() error {
	view, err := v.orphanView(v.c.Param("id"))
	if err != nil {
		return err
	}
	return v.show(http.StatusOK, templates.Orphan(view))
}

func (v *visit) orphanView(id string) (templates.OrphanView, error) {
	o, may, err := v.Runner.Orphan(v.r.Context(), v.actor, id)
	if err != nil {
		return templates.OrphanView{}, err
	}
	view := templates.OrphanView{Page: v.titled(orphanTitles[o.Sort]), ID: o.ID, Title: orphanTitles[o.Sort], Open: o.SettledAt == 0, Facts: v.orphanFacts(o),
		MayBe: mayBe(o), Do: whatToDo(o), May: may.Allowed, Reason: templates.ReasonField{Hint: "What you found out, and where. At least 8 characters; it stays in the audit log."}}
	if !view.Open {
		note := templates.Note{Kind: "ok", Title: say("Settled by ", templates.Name(o.Settler), ", ", v.at(o.SettledAt)), Text: []templates.Text{say("“", templates.Name(o.Note), "”")}}
		if o.TakenBy != "" {
			note.Text = append(note.Text, say("It belongs to ", templates.LinkText("/intents/"+o.TakenBy, templates.Code(o.TakenBy))))
		}
		view.Settled = &note
	} else if !may.Allowed {
		view.NotYou = &templates.Note{Kind: "q", Title: say("You may read this and not settle it."), Text: []templates.Text{say(may.Because)}}
	}
	return view, nil
}

func (v *visit) orphanFacts(o store.Orphan) (facts []templates.Fact) {
	add := func(label string, there bool, parts ...any) {
		if there {
			facts = append(facts, templates.Fact{Label: label, Text: say(parts...)})
		}
	}
	add("Provider", true, o.Provider, ", ", operationOf(o))
	add("Object", true, templates.Foreign(o.ExternalRef))
	add("Reference", o.Reference != "", templates.Foreign(o.Reference))
	add("Reference", o.Reference == "", "none")
	if m := money(o.Amount, o.Currency); m != nil {
		add("Amount", true, *m)
	}
	add("Provider says", o.Status != "", templates.Code(o.Status))
	add("Made", o.MadeAt != 0, v.at(o.MadeAt), ", by the provider’s clock")
	add("Found", true, v.at(o.FoundAt), ", ", foundHow(o))
	add("Event", o.Event != "", templates.Foreign(o.Event))
	add("Intent", o.IntentID != "", templates.LinkText("/intents/"+o.IntentID, templates.Code(o.IntentID)), ", step ", o.Step)
	add("Account", o.Account != "", o.Account)
	add("Account", o.Account == "", "nobody can tell")
	return facts
}

// settleOrphan records what the viewer found out.
func (v *visit) settleOrphan() error {
	var form struct {
		Reason string `form:"reason"`
		Intent string `form:"intent"`
	}
	if err := v.bind(&form); err != nil {
		return err
	}
	id := v.c.Param("id")
	_, err := v.Runner.SettleOrphan(v.r.Context(), v.actor, id, actions.Settlement{Reason: form.Reason, Intent: form.Intent})
	if err == nil {
		return v.to("/orphans/" + url.PathEscape(id))
	}
	p := problem.Of(err)
	if !errors.Is(err, model.Invalid) && p.Name != authz.CodeStepUp {
		return err
	}
	view, readErr := v.orphanView(id)
	if readErr != nil {
		return readErr
	}
	view.Reason.Value, view.Intent = form.Reason, form.Intent
	if p.Name == authz.CodeStepUp {
		view.StepUp = stepUpNote(err, "Nothing was settled.", "/orphans/"+id)
	}
	for _, f := range p.Errors {
		name := f.Location[1:] // "/reason"
		view.Errors = append(view.Errors, templates.FieldError{Field: name, Message: "The " + name + " " + f.Message})
	}
	return v.show(p.Status, templates.Orphan(view))
}
