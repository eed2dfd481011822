package moments

import (
	"time"

	"countersign/internal/model"
	"countersign/internal/provider/sandbox/server"
)

// forgetful is a provider that keeps what succeeded only.
func forgetful(c *server.Config) { c.Stores = server.StoresSuccesses }

// refusalMoments: the provider refuses, in every way in which it can.
var refusalMoments = []moment{
	{number: 13, name: "throttled", kind: model.KindPayout,
		faults: []trouble{on("payouts", "429", 2)}, runs: 2 * time.Hour,
		intent: model.Completed, step: "create-payout", state: model.Confirmed, calls: 3, effects: 1,
		says: "did_not_happen inconclusive happened", log: "in_progress failed_safely in_progress failed_safely in_progress in_progress confirmed"},
	{number: 13, name: "refused for good", kind: model.KindPayout,
		faults: []trouble{on("payouts", "reject_permanent", 1)}, runs: 2 * time.Hour,
		intent: model.TerminalFailure, step: "create-payout", state: model.FailedSafely, calls: 1, effects: 0,
		says: "did_not_happen", log: "in_progress failed_safely"},
	{number: 13, name: "refused until cured", kind: model.KindPayout,
		faults: []trouble{on("payouts", "reject_curable", 1)}, runs: 2 * time.Hour,
		intent: model.NeedsReview, step: "create-payout", state: model.FailedSafely, calls: 1, effects: 0,
		says: "did_not_happen", log: "in_progress failed_safely"},
	{number: 13, name: "refused until cured, then retried by a person", kind: model.KindPayout,
		faults: []trouble{on("payouts", "reject_curable", 1)}, runs: time.Hour,
		happens: func(w *world, id string) { w.do(w.people.operator, id, model.RetryUnfinished, "", "") }, later: time.Hour,
		intent: model.Completed, step: "create-payout", state: model.Confirmed, calls: 2, effects: 1,
		says: "did_not_happen inconclusive happened", log: "in_progress failed_safely in_progress in_progress confirmed", events: "action.retry_unfinished.executed"},
	{number: 13, name: "refused for good after an unknown attempt", form: notApplied, kind: model.KindPayout,
		faults: []trouble{on("payouts", "drop_before_accept", 1), on("payouts", "reject_permanent", 1), whenAsked("500_before", 1000)}, runs: 2 * time.Hour,
		intent: model.TerminalFailure, step: "create-payout", state: model.FailedSafely, calls: 3, effects: 0,
		says: "inconclusive did_not_happen", log: "in_progress outcome_unknown failed_safely"},
	{number: 13, name: "throttled after an unknown attempt", form: applied, kind: model.KindPayout,
		faults: []trouble{on("payouts", "drop_after_accept", 1), on("payouts", "429", 1), whenAsked("500_before", 6)}, runs: 2 * time.Hour,
		intent: model.Completed, step: "create-payout", state: model.Confirmed, calls: 3, effects: 1,
		says: "inconclusive did_not_happen happened", log: "in_progress outcome_unknown in_progress confirmed"},
	{number: 13, name: "throttled after an unknown attempt", form: notApplied, kind: model.KindPayout,
		faults: []trouble{on("payouts", "drop_before_accept", 1), on("payouts", "429", 1), whenAsked("500_before", 6)}, runs: 2 * time.Hour,
		intent: model.Completed, step: "create-payout", state: model.Confirmed, calls: 3, effects: 1,
		says: "inconclusive did_not_happen happened", log: "in_progress outcome_unknown in_progress confirmed"},
	{number: 13, name: "unknown at a provider that keeps successes only", form: applied, kind: model.KindPayout, world: forgetful,
		faults: []trouble{on("payouts", "drop_after_accept", 1), whenAsked("500_before", 1000)}, runs: time.Hour,
		intent: model.Processing, step: "create-payout", state: model.OutcomeUnknown, calls: 1, effects: 1,
		says: "inconclusive", log: "in_progress outcome_unknown", ends: model.Completed},
	{number: 13, name: "unknown at a provider that keeps successes only", form: notApplied, kind: model.KindPayout, world: forgetful,
		faults: []trouble{on("payouts", "drop_before_accept", 1), whenAsked("500_before", 1000)}, runs: time.Hour,
		intent: model.Processing, step: "create-payout", state: model.OutcomeUnknown, calls: 1, effects: 0,
		says: "inconclusive", log: "in_progress outcome_unknown", ends: model.Completed},
	{number: 13, name: "the answer is for another key", form: applied, kind: model.KindPayout,
		faults: []trouble{on("payouts", "other_key_echo", 1)}, runs: time.Hour,
		intent: model.Completed, step: "create-payout", state: model.Confirmed, calls: 1, effects: 1,
		says: "inconclusive happened", log: "in_progress outcome_unknown confirmed"},
	{number: 13, name: "a mail is refused for good", kind: model.KindStatement,
		faults: []trouble{on("messages", "reject_permanent", 1)}, runs: 2 * time.Hour,
		intent: model.NeedsReview, step: "send-statement", state: model.FailedSafely, calls: 1, effects: 0,
		says: "did_not_happen", log: "in_progress failed_safely"},
	{number: 13, name: "the credit is refused for good after the dispute was won", kind: model.KindDispute,
		faults: []trouble{on("credits", "reject_permanent", 1)}, runs: 2 * time.Hour,
		intent: model.NeedsReview, step: "credit-balance", state: model.FailedSafely, calls: 1, effects: 0,
		says: "did_not_happen", log: "in_progress failed_safely"},
	{number: 13, name: "the reversal is refused for good", kind: model.KindCompensation,
		faults: []trouble{on("payout_reversals", "reject_permanent", 1)}, runs: 2 * time.Hour,
		intent: model.NeedsReview, step: "reverse-payout", state: model.FailedSafely, calls: 1, effects: 0,
		says: "did_not_happen", log: "in_progress failed_safely"},
}

