package actions

import (
	"time"

	"countersign/internal/model"
	"countersign/internal/store"
)

func cells() (all []cell) {
	for action, list := range map[string][]cell{model.RetryUnfinished: retryCells, model.Reconcile: reconcileCells,
		model.MarkExternalResult: markCells, model.Compensate: compensateCells, model.Abandon: abandonCells} {
		for _, c := range list {
			c.action = action
			all = append(all, c)
		}
	}
	return all
}

const pay = "create-payout"

var confirmed = before(pay)

// settlesOverdue brings the payout past its settlement limit.
var settlesOverdue = then(sent(accepted), later(2*time.Hour))

var messageUnknown = then(before("post-ledger"), func(w *world, id string) { w.send(id, unknown) })

var retryCells = []cell{
	{name: "not sent", setup: sent(notSent), rule: "retry.failed-safely", allowed: true},
	{name: "curable", setup: sent(curable2), rule: "retry.failed-safely", allowed: true},
	{name: "curable and stored", setup: sent(curable), rule: "retry.next-generation", allowed: true},
	{name: "object failed", setup: sent(failedO), rule: "retry.next-generation", allowed: true},
	{name: "pending, nobody approved in time", setup: then(before("verify-payee"), needPeople, refused0, expired), rule: "retry.ask-again", allowed: true},
	{name: "pending and scheduled", rule: "retry.scheduled"},
	{name: "waits for approval", setup: then(before("verify-payee"), needPeople, refused0), rule: "approval.waiting"},
	{name: "unknown, asked, window open", setup: then(sent(unknown), later(time.Second), asked(pay)), rule: "retry.same-key", allowed: true},
	{name: "unknown, not asked yet", setup: sent(unknown), rule: "send.reconcile-first"},
	{name: "unknown, cannot be asked", account: "mute", setup: sent(unknown), rule: "retry.same-key", allowed: true},
	{name: "unknown, window closed", setup: then(sent(unknown), later(23*time.Hour)), rule: "send.window-closed"},
	{name: "unknown, not stored with its effect", setup: then(sent(unknown), later(time.Second), asked(pay)), rule: "send.not-stored", account: "weak"},
	{name: "unknown message", setup: messageUnknown, rule: "send.message-unknown"},
	{name: "refused for good", setup: sent(refusedP), rule: "send.refused-for-good"},
	{name: "conflict open", setup: then(sent(unknown), found(pay, another)), rule: "conflict.open"},
	{name: "compensation asked for", setup: then(confirmed, undone), rule: "intent.compensated"},
	{name: "abandoned", setup: gone, rule: "intent.abandoned"},
	{name: "settling", setup: sent(accepted), rule: "send.object-known"},
	{name: "unknown, object known", setup: then(settlesOverdue, overdue), rule: "send.object-known"},
	{name: "due date passed", setup: then(sent(notSent), dueBy, later(2*time.Hour)), rule: "send.due-date-passed"},
	{name: "in flight", setup: then(before("approve-payout"), open), rule: inFlight},
	{name: "completed", setup: before(""), rule: "retry.nothing-unfinished"},
	{name: "a confirmed step by name", setup: confirmed, step: pay, input: " ", rule: "retry.confirmed"},
	{name: "already back", setup: then(confirmed, found(pay, cameBack)), step: pay, input: " ", rule: "retry.already-back"},
	{name: "ordered already", setup: then(sent(notSent), func(w *world, id string) {
		w.confirm(w.ada, w.preview(w.ada, id, model.RetryUnfinished, "", ""))
	}), rule: "retry.ordered"},
}

var reconcileCells = []cell{
	{name: "unknown", setup: sent(unknown), step: pay, rule: "reconcile.uncertain", allowed: true},
	{name: "unknown while it is sent again", setup: then(sent(unknown), open), step: pay, rule: "reconcile.uncertain", allowed: true},
	{name: "settling", setup: sent(accepted), step: pay, rule: "reconcile.uncertain", allowed: true},
	{name: "confirmed", setup: confirmed, step: pay, rule: "reconcile.re-check", allowed: true},
	{name: "in conflict", setup: then(sent(unknown), found(pay, another)), step: pay, rule: "reconcile.uncertain", allowed: true},
	{name: "abandoned and uncertain", setup: then(sent(unknown), goneByTwo), step: pay, rule: "reconcile.uncertain", allowed: true},
	{name: "nothing to check", rule: "reconcile.nothing-to-check"},
	{name: "failed safely", setup: sent(notSent), step: pay, input: " ", rule: "reconcile.nothing-to-check"},
	{name: "cannot be asked", account: "mute", setup: sent(unknown), step: pay, rule: "reconcile.cannot-be-asked"},
	{name: "ordered already", setup: then(sent(unknown), func(w *world, id string) {
		w.confirm(w.ada, w.preview(w.ada, id, model.Reconcile, pay, ""))
	}), step: pay, rule: "reconcile.ordered"},
}

