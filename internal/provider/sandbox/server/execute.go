package server

import (
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"net/http"
	"time"
)

// misread is what wrong_amount_echo makes of an amount. A reversal gives back
// too little, as more than there is would be refused.
func misread(op *operation, amount int64) int64 {
	if op.reverses != "" {
		return (amount + 1) / 2
	}
	return amount + 100
}

// messageDelay is how long a message cannot be found by its message_id.
const messageDelay = 30 * time.Second

// call is one POST to an operation, checked and ready to execute.
type call struct {
	subject
	body   []byte
	object *object
}

// fingerprint tells whether two requests under one key are the same request.
func (c *call) fingerprint() string {
	return digest([]byte(c.method + " " + c.path + "\n" + string(c.body)))
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// perform decides a call in one transaction: the replay, the faults that
// bite, the effect and the stored result are durable together or not at all.
func (s *Server) perform(tx *sql.Tx, c *call) (answer, bites, error) {
	stored, err := s.replay(tx, c)
	if err != nil {
		return answer{}, nil, err
	}
	c.replay = stored != nil
	faults, err := takeFaults(tx, c.subject)
	if err != nil {
		return answer{}, nil, err
	}
	if early := refusal(faults[stageAnswer]); early != nil {
		return *early, faults, nil
	}
	if stored != nil {
		return *stored, faults, nil
	}
	out, err := s.execute(tx, c, faults)
	if err != nil || !c.op.keyed || (s.cfg.Stores == StoresSuccesses && out.status >= 300) {
		return out, faults, err
	}
	_, err = tx.Exec(`INSERT OR REPLACE INTO results (key, fingerprint, status, body, stored_at) VALUES (?,?,?,?,?)`,
		c.key, c.fingerprint(), out.status, string(out.body), micros(s.cfg.Now()))
	return out, faults, err
}

// replay returns the stored result of the call's key, nil where there is
// none inside the retention.
func (s *Server) replay(tx *sql.Tx, c *call) (*answer, error) {
	if !c.op.keyed {
		return nil, nil
	}
	oldest := micros(s.cfg.Now().Add(-s.cfg.Retention))
	if _, err := tx.Exec(`DELETE FROM results WHERE stored_at <= ?`, oldest); err != nil {
		return nil, err
	}
	a := answer{replayed: true}
	var fingerprint string
	err := tx.QueryRow(`SELECT fingerprint, status, body FROM results WHERE key=?`, c.key).Scan(&fingerprint, &a.status, &a.body)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, nil
	case err != nil:
		return nil, err
	case fingerprint != c.fingerprint():
		return nil, &problem{status: http.StatusUnprocessableEntity, code: "key_reused",
			message: "This Idempotency-Key was used with another request."}
	}
	return &a, nil
}

// refusal is the answer of faults that keep a request from executing; nothing
// of it is stored. The connection faults among them never send it.
func refusal(f fault) *answer {
	var a answer
	switch f.name {
	case refuseConnect, dropBefore:
	case error500Before:
		a = internalProblem().answer()
	case tooMany:
		p := problem{status: http.StatusTooManyRequests, code: "rate_limited", message: "Too many requests; nothing was done."}
		a = p.answer()
		a.retryAfter = max(f.wait, time.Second)
	default:
		return nil
	}
	return &a
}

// execute does what the call asks for, or what its faults make of that.
func (s *Server) execute(tx *sql.Tx, c *call, faults bites) (answer, error) {
	switch faults[stageAnswer].name {
	case rejectPermanent:
		return c.op.refusesForGood().answer(), nil
	case rejectCurable:
		return c.op.refusesCurably().answer(), nil
	}
	err := s.act(tx, c, faults)
	if p, ok := errors.AsType[*problem](err); ok {
		return p.answer(), nil
	}
	if err != nil {
		return answer{}, err
	}
	if faults.is(stageAnswer, error500After) {
		return internalProblem().answer(), nil
	}
	return jsonAnswer(c.op.status, c.object), nil
}

// act makes the object and its line in the books, and plans what follows. A
// refusal comes before the first write.
func (s *Server) act(tx *sql.Tx, c *call, faults bites) error {
	o, now := c.object, micros(s.cfg.Now())
	o.ID, o.Created = newID(c.op.prefix), stamp(now)
	if faults.is(stageObject, wrongAmount) {
		*o.Amount = misread(c.op, *o.Amount)
	}
	if c.op.reverses != "" {
		if err := reverse(tx, c.op.reverses, o, now); err != nil {
			return err
		}
	}
	at := s.place(o, faults, now)
	if err := insertObject(tx, o, at); err != nil {
		return err
	}
	if err := insertEffect(tx, c, now); err != nil {
		return err
	}
	if o.Object == kindReversal {
		return s.announce(tx, o, at.hook, now)
	}
	return s.plan(tx, o, faults[stageSettlement], now)
}

// place says from when on the object can be found.
func (s *Server) place(o *object, faults bites, now int64) placement {
	p := placement{created: now, shownAt: now + faults[stageVisibility].wait.Microseconds(), hook: faults[stageWebhook]}
	p.listedAt = p.shownAt
	if o.Object == kindMessage {
		p.listedAt = max(p.listedAt, now+s.cfg.pause(messageDelay).Microseconds())
	}
	return p
}

func insertEffect(tx *sql.Tx, c *call, now int64) error {
	o := c.object
	key := sql.Null[string]{V: c.key, Valid: c.key != ""}
	_, err := tx.Exec(`INSERT INTO effects (object, operation, key, reference, body_sha256, amount, currency, at)
		VALUES (?,?,?,?,?,?,?,?)`, o.ID, c.op.name, key, o.Reference, digest(c.body), o.Amount, o.Currency, now)
	return err
}
