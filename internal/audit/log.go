package audit

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"sync"
	"sync/atomic"

	"countersign/internal/model"
	"countersign/internal/store"
)

// Log is the audit log of one database. It is safe for concurrent use, also by
// several processes at once.
type Log struct {
	db     *store.DB
	macKey []byte
	holder string        // names this Log in the lease row
	wake   chan struct{} // holds one token when something was appended

	outside Outside // where the newest checkpoint is kept besides
	kept    int64   // the size of the log that was written there last; Run's own

	staged atomic.Pointer[string] // what Staged said last

	mu      sync.Mutex
	refused map[string]string // entry id → why it gets no number
	failing error
	altered *Fault // the last numbered entry that was found changed
	looked  int64  // where look goes on; -1 before the first; Run's own
}

// New gives the log of db. macKey lives outside the database: with it the
// sequencer tells entries of ours from rows that somebody put into the table.
func New(db *store.DB, macKey []byte) *Log {
	return &Log{db: db, macKey: macKey, holder: rand.Text(), looked: -1, wake: make(chan struct{}, 1),
		refused: map[string]string{}}
}

// stored is a row of audit_entries.
type stored struct {
	ID        string     `db:"id"`
	At        model.Time `db:"at"`
	Actor     string     `db:"actor"`
	Event     string     `db:"event"`
	Account   string     `db:"account"`
	Intent    string     `db:"intent_id"`
	Canonical []byte     `db:"canonical"`
	MAC       []byte     `db:"mac"`
}

// waits is a row of audit_waiting.
type waits struct {
	Entry string `db:"entry_id"`
}

const storedColumns = "id, at, actor, event, account, intent_id, canonical, mac"

// Append records an entry in the caller's transaction and gives its id. An
// error must end that transaction: what cannot be recorded does not happen. The
// entry gets its number shortly after the commit.
func (l *Log) Append(tx *store.Tx, e Entry) (id string, err error) {
	e = l.marked(e.plain())
	id = tx.NewID("audit")
	canonical, err := e.canonical(id, tx.Now())
	if err != nil {
		return "", err
	}
	row := stored{ID: id, At: tx.Now(), Actor: e.ID, Event: e.Event, Account: e.Account, Intent: e.Intent,
		Canonical: canonical, MAC: l.mac(canonical)}
	if err := tx.Add("audit_entries", storedColumns, row); err != nil {
		return "", err
	}
	if err := tx.Add("audit_waiting", "entry_id", waits{id}); err != nil {
		return "", err
	}
	l.signal()
	return id, nil
}

// Staged marks every entry from now on as made for show, in its own bytes: its
// detail gets a member "demo" that says by what. "" ends that. Only sample work
// on a staged clock is written so; no program of production calls it.
func (l *Log) Staged(by string) { l.staged.Store(&by) }

// StagedBy says by what an entry was made for show, as Staged marked it; "" is a
// real one.
func StagedBy(item Item) string {
	var detail struct {
		Demo string `json:"demo"`
	}
	if err := json.Unmarshal(item.Detail, &detail); err != nil {
		return "" // a detail of another shape has no mark
	}
	return detail.Demo
}

// marked is the entry, with the mark of Staged if there is one.
func (l *Log) marked(e Entry) Entry {
	by := l.staged.Load()
	if by == nil || *by == "" {
		return e
	}
	detail := maps.Clone(e.Detail)
	if detail == nil {
		detail = map[string]any{}
	}
	detail["demo"] = *by
	e.Detail = detail
	return e
}

// signal wakes the sequencer of this process. It may run before the commit, or
// for a transaction that never commits; the sequencer polls besides.
func (l *Log) signal() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// mac signs an entry's bytes, under a label so that the key's other uses, if
// any, can never yield one.
func (l *Log) mac(canonical []byte) []byte {
	h := hmac.New(sha256.New, l.macKey)
	h.Write([]byte("countersign audit entry\n"))
	h.Write(canonical)
	return h.Sum(nil)
}

// genuine says why a row is not an entry of ours, or "".
func (l *Log) genuine(row stored) string {
	if !hmac.Equal(row.MAC, l.mac(row.Canonical)) {
		return "its MAC is wrong: no process of this installation wrote it"
	}
	item, err := itemOf(nil, row.Canonical)
	if err != nil {
		return "its bytes cannot be read"
	}
	said := stored{ID: item.ID, At: item.At, Actor: item.Actor.ID, Event: item.Event, Account: item.Account, Intent: item.Intent}
	if said.ID != row.ID || said.At != row.At || said.Actor != row.Actor || said.Event != row.Event ||
		said.Account != row.Account || said.Intent != row.Intent {
		return "its columns differ from its bytes"
	}
	return ""
}

// Size is the number of numbered entries.
func (l *Log) Size(ctx context.Context) (size int64, err error) {
	err = l.db.View(ctx, func(tx *store.Tx) error {
		size, err = treeSize(tx)
		return err
	})
	return size, err
}

// Backlog is what has no number yet.
type Backlog struct {
	Count  int64      // at most 10,000 are counted
	Oldest model.Time // when the oldest was recorded; none when Count is 0
}

// Waiting tells how many entries have no number yet, refused ones included.
func (l *Log) Waiting(ctx context.Context) (b Backlog, err error) {
	err = l.db.View(ctx, func(tx *store.Tx) error {
		b, err = l.WaitingIn(tx)
		return err
	})
	return b, err
}

// WaitingIn is Waiting as a transaction sees it.
func (l *Log) WaitingIn(tx *store.Tx) (Backlog, error) {
	var row struct {
		Count  int64      `db:"n"`
		Oldest model.Time `db:"oldest"`
	}
	_, err := tx.Get(&row, `SELECT count(*) AS n, COALESCE(min(e.at), 0) AS oldest FROM
		(SELECT entry_id FROM audit_waiting ORDER BY entry_id LIMIT 10000) w JOIN audit_entries e ON e.id = w.entry_id`)
	return Backlog(row), err
}

// Trouble is what keeps the log from being complete. The zero value is healthy.
type Trouble struct {
	Refused []Refused // in no order; at most 100 are kept
	Failing error     // why the last batch was not written
	Altered *Fault    // a numbered entry that is not what was written; nil is none found so far
}

// Refused is a waiting row that gets no number.
type Refused struct{ Entry, Why string }

// Err says the trouble as an error, nil when there is none.
func (t Trouble) Err() error {
	switch {
	case t.Altered != nil:
		return alteredError(t.Altered)
	case t.Failing != nil:
		return t.Failing
	case len(t.Refused) > 0:
		return fmt.Errorf("audit: %d waiting rows are refused; %s: %s", len(t.Refused), t.Refused[0].Entry, t.Refused[0].Why)
	}
	return nil
}

// maxRefused bounds what is remembered of rows that are not ours.
const maxRefused = 100

// Trouble tells what this process's sequencing has run into. A refused row is
// told until the process ends: it never leaves by itself. So is a changed entry.
func (l *Log) Trouble() Trouble {
	l.mu.Lock()
	defer l.mu.Unlock()
	t := Trouble{Failing: l.failing, Altered: l.altered}
	for id, why := range l.refused {
		t.Refused = append(t.Refused, Refused{id, why})
	}
	return t
}

// refuse remembers a row, and logs it the first time.
func (l *Log) refuse(id, why string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.refused[id] == why || len(l.refused) >= maxRefused {
		return
	}
	l.refused[id] = why
	slog.Error("audit row refused", "entry", id, "why", why)
}
