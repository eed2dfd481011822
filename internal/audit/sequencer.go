package audit

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"countersign/internal/model"
	"countersign/internal/store"
)

const (
	leaseName = "audit-sequencer"
	// leaseLength only keeps others from doing the same work in vain: a batch is
	// right by its transaction alone. So it is short, and a dead holder is soon
	// replaced.
	leaseLength = 2 * time.Second
	// batchSize bounds one transaction, and so how long a writer waits for it.
	batchSize = 500
	// gather is how long entries are collected after a signal: one commit then
	// numbers many.
	gather = 50 * time.Millisecond
	// poll finds entries of other processes.
	poll = 200 * time.Millisecond
	// checkpointEvery is the least time between two checkpoints.
	checkpointEvery = time.Second
	// lookEvery is the least time between two looks at what has its number. A page
	// takes some ten milliseconds, so a log of a million is seen in under three hours.
	lookEvery = 5 * time.Second
)

// errOvertaken: another sequencer numbered a part of our batch first.
var errOvertaken = errors.New("another sequencer was first")

// Run numbers waiting entries until ctx ends, and then gives its error. What
// fails is tried again, and told by Trouble meanwhile.
func (l *Log) Run(ctx context.Context) error {
	defer l.release(ctx)
	var lately time.Time
	for {
		n, err := l.Sequence(ctx)
		if err == nil && n == 0 {
			err = l.Seal(ctx)
		}
		if err == nil {
			err = l.KeepNow(ctx)
		}
		if err == nil && n == 0 && time.Since(lately) >= lookEvery {
			err, lately = l.look(ctx), time.Now()
		}
		l.note(ctx, err)
		if err == nil && n == batchSize {
			continue
		}
		if err := l.rest(ctx); err != nil {
			return err
		}
	}
}

// note keeps the present failure for Trouble, and logs it when it is new.
func (l *Log) note(ctx context.Context, err error) {
	if ctx.Err() != nil {
		return
	}
	l.mu.Lock()
	before := l.failing
	l.failing = err
	l.mu.Unlock()
	if err != nil && (before == nil || before.Error() != err.Error()) {
		slog.ErrorContext(ctx, "audit sequencing fails", "error", err)
	}
}

