package store

import (
	"strings"

	"countersign/internal/model"
)

// The sorts of orphans.
const (
	UnknownObject = "unknown_object" // the provider's object, and no intent of ours
	MissingObject = "missing_object" // a confirmed step of ours, and no object
)

// How an orphan was found.
const (
	BySweep   = "sweep"
	ByWebhook = "webhook"
)

// Orphan stands on one side only, until somebody settles what it is.
type Orphan struct {
	ID          string     `db:"id"`
	Sort        string     `db:"sort"`
	Provider    string     `db:"provider"`
	Operation   string     `db:"operation"` // "" where the provider's word is none of ours
	ExternalRef string     `db:"external_ref"`
	Reference   string     `db:"reference"`    // as the provider has it
	NamedIntent string     `db:"named_intent"` // the intent id that the reference names, known here or not
	IntentID    string     `db:"intent_id"`    // ours, of a missing object
	Step        string     `db:"step"`
	Account     string     `db:"account"` // of that intent; "" where nobody can tell
	Amount      int64      `db:"amount"`  // minor units
	Currency    string     `db:"currency"`
	Status      string     `db:"status"`
	MadeAt      model.Time `db:"made_at"` // by the provider's clock; 0 where it does not say
	FoundBy     string     `db:"found_by"`
	Event       string     `db:"event"` // the webhook's id
	FoundAt     model.Time `db:"found_at"`
	SettledAt   model.Time `db:"settled_at"`
	SettledBy   string     `db:"settled_by"` // person id, or "engine"
	Settler     string     `db:"settler"`
	Note        string     `db:"note"`
	TakenBy     string     `db:"taken_by"` // the intent that it turned out to belong to
}

const orphanColumns = "id, sort, provider, operation, external_ref, reference, named_intent, intent_id, step, account, amount, currency, " +
	"status, made_at, found_by, event, found_at"

// FindOrphan keeps an orphan, found now; fresh is false where it is known
// already, settled or not. What a list says about one that is open is brought up
// to date.
func (t *Tx) FindOrphan(o *Orphan) (fresh bool, err error) {
	o.ID, o.FoundAt = t.NewID("orphan"), t.now
	if intent, _, _, err := model.SplitStepKey(o.Reference); err == nil && o.NamedIntent == "" {
		o.NamedIntent = intent
	}
	if fresh, err = t.InsertNew("orphans", orphanColumns, *o); err != nil || fresh || o.FoundBy != BySweep {
		return fresh, err
	}
	_, err = t.Exec(`UPDATE orphans SET reference = ?, amount = ?, currency = ?, status = ?, made_at = ?
		WHERE provider = ? AND operation = ? AND external_ref = ? AND sort = ? AND settled_at = 0
			AND (reference <> ? OR amount <> ? OR currency <> ? OR status <> ? OR made_at <> ?)`,
		o.Reference, o.Amount, o.Currency, o.Status, o.MadeAt, o.Provider, o.Operation, o.ExternalRef, o.Sort,
		o.Reference, o.Amount, o.Currency, o.Status, o.MadeAt)
	return false, err
}

// Orphan reads one orphan. The error is of kind NotFound where there is none.
func (t *Tx) Orphan(id string) (o Orphan, err error) {
	ok, err := t.Get(&o, "SELECT * FROM orphans WHERE id = ?", id)
	if err == nil && !ok {
		err = model.Errorf(model.NotFound, "not-found", "There is no orphan %s, or it is not yours to see.", id)
	}
	return o, err
}

// OpenOrphansOf lists the open orphans of one sort that are these objects.
func (t *Tx) OpenOrphansOf(sort, provider, operation string, refs []string) (list []Orphan, err error) {
	if len(refs) == 0 {
		return nil, nil
	}
	err = t.Select(&list, `SELECT * FROM orphans WHERE provider = ? AND operation = ? AND sort = ? AND settled_at = 0 AND external_ref IN (`+marks(len(refs))+`)`,
		append([]any{provider, operation, sort}, anys(refs)...)...)
	return list, err
}