func nothingInput(date string) string {
	return `{"result":"did_not_happen","date":"` + date + `","document":{"url":"https://bank.example/1"}}`
}

var markCells = []cell{
	{name: "unknown", setup: sent(unknown), step: pay, input: happenedInput, rule: "mark.unknown", allowed: true},
	{name: "overdue", setup: settlesOverdue, step: pay, input: happenedInput, rule: "mark.overdue", allowed: true},
	{name: "conflict", setup: then(sent(unknown), found(pay, another)), step: pay, input: happenedInput, rule: "mark.conflict", allowed: true},
	{name: "came back", setup: then(confirmed, found(pay, cameBack)), step: pay, input: happenedInput, rule: "mark.returned", allowed: true},
	{name: "abandoned and uncertain", setup: then(sent(unknown), goneByTwo), step: pay, input: happenedInput, rule: "mark.unknown", allowed: true},
	{name: "settling in time", setup: sent(accepted), step: pay, rule: "mark.settling"},
	{name: "nothing uncertain", rule: "mark.nothing-uncertain"},
	{name: "confirmed", setup: confirmed, step: pay, input: happenedInput, rule: "mark.nothing-uncertain"},
	{name: "in flight", setup: then(sent(unknown), open), step: pay, rule: inFlight},
	{name: "no evidence", setup: sent(unknown), step: pay, input: `{"result":"happened","external_ref":"po_1","date":"2026-11-29"}`, rule: "mark.no-evidence"},
	{name: "reference of another step", setup: then(sent(unknown), otherTakes("po_1")), step: pay, input: happenedInput, rule: "mark.ref-taken"},
	{name: "nothing, a query can be final", setup: then(sent(unknown), later(time.Hour)), step: pay, input: nothingInput("2026-11-29T12:30:00Z"), rule: "mark.reconcile-says-it"},
	{name: "nothing, too early", account: "mute", setup: sent(unknown), step: pay, input: nothingInput("2026-11-29T12:00:00Z"), rule: "mark.too-early"},
	{name: "nothing, document too old", account: "mute", setup: then(sent(unknown), later(time.Hour)), step: pay, input: nothingInput("2026-11-29T12:00:01Z"), rule: "mark.document-too-old"},
	{name: "nothing, a day alone is its beginning", account: "mute", setup: then(sent(unknown), later(time.Hour)), step: pay, input: nothingInput("2026-11-29"), rule: "mark.document-too-old"},
	{name: "nothing, may still be sent", account: "mute", setup: then(before("approve-payout"), open, lost, later(time.Hour)), step: pay, input: nothingInput("2026-11-29T12:30:00Z"), rule: "mark.may-still-send"},
	{name: "nothing, worker declared dead", account: "mute", setup: then(before("approve-payout"), open, lost, dead, later(time.Hour)), step: pay, input: nothingInput("2026-11-29T12:30:00Z"), rule: "mark.unknown", allowed: true},
	{name: "nothing, over and dated after", account: "mute", setup: then(sent(unknown), later(time.Hour)), step: pay, input: nothingInput("2026-11-29T12:30:00Z"), rule: "mark.unknown", allowed: true},
	{name: "nothing, another amount stands", setup: then(sent(unknown), found(pay, another), later(time.Hour)), step: pay, input: nothingInput("2026-11-29T12:30:00Z"), rule: "mark.object-stands"},
	{name: "nothing, several stand", setup: then(sent(unknown), found(pay, several), later(time.Hour)), step: pay, input: nothingInput("2026-11-29T12:30:00Z"), rule: "mark.object-stands"},
	{name: "nothing, done though it had ended", setup: then(sent(notSent), found(pay, done), later(time.Hour)), step: pay, input: nothingInput("2026-11-29T12:30:00Z"), rule: "mark.object-stands"},
	{name: "nothing, a second object beside it", setup: then(confirmed, found(pay, done), later(time.Hour)), step: pay, input: nothingInput("2026-11-29T12:30:00Z"), rule: "mark.object-stands"},
	{name: "nothing, the object failed since", setup: then(sent(unknown), found(pay, another), found(pay, anotherFailed), later(time.Hour)), step: pay, input: nothingInput("2026-11-29T12:30:00Z"), rule: "mark.conflict", allowed: true},
	{name: "nothing, but it came back", setup: then(confirmed, found(pay, cameBack), later(time.Hour)), step: pay, input: nothingInput("2026-11-29T12:30:00Z"), rule: "mark.already-back"},
}