// endMoments: what was accepted fails, what was paid comes back, what should
// have ended does not.
var endMoments = []moment{
	{number: 17, name: "accepted, then failed", kind: model.KindPayout,
		faults: []trouble{on("payouts", "settle_failed", 1)}, runs: time.Hour,
		intent: model.NeedsReview, step: "create-payout", state: model.FailedSafely, calls: 1, effects: 0,
		says: "inconclusive did_not_happen", log: "in_progress in_progress failed_safely"},
	{number: 17, name: "accepted, then failed, then retried by a person", kind: model.KindPayout,
		faults: []trouble{on("payouts", "settle_failed", 1)}, runs: time.Hour,
		happens: func(w *world, id string) { w.do(w.people.operator, id, model.RetryUnfinished, "", "") }, later: time.Hour,
		intent: model.Completed, step: "create-payout", state: model.Confirmed, calls: 2, effects: 1,
		says: "inconclusive did_not_happen happened", log: "in_progress in_progress failed_safely in_progress in_progress confirmed", events: "action.retry_unfinished.executed"},
	{number: 17, name: "accepted unheard, then failed", form: applied, kind: model.KindPayout,
		faults: []trouble{on("payouts", "settle_failed", 1), on("payouts", "drop_after_accept", 1)}, runs: time.Hour,
		intent: model.NeedsReview, step: "create-payout", state: model.FailedSafely, calls: 2, effects: 0,
		says: "inconclusive did_not_happen", log: "in_progress outcome_unknown in_progress failed_safely"},
	{number: 17, name: "paid, then returned", kind: model.KindPayout,
		faults: []trouble{on("payouts", "settle_then_return", 1).lasting(30 * time.Minute)}, runs: 2 * time.Hour,
		intent: model.NeedsReview, step: "create-payout", state: model.Confirmed, calls: 1, effects: 0,
		says: "inconclusive happened returned", log: "in_progress in_progress confirmed", events: "conflict.opened"},
	{number: 17, name: "paid unheard, then returned", form: applied, kind: model.KindPayout,
		faults: []trouble{on("payouts", "settle_then_return", 1).lasting(time.Second), on("payouts", "drop_after_accept", 1)}, runs: 2 * time.Hour,
		intent: model.NeedsReview, step: "create-payout", state: model.Confirmed, calls: 1, effects: 0,
		says: "inconclusive happened returned", log: "in_progress outcome_unknown confirmed", events: "conflict.opened"},
	{number: 17, name: "the credit is paid, then returned", kind: model.KindDispute,
		faults: []trouble{on("credits", "settle_then_return", 1).lasting(30 * time.Minute)}, runs: 2 * time.Hour,
		intent: model.NeedsReview, step: "credit-balance", state: model.Confirmed, calls: 1, effects: 0,
		says: "inconclusive happened returned", log: "in_progress in_progress confirmed", events: "conflict.opened"},
	{number: 17, name: "accepted, and never final", kind: model.KindPayout,
		faults: []trouble{on("payouts", "settle_never", 1)}, runs: 3 * time.Hour,
		intent: model.Processing, step: "create-payout", state: model.OutcomeUnknown, calls: 1, effects: 1,
		says: "inconclusive", log: "in_progress in_progress outcome_unknown"},
}
