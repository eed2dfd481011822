package web

import (
	"encoding/hex"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"countersign/internal/audit"
	"countersign/internal/authz"
	"countersign/internal/model"
	"countersign/internal/store"
	"countersign/web/templates"
)

const entriesPerPage = 50

// permitted lists the accounts in which the viewer has a permission.
func (v *visit) permitted(p authz.Permission) (accounts []string) {
	for _, account := range v.actor.Accounts() {
		if v.actor.May(account, p).Allowed {
			accounts = append(accounts, account)
		}
	}
	return accounts
}

// denied is the refusal of a page that needs a permission in some account.
func (v *visit) denied(p authz.Permission) error {
	for _, account := range v.actor.Accounts() {
		return v.actor.May(account, p).Err()
	}
	return model.Errorf(model.Denied, "denied", "You have no role in any account, so you may not %s.", p.Words())
}

// auditQuery is the address of a list of entries, as it came.
type auditQuery struct{ from, to, actor, event, intent, show, before, after string }

func (q auditQuery) address(path string, changes ...string) string {
	values := url.Values{}
	for name, value := range map[string]string{"from": q.from, "to": q.to, "actor": q.actor, "event": q.event, "intent": q.intent, "show": q.show} {
		if value != "" {
			values.Set(name, value)
		}
	}
	for i := 0; i+1 < len(changes); i += 2 {
		values.Set(changes[i], changes[i+1])
	}
	if len(values) == 0 {
		return path
	}
	return path + "?" + values.Encode()
}

// filter checks the query.
func (q auditQuery) filter(v *visit) (f audit.Filter, faults templates.FieldErrors, err error) {
	f = audit.Filter{Accounts: audit.Of(v.permitted(authz.ReadAudit)...), Event: wholeEvent(q.event), Intent: q.intent, Actor: q.actor, Show: audit.Show(q.show), Newest: true, Limit: entriesPerPage + 1}
	f.From, f.To, faults = days(q.from, q.to, v.zone())
	if f.From != 0 && f.To != 0 && f.To <= f.From {
		f.From, f.To = 0, 0 // the fault says so; the rows are those without it
	}
	for name, into := range map[string]*string{"event": &f.Event, "intent": &f.Intent, "actor": &f.Actor} {
		if *into != "" && !store.Searchable(*into) {
			faults = append(faults, templates.FieldError{Field: name, Message: "This can be no " + name})
			*into = ""
		}
	}
	if !slices.Contains([]audit.Show{audit.Everybody, audit.ByPeople, audit.Refusals}, f.Show) {
		return f, nil, model.Errorf(model.Invalid, "invalid-params", "The log has no such filter.").WithFields(model.Field{Location: "show", Message: "is none of those offered"})
	}
	if q.actor != "" && !actorID.MatchString(q.actor) {
		return f, nil, noSuchFilter("actor")
	}
	for text, into := range map[string]**int64{q.before: &f.Before, q.after: &f.After} {
		if text == "" {
			continue
		}
		index, err := strconv.ParseInt(text, 10, 64)
		if err != nil || index < 0 {
			return f, nil, badCursor()
		}
		*into = &index
	}
	if f.After != nil {
		f.Newest = false // the entries right after it, turned round below
	}
	return f, faults, nil
}

