package alert_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"countersign/internal/alert"
	"countersign/internal/store"
)

func TestACauseIsRaisedOnce(t *testing.T) {
	w := newWorld(t)
	for range 3 {
		w.raise(reviews(1)...)
	}
	w.update(func(tx *store.Tx) error { return alert.End(tx, "review:0", "done") })
	w.raise(reviews(1)...)
	if got := w.alerts(); len(got) != 1 || got[0].EndedAt == 0 {
		t.Errorf("alerts %+v", got)
	}
}

func TestACauseWithoutNameOrKindIsRefused(t *testing.T) {
	w := newWorld(t)
	for _, c := range []alert.Cause{{Kind: alert.Review}, {Key: "x", Kind: "odd"}} {
		if err := w.db.Update(t.Context(), func(tx *store.Tx) error { return alert.Raise(tx, c) }); err == nil {
			t.Errorf("%+v was raised", c)
		}
	}
}

func TestAPassedDeadlineIsRaisedOnce(t *testing.T) {
	w := newWorld(t)
	cause := reviews(1)[0]
	cause.Deadline = w.deadline(24 * time.Hour)
	conflict := cause
	conflict.Key, conflict.Kind = "conflict:1", alert.Conflict // the same intent, the same deadline
	w.raise(cause, conflict)
	s := w.sender() // no channel: it is raised all the same
	w.round(s)
	w.clock.add(23 * time.Hour)
	w.round(s)
	if n := len(w.alerts()); n != 2 {
		t.Fatalf("%d alerts before the deadline", n)
	}
	w.clock.add(2 * time.Hour)
	for range 3 {
		w.round(s)
		w.round(w.sender())
	}
	got := w.alerts()
	if len(got) != 3 || got[2].Kind != "review_overdue" || !strings.Contains(got[2].Text, "Nobody decided by 2026-11-28 09:00 UTC") {
		t.Errorf("after the deadline: %+v", got)
	}
}

func TestAnEndedAlertIsNotOverdueAndNotTold(t *testing.T) {
	w, r := newWorld(t), newReceiver(t)
	cause := reviews(1)[0]
	cause.Deadline = w.deadline(time.Hour)
	w.raise(cause)
	w.update(func(tx *store.Tx) error { return alert.End(tx, cause.Key, "The intent is completed now.") })
	w.clock.add(2 * time.Hour)
	w.round(w.sender(w.webhook(r)))
	if len(w.alerts()) != 1 || len(r.got()) != 0 {
		t.Errorf("%d alerts, told %v", len(w.alerts()), r.got())
	}
}

// A condition that comes back is a new cause; while it lasts it is one.
func TestConditionsComeAndGo(t *testing.T) {
	w := newWorld(t)
	wrong := ""
	sender := func() *alert.Sender {
		return alert.New(alert.Config{DB: w.db, Clock: w.clock.Now, Conditions: []alert.Condition{
			{Kind: alert.AuditTrouble, Check: func(context.Context) string { return wrong }}}})
	}
	s := sender()
	for _, now := range []string{"", "rows are refused", "rows are refused", "", "", "rows are refused"} {
		wrong = now
		w.round(s)
		w.clock.add(time.Minute)
	}
	w.clock.add(time.Hour)
	w.round(sender()) // a restart
	got := w.alerts()
	if len(got) != 2 || got[0].EndedAt == 0 || got[1].EndedAt != 0 || got[1].Kind != string(alert.AuditTrouble) {
		t.Errorf("alerts %+v", got)
	}
}

func TestEveryKindHasItsWords(t *testing.T) {
	for _, k := range alert.Kinds {
		if k.EventType() == "" || k.Title() == "" {
			t.Errorf("%s has no words", k)
		}
	}
}
