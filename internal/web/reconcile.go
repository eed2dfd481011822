package web

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"countersign/internal/actions"
	"countersign/internal/authz"
	"countersign/internal/model"
	"countersign/internal/web/problem"
	"countersign/web/templates"
)

// reconcilePath is where banks' files are.
const reconcilePath = "/reconcile"

// reconcileSay says what the page is for.
var reconcileSay = []templates.Text{say("A bank’s file says what really moved. Each of its lines is set beside our steps by the references that it carries, never by amount or name alone; nothing changes before a person has previewed and confirmed it.")}

// bankFileQuery is the address of a page of the list.
type bankFileQuery struct{ account, cursor string }

func (q bankFileQuery) address() string {
	values := url.Values{}
	for name, value := range map[string]string{"account": q.account, "cursor": q.cursor} {
		if value != "" {
			values.Set(name, value)
		}
	}
	if len(values) == 0 {
		return reconcilePath
	}
	return reconcilePath + "?" + values.Encode()
}

// reconcile lists the bank files of one of the viewer's accounts, and offers to
// take another one.
func (v *visit) reconcile() error {
	q := bankFileQuery{v.c.QueryParam("account"), v.c.QueryParam("cursor")}
	view, err := v.reconcileView(q)
	if err != nil {
		return err
	}
	return v.show(http.StatusOK, templates.Reconcile(view))
}

func (v *visit) reconcileView(q bankFileQuery) (view templates.ReconcileView, err error) {
	view = templates.ReconcileView{Page: v.titled("Reconcile"), Say: reconcileSay}
	accounts := v.permitted(authz.ReadIntents)
	if len(accounts) == 0 {
		view.NotYou = &templates.Note{Kind: "q", Title: say("You read no account’s files."), Text: []templates.Text{say("An administrator gives roles in accounts.")}}
		view.Empty = &templates.EmptyView{Title: "No file to be seen", Text: say("Files belong to accounts, and you have no role in any.")}
		return view, nil
	}
	if q.account == "" {
		q.account = accounts[0]
	}
	list, err := v.Runner.BankFiles(v.r.Context(), v.actor, actions.BankFileQuery{Account: q.account, Cursor: q.cursor, Limit: rowsPerPage})
	if err != nil {
		return view, err
	}
	v.mayUpload(&view, q.account)
	if v.seesSample() {
		view.Sample = say("This is the demo: ", templates.Link("/guide#bank-file", "the guide"), " has a file to try.")
	}
	for _, account := range accounts {
		if len(accounts) > 1 {
			view.Accounts = append(view.Accounts, templates.Choice{Href: bankFileQuery{account: account}.address(), Label: account, Current: account == q.account})
		}
	}
	for _, f := range list.Items {
		view.Rows = append(view.Rows, v.bankFileRow(f))
	}
	if len(view.Rows) == 0 {
		view.Empty = &templates.EmptyView{Title: "No file yet", Text: say("Nobody has uploaded a bank’s file of ", q.account, ". The first one stands here with who uploaded it, and what it proves.")}
	}
	if q.cursor != "" {
		view.Prev = bankFileQuery{account: q.account}.address()
	}
	if list.NextCursor != nil {
		view.Next = bankFileQuery{q.account, *list.NextCursor}.address()
	}
	return view, nil
}

// mayUpload offers the form to whoever may record what a file of the account
// proves; to others it says why not.
func (v *visit) mayUpload(view *templates.ReconcileView, account string) {
	may := v.actor.May(account, authz.MarkExternalResult)
	if may.Allowed {
		view.Upload = &templates.BankUpload{Account: account}
		return
	}
	view.NotYou = &templates.Note{Kind: "q", Title: say("You may read the files of ", account, " and not upload one."), Text: []templates.Text{say(may.Because)}}
	if own := v.permitted(authz.MarkExternalResult); len(own) > 0 {
		view.NotYou.Text = append(view.NotYou.Text, say("You may upload files of ", strings.Join(own, ", "), "."))
	}
}

// bankFileRow tells a file by its row alone: it is not read for the list.
func (v *visit) bankFileRow(f actions.BankFile) templates.BankFileRow {
	row := templates.BankFileRow{Href: bankFilePath(f.ID), Name: f.Name, What: f.Format, At: v.at(f.UploadedAt), By: f.PersonName, Number: f.BankNumber}
	if unmapped(f) {
		row.Stands = say(templates.Bold("waits for its columns to be named"))
		return row
	}
	row.What += ", " + counted(f.Statements, "statement")
	row.Lines, row.Period = counted(f.Lines, "line"), daysFrom(f.FromDay, f.ToDay)
	row.Stands = say("nothing recorded from it")
	if f.Recorded > 0 {
		row.Stands = say(counted(f.Recorded, "line"), " recorded")
	}
	return row
}

// unmapped reports whether the file is a CSV whose columns nobody has named yet.
func unmapped(f actions.BankFile) bool { return f.Format == actions.CSV && f.Mapping == nil }

// daysFrom writes a span of days as the bank gives them; "" where it gives none.
func daysFrom(from, to string) string {
	if from == to || to == "" {
		return from
	}
	return from + " to " + to
}

func bankFilePath(id string) string { return reconcilePath + "/" + url.PathEscape(id) }

// sameFile is what the page of a file says first to whoever has just sent its
// bytes once more.
const sameFile = "same-file"

// takeBankFile stores a file and leads to it; the same bytes again lead to the
// first one.
func (v *visit) takeBankFile() error {
	var form struct {
		Account string `form:"account"`
	}
	if err := v.bind(&form); err != nil {
		return err
	}
	sent := v.file
	if sent == nil {
		sent = &sentFile{}
	}
	f, err := v.Runner.TakeBankFile(v.r.Context(), v.actor, form.Account, sent.name, sent.body)
	switch {
	case err == nil && f.Known:
		return v.to(withSaid(bankFilePath(f.ID), sameFile))
	case err == nil:
		return v.to(bankFilePath(f.ID))
	case errors.Is(err, model.Invalid):
		return v.notTaken(form.Account, templates.FieldError{Field: "file", Message: sent.fault(err)})
	}
	return err
}

// fault is what is wrong with a bank's file, in the reader's own sentence.
func (f *sentFile) fault(err error) string {
	var e *model.Error
	switch {
	case f.name == "":
		return "No file came with the form: choose one"
	case len(f.body) == 0:
		return "The file is empty: it has 0 bytes, and says nothing"
	case problem.Of(err).Name == "too-large" && len(f.body) > actions.MaxUpload:
		return "The file is larger than the 5 MiB that are taken"
	case errors.As(err, &e) && len(e.Fields) > 0:
		return "The " + strings.TrimPrefix(e.Fields[0].Location, "/") + " " + e.Fields[0].Message
	}
	return problem.Of(err).Detail
}

// notTaken shows the list again, with what is wrong beside the form.
func (v *visit) notTaken(account string, fault templates.FieldError) error {
	if !slices.Contains(v.permitted(authz.ReadIntents), account) {
		return notFound("There is no account %s, or it is not yours.", account)
	}
	view, err := v.reconcileView(bankFileQuery{account: account})
	if err != nil {
		return err
	}
	view.Errors = templates.FieldErrors{fault}
	return v.show(http.StatusUnprocessableEntity, templates.Reconcile(view))
}
