package store

import (
	"slices"

	"countersign/internal/model"
)

// View is a filter of the queue under a name.
type View struct {
	ID        string     `db:"id"`
	Account   string     `db:"account"`
	Person    string     `db:"person"` // id of who made it
	Maker     string     `db:"maker"`  // the name, as it was then
	Name      string     `db:"name"`
	Query     string     `db:"query"`  // of the queue's address, without "?"
	Shared    bool       `db:"shared"` // listed for the whole account, else for its maker alone
	CreatedAt model.Time `db:"created_at"`
	ChangedAt model.Time `db:"changed_at"`
}

const viewColumns = "id, account, person, maker, name, query, shared, created_at, changed_at"

// MaxViews is how many views a person may keep in an account, and how many of an
// account a page lists.
const MaxViews = 50

// AddView keeps a view. taken is the one of its maker that has the name already,
// or nil; then nothing was stored.
func (t *Tx) AddView(v View) (made View, taken *View, err error) {
	v.ID, v.CreatedAt, v.ChangedAt = t.NewID("view"), t.now, t.now
	fresh, err := t.InsertNew("views", viewColumns, v)
	if err != nil || fresh {
		return v, nil, err
	}
	taken = &View{}
	_, err = t.Get(taken, "SELECT "+viewColumns+" FROM views WHERE account = ? AND person = ? AND name = ?", v.Account, v.Person, v.Name)
	return v, taken, err
}

// CountViews counts the views that a person made in an account.
func (t *Tx) CountViews(account, person string) (n int, err error) {
	_, err = t.Get(&n, "SELECT count(*) FROM views WHERE account = ? AND person = ?", account, person)
	return n, err
}

// View reads one view, of one of the accounts; the error is of kind NotFound.
func (t *Tx) View(id string, accounts []string) (View, error) {
	v, err := t.AnyView(id)
	if err != nil {
		return v, err
	}
	return v, v.Within(id, accounts)
}

// AnyView reads one view, whosoever it is: Within then holds it against what the
// reader may see. Where there is none it is the zero View.
func (t *Tx) AnyView(id string) (v View, err error) {
	_, err = t.Get(&v, "SELECT "+viewColumns+" FROM views WHERE id = ?"+t.owned(), id)
	return v, err
}

// Within is nil where the view is of one of the accounts; else the error is of
// kind NotFound, and the same for one that does not exist.
func (v View) Within(id string, accounts []string) error {
	if v.ID == "" || !slices.Contains(accounts, v.Account) {
		return model.Errorf(model.NotFound, "not-found", "There is no view %s, or it is not yours to see.", id)
	}
	return nil
}

// owned ends a SELECT of rows that this transaction is about to change.
func (t *Tx) owned() string {
	if !t.writes {
		return ""
	}
	return t.db.dialect.lock
}

// Views lists what a person is offered: their own views of the accounts and those
// that others share there, by name.
func (t *Tx) Views(accounts []string, person string) (list []View, err error) {
	if len(accounts) == 0 {
		return nil, nil
	}
	in := "(" + marks(len(accounts)) + ")"
	args := append(append(append(anys(accounts), person, MaxViews), anys(accounts)...), person, MaxViews)
	err = t.Select(&list, "SELECT * FROM (SELECT "+viewColumns+" FROM views WHERE account IN "+in+" AND person = ? ORDER BY name, id LIMIT ?) AS own UNION ALL "+
		"SELECT * FROM (SELECT "+viewColumns+" FROM views WHERE account IN "+in+" AND shared AND person <> ? ORDER BY name, id LIMIT ?) AS others ORDER BY name, id", args...)
	return list, err
}

// ChangeView gives a view another name and audience. taken tells that its maker
// has another of that name; then nothing changed.
func (t *Tx) ChangeView(v View) (taken bool, err error) {
	n, err := t.Changed(`UPDATE views SET name = ?, shared = ?, changed_at = ? WHERE id = ? AND NOT EXISTS
		(SELECT 1 FROM views o WHERE o.account = ? AND o.person = ? AND o.name = ? AND o.id <> ?)`,
		v.Name, v.Shared, t.now, v.ID, v.Account, v.Person, v.Name, v.ID)
	return n == 0, err
}

// DropView takes a view away; dropped is false where it was gone before.
func (t *Tx) DropView(id string) (dropped bool, err error) {
	n, err := t.Changed("DELETE FROM views WHERE id = ?", id)
	return n == 1, err
}
