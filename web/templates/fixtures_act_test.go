package templates_test

import (
	"time"

	. "countersign/web/templates"
)

func plan() PlanView {
	safe := later(20 * time.Hour)
	return PlanView{
		Calls: []CallView{{
			Step: "create-payout", To: "bank", State: "outcome_unknown", Method: "POST", URL: "http://127.0.0.1:9090/payouts",
			Money: some(4820000, "EUR"), Party: Say(" to ", Name(greek), ", ", Code("acct_9q4t")), StepKey: stepKey,
			WireKey: Say(Code("Idempotency-Key:"), " the step key as it is"), Generation: Say("1, the same as before"), Class: "external, keyed",
			Body:     `{"reference":"` + stepKey + `","destination":"acct_9q4t","amount":4820000,"currency":"EUR","metadata":{"rep":"rep-118","period":"2026-10"}}`,
			BodyNote: Say("171 bytes, frozen ", Clocktime(ago(104*time.Minute)), ", rebuilt from the frozen bytes"), BodySHA256: digest,
			SentBefore: Say(Bold("6 times"), ", last ", ago(32*time.Minute), ", ", Ago(ago(32*time.Minute))),
			OnRepeat:   Say("bank answers a known key with its first result and the header ", Code("Idempotent-Replayed: true"), ", and pays nothing more."),
			Contract:   Say("Contract bank/payouts, checked 12 Nov 2026"), SafeUntil: &safe, Gauge: gauge(),
		}},
		Untouched:     []Line{{State: "confirmed", Text: Say("verify-payee, confirmed")}, {State: "confirmed", Text: Say("approve-payout, confirmed")}},
		UntouchedNote: Say("No other intent."),
		Then:          []Line{{State: "pending", Text: Say("post-ledger"), Sub: Say("local")}, {State: "pending", Text: Say("send-remittance"), Sub: Say("message")}},
		ThenNote:      Say("Only once create-payout is confirmed."), Approvers: Say("Nobody else."), Rule: "retry.unknown-keyed-window-open",
		Code: "3F22 FD28", Digest: digest,
	}
}

func compensation() PlanView {
	p := plan()
	mail := CallView{Step: "correct-remittance", Undoes: "send-remittance", State: "pending", Method: "POST", URL: "http://127.0.0.1:9090/messages", StepKey: intentID + ":correct-remittance", Class: "message · mail", Body: `{"message_id":"x"}`, BodySHA256: digest}
	p.Calls[0].Step, p.Calls[0].Undoes = "reverse-payout", "create-payout"
	p.Calls = append([]CallView{mail}, p.Calls...)
	p.Money = []Fact{{Label: "Paid", Text: Say(eur(4820000))}, {Label: "Came back", Text: Say(eur(0))}, {Label: "To reverse", Text: Say(eur(4820000)), Sub: Say(eur(4820000).Words())}}
	p.Changes = changes()
	return p
}

func preview() PreviewView {
	return PreviewView{
		Page: page("Preview: send create-payout once more", "/"), Crumb: crumb(), Label: "Retry unfinished",
		Title: Say("Preview: send create-payout once more, ", eur(4820000)), Expires: later(10 * time.Minute), Plan: plan(),
		Post: "/previews/pv_1/confirm", Cancel: "/intents/" + intentID, Leave: "Leave without sending", Button: "Send create-payout once more: 48,200.00 EUR",
		Reason: ReasonField{Hint: "At least 8 characters. It goes into the audit log under your name."}, TypedCode: true,
		Warning: &Note{Kind: "mind", Title: Say("This cannot be undone here."), Text: []Text{Say("A second payment is possible if the provider forgot the key.")}},
	}
}

func previewErrors() PreviewView {
	v := preview()
	v.Plan.Calls, v.Plan.NoCalls = nil, Say("Nothing is sent to bank.")
	v.Plan.Records = facts()
	v.Errors = FieldErrors{{Field: "reason", Message: "The reason has fewer than 8 characters"}, {Field: "plan_code", Message: "This is not the code of this plan"}}
	v.Reason.Value, v.Typed = hostile, "3F22"
	return v
}