var compensateCells = []cell{
	{name: "confirmed", setup: confirmed, step: pay, rule: "compensate.undo", allowed: true},
	{name: "settling, can be undone", setup: sent(accepted), step: pay, rule: "compensate.undo", allowed: true},
	{name: "local step", setup: before("post-ledger"), step: "post-ledger", rule: "compensate.undo", allowed: true},
	{name: "abandoned", setup: then(confirmed, goneByTwo), step: pay, rule: "compensate.undo", allowed: true},
	{name: "unknown", setup: sent(unknown), step: pay, rule: "compensate.unknown"},
	{name: "settling, cannot be undone yet", setup: sent(accepted), step: pay, rule: "compensate.unknown", account: "weak"},
	{name: "nothing happened", rule: "compensate.nothing-happened"},
	{name: "failed", setup: sent(notSent), step: pay, input: " ", rule: "compensate.not-confirmed"},
	{name: "no undo", setup: confirmed, step: "verify-payee", input: " ", rule: "compensate.no-undo"},
	{name: "undo window closed", setup: then(confirmed, later(25*time.Hour)), step: pay, rule: "compensate.too-late", account: "weak"},
	{name: "one is asked for", setup: then(confirmed, undone), step: pay, rule: "compensate.standing"},
	{name: "already back", setup: then(confirmed, found(pay, cameBack)), step: pay, rule: "compensate.already-back"},
	{name: "in flight", setup: then(before("post-ledger"), open), step: pay, rule: inFlight},
}

var abandonCells = []cell{
	{name: "nothing happened", input: "{ACK}", rule: "abandon.open", allowed: true},
	{name: "unknown", setup: sent(unknown), input: "{ACK}", rule: "abandon.open", allowed: true},
	{name: "refused after an effect", setup: then(confirmed, before("post-ledger"), func(w *world, id string) { w.send(id, refusedP) }), input: "{ACK}", rule: "abandon.partial", allowed: true},
	{name: "completed", setup: before(""), rule: "abandon.completed"},
	{name: "abandoned", setup: gone, rule: "abandon.abandoned"},
	{name: "failed for good", setup: sent(refusedP), rule: "abandon.failed"},
	{name: "being undone", setup: then(confirmed, undone), rule: "abandon.compensated"},
	{name: "in flight", setup: then(before("approve-payout"), open), rule: inFlight},
	{name: "not acknowledged", setup: sent(unknown), input: `{"acknowledge":[]}`, rule: "abandon.acknowledge"},
	{name: "too much acknowledged", setup: sent(notSent), input: `{"acknowledge":["{ID}:create-payout"]}`, rule: "abandon.acknowledge"},
}

// needPeople makes the approval step one that people are asked about.
var needPeople = edit(func(c *model.Case, _ *store.Tx) { c.ApprovalStep().PeopleNeeded = 1 })

var expired = edit(func(c *model.Case, tx *store.Tx) {
	if err := tx.CloseApproval(c, c.OpenRequest().ID, model.ApprovalExpired, "nobody answered"); err != nil {
		panic(err)
	}
})

var overdue = edit(func(c *model.Case, tx *store.Tx) {
	if err := c.Overdue(c.Step(pay), "limit", model.NormalPace(), 0.5, tx.Now()); err != nil {
		panic(err)
	}
})

func dueBy(w *world, id string) {
	w.update(func(tx *store.Tx) error {
		if _, err := tx.Exec("UPDATE intents SET due_by = ? WHERE id = ?", tx.Now().Add(time.Hour), id); err != nil {
			return err
		}
		_, err := tx.Exec("UPDATE steps SET operation = 'dispute.respond' WHERE intent_id = ? AND name = ?", id, pay)
		return err
	})
}

func dead(w *world, id string) {
	w.update(func(tx *store.Tx) error {
		if err := tx.InsertBoot(store.Boot{ID: "b1", StartedAt: tx.Now()}); err != nil {
			return err
		}
		return tx.EndBoot("b1")
	})
}

// otherTakes makes an object another payout's.
func otherTakes(ref string) func(*world, string) {
	return func(w *world, id string) {
		other := w.payout("other", 700)
		w.pass(other, "approve-payout")
		w.send(other, model.Outcome{Result: model.ResultConfirmed, ExternalRef: ref})
	}
}

// goneByTwo abandons an intent with effects.
func goneByTwo(w *world, id string) {
	p := w.preview(w.ada, id, model.Abandon, "", acknowledged(w, id))
	r := w.confirm(w.ada, p)
	if _, err := w.run.Approve(w.t.Context(), w.cleo, *r.Approval, Confirmation{Reason: reason, Digest: p.Digest}); err != nil {
		w.t.Fatal(err)
	}
}