// actorID is how whoever did something is named in the log.
var actorID = regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z@._:+-]{0,254}$`)

// wholeEvent takes the beginning of an event for all that begin so.
func wholeEvent(event string) string {
	if event == "" || strings.HasSuffix(event, ".") {
		return event
	}
	dots := strings.Count(event, ".")
	if dots == 0 || dots == 1 && strings.HasPrefix(event, "action.") {
		return event + "."
	}
	return event
}

// days reads two inclusive dates in a zone as a half-open span.
func days(from, to string, zone *time.Location) (begin, end model.Time, faults templates.FieldErrors) {
	day := func(field, text string) time.Time {
		at, err := time.ParseInLocation(time.DateOnly, text, zone)
		if err != nil && text != "" {
			faults = append(faults, templates.FieldError{Field: field, Message: "This is no date, as in 2026-11-30"})
		}
		return at
	}
	if at := day("from", from); !at.IsZero() {
		begin = model.At(at)
	}
	if at := day("to", to); !at.IsZero() {
		end = model.At(at.AddDate(0, 0, 1))
	}
	if begin != 0 && end != 0 && end <= begin {
		faults = append(faults, templates.FieldError{Field: "to", Message: "The end lies before the beginning"})
	}
	return begin, end, faults
}

// audit lists entries, newest first.
func (v *visit) audit() error {
	at := func(name string) string { return strings.TrimSpace(v.c.QueryParam(name)) }
	q := auditQuery{at("from"), at("to"), at("actor"), at("event"), at("intent"), at("show"), at("before"), at("after")}
	if len(v.permitted(authz.ReadAudit)) == 0 {
		return v.denied(authz.ReadAudit)
	}
	f, faults, err := q.filter(v)
	if err != nil {
		return err
	}
	view := templates.AuditView{Page: v.titled("Audit log"), Filter: templates.AuditFilter{From: q.from, To: q.to, Actor: q.actor, Event: q.event, Intent: q.intent, Errors: faults,
		Shows: mark(q.show, []templates.Choice{{Value: string(audit.ByPeople), Label: "What people did"}, {Value: string(audit.Refusals), Label: "Refused or denied"}})}}
	err = v.read(func(tx *store.Tx) error {
		return tx.Together(
			func() (err error) { view.Log, err = v.logFacts(tx); return err },
			func() (err error) { view.Filter.Actors, err = v.auditActors(tx, q.actor); return err },
			func() error {
				items, err := v.Log.List(tx, f)
				v.auditPage(&view, q, f, items)
				return err
			})
	})
	if err != nil {
		return err
	}
	return v.show(http.StatusOK, templates.Audit(view))
}

// auditPage cuts the entries to a page and links its neighbours.
func (v *visit) auditPage(view *templates.AuditView, q auditQuery, f audit.Filter, items []audit.Item) {
	more := len(items) > entriesPerPage
	if more {
		items = items[:entriesPerPage]
	}
	older, newer := more, f.Before != nil
	if !f.Newest {
		slices.Reverse(items)
		older, newer = true, more
	}
	view.Rows, view.Matched = v.auditRows(items), counted(len(items), "entry")+" on this page"
	if len(items) == 0 {
		view.Empty = &templates.EmptyView{Title: "No entry matches", Text: say("The log of your accounts was read to its end. Entries younger than a second may have no number yet.")}
		return
	}
	if newer {
		view.Prev = q.address("/audit", "after", fmt.Sprint(*items[0].Index))
	}
	if older {
		view.Next = q.address("/audit", "before", fmt.Sprint(*items[len(items)-1].Index))
	}
	if len(v.permitted(authz.ExportAudit)) > 0 {
		view.Export = &templates.Button{Href: auditQuery{from: q.from, to: q.to}.address("/audit/export"), Label: "Export"}
	}
}

// logFacts say how large the log is, and how much of it a root protects.
func (v *visit) logFacts(tx *store.Tx) ([]templates.Fact, error) {
	var last audit.Checkpoint
	var waiting audit.Backlog
	var ok bool
	err := tx.Together(
		func() (err error) { last, ok, err = audit.LatestCheckpoint(tx); return err },
		func() (err error) { waiting, err = v.Log.WaitingIn(tx); return err })
	if err == nil && !ok {
		return []templates.Fact{{Label: "Root", Text: say("none yet: nothing is protected against removal")}}, nil
	}
	return []templates.Fact{
		{Label: "Protected", Text: say(grouped(last.Size), " entries of all accounts, root of ", v.at(last.At))},
		{Label: "Root", Text: say(templates.Key(hex.EncodeToString(last.Root)))},
		{Label: "Not yet numbered", Text: say(grouped(waiting.Count), "; what is younger than the root is not yet protected against removal")},
	}, err
}

// auditActors offers the people and service keys of the viewer's accounts, and the engine.
func (v *visit) auditActors(tx *store.Tx, chosen string) (list []templates.Choice, err error) {
	list = []templates.Choice{{Value: "engine", Label: "Engine"}}
	accounts := v.permitted(authz.ReadAudit)
	people, keys := make([][]model.Person, len(accounts)), make([][]store.APIKey, len(accounts))
	var parts []func() error
	for i, account := range accounts {
		parts = append(parts, func() (err error) { people[i], err = tx.People(account); return err },
			func() (err error) { keys[i], err = tx.ServiceKeys(account); return err })
	}
	if err := tx.Together(parts...); err != nil {
		return nil, err
	}
	for i := range accounts {
		for _, p := range people[i] {
			list = append(list, templates.Choice{Value: p.ID, Label: p.Name})
		}
		for _, k := range keys[i] {
			list = append(list, templates.Choice{Value: k.ID, Label: "Key " + k.Name})
		}
	}
	known := false
	for i := range list {
		list[i].Current = list[i].Value == chosen
		known = known || list[i].Current
	}
	if chosen != "" && !known {
		list = append(list, templates.Choice{Value: chosen, Label: chosen, Current: true})
	}
	return list, nil
}