// OpenOrphansNaming lists the open orphans whose reference names an intent.
func (t *Tx) OpenOrphansNaming(intent string) (list []Orphan, err error) {
	err = t.Select(&list, "SELECT * FROM orphans WHERE named_intent = ? AND named_intent <> '' AND settled_at = 0 ORDER BY found_at, id", intent)
	return list, err
}

// SettleOrphan records who settled an orphan and why; settled is false where
// that was done before, and then nothing changed. An orphan that an intent takes
// belongs to the intent's account from then on.
func (t *Tx) SettleOrphan(id, by, name, note, takenBy string) (settled bool, err error) {
	n, err := t.Changed(`UPDATE orphans SET settled_at = ?, settled_by = ?, settler = ?, note = ?, taken_by = ?,
		account = CASE WHEN account <> '' THEN account ELSE COALESCE((SELECT i.account FROM intents i WHERE i.id = ?), '') END
		WHERE id = ? AND settled_at = 0`, t.now, by, name, note, takenBy, takenBy, id)
	return n == 1, err
}

// OrphanFilter picks orphans. A reader sees those of their accounts, and those
// whose account nobody can tell at the providers that are theirs to see.
type OrphanFilter struct {
	Accounts  []string
	Providers []string
	Settled   *bool  // nil: both
	Sort      string // "" is both sorts
	After     OrphanMark
	Limit     int
}

// OrphanMark is the place of an orphan in the list: oldest first.
type OrphanMark struct {
	FoundAt model.Time
	ID      string
}

// Orphans lists what the filter picks, the oldest first.
func (t *Tx) Orphans(f OrphanFilter) (list []Orphan, err error) {
	where, args := f.where()
	if f.After.ID != "" {
		where += " AND (found_at > ? OR found_at = ? AND id > ?)"
		args = append(args, f.After.FoundAt, f.After.FoundAt, f.After.ID)
	}
	err = t.Select(&list, "SELECT * FROM orphans WHERE "+where+" ORDER BY found_at, id LIMIT ?", append(args, f.Limit)...)
	return list, err
}

// CountOrphans counts what the filter picks, wherever the page begins.
func (t *Tx) CountOrphans(f OrphanFilter) (Counted, error) {
	where, args := f.where()
	return t.counted("SELECT count(*) FROM (SELECT 1 FROM orphans WHERE "+where+" LIMIT ?) AS picked", append(args, MaxCount+1)...)
}

// where is the filter as a condition; who sees no account and no provider sees
// nothing.
func (f OrphanFilter) where() (condition string, args []any) {
	var seen []string
	if len(f.Accounts) > 0 {
		seen, args = append(seen, "account IN ("+marks(len(f.Accounts))+")"), append(args, anys(f.Accounts)...)
	}
	if len(f.Providers) > 0 {
		seen, args = append(seen, "account = '' AND provider IN ("+marks(len(f.Providers))+")"), append(args, anys(f.Providers)...)
	}
	if len(seen) == 0 {
		return "1 = 0", nil
	}
	condition = "(" + strings.Join(seen, " OR ") + ")"
	if f.Settled != nil && *f.Settled {
		condition += " AND settled_at > 0"
	} else if f.Settled != nil {
		condition += " AND settled_at = 0"
	}
	if f.Sort != "" {
		condition, args = condition+" AND sort = ?", append(args, f.Sort)
	}
	return condition, args
}

// ServedAccounts tells which accounts each provider serves or ever served. Where
// it serves whoever has no routes of their own, all accounts are named.
func (t *Tx) ServedAccounts() (map[string][]string, error) {
	var rows []struct{ Provider, Account string }
	err := t.Select(&rows, `SELECT p.provider, a.id AS account FROM provider_accounts p JOIN accounts a ON a.id = p.account OR p.account = '*'
		UNION SELECT provider, account FROM provider_accounts WHERE account <> '*' ORDER BY 1, 2`)
	served := map[string][]string{}
	for _, row := range rows {
		served[row.Provider] = append(served[row.Provider], row.Account)
	}
	return served, err
}