func previewClosed() PreviewView {
	v := preview()
	v.Closed = &Note{Kind: "no", Title: Say("This preview has expired. Nothing was done."), Text: []Text{Say("Previews live for 10 minutes.")}}
	v.Fresh = &Button{Href: "/intents/" + intentID + "/actions/retry_unfinished", Label: "Make a fresh preview"}
	return v
}

func stale() StaleView {
	return StaleView{
		Page: page("Not done: preview is stale", "/"), Crumb: crumb(), Label: "Retry unfinished", Title: "Not done: the payout moved while you were deciding",
		Text:    []Text{Say("Your preview described a state that is gone. ", Name("Tomáš Dvořák"), " retried at ", Clocktime(ago(6*time.Minute)), ".")},
		Changes: changes(), Same: Say(eur(4820000), ", payee, destination."), Fresh: facts(), FreshHref: "/previews/pv_2", Cancel: "/intents/" + intentID,
	}
}

func staleRefused() StaleView {
	v := stale()
	v.FreshHref, v.FreshReason = "", Say("The payout is confirmed by now.")
	return v
}

func result() ResultView {
	return ResultView{
		Page: page("Result", "/"), Crumb: crumb(), Title: "Sent once more. bank had it already.", State: "settling", Was: "outcome_unknown",
		Meta:  []Text{Say("Audit number ", Link("/audit/18412", "18,412")), Say("Plan ", Code("3F22 FD28"))},
		Note:  Note{Kind: "go", Title: Say(eur(4820000), " was accepted once, by the first send at ", Clocktime(ago(104*time.Minute)), "."), Text: []Text{Say("The answer carries the replay marker.")}},
		About: "Attempt 7", Facts: facts(), Pending: true,
		Next: []Line{{Text: Say(Bold("bank settles the payout")), Sub: Say("by ", later(50*time.Hour)), State: "settling"}, {Text: Say("post-ledger"), State: "pending"}},
		Back: Button{Href: "/intents/" + intentID, Label: "Back to the payout"}, Others: []Button{{Href: "/", Label: "To the queue"}},
	}
}

func markForm() ActionView {
	return ActionView{
		Page: page("Mark external result", "/"), Crumb: crumb(), Label: "Mark external result", Title: "Mark what happened outside: create-payout",
		Post: "/intents/" + intentID + "/actions/mark_external_result", Cancel: "/intents/" + intentID, Step: "create-payout",
		Intro: Say("You record what a document outside proves. Nothing is sent to bank. A preview follows; nothing changes before you confirm it there."), Facts: facts(),
		Mark: &MarkForm{
			Result: "happened", HappenedHint: Say("The money moved. Above ", eur(100000), " one more person must approve."),
			NoDidNot: Say("Not possible yet: a worker may still send."), ExternalRef: "po_5rd0w83hke", Amount: "9875.40", AmountHint: "Two decimals, as in 9875.40",
			Currency: "USD", Date: "2026-11-30", DateHint: "As in the document, Europe/Berlin", Uploads: true, UploadID: "up_1", UploadNote: Say("Kept: statement.pdf, ", Key(digest)),
		},
		Button: "Preview the mark",
	}
}

func markErrors() ActionView {
	v := markForm()
	v.Faults = "Some things are to be mended. Nothing was stored."
	v.Errors = FieldErrors{{Field: "result", Message: "Choose what the document shows"}, {Field: "external_ref", Message: "This reference already confirms another step"}, {Field: "document", Message: "Give a file or a link"}, {Field: "date", Message: "The date lies in the future"}}
	v.Mark.Result, v.Mark.Uploads, v.Mark.UploadID, v.Mark.ExternalRef = "", false, "", hostile
	return v
}

func abandonForm() ActionView {
	return ActionView{
		Page: page("Abandon", "/"), Crumb: crumb(), Label: "Abandon", Title: "Abandon this payout", Post: "/intents/" + intentID + "/actions/abandon", Cancel: "/intents/" + intentID,
		Intro: Say("No further send, ever."), Button: "Preview the abandonment", Errors: FieldErrors{{Field: "acknowledge", Message: "Acknowledge each effect"}},
		Abandon: &AbandonForm{Effects: []Acknowledge{
			{StepKey: stepKey, State: "outcome_unknown", Money: some(4820000, "EUR"), Text: Say(" may have been paid; it stays on the open list.")},
			{StepKey: intentID + ":post-ledger", State: "confirmed", Money: some(4820000, "EUR"), Checked: true},
		}},
	}
}

