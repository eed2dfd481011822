package moments

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"countersign/internal/actions"
	"countersign/internal/authz"
	"countersign/internal/model"
	"countersign/internal/store"
)

// cast are the people and keys of a world.
type cast struct {
	operator, operator2, approver, approver2, administrator authz.Actor
	payroll                                                 authz.Actor // a service key
	secret                                                  string      // and what it shows
}

// cast brings the people in at the first start, and reads them at every later one.
func (w *world) cast(tx *store.Tx) error {
	p := &w.people
	for _, one := range []struct {
		into  *authz.Actor
		email string
		role  model.Role
	}{
		{&p.operator, "priya@example.com", model.RoleOperator}, {&p.operator2, "tomas@example.com", model.RoleOperator},
		{&p.approver, "ingrid@example.com", model.RoleApprover}, {&p.approver2, "kwabena@example.com", model.RoleApprover},
		{&p.administrator, "eleni@example.com", model.RoleAdministrator},
	} {
		if one.into.ID != "" {
			continue
		}
		if err := w.enter(tx, one.into, one.email, one.role); err != nil {
			return err
		}
	}
	if p.payroll.ID != "" {
		return nil
	}
	_, key, err := tx.AddServiceKey(account, "payroll-batch", p.administrator.ID, []model.Ability{model.CanReadIntents, model.CanWriteIntents})
	if err != nil {
		return err
	}
	p.secret = key
	return entered(tx, &p.payroll, key)
}

// enter adds a person with a role, and acts for them by a key of their own.
func (w *world) enter(tx *store.Tx, into *authz.Actor, email string, role model.Role) error {
	person, err := tx.AddPerson(email, email)
	if err != nil {
		return err
	}
	if err := tx.Grant(person.ID, account, role); err != nil {
		return err
	}
	_, key, err := tx.AddPersonKey(person.ID, "test", tx.Now().Add(10_000*time.Hour))
	if err != nil {
		return err
	}
	return entered(tx, into, key)
}

func entered(tx *store.Tx, into *authz.Actor, key string) error {
	actor, err := tx.ActorByKey(key)
	*into = authz.Actor(actor)
	return err
}

const why = "checked with the bank by phone"

// preview plans an action, which must be allowed.
func (w *world) preview(by authz.Actor, intent, action, step, input string) actions.Preview {
	w.t.Helper()
	p, err := w.act.Preview(context.Background(), by, actions.PreviewRequest{Intent: intent, Action: action, Step: step, Input: json.RawMessage(input)})
	if err != nil {
		w.t.Fatalf("preview %s: %v\n%s", action, err, describe(w.load(intent)))
	}
	return p
}

func (w *world) confirm(by authz.Actor, p actions.Preview) (actions.Receipt, error) {
	return w.confirmAs(by, p, actions.Confirmation{Reason: why, Digest: p.Digest})
}

// confirmAs confirms with other words, and remembers the answer.
func (w *world) confirmAs(by authz.Actor, p actions.Preview, in actions.Confirmation) (actions.Receipt, error) {
	receipt, err := w.act.Confirm(context.Background(), by, p.ID, in)
	w.hear(p.ID, by.ID, err)
	if err == nil {
		w.memory.Lock()
		defer w.memory.Unlock()
		w.memory.receipts[p.ID] = receipt.Audit
	}
	return receipt, err
}

// do previews and confirms.
func (w *world) do(by authz.Actor, intent, action, step, input string) actions.Receipt {
	w.t.Helper()
	receipt, err := w.confirm(by, w.preview(by, intent, action, step, input))
	if err != nil {
		w.t.Fatalf("confirm %s: %v", action, err)
	}
	return receipt
}

// approve signs the intent's open request.
func (w *world) approve(by authz.Actor, intent string) (actions.Receipt, error) {
	w.t.Helper()
	c := w.load(intent)
	open := c.OpenRequest()
	if open == nil {
		w.t.Fatalf("no request is open: %s", c.State)
	}
	return w.decide(w.act.Approve, by, open.ID, open.Digest)
}

// decision is one of the three words on a request: approve, reject, withdraw.
type decision func(context.Context, authz.Actor, string, actions.Confirmation) (actions.Receipt, error)

// decide says a word on a request, and remembers the answer.
func (w *world) decide(says decision, by authz.Actor, request, digest string) (actions.Receipt, error) {
	receipt, err := says(context.Background(), by, request, actions.Confirmation{Reason: why, Digest: digest})
	w.hear(request, by.ID, err)
	return receipt, err
}

// refused checks the code of a refusal.
func refused(t testing.TB, err error, code string) {
	t.Helper()
	var e *model.Error
	if !errors.As(err, &e) || e.Code != code {
		t.Errorf("got %v, want %s", err, code)
	}
}

// logHolds: the audit log is complete, contiguous and its tree fits.
func (w *world) logHolds() {
	w.t.Helper()
	for {
		n, err := w.log.Sequence(context.Background())
		if err != nil {
			w.t.Fatal(err)
		}
		if n == 0 {
			break
		}
	}
	if _, err := w.log.Check(context.Background()); err != nil {
		w.t.Errorf("the audit log does not hold: %v", err)
	}
}

// entries counts the audit entries of an event about an intent.
func (w *world) entries(intent, event string) (n int) {
	w.t.Helper()
	err := w.db.View(context.Background(), func(tx *store.Tx) error {
		items, err := w.log.ForIntent(tx, intent, 1000)
		for _, item := range items {
			if item.Event == event {
				n++
			}
		}
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return n
}
