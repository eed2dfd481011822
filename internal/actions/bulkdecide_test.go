package actions

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"countersign/internal/authz"
	"countersign/internal/model"
	"countersign/internal/store"
)

// askedMany gives a world with three payouts of unknown outcome and one of which
// nothing happened, and Ada's request to abandon them all.
func askedMany(t *testing.T) (*world, []string, List) {
	t.Helper()
	w := newWorld(t)
	ids := w.several(3, unknown)
	free := w.payout("free", 900)
	w.pass(free, "approve-payout")
	w.send(free, notSent)
	ids = append(ids, free)
	b, _, err := w.run.PreviewBulk(t.Context(), w.ada, BulkRequest{Action: model.Abandon, Intents: ids, Acknowledge: w.effects(ids)})
	if err != nil || b.People != 2 {
		t.Fatalf("%d people, %v", b.People, err)
	}
	l := w.confirmBulk(w.ada, b)
	if l.State != model.BulkOpen || l.Entry == "" {
		t.Fatalf("%s", l.State)
	}
	return w, ids, l
}

// effects are all step keys that abandoning the intents must acknowledge.
func (w *world) effects(ids []string) (keys []string) {
	for _, id := range ids {
		keys = append(keys, ToAcknowledge(w.load(id))...)
	}
	return keys
}

func (w *world) abandoned(ids []string) (n int) {
	for _, id := range ids {
		if w.load(id).Abandonment != nil {
			n++
		}
	}
	return n
}

func TestEffectsAreAcknowledgedOneByOne(t *testing.T) {
	w := newWorld(t)
	ids := w.several(2, unknown)
	b, _, err := w.run.PreviewBulk(t.Context(), w.ada, BulkRequest{Action: model.Abandon, Intents: ids, Acknowledge: w.effects(ids[:1])})
	if err != nil || !b.Items[0].Included() || b.Items[1].Included() || b.Items[1].Rule != "abandon.acknowledge" || b.People != 2 {
		t.Errorf("%+v, %v", b, err)
	}
}

func TestAListIsSignedByAnother(t *testing.T) {
	w, ids, l := askedMany(t)
	if w.carryOut(l.ID); w.abandoned(ids) != 0 {
		t.Fatal("done before anybody signed")
	}
	if _, err := w.run.ApproveBulk(t.Context(), w.cleo, l.ID, say(l.Digest)); err != nil {
		t.Fatal(err)
	}
	done := w.carryOut(l.ID)
	if w.abandoned(ids) != 4 || done.State != model.BulkDone || !slices.Equal(outcomes(done), []string{"executed", "executed", "executed", "executed"}) {
		t.Fatalf("%d abandoned, %s, %v", w.abandoned(ids), done.State, outcomes(done))
	}
	c := w.load(ids[0])
	if c.Abandonment.By != "Ada" || c.Step(pay).State != model.OutcomeUnknown {
		t.Errorf("%+v, %s", c.Abandonment, c.Step(pay).State)
	}
	if got := w.events(ids[0]); !slices.Equal(got, []string{"intent.accepted", "action.abandon.executed"}) {
		t.Errorf("events %v", got)
	}
	if got := w.bulkEvents(); !slices.Equal(got, []string{"bulk.requested", "bulk.approved"}) {
		t.Errorf("events %v", got)
	}
	if _, err := w.run.ApproveBulk(t.Context(), w.cleo, l.ID, say(l.Digest)); err != nil {
		t.Errorf("a repeat: %v", err)
	}
	_, err := w.run.ApproveBulk(t.Context(), w.dan, l.ID, say(l.Digest))
	wantCode(t, err, "approval-closed")
}

func TestWhoMayNotSignAList(t *testing.T) {
	w, _, l := askedMany(t)
	for _, a := range []authz.Actor{w.ada, w.ben} { // would do, were it not theirs
		w.update(func(tx *store.Tx) error { return tx.Grant(a.ID, "acme", model.RoleApprover) })
	}
	for _, test := range []struct {
		name  string
		actor authz.Actor
		in    Confirmation
		code  string
	}{
		{"who asked", w.ada, say(l.Digest), "self-approval"},
		{"who answers for its intents", w.ben, say(l.Digest), "self-approval"},
		{"an auditor", w.aud, say(l.Digest), "denied"},
		{"another account", w.glo, say(l.Digest), "not-found"},
		{"a service key", w.key, say(l.Digest), "not-found"},
		{"who saw something else", w.cleo, say("00"), "digest-mismatch"},
		{"too short a reason", w.cleo, Confirmation{"ok", l.Digest}, "invalid-params"},
	} {
		_, err := w.run.ApproveBulk(t.Context(), test.actor, l.ID, test.in)
		if codeOf(err) != test.code {
			t.Errorf("%s: %v", test.name, err)
		}
	}
	w.update(func(tx *store.Tx) error { _, err := tx.Exec("UPDATE api_keys SET stepped_up = 0"); return err })
	_, err := w.run.ApproveBulk(t.Context(), w.cleo, l.ID, say(l.Digest))
	wantCode(t, err, "step-up-required")
}