func plainForm() ActionView {
	return ActionView{
		Page: page("Reconcile", "/"), Crumb: crumb(), Label: "Reconcile", Title: "Reconcile create-payout", Post: "/intents/" + intentID + "/actions/reconcile", Cancel: "/intents/" + intentID,
		Step: "create-payout", Intro: Say("bank is asked what it knows. Nothing is sent that could move money."), Facts: facts(), Button: "Preview the query",
	}
}

func refusedForm() ActionView {
	v := plainForm()
	v.Refused = &Note{Kind: "no", Title: Say("Refused: what is not known cannot be reversed"), Text: []Text{Say("Rule ", Code("compensate.unknown"))}}
	return v
}

func approvals() ApprovalsView {
	return ApprovalsView{
		Page: page("Approvals", "/approvals"), Summary: Say("3 requests wait for you"), Caption: "Open requests, those that expire first on top", Matched: "2 requests",
		States: []Choice{{Label: "open", Current: true}, {Href: "/approvals?state=executed", Label: "executed"}, {Href: "/approvals?state=all", Label: "all"}},
		Rows: []ApprovalRow{
			{Href: "/approvals/ap_1", Title: Say("Compensate payout to ", Name("Søren Ødegård")), Sub: Say("reverses 3 steps"), Note: Say(Bold("1 other"), " with the same payee, amount and period."), Money: some(1240000, "USD"), By: "Priya Raman", At: ago(10 * time.Minute), Why: "Paid to the old account, rep confirmed by phone and mail.", Outcome: "open", How: Say("nothing changed"), Ends: later(71 * time.Hour), Yours: true},
			{Href: "/approvals/ap_2", Title: Say("Abandon payout to ", Name(hostile)), Money: some(61000, "JPY"), By: forty, At: ago(50 * time.Hour), Why: hostile, Outcome: "dismissed", How: Say("The payout moved"), Ends: ago(5 * time.Hour)},
		},
		Next: "/approvals?cursor=x",
	}
}

func approval() ApprovalView {
	return ApprovalView{
		Page: page("Reverse the payout of 48,200.00 EUR?", "/approvals"), ID: "ap_1", Label: "Compensate", Title: Say("Reverse the payout of ", eur(4820000), " to ", Name(greek), "?"), Outcome: "open", Expires: later(71 * time.Hour),
		Intent: Button{Href: "/intents/" + intentID, Label: "Parent"}, IntentID: intentID, Changed: Say(Bold("nothing")), Plan: compensation(),
		Why:       "Paid to the old account; the rep confirmed the new one by phone and by mail, ticket 5512.",
		People:    []Fact{{Label: "Asked by", Text: Say("Priya Raman, operator, ", Clocktime(ago(10*time.Minute)))}, {Label: "May approve", Text: Say("You, Kwabena Mensah")}, {Label: "Needed", Text: Say("1 approver")}},
		Decisions: []DecisionRow{{By: "Kwabena Mensah", Says: "approved", At: ago(5 * time.Minute), Reason: "Checked against the statement"}},
		Earlier:   []Note{{Kind: "no", Title: Say("An earlier request was dismissed"), Text: []Text{Say("The payout moved before anyone decided.")}}},
		Dismissed: changes(), MayApprove: true, MayReject: true, MayWithdraw: true, Decider: "Your decision, Ingrid Solheim",
		ApproveLabel: "Approve: reverse 48,200.00 EUR", RejectLabel: "Reject, reverse nothing", WithdrawLabel: "Withdraw the request",
		Reason: ReasonField{Hint: "At least 8 characters, for approving and for rejecting."}, TypedCode: true,
	}
}

func ownApproval() ApprovalView {
	v := approval()
	v.MayApprove, v.MayReject, v.Dismissed, v.Decisions, v.Earlier = false, false, nil, nil, nil
	v.NotYou = &Note{Kind: "no", Title: Say("You cannot approve this: you asked for it."), Text: []Text{Say("Requester and approver are different people. ", Name(forty), " may decide.")}}
	v.LookAlikes = &Note{Kind: "mind", Text: []Text{Say(Bold("2 others"), " have the same payee, amount and period.")}}
	v.Closed = &Note{Kind: "ok", Title: Say("Executed")}
	return v
}
