package templates_test

import (
	"fmt"
	"time"

	"countersign/internal/model"
	"countersign/internal/web/timeline"
	. "countersign/web/templates"
)

func unknownIntent() IntentView {
	money := eur(4820000)
	return IntentView{
		Page: demoPage("Payout 48,200.00 EUR, outcome unknown", "/"), Crumb: "Payout", Verb: "Payout of", Money: &money, Joiner: "to", Party: greek,
		ID: intentID, State: "needs_review", Reason: Say("All 6 tries of create-payout are spent and its outcome is not known."), Version: 23,
		Owner:     Owner{MayTake: true, TakeLabel: "Take it"},
		Intended:  intended(money),
		Confirmed: ConfirmedView{Summary: Say("No money is confirmed. Two steps without effect outside are done:"), Effects: effects()},
		Uncertain: uncertainty(money),
		Next: NextView{
			Lead:   Say("A person may send create-payout once more, with the same key."),
			Text:   []Text{Say("If bank has the payout, it answers with its first result and pays nothing more. If it does not, it pays now.")},
			Action: &Button{Href: "/intents/" + intentID + "/actions/retry_unfinished", Label: "Preview: retry unfinished"}, Waiting: true,
			Facts: []Fact{
				{Label: "If nobody acts", Text: Say("The engine asks bank at ", Clocktime(later(29*time.Minute)), ". It sends nothing by itself.")},
				{Label: "Then", Text: Say("post-ledger, send-remittance, by the engine")},
				{Label: "Alarm", Text: Say(later(23*time.Hour), ", if still under review")},
			},
		},
		Timeline: drawnTimeline(), Actions: actions(), Steps: steps(), Attempts: attempts(), Evidence: evidence(), Links: links(), Audit: auditRows(),
		MoreEvidence: &More{Before: Say("5 more responses."), Href: "?evidence=all", Label: "Show all 11"},
		MoreAttempts: &More{Href: "?attempts=all", Label: "Older attempts"},
		LinksNote:    Say("No parent, no compensation."),
		Exposure:     Say("Exposure: ", money, ", all of it uncertain"), Notes: someNotes(),
	}
}

// someNotes are notes of people with any name, and forms that were not taken.
func someNotes() NotesView {
	return NotesView{
		Intent: intentID, Count: "12 notes", MayWrite: true, Typed: hostile, Errors: FieldErrors{{Field: "text", Message: "The note is longer than 2,000 characters"}},
		Notes: []NoteRow{{ID: "note-2", By: arabic, At: ago(time.Minute), Lines: []string{hostile, "", forty}}, {ID: "note-1", By: forty, At: ago(time.Hour), Lines: []string{"called"}}},
		More:  &More{Href: "/intents/" + intentID + "?notes=note-1#notes", Label: "Older notes"}, Newest: "/intents/" + intentID + "#notes",
		Hand: HandOver{To: []Choice{{Value: "p", Label: arabic}}, Errors: FieldErrors{{Field: "to", Message: "Who you chose is no operator of acme"}}},
	}
}

// drawnTimeline has one of each mark.
func drawnTimeline() TimelineView {
	at := func(d time.Duration) int64 { return ago(d).At }
	lane := timeline.Lane{Name: "create-payout", Class: "external, keyed", Spans: []timeline.Span{{From: at(90 * time.Minute), To: at(0), Kind: timeline.UnknownSince}}}
	for i, kind := range []timeline.BarKind{timeline.Unknown, timeline.Refused, timeline.Accepted, timeline.Done, timeline.Open} {
		lane.Bars = append(lane.Bars, timeline.Bar{From: at(100*time.Minute - time.Duration(i)*20*time.Minute), To: at(99*time.Minute - time.Duration(i)*20*time.Minute), Kind: kind, Number: i + 1, Says: "reset"})
	}
	for i, kind := range []timeline.MarkKind{timeline.Check, timeline.Hook, timeline.Paper, timeline.Person} {
		lane.Marks = append(lane.Marks, timeline.Mark{At: at(time.Duration(90-20*i) * time.Minute), Kind: kind, Says: "seen by " + greek})
	}
	v := TimelineView{Zone: Say("Times in UTC."), Note: Say("12 older are below.")}
	v.Drawing = timeline.Draw(timeline.History{Now: at(0), Lanes: []timeline.Lane{lane, {Name: "post-ledger", Class: "local", Idle: "waits for create-payout"}},
		Moments: []timeline.Moment{{At: later(20 * time.Hour).At, Says: "safe to send again until 05:34:04"}}})
	v.Drawing.Label = "One lane per step. create-payout: 5 attempts."
	v.Rows = []TimelineRow{{At: ago(100 * time.Minute), Until: ago(99 * time.Minute), Step: "create-payout", What: Say("Attempt 1"), State: "outcome_unknown", Detail: Say("The connection was reset.")},
		{At: ago(90 * time.Minute), Step: "create-payout", What: Say("Query, engine"), CameTo: Say("inconclusive")}}
	return v
}

