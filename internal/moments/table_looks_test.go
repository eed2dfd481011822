package moments

import (
	"context"
	"errors"
	"time"

	"countersign/internal/actions"
	"countersign/internal/model"
)

// lookMoments: webhooks and look-ups that come twice, late, too early, or with
// something else than was asked for.
var lookMoments = []moment{
	{number: 6, name: "every webhook comes twice", kind: model.KindPayout,
		faults: []trouble{on("payouts", "webhook_twice", 10)}, runs: time.Hour,
		intent: model.Completed, step: "create-payout", state: model.Confirmed, calls: 1, effects: 1,
		says: "inconclusive happened", log: "in_progress in_progress confirmed"},
	{number: 6, name: "webhooks come out of order", kind: model.KindPayout,
		faults: []trouble{on("payouts", "webhook_out_of_order", 10)}, runs: time.Hour,
		intent: model.Completed, step: "create-payout", state: model.Confirmed, calls: 1, effects: 1,
		says: "inconclusive happened", log: "in_progress in_progress confirmed"},
	{number: 6, name: "webhooks come a day late, after the window", kind: model.KindPayout,
		faults: []trouble{on("payouts", "webhook_late", 10).lasting(25 * time.Hour), on("payouts", "drop_after_accept", 1)}, runs: time.Hour,
		intent: model.Completed, step: "create-payout", state: model.Confirmed, calls: 1, effects: 1,
		says: "inconclusive happened", log: "in_progress outcome_unknown confirmed"},
	{number: 6, name: "a webhook comes before our own commit", form: notApplied, kind: model.KindPayout,
		happens: func(w *world, id string) {
			dies(2, false)(w, id)
			w.clock.Add(5 * time.Second) // the payout settles, and its webhook comes first
		}, later: time.Hour,
		intent: model.Completed, step: "create-payout", state: model.Confirmed, calls: 1, effects: 1,
		says: "inconclusive happened", log: "in_progress outcome_unknown confirmed"},
	{number: 8, name: "the window closes", form: notApplied, kind: model.KindPayout,
		faults: []trouble{on("payouts", "drop_before_accept", 100), whenAsked("500_before", 1000)}, runs: 25 * time.Hour,
		intent: model.Processing, step: "create-payout", state: model.OutcomeUnknown, calls: 6, effects: 0,
		says: "inconclusive", log: "in_progress outcome_unknown", ends: model.NeedsReview},
	{number: 8, name: "the window closes", form: applied, kind: model.KindPayout,
		faults: []trouble{on("payouts", "drop_after_accept", 100), whenAsked("500_before", 1000)}, runs: 25 * time.Hour,
		intent: model.Processing, step: "create-payout", state: model.OutcomeUnknown, calls: 6, effects: 1,
		says: "inconclusive", log: "in_progress outcome_unknown", ends: model.Completed},
	{number: 8, name: "a person's retry after the window is refused", form: applied, kind: model.KindPayout,
		faults: []trouble{on("payouts", "drop_after_accept", 100), whenAsked("500_before", 1000)}, runs: 25 * time.Hour,
		happens: func(w *world, id string) { w.refuses(id, model.RetryUnfinished, "send.window-closed") },
		intent:  model.Processing, step: "create-payout", state: model.OutcomeUnknown, calls: 6, effects: 1,
		says: "inconclusive", log: "in_progress outcome_unknown", ends: model.Completed},
	{number: 9, name: "not found while it is on its way", form: applied, kind: model.KindPayout,
		faults: []trouble{on("payouts", "not_found_for_a_while", 1).lasting(20 * time.Second), on("payouts", "drop_after_accept", 1)}, runs: time.Hour,
		intent: model.Completed, step: "create-payout", state: model.Confirmed, calls: 2, effects: 1,
		says: "inconclusive happened", log: "in_progress outcome_unknown in_progress confirmed"},
	{number: 9, name: "not found while it is on its way", form: applied, kind: model.KindStatement,
		faults: []trouble{on("messages", "drop_after_accept", 1), on("messages", "webhook_late", 1).lasting(time.Hour)}, runs: 20 * time.Second,
		intent: model.Processing, step: "send-statement", state: model.OutcomeUnknown, calls: 1, effects: 1,
		says: "inconclusive", log: "in_progress outcome_unknown", ends: model.Completed},
	{number: 9, name: "not found, and it never was", form: notApplied, kind: model.KindStatement,
		faults: []trouble{on("messages", "drop_before_accept", 1)}, runs: 20 * time.Second,
		intent: model.Processing, step: "send-statement", state: model.OutcomeUnknown, calls: 1, effects: 0,
		says: "inconclusive", log: "in_progress outcome_unknown", ends: model.Completed},
	{number: 10, name: "another amount is found", kind: model.KindPayout,
		faults: []trouble{on("payouts", "wrong_amount_echo", 1), on("payouts", "drop_after_accept", 1)}, runs: time.Hour,
		intent: model.NeedsReview, step: "create-payout", state: model.OutcomeUnknown, calls: 1, effects: 1,
		says: "inconclusive conflict", log: "in_progress outcome_unknown", events: "conflict.opened"},
	{number: 10, name: "two objects are found", kind: model.KindPayout,
		faults: []trouble{on("payouts", "drop_after_accept", 1), on("payouts", "webhook_late", 2).lasting(2 * time.Hour)}, runs: time.Millisecond,
		happens: func(w *world, id string) { w.outsider("somebody-else", id+":create-payout") }, later: time.Hour,
		intent: model.NeedsReview, step: "create-payout", state: model.OutcomeUnknown, calls: 1, effects: 2,
		says: "inconclusive conflict", log: "in_progress outcome_unknown", events: "conflict.opened"},
	{number: 10, name: "a second object is announced after the first", kind: model.KindPayout,
		faults: []trouble{on("payouts", "drop_after_accept", 1)}, runs: time.Millisecond,
		happens: func(w *world, id string) { w.outsider("somebody-else", id+":create-payout") }, later: time.Hour,
		intent: model.NeedsReview, step: "create-payout", state: model.Confirmed, calls: 1, effects: 2,
		says: "inconclusive happened conflict", log: "in_progress outcome_unknown confirmed", events: "conflict.opened"},
	{number: 10, name: "a second object is found after the first was confirmed", kind: model.KindPayout,
		runs:    time.Hour,
		happens: func(w *world, id string) { w.outsider("somebody-else", id+":create-payout") }, later: time.Hour,
		intent: model.NeedsReview, step: "create-payout", state: model.Confirmed, calls: 1, effects: 2,
		says: "inconclusive happened conflict", log: "in_progress in_progress confirmed", events: "conflict.opened"},
}

// refuses sees that a rule refuses a person's action on an intent.
func (w *world) refuses(intent, action, rule string) {
	w.t.Helper()
	_, err := w.act.Preview(context.Background(), w.people.operator, actions.PreviewRequest{Intent: intent, Action: action})
	var e *model.Error
	if !errors.As(err, &e) || e.Extra["rule"] != rule {
		w.t.Errorf("%s came back as %v, not refused by %s", action, err, rule)
	}
}

// outsider pays at the provider as somebody else who has our reference: an
// effect that no attempt of ours made.
func (w *world) outsider(key, reference string) {
	w.memory.outsiders[key] = true
	w.outside(key, reference)
}
