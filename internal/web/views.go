package web

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"

	"countersign/internal/actions"
	"countersign/internal/model"
	"countersign/internal/store"
	"countersign/internal/web/problem"
	"countersign/web/templates"
)

// viewForm is the form of a view, to make one or to change one.
type viewForm struct {
	Query   string `form:"query"`
	Account string `form:"account"`
	Name    string `form:"name"`
	For     string `form:"for"` // "account" or "me"
	Do      string `form:"do"`  // of one that exists: change or delete
}

const forAccount = "account"

// viewsPath takes the form that makes a view.
const viewsPath = "/views"

// named fills in the views that are offered, and the one that is open.
func (v *visit) named(view *templates.QueueView, q queueQuery, saved *store.View, unsaved *templates.SaveView, views []store.View) {
	for _, one := range views {
		label := one.Name
		if one.Person != v.actor.ID {
			label += " · " + one.Maker
		}
		view.Saved = append(view.Saved, templates.Choice{Href: "/views/" + one.ID, Label: label, Current: saved != nil && one.ID == saved.ID})
	}
	switch {
	case saved != nil:
		view.Page.Title, view.Heading = saved.Name, saved.Name
		view.Open = v.savedView(*saved, unsaved)
	case unsaved != nil || q.text == "" && q.address() != "/" && len(view.Filter.Errors) == 0:
		view.Save = v.saveForm(q, unsaved)
	}
}

// saveForm offers to keep the present filter under a name.
func (v *visit) saveForm(q queueQuery, typed *templates.SaveView) *templates.SaveView {
	form := &templates.SaveView{}
	if typed != nil {
		*form = *typed
	}
	if q.zone == "" && q.from+q.until != "" {
		q.zone = v.zone().String() // the days mean the same to whoever opens it
	}
	form.Query, form.Back = q.values().Encode(), viewsPath
	if accounts := v.actor.Accounts(); len(accounts) > 1 {
		form.Accounts = chosen(cmp.Or(form.Account, q.account), accounts, same)
	}
	return form
}

// savedView is the head of an open view, with its form for who may change it.
func (v *visit) savedView(saved store.View, typed *templates.SaveView) *templates.SavedView {
	open := &templates.SavedView{Filter: "/?" + saved.Query, Of: say("View of ", templates.Name(saved.Maker), ", ", saved.Account)}
	if saved.Query == "" {
		open.Filter = "/"
	}
	if saved.Person == v.actor.ID {
		open.Of = say("Your view, ", saved.Account)
	}
	audience := ", listed for its maker alone; whoever of the account has its address can open it"
	if saved.Shared {
		audience = ", listed for everybody of the account"
	}
	open.Of = say(open.Of, audience, ". Everybody sees the rows that are theirs to see.")
	if actions.MayChangeView(v.actor, saved) {
		open.Change = &templates.SaveView{Back: "/views/" + saved.ID, Name: saved.Name, Shared: saved.Shared}
		if typed != nil {
			typed.Back = open.Change.Back
			open.Change = typed
		}
	}
	return open
}

// saveView keeps the filter that a form carries.
func (v *visit) saveView() error {
	var typed viewForm
	if err := v.bind(&typed); err != nil {
		return err
	}
	values, err := url.ParseQuery(typed.Query)
	if err != nil {
		return model.Errorf(model.Invalid, "invalid-params", "The filter of this form cannot be read.")
	}
	q := readQueueQuery(values)
	q.text, q.typed, q.cursor = "", "", ""
	_, faults, err := q.filter(v)
	if err != nil {
		return err
	}
	if len(faults) > 0 {
		first := templates.FieldError{Field: faults[0].Field, Message: "First mend the filter, and list by it; what cannot be read is not saved"}
		return v.list(q, nil, http.StatusUnprocessableEntity, typed.wrong(first))
	}
	account := typed.Account
	if own := v.actor.Accounts(); account == "" && len(own) > 0 {
		account = own[0]
	}
	made, err := v.Runner.SaveView(v.r.Context(), v.actor, store.View{Account: account, Name: typed.Name, Query: q.values().Encode(), Shared: typed.For == forAccount})
	if errors.Is(err, model.Invalid) {
		return v.list(q, nil, http.StatusUnprocessableEntity, typed.faulty(err))
	}
	if err != nil {
		return err
	}
	return v.to("/views/" + made.ID)
}

// faulty is the form as it was typed, with what is wrong with its name.
func (f viewForm) faulty(err error) *templates.SaveView {
	var faults templates.FieldErrors
	for _, fault := range problem.Of(err).Errors {
		faults = append(faults, templates.FieldError{Field: "name", Message: "The name " + fault.Message})
	}
	return f.wrong(faults...)
}

// wrong is the form as it was typed, with faults.
func (f viewForm) wrong(faults ...templates.FieldError) *templates.SaveView {
	return &templates.SaveView{Name: f.Name, Account: f.Account, Shared: f.For == forAccount, Errors: faults}
}

// readView reads the view that the address names, with the session: who may see
// it is asked when both are there.
func (v *visit) readView(tx *store.Tx) (err error) {
	v.view, err = tx.AnyView(v.c.Param("id"))
	return err
}

// savedViewOf is the view that the address names, with its filter.
func (v *visit) savedViewOf() (saved store.View, q queueQuery, err error) {
	saved = v.view
	if err := saved.Within(v.c.Param("id"), v.actor.Accounts()); err != nil {
		return saved, q, err
	}
	values, err := url.ParseQuery(saved.Query)
	q = readQueueQuery(values)
	q.at, q.cursor, q.selection = "/views/"+saved.ID, legible(v.c.QueryParam("cursor")), legible(v.c.QueryParam("selection"))
	return saved, q, err
}

// openView shows the list that a view selects.
func (v *visit) openView() error {
	saved, q, err := v.savedViewOf()
	if err != nil {
		return err
	}
	return v.list(q, &saved, http.StatusOK, nil)
}

// changeView gives a view another name and audience, or deletes it.
func (v *visit) changeView() error {
	var typed viewForm
	if err := v.bind(&typed); err != nil {
		return err
	}
	saved, q, err := v.savedViewOf()
	if err != nil {
		return err
	}
	switch typed.Do {
	case "delete":
		if err := v.Runner.DeleteView(v.r.Context(), v.actor, saved.ID); err != nil {
			return err
		}
		return v.to("/?" + saved.Query)
	case "change":
		err = v.Runner.RenameView(v.r.Context(), v.actor, saved.ID, typed.Name, typed.For == forAccount)
	default:
		err = model.Errorf(model.Invalid, "invalid-params", "A view is changed or deleted.")
	}
	if errors.Is(err, model.Invalid) && len(problem.Of(err).Errors) > 0 {
		return v.list(q, &saved, http.StatusUnprocessableEntity, typed.faulty(err))
	}
	if err != nil {
		return err
	}
	return v.to("/views/" + saved.ID)
}
