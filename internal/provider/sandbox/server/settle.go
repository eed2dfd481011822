package server

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

// ends are the status words an object can settle with.
type ends struct{ well, badly string }

func (o *object) ends() ends {
	switch {
	case o.Object == kindMessage:
		return ends{"delivered", "bounced"}
	case o.Object == kindResponse && o.Type == "accept":
		return ends{"accepted", "lost"}
	case o.Object == kindResponse:
		return ends{"won", "lost"}
	}
	return ends{"paid", "failed"}
}

// transition is a change of status that is planned when the object is made.
type transition struct {
	status string
	after  time.Duration
}

// course is how an object settles under a fault of that stage, if any.
func (o *object) course(f fault, settle time.Duration) []transition {
	words := o.ends()
	switch f.name {
	case settleNever:
		return nil
	case settleLate:
		return []transition{{words.well, settle + f.wait}}
	case settleFailed:
		return []transition{{words.badly, settle}}
	case settleThenReturn:
		return []transition{{words.well, settle}, {"returned", settle + f.wait}}
	}
	return []transition{{words.well, settle}}
}

func (s *Server) plan(tx *sql.Tx, o *object, f fault, now int64) error {
	for _, t := range o.course(f, s.cfg.pause(s.cfg.Settle)) {
		if _, err := tx.Exec(`INSERT INTO transitions (object, status, due_at) VALUES (?,?,?)`,
			o.ID, t.status, now+t.after.Microseconds()); err != nil {
			return err
		}
	}
	return nil
}

// settleDue applies every transition that is due and returns when the next
// one will be, zero where none is planned.
func (s *Server) settleDue(ctx context.Context) (time.Time, error) {
	s.settleTurn.Lock()
	defer s.settleTurn.Unlock()
	for {
		var next time.Time
		var applied bool
		err := update(ctx, s.db, func(tx *sql.Tx) (err error) {
			next, applied, err = s.settleOne(tx)
			return err
		})
		if err != nil || !applied {
			return next, err
		}
		s.hooks.ring()
	}
}

// settleOne applies the earliest transition if it is due.
func (s *Server) settleOne(tx *sql.Tx) (next time.Time, applied bool, err error) {
	var seq, due int64
	var id, status string
	now := s.cfg.Now()
	err = tx.QueryRow(`SELECT seq, object, status, due_at FROM transitions ORDER BY due_at, seq LIMIT 1`).Scan(&seq, &id, &status, &due)
	if errors.Is(err, sql.ErrNoRows) {
		return time.Time{}, false, nil
	}
	if next = time.UnixMicro(due); err != nil || next.After(now) {
		return next, false, err
	}
	if _, err := tx.Exec(`DELETE FROM transitions WHERE seq=?`, seq); err != nil {
		return next, false, err
	}
	return next, true, s.move(tx, id, status, micros(now))
}

// move changes an object's status and announces it. Money that a reversal
// took back in full does not come back a second time by failing.
func (s *Server) move(tx *sql.Tx, id, status string, now int64) error {
	o, err := loadObject(tx, id)
	if err != nil {
		return err
	}
	if o.reversedInFull() && status == "returned" {
		return nil
	}
	if o.reversedInFull() {
		status = o.ends().well
	}
	o.Status = status
	if err := saveObject(tx, o); err != nil {
		return err
	}
	if status == "failed" || status == "returned" || status == "bounced" {
		if err := undo(tx, id, now); err != nil {
			return err
		}
	}
	hook, err := loadHook(tx, id)
	if err != nil {
		return err
	}
	return s.announce(tx, o, hook, now)
}

func loadHook(tx *sql.Tx, id string) (fault, error) {
	var f fault
	var ms int64
	err := tx.QueryRow(`SELECT hook, hook_ms FROM objects WHERE id=?`, id).Scan(&f.name, &ms)
	f.wait = time.Duration(ms) * time.Millisecond
	return f, err
}