// rest waits for a signal, and then a little for its company, or for the poll.
func (l *Log) rest(ctx context.Context) error {
	select {
	case <-l.wake:
		return pause(ctx, gather)
	case <-time.After(poll):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Sequence numbers one batch of waiting entries and tells how many: 0 when none
// wait or another process is at it. Rows that are not ours are passed over and
// stay waiting, so they hold up nobody.
func (l *Log) Sequence(ctx context.Context) (n int, err error) {
	batch, err := l.collect(ctx)
	if err != nil || len(batch) == 0 {
		return 0, err
	}
	// Nothing but batch is read here: the function may run more than once.
	err = l.db.Update(ctx, func(tx *store.Tx) error {
		mine, err := tx.TakeLease(leaseName, l.holder, leaseLength)
		if err != nil || !mine {
			n = 0
			return err
		}
		n = len(batch)
		return number(tx, batch)
	})
	if errors.Is(err, errOvertaken) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return n, nil
}

// waiting is a row of the backlog.
type waiting struct {
	stored
	Numbered bool
}

// collect reads up to a batch of genuine waiting entries, oldest first. It reads
// on past refused rows, however many there are.
func (l *Log) collect(ctx context.Context) (batch []stored, err error) {
	err = l.db.View(ctx, func(tx *store.Tx) error {
		if busy, err := tx.LeaseElsewhere(leaseName, l.holder); err != nil || busy {
			return err
		}
		for after := ""; len(batch) < batchSize; {
			wanted := batchSize - len(batch)
			rows, err := readWaiting(tx, after, wanted)
			if err != nil || len(rows) == 0 {
				return err
			}
			batch = append(batch, l.sift(rows)...)
			if len(rows) < wanted {
				return nil
			}
			after = rows[len(rows)-1].ID
		}
		return nil
	})
	return batch, err
}

// readWaiting reads waiting entries in their order, and whether each has a number
// already. It is three look-ups by key and no join: what it costs must not depend
// on what a planner believes about the size of the log.
func readWaiting(tx *store.Tx, after string, limit int) ([]waiting, error) {
	var ids []string
	if err := tx.Select(&ids, "SELECT entry_id FROM audit_waiting WHERE entry_id > ? ORDER BY entry_id LIMIT ?", after, limit); err != nil || len(ids) == 0 {
		return nil, err
	}
	args := make([]any, len(ids))
	for i, id := range ids {
		args[i] = id
	}
	var entries []stored
	if err := tx.Select(&entries, "SELECT "+storedColumns+" FROM audit_entries WHERE id IN ("+marks(len(args))+") ORDER BY id", args...); err != nil {
		return nil, err
	}
	var numbered []string
	if err := tx.Select(&numbered, "SELECT entry_id FROM audit_log WHERE entry_id IN ("+marks(len(args))+")", args...); err != nil {
		return nil, err
	}
	rows := make([]waiting, len(entries))
	for i, e := range entries {
		rows[i] = waiting{e, slices.Contains(numbered, e.ID)}
	}
	return rows, nil
}

// sift gives the rows that may be numbered and remembers the others.
func (l *Log) sift(rows []waiting) (good []stored) {
	for _, row := range rows {
		why := l.genuine(row.stored)
		if row.Numbered {
			why = "it has a number already"
		}
		if why != "" {
			l.refuse(row.ID, why)
			continue
		}
		good = append(good, row.stored)
	}
	return good
}

// release lets the next holder begin at once. When it fails the lease runs out.
func (l *Log) release(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	err := l.db.Update(ctx, func(tx *store.Tx) error {
		return tx.EndLease(leaseName, l.holder)
	})
	if err != nil {
		slog.WarnContext(ctx, "audit lease not released", "error", err)
	}
}

// logged is a row of audit_log.
type logged struct {
	Index    int64      `db:"idx"`
	Entry    string     `db:"entry_id"`
	Account  string     `db:"account"`
	Event    string     `db:"event"`
	Intent   string     `db:"intent_id"`
	Actor    string     `db:"actor"`
	At       model.Time `db:"at"`
	LeafHash []byte     `db:"leaf_hash"`
}

const loggedColumns = "idx, entry_id, account, event, intent_id, actor, at, leaf_hash"

// number appends the batch to the log. The caller holds the lease's row.
func number(tx *store.Tx, batch []stored) error {
	if err := takeOut(tx, batch); err != nil {
		return err
	}
	tree, err := loadTree(tx)
	if err != nil {
		return err
	}
	rows := make([]logged, len(batch))
	for i, e := range batch {
		rows[i] = logged{Index: tree.size(), Entry: e.ID, Account: e.Account, Event: e.Event, Intent: e.Intent,
			Actor: e.Actor, At: e.At, LeafHash: leafHash(e.Canonical)}
		if err := tree.append(rows[i].LeafHash); err != nil {
			return err
		}
	}
	if err := tx.Insert("audit_log", loggedColumns, rows); err != nil {
		return err
	}
	if err := tree.save(tx); err != nil {
		return err
	}
	return tree.checkpoint(tx)
}

// takeOut removes the batch from the backlog, all of it or none.
func takeOut(tx *store.Tx, batch []stored) error {
	ids := make([]any, len(batch))
	for i, e := range batch {
		ids[i] = e.ID
	}
	removed, err := tx.Changed("DELETE FROM audit_waiting WHERE entry_id IN ("+marks(len(ids))+")", ids...)
	if err != nil {
		return err
	}
	if removed != int64(len(ids)) {
		return errOvertaken
	}
	return nil
}

// Seal writes a checkpoint of the present tree if it has grown since the last
// one and that is at least a second old.
func (l *Log) Seal(ctx context.Context) error {
	var due bool
	err := l.db.View(ctx, func(tx *store.Tx) (err error) {
		due, err = checkpointDue(tx)
		return err
	})
	if err != nil || !due {
		return err
	}
	return l.db.Update(ctx, func(tx *store.Tx) error {
		if mine, err := tx.TakeLease(leaseName, l.holder, leaseLength); err != nil || !mine {
			return err
		}
		tree, err := loadTree(tx)
		if err != nil {
			return err
		}
		return tree.checkpoint(tx)
	})
}