func TestAListIsRejectedWithdrawnOrExpires(t *testing.T) {
	for _, test := range []struct {
		name, event string
		end         func(*world, List) error
		state       model.BulkState
	}{
		{"rejected", "bulk.rejected", func(w *world, l List) error {
			_, err := w.run.RejectBulk(w.t.Context(), w.cleo, l.ID, say(l.Digest))
			return err
		}, model.BulkRejected},
		{"withdrawn", "bulk.withdrawn", func(w *world, l List) error {
			_, err := w.run.WithdrawBulk(w.t.Context(), w.ada, l.ID, say(l.Digest))
			return err
		}, model.BulkWithdrawn},
		{"expired", "bulk.expired", func(w *world, _ List) error { w.wait(73 * time.Hour); return nil }, model.BulkExpired},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w, ids, l := askedMany(t)
			if err := test.end(w, l); err != nil {
				t.Fatal(err)
			}
			_, err := w.run.ApproveBulk(t.Context(), w.dan, l.ID, say(l.Digest))
			if codeOf(err) != "approval-closed" || extra(err, "state") != string(test.state) {
				t.Errorf("then approved: %v", err)
			}
			done := w.carryOut(l.ID)
			if done.State != test.state || done.ClosedBecause == "" || w.abandoned(ids) != 0 {
				t.Errorf("%s because %q, %d abandoned", done.State, done.ClosedBecause, w.abandoned(ids))
			}
			if got := w.bulkEvents(); !slices.Contains(got, test.event) {
				t.Errorf("events %v", got)
			}
		})
	}
}

func TestOnlyWhoAskedWithdrawsAList(t *testing.T) {
	w, _, l := askedMany(t)
	_, err := w.run.WithdrawBulk(t.Context(), w.cleo, l.ID, say(l.Digest))
	wantCode(t, err, "denied")
	_, err = w.run.RejectBulk(t.Context(), w.aud, l.ID, say(l.Digest))
	wantCode(t, err, "denied")
}

func TestAListOfWhoMayNotAskAnyMoreIsDismissed(t *testing.T) {
	w, ids, l := askedMany(t)
	w.update(func(tx *store.Tx) error { return tx.Withdraw(w.ada.ID, "acme", model.RoleOperator) })
	_, err := w.run.ApproveBulk(t.Context(), w.cleo, l.ID, say(l.Digest))
	if codeOf(err) != "approval-closed" || extra(err, "state") != "dismissed" || w.abandoned(ids) != 0 {
		t.Errorf("%v, %d abandoned", err, w.abandoned(ids))
	}
	after, err := w.run.GetBulk(t.Context(), w.cleo, l.ID)
	if err != nil || after.State != model.BulkDismissed || !strings.Contains(after.ClosedBecause, "Ada") {
		t.Errorf("%s because %q, %v", after.State, after.ClosedBecause, err)
	}
}

func TestASignersRightIsAskedForAtEachItem(t *testing.T) {
	w, ids, l := askedMany(t)
	if _, err := w.run.ApproveBulk(t.Context(), w.cleo, l.ID, say(l.Digest)); err != nil {
		t.Fatal(err)
	}
	if _, err := w.run.carryOut(t.Context(), l.ID, 1); err != nil {
		t.Fatal(err)
	}
	w.update(func(tx *store.Tx) error { return tx.Withdraw(w.cleo.ID, "acme", model.RoleApprover) })
	done := w.carryOut(l.ID)
	if !slices.Equal(outcomes(done), []string{"executed", "denied", "denied", "denied"}) || w.abandoned(ids) != 1 {
		t.Errorf("%v, %d abandoned", outcomes(done), w.abandoned(ids))
	}
}

func TestTwoSignersAtOnceRunAListOnce(t *testing.T) {
	w, ids, l := askedMany(t)
	var wg sync.WaitGroup
	codes := make([]string, 2)
	for i, actor := range []authz.Actor{w.cleo, w.dan} {
		wg.Go(func() {
			_, err := w.run.ApproveBulk(t.Context(), actor, l.ID, say(l.Digest))
			codes[i] = codeOf(err)
			if _, err := w.run.carryOut(t.Context(), l.ID, MaxBulk); err != nil && !errors.Is(err, model.Stale) {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	slices.Sort(codes)
	if w.carryOut(l.ID); !slices.Equal(codes, []string{"", "approval-closed"}) || w.abandoned(ids) != 4 {
		t.Errorf("codes %q, %d abandoned", codes, w.abandoned(ids))
	}
	for _, id := range ids {
		if got := w.events(id); len(got) != 2 {
			t.Errorf("events %v", got)
		}
	}
}

func TestWhatMovedBeforeItWasSignedIsLeftOut(t *testing.T) {
	w, ids, l := askedMany(t)
	found(pay, model.Observation{Finding: model.FoundHappened, ExternalRef: "po_1", Amount: 500})(w, ids[0])
	if _, err := w.run.ApproveBulk(t.Context(), w.cleo, l.ID, say(l.Digest)); err != nil {
		t.Fatal(err)
	}
	done := w.carryOut(l.ID)
	if !slices.Equal(outcomes(done), []string{"stale", "executed", "executed", "executed"}) || !strings.Contains(done.Items[0].Said, "confirmed") {
		t.Errorf("%v: %s", outcomes(done), done.Items[0].Said)
	}
}
