package server

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

const (
	hookTimeout = 10 * time.Second // of one delivery
	hookBase    = 2 * time.Second  // before the second delivery; doubles
	hookCap     = 5 * time.Minute  // the longest wait between two
	hookLife    = 72 * time.Hour   // then an event is given up
	hookBatch   = 8                // deliveries at once
)

// target is where events go.
type target struct {
	url    string
	signer *standardwebhooks.Webhook
}

// checkWebhook refuses an address without a usable secret; no address at all
// is fine.
func checkWebhook(address, secret string) error {
	if address == "" {
		return nil
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return errors.New("webhook: must be an http or https URL")
	}
	_, err = newSigner(secret)
	return err
}

// SetWebhook changes where events go and what signs them, those that wait
// included. An empty url holds them back; a wrong setting is an error and
// changes nothing. It may be called at any time.
func (s *Server) SetWebhook(url, secret string) error {
	if err := checkWebhook(url, secret); err != nil {
		return err
	}
	var to *target
	if url != "" {
		signer, err := newSigner(secret)
		if err != nil {
			return err
		}
		to = &target{url: url, signer: signer}
	}
	s.target.Store(to)
	s.hooks.ring()
	return nil
}

// announce puts the event of an object's present state into the outbox.
func (s *Server) announce(tx *sql.Tx, o *object, hook fault, now int64) error {
	payload := jsonAnswer(0, map[string]any{"type": o.event(), "timestamp": stamp(now), "data": o}).body
	copies, due, held := 1, now, false
	switch hook.name {
	case webhookTwice:
		copies = 2
	case webhookLate:
		due += hook.wait.Microseconds()
	case webhookOutOfOrder:
		// An event that finds another held is the one to overtake it.
		err := tx.QueryRow(`SELECT NOT EXISTS (SELECT 1 FROM outbox WHERE object=? AND held)`, o.ID).Scan(&held)
		if err != nil {
			return err
		}
		if held {
			due += hook.wait.Microseconds()
		}
	}
	message := newID("msg")
	for range copies {
		if _, err := tx.Exec(`INSERT INTO outbox (message, object, payload, created, due_at, held) VALUES (?,?,?,?,?,?)`,
			message, o.ID, string(payload), now, due, held); err != nil {
			return err
		}
	}
	return nil
}

func (o *object) event() string {
	switch o.Object {
	case kindReversal:
		return "reversal.created"
	case kindResponse:
		return "dispute." + o.Status
	}
	return o.Object + "." + o.Status
}

// letter is one event on its way.
type letter struct {
	seq, created, tries int64
	message, object     string
	payload             []byte
}

// deliverDue sends every event that is due and returns when the next one
// will be, zero where none waits or there is nowhere to send to.
func (s *Server) deliverDue(ctx context.Context) (time.Time, error) {
	s.deliverTurn.Lock()
	defer s.deliverTurn.Unlock()
	for {
		to := s.target.Load()
		if to == nil {
			return time.Time{}, nil
		}
		batch, err := s.dueLetters(ctx)
		if err != nil {
			return time.Time{}, err
		}
		if len(batch) == 0 {
			return s.nextLetter(ctx)
		}
		if err := s.deliverAll(ctx, to, batch); err != nil {
			return time.Time{}, err
		}
	}
}

func (s *Server) dueLetters(ctx context.Context) ([]letter, error) {
	rows, err := s.db.QueryContext(ctx, `SELECT seq, created, tries, message, object, payload FROM outbox
		WHERE due_at <= ? ORDER BY due_at, seq LIMIT ?`, micros(s.cfg.Now()), hookBatch)
	return collect(rows, err, func(rows *sql.Rows) (letter, error) {
		var l letter
		return l, rows.Scan(&l.seq, &l.created, &l.tries, &l.message, &l.object, &l.payload)
	})
}

func (s *Server) nextLetter(ctx context.Context) (time.Time, error) {
	var due sql.Null[int64]
	err := s.db.QueryRowContext(ctx, `SELECT min(due_at) FROM outbox`).Scan(&due)
	if err != nil || !due.Valid {
		return time.Time{}, err
	}
	return time.UnixMicro(due.V), nil
}

func (s *Server) deliverAll(ctx context.Context, to *target, batch []letter) error {
	errs := make([]error, len(batch))
	var all sync.WaitGroup
	for i, l := range batch {
		all.Go(func() { errs[i] = s.settleLetter(ctx, l, s.post(ctx, to, l)) })
	}
	all.Wait()
	return errors.Join(errs...)
}

// post delivers once; only a 2xx counts.
func (s *Server) post(ctx context.Context, to *target, l letter) error {
	ctx, cancel := context.WithTimeout(ctx, hookTimeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, to.url, bytes.NewReader(l.payload))
	if err != nil {
		return err
	}
	now := s.cfg.Now()
	signature, err := to.signer.Sign(l.message, now, l.payload)
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set(standardwebhooks.HeaderWebhookID, l.message)
	r.Header.Set(standardwebhooks.HeaderWebhookTimestamp, strconv.FormatInt(now.Unix(), 10))
	r.Header.Set(standardwebhooks.HeaderWebhookSignature, signature)
	resp, err := s.client.Do(r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, io.LimitReader(resp.Body, maxBody)); err != nil {
		return err
	}
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		return fmt.Errorf("answered %s", resp.Status)
	}
	return nil
}

// settleLetter removes a delivered event and lets go what was held behind
// it, or puts a failed one off.
func (s *Server) settleLetter(ctx context.Context, l letter, failure error) error {
	if ctx.Err() != nil {
		return nil // closing: the event stays as it is
	}
	now := s.cfg.Now()
	if failure != nil && now.Sub(time.UnixMicro(l.created)) < hookLife {
		s.log.Info("sandbox: webhook not delivered", "message", l.message, "tries", l.tries+1, "error", failure)
		_, err := s.db.ExecContext(ctx, `UPDATE outbox SET tries=tries+1, due_at=? WHERE seq=?`,
			micros(now.Add(s.cfg.pause(backoff(l.tries)))), l.seq)
		return err
	}
	if failure != nil {
		s.log.Warn("sandbox: webhook given up", "message", l.message, "error", failure)
	}
	return update(ctx, s.db, func(tx *sql.Tx) error {
		if _, err := tx.Exec(`DELETE FROM outbox WHERE seq=?`, l.seq); err != nil {
			return err
		}
		_, err := tx.Exec(`UPDATE outbox SET held=0, due_at=min(due_at, ?) WHERE object=? AND held AND seq<?`,
			micros(now), l.object, l.seq)
		return err
	})
}

func backoff(tries int64) time.Duration {
	return min(hookBase<<min(tries, 20), hookCap)
}