func intended(money model.Money) IntendedView {
	return IntendedView{
		Facts: []Fact{
			{Label: "Pay", Text: Say(Strong(money), " to ", Name(greek), ", ", Code("rep-118"), ", at ", Code("acct_9q4t"))},
			{Label: "For", Text: Say("Period ", Code("2026-10"))},
			{Label: "Asked by", Text: Say("Service key ", Code("payroll-batch"), ", issued by ", Name("林怡君"), ", ", ago(107*time.Minute))},
			{Label: "Intent key", Text: Say(Key("payroll-2026-10-rep-118"))},
			{Label: "Approved by", Text: Say("Ingrid Solheim, ", Clocktime(ago(105*time.Minute)), "; rule: one approver up to 50,000")},
		},
		LookAlikes:  &Note{Kind: "mind", Text: []Text{Say(Bold("1 other"), " has the same payee, amount and period: ", Link("#links", "a payout keyed by hand"), ".")}},
		Params:      `{"amount":4820000,"currency":"EUR","payee":{"destination":"acct_9q4t","name":"` + greek + `"}}`,
		Fingerprint: digest,
		Documents:   []Document{{Href: "/intents/" + intentID + "/documents/statement", Label: "Statement 2026-10, revision 1", Sub: Say("12 kB, SHA-256 ", Key(digest))}},
	}
}

func effects() []Effect {
	return []Effect{
		{Step: "verify-payee", Text: Say(" payee active, destination open, ", Clocktime(ago(107*time.Minute))), Evidence: Say("Evidence: our own payee record")},
		{Step: "approve-payout", Text: Say(" approved by Ingrid Solheim, ", Clocktime(ago(105*time.Minute))), Evidence: Say("Evidence: ", Link("/audit/18333", "audit 18,333"))},
	}
}

func uncertainty(money model.Money) UncertainView {
	return UncertainView{
		Lead: Say(money, " may or may not have been paid."),
		Text: []Text{Say("We sent ", Bold("create-payout"), " 6 times under one key, and no answer came back that we can trust. At worst it was paid once.")},
		Items: []UncertainItem{{
			State: "outcome_unknown", Gauge: gauge(),
			Facts: []Fact{
				{Label: "Sent", Text: Say("6 times, first ", Clocktime(ago(104*time.Minute)), ", last ", Clocktime(ago(32*time.Minute)), ", byte for byte the same")},
				{Label: "Came back", Text: Say("1 reset, 3 timeouts, a 502 and a 503; none says “not executed”")},
				{Label: "Checked", Text: Say("4 times, last by ", Name("Tomáš Dvořák"), " ", Clocktime(ago(21*time.Minute)), ": not found, inconclusive")},
				{Label: "“Not found” is final", Text: Say("from ", Clocktime(later(29*time.Minute)), ", ", Ago(later(29*time.Minute)))},
				{Label: "Safe to send again", Text: Say("until ", later(20*time.Hour), " — ", Left(later(20*time.Hour)))},
			},
		}},
	}
}

func actions() []ActionRow {
	open := func(action, label string) *Button {
		return &Button{Href: "/intents/" + intentID + "/actions/" + action + "?step=create-payout", Label: label}
	}
	approvers := Say("1 of Ingrid Solheim, ", Name(forty))
	return []ActionRow{
		{Label: "Retry unfinished", Allowed: true, Because: Say("Unknown, keyed, window open, reconcile was tried."), Rule: "retry.unknown-keyed-window-open", People: Say("Nobody"), Open: open("retry_unfinished", "Preview")},
		{Label: "Reconcile", Step: "create-payout", Allowed: true, Because: Say("bank can be asked."), Rule: "reconcile.queryable", People: Say("Nobody"), Open: open("reconcile", "Preview")},
		{Label: "Mark external result", Step: "create-payout", Allowed: true, Because: Say("The step is unknown. Needs a document."), Rule: "mark.unknown", People: approvers, Open: open("mark_external_result", "Fill in")},
		{Label: "Compensate", Because: Say("What is not known cannot be reversed. Settle the outcome first."), Rule: "compensate.unknown"},
		{Label: "Abandon", Denied: true, Because: Say("Allowed to operators of acme only."), Rule: "abandon.role", People: approvers},
	}
}

