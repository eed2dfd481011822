package moments

import (
	"errors"
	"sync/atomic"
	"time"

	"countersign/internal/model"
)

// dies kills the process at its n-th commit from now, lost or kept, and starts
// another one.
func dies(n int, kept bool) func(*world, string) {
	return func(w *world, _ string) {
		w.dieAt(n, kept)
		w.runUntilDeath()
		w.restart()
	}
}

var errBroke = errors.New("the connection to the database broke")

// fails makes the n-th commit from now report an error, kept or not, once.
func fails(n int64, kept bool) func(*world, string) {
	return func(w *world, _ string) {
		var count atomic.Int64
		once := func() error {
			if count.Add(1) == n {
				return errBroke
			}
			return nil
		}
		if kept {
			w.set(nil, once)
		} else {
			w.set(once, nil)
		}
	}
}

// commitMoments: the answer arrives, and the database loses or keeps it. The
// first commit of an intent reserves its first effect, the second settles it.
var commitMoments = []moment{
	{number: 2, name: "the process dies before the payout's outcome is committed", form: notApplied, kind: model.KindPayout,
		happens: dies(2, false), later: time.Hour,
		intent: model.Completed, step: "create-payout", state: model.Confirmed, calls: 1, effects: 1,
		says: "inconclusive happened", log: "in_progress outcome_unknown confirmed"},
	{number: 2, name: "the process dies as the payout's outcome is committed", form: applied, kind: model.KindPayout,
		happens: dies(2, true), later: time.Hour,
		intent: model.Completed, step: "create-payout", state: model.Confirmed, calls: 1, effects: 1,
		says: "inconclusive happened", log: "in_progress in_progress confirmed"},
	{number: 2, name: "the process dies before the mail's outcome is committed", form: notApplied, kind: model.KindStatement,
		happens: dies(2, false), later: time.Hour,
		intent: model.Completed, step: "send-statement", state: model.Confirmed, calls: 1, effects: 1,
		says: "inconclusive happened", log: "in_progress outcome_unknown confirmed"},
	{number: 2, name: "the process dies as the mail's outcome is committed", form: applied, kind: model.KindStatement,
		happens: dies(2, true), later: time.Hour,
		intent: model.Completed, step: "send-statement", state: model.Confirmed, calls: 1, effects: 1,
		says: "happened", log: "in_progress confirmed"},
	{number: 2, name: "the process dies before the response's outcome is committed", form: notApplied, kind: model.KindDispute,
		happens: dies(2, false), later: time.Hour,
		intent: model.Completed, step: "submit-response", state: model.Confirmed, calls: 1, effects: 1,
		says: "inconclusive happened", log: "in_progress outcome_unknown confirmed"},
	{number: 2, name: "the process dies as the response's outcome is committed", form: applied, kind: model.KindDispute,
		happens: dies(2, true), later: time.Hour,
		intent: model.Completed, step: "submit-response", state: model.Confirmed, calls: 1, effects: 1,
		says: "inconclusive happened", log: "in_progress in_progress confirmed"},
	{number: 2, name: "the process dies before the reversal's outcome is committed", form: notApplied, kind: model.KindCompensation,
		happens: dies(3, false), later: time.Hour,
		intent: model.Completed, step: "reverse-payout", state: model.Confirmed, calls: 1, effects: 1,
		says: "inconclusive happened", log: "in_progress outcome_unknown confirmed"},
	{number: 3, name: "the commit of a reservation fails", form: notApplied, kind: model.KindPayout,
		happens: fails(1, false), later: time.Hour,
		intent: model.Completed, step: "create-payout", state: model.Confirmed, calls: 1, effects: 1,
		says: "inconclusive happened", log: "in_progress in_progress confirmed"},
	{number: 3, name: "the commit of a reservation fails", form: applied, kind: model.KindPayout,
		happens: fails(1, true), later: time.Hour,
		intent: model.Completed, step: "create-payout", state: model.Confirmed, calls: 1, effects: 1,
		says: "inconclusive happened", log: "in_progress in_progress confirmed"},
	{number: 3, name: "the commit of an outcome fails", form: notApplied, kind: model.KindPayout,
		happens: fails(2, false), later: time.Hour,
		intent: model.Completed, step: "create-payout", state: model.Confirmed, calls: 1, effects: 1,
		says: "inconclusive happened", log: "in_progress in_progress confirmed"},
	{number: 3, name: "the commit of an outcome fails", form: applied, kind: model.KindPayout,
		happens: fails(2, true), later: time.Hour,
		intent: model.Completed, step: "create-payout", state: model.Confirmed, calls: 1, effects: 1,
		says: "inconclusive happened", log: "in_progress in_progress confirmed"},
	{number: 3, name: "the commit of an outcome fails", form: notApplied, kind: model.KindStatement,
		happens: fails(2, false), later: time.Hour,
		intent: model.Completed, step: "send-statement", state: model.Confirmed, calls: 1, effects: 1,
		says: "happened", log: "in_progress confirmed"},
	{number: 3, name: "the commit of an outcome fails", form: applied, kind: model.KindStatement,
		happens: fails(2, true), later: time.Hour,
		intent: model.Completed, step: "send-statement", state: model.Confirmed, calls: 1, effects: 1,
		says: "happened", log: "in_progress confirmed"},
	{number: 3, name: "the commit of an outcome fails", form: notApplied, kind: model.KindDispute,
		happens: fails(2, false), later: time.Hour,
		intent: model.Completed, step: "submit-response", state: model.Confirmed, calls: 1, effects: 1,
		says: "inconclusive happened", log: "in_progress in_progress confirmed"},
	{number: 3, name: "the commit of an outcome fails", form: applied, kind: model.KindDispute,
		happens: fails(2, true), later: time.Hour,
		intent: model.Completed, step: "submit-response", state: model.Confirmed, calls: 1, effects: 1,
		says: "inconclusive happened", log: "in_progress in_progress confirmed"},
}
