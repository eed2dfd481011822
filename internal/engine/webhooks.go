package engine

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"countersign/internal/model"
	"countersign/internal/store"
)

// What can become of a received event.
const (
	webhookApplied = "applied"
	webhookNothing = "nothing_new"
	webhookOrphan  = "orphan"     // about nothing that we know
	webhookUnread  = "unanswered" // the provider never answered what it meant
)

// busyAgain is how soon a webhook is looked at again whose intent is being
// worked on.
const busyAgain = 200 * time.Millisecond

// Receive verifies one webhook and keeps it for ever; it is applied later, and
// a redelivery changes nothing: what came first under an id stays, and another
// content under it is a line of the security log. Errors are of kind NotFound for
// a provider that is not configured, Unauthenticated for a signature or time that
// does not hold.
func (e *Engine) Receive(ctx context.Context, name string, header http.Header, raw []byte) error {
	adapter, ok := e.Providers.Adapter(name)
	if !ok {
		return model.Errorf(model.NotFound, "not-found", "There is no provider %s.", name)
	}
	event, err := adapter.Webhook(header, raw, e.Clock())
	if err != nil {
		return err
	}
	same := true
	err = e.DB.Update(ctx, func(tx *store.Tx) error {
		w := store.Webhook{Provider: name, EventID: plain(event.ID), Type: plain(event.Type), Operation: event.Operation,
			Ref: plain(event.Ref), Reference: plain(event.Reference), Body: raw, ReceivedAt: tx.Now()}
		same, err = tx.KeepWebhook(w)
		return err
	})
	if err != nil {
		return fmt.Errorf("keep webhook %s of %s: %w", event.ID, name, err)
	}
	if !same {
		e.Logger.Warn("a webhook came again with other contents; the first ones stay", "security", true, "provider", name, "event", event.ID)
	}
	e.Wake()
	return nil
}

// claimWebhook leases the intent that an event is about, for a look at its
// step. Where nothing of ours fits, the event is an orphan: kept, and said aloud.
func (e *Engine) claimWebhook(tx *store.Tx, w store.Webhook, start time.Time) (*job, error) {
	intent, step, generation, err := tx.FindStep(w.Provider, w.Reference, w.Ref)
	if err != nil {
		return nil, err
	}
	if intent == "" {
		if err := e.foundOrphan(tx, orphanOf(w)); err != nil {
			return nil, err
		}
		return nil, tx.SettleWebhook(w, webhookOrphan, "Nothing here has this reference or object.", "")
	}
	c, err := tx.LockCase(intent)
	if err != nil {
		return nil, err
	}
	s := c.Step(step)
	if _, open := c.OpenAttempt(); open != nil || c.LeaseLive(tx.Now(), "") {
		return nil, tx.PostponeWebhook(w, tx.Now().Add(busyAgain))
	}
	if _, err := c.FoundBefore(s, w.Ref, tx.NewID("ev"), w.Provider, e.Timing, e.Spread(), tx.Now()); err != nil {
		return nil, err
	}
	j, err := e.leaseLook(tx, c, s, generation, start)
	if err != nil {
		return nil, err
	}
	j.webhook = &w
	return j, tx.PostponeWebhook(w, c.LeaseUntil)
}

// orphanOf is what an event about nothing that we know points at. Its amount is
// not read from the event: only the provider's own list or answer tells it.
func orphanOf(w store.Webhook) store.Orphan {
	o := store.Orphan{Sort: store.UnknownObject, Provider: w.Provider, Operation: w.Operation, ExternalRef: w.Ref, Reference: w.Reference,
		Status: w.Type, FoundBy: store.ByWebhook, Event: w.EventID}
	if o.ExternalRef == "" {
		o.ExternalRef = w.EventID // an event that names no object is known by itself
	}
	return o
}

// closeWebhook settles the event behind a look, or plans another look where
// the provider gave no answer.
func (e *Engine) closeWebhook(tx *store.Tx, j *job, seen model.Observation) error {
	switch seen.Finding {
	case model.FoundNothing:
		return e.lookAgain(tx, *j.webhook, seen)
	case model.FoundNone:
		return tx.SettleWebhook(*j.webhook, webhookNothing, seen.Detail, j.intent)
	}
	return tx.SettleWebhook(*j.webhook, webhookApplied, seen.Detail, j.intent)
}

// lookAgain waits as long before each look as the checks of an uncertain step do.
func (e *Engine) lookAgain(tx *store.Tx, w store.Webhook, seen model.Observation) error {
	wait, ok := e.Timing.CheckAfter(tx.Now().Sub(w.ReceivedAt))
	if !ok {
		return tx.SettleWebhook(w, webhookUnread, seen.Detail, "")
	}
	w.Tries++
	return tx.PostponeWebhook(w, tx.Now().Add(wait))
}