func steps() []StepRow {
	return []StepRow{
		{Key: intentID + ":verify-payee", Class: "pure", State: "confirmed", Attempts: "1"},
		{Key: intentID + ":approve-payout", Class: "local", State: "confirmed", StateNote: Say("by Ingrid Solheim"), Attempts: "1"},
		{Key: stepKey, WireKey: "c7f1b2aa90d1", Class: "external, keyed · bank", State: "outcome_unknown", Attempts: "6 of 6", Amount: some(4820000, "EUR"), Reference: "po_8xkq2v71nd", Next: Say("by a person; check ", Clocktime(later(29*time.Minute)))},
		{Key: intentID + ":post-ledger", Class: "local", State: "pending", Attempts: "0", Amount: some(4820000, "EUR"), Next: Say("after create-payout")},
		{Key: intentID + ":send-remittance", Class: "message · mail", State: "not_needed", Attempts: "0"},
	}
}

func attempts() []AttemptRow {
	var rows []AttemptRow
	for n := 6; n > 0; n-- {
		rows = append(rows, AttemptRow{
			ID: fmt.Sprint("attempt-create-payout-", n), Step: "create-payout", Number: n, Generation: 1, Trigger: Say("engine"), Worker: "boot-7/w-1",
			Started: ago(time.Duration(110-12*n) * time.Minute), Finished: ago(time.Duration(110-12*n)*time.Minute - 30*time.Second), Result: "unknown", State: "outcome_unknown",
			Reason: Say("No answer within 30 s"), Status: "502", Connections: "1 connection", Bytes: "612 bytes out", RequestID: "nbr_77c1f09e2d", Late: n == 2, Replayed: n == 5,
		})
	}
	return append(rows, AttemptRow{ID: "attempt-verify-payee-1", Step: "verify-payee", Number: 1, Generation: 1, Trigger: Say("engine"), Worker: "boot-7/w-1", Started: ago(107 * time.Minute)})
}

func evidence() []EvidenceRow {
	return []EvidenceRow{
		{Step: "create-payout", At: ago(104 * time.Minute), Source: Say("Response, attempt 1"), Says: "inconclusive", Observed: Say("Connection reset after 612 of 612 bytes; no byte came back.")},
		{
			Step: "create-payout", At: ago(82 * time.Minute), Source: Say("Operator, Tomáš Dvořák"), Says: "happened", Observed: Say("Bank statement. "), Ref: "po_8xkq2v71nd",
			WireKey: stepKey, Money: some(4820000, "EUR"), Document: &Document{Href: "/documents/1", Label: "statement.pdf"},
		},
		{Step: "create-payout", At: ago(21 * time.Minute), Source: Say("Query, ", Name(hostile)), Says: "inconclusive", Observed: Say(hostile)},
	}
}

func links() []LinkRow {
	return []LinkRow{{
		Href: "/intents/" + intentID, Title: Say("Payout to ", Name(greek)), ID: "intent-zvefcqq5y7s8s8q8y581az7v6a", Why: Say("Same payee, amount and period"),
		Sub: Say("keyed by hand by Tomáš Dvořák"), State: "awaiting_approval", Money: some(4820000, "EUR"),
	}}
}

func calmIntent() IntentView {
	v := unknownIntent()
	v.State, v.Reason, v.Owner = "completed", nil, Owner{Name: "you", MayRelease: true}
	v.Uncertain = UncertainView{Text: []Text{Say("Nothing. Every effect is confirmed, none is settling.")}}
	v.Next = NextView{Text: []Text{Say("Nothing. This intent is complete and sends no more.")}}
	v.Attempts, v.Evidence, v.Links, v.Audit = nil, nil, nil, nil
	v.Refused = Say("The database is under a restore hold; nothing is sent.")
	v.Page.Banners = []Banner{{Kind: "hold", Text: Say("Restore hold: nothing is sent until two administrators lift it.")}}
	v.Page.Flash = &Note{Kind: "ok", Text: []Text{Say("You own this intent now.")}}
	return v
}
