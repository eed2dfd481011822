package main

import (
	"time"

	"countersign/internal/model"
	"countersign/internal/web"
	"countersign/internal/workflow"
)

// The effects of the lab.
var (
	labPayout  = web.LabEffect{Name: "payout", Title: "the payout (create-payout, with a key)", Kind: model.KindPayout, Step: workflow.CreatePayout}
	labMessage = web.LabEffect{Name: "message", Title: "the remittance advice of a payout (send-remittance, no key)", Kind: model.KindPayout, Step: workflow.SendRemittance}
	labDispute = web.LabEffect{Name: "dispute", Title: "the answer to a dispute (submit-response, no key)", Kind: model.KindDispute, Step: workflow.SubmitResponse}
	labCredit  = web.LabEffect{Name: "credit", Title: "the credit after a won dispute (credit-balance, with a key)", Kind: model.KindDispute, Step: workflow.CreditBalance}
)

// labOperations are the sandbox's names of what the effects call, and of how
// they are looked up.
var labOperations = map[string]struct{ call, lookup string }{
	"payout": {atPayouts, lookAtPayouts}, "message": {atMessages, lookAtMessages}, "dispute": {atDisputes, lookAtDisputes}, "credit": {atCredits, lookAtCredits},
}

// For which effects a fault means something.
var (
	anyEffect = []string{"payout", "message", "dispute", "credit"}
	settling  = []string{"payout", "dispute", "credit"}
	movesCash = []string{"payout", "credit"}
)

// settlesWithin is how long a payout of the demo's bank may be in transit, by the
// contract and the demo's pace.
const settlesWithin = "3 minutes"

// alsoArmed are faults without which another would not be seen: a hidden object
// matters only once the answer is lost, and a webhook overtakes only another one.
var alsoArmed = map[string]string{"not_found_for_a_while": "drop_after_accept", "webhook_out_of_order": "settle_then_return"}

// labFaults are all faults of the sandbox, in the order in which they are shown.
var labFaults = []web.LabGroup{
	{Title: "The answer does not come back", Faults: []web.LabFault{
		{Name: "drop_after_accept", Title: "Cut after acceptance", Effects: anyEffect,
			Breaks: "The provider acts, and the connection breaks before it says so.",
			See:    "Outcome unknown, until a check or the provider’s own webhook leads to the object; then the intent goes on.",
			Safe:   "What has a key is sent again only under it; what has none is only looked for."},
		{Name: "drop_before_accept", Title: "Cut before acceptance", Effects: anyEffect,
			Breaks: "The connection breaks before the provider has read the request.",
			See:    "Outcome unknown as well: from here the two cuts look the same. A payout is sent again under its key; a message waits until a look-up proves that it is not there.",
			Safe:   "A cut is never taken for a failure."},
		{Name: "hang_after_accept", Title: "Acts, then says nothing", Effects: anyEffect, Lasts: 6 * time.Second,
			Breaks: "The provider acts and leaves the connection open.",
			See:    "The call ends at its own limit of 4 seconds, outcome unknown; a check or a webhook then leads to the object.",
			Safe:   "The limit lies inside the lease, so no second worker can meet the first."},
		{Name: "truncated_body", Title: "Half an answer", Effects: anyEffect,
			Breaks: "The answer has status 201 and stops in the middle of its body.",
			See:    "Outcome unknown, although the status looks well; a check or a webhook leads to the object.",
			Safe:   "Only a whole answer that names our reference counts."},
		{Name: "refuse_connect", Title: "Takes no connections", Effects: anyEffect, Lasts: 3 * time.Second,
			Breaks: "From the moment it is armed, and for a while, the provider accepts no connection from anybody.",
			See:    "Attempts that never left (not sent), each tried again a little later.",
			Safe:   "What provably never left may be sent again, even without a key."},
		{Name: "slow", Title: "Slow", Effects: anyEffect, Lasts: 2 * time.Second,
			Breaks: "The provider answers late.",
			See:    "One attempt that takes long, then goes on. Beyond 4 seconds it ends as unknown.",
			Safe:   "A late answer is kept as evidence, and no second send meets it."},
	}},
	{Title: "The answer is an error", Faults: []web.LabFault{
		{Name: "500_after", Title: "500 after acting", Effects: anyEffect,
			Breaks: "The provider acts, and answers 500.",
			See:    "Outcome unknown; under the same key it repeats that 500. A check or a webhook leads to the object.",
			Safe:   "A status 500 says nothing about what happened."},
		{Name: "500_before", Title: "500 before acting", Effects: anyEffect,
			Breaks: "The provider answers 500 without having acted.",
			See:    "Outcome unknown too, until a check or a repeat under the key tells.",
			Safe:   "From the outside it is the same 500, and is treated the same."},
		{Name: "429", Title: "Too many requests", Effects: anyEffect, Lasts: 3 * time.Second,
			Breaks: "The provider says: not now.",
			See:    "Failed safely, and tried again after the time that the answer names.",
			Safe:   "A definite refusal before anything was done."},
		{Name: "reject_curable", Title: "Refused, and can be cured", Effects: anyEffect,
			Breaks: "The balance does not cover it.",
			See:    "Failed safely, and waiting for a person; a retry opens the next generation, since the refusal is kept under the old key.",
			Safe:   "Nothing moved, and nothing is tried before a person says so."},
		{Name: "reject_permanent", Title: "Refused for good", Effects: anyEffect,
			Breaks: "The destination is closed, or the dispute, or the mailbox.",
			See:    "A payout fails for good; later steps leave the intent for review, as a part of it has happened.",
			Safe:   "Repeating cannot change it, so nothing is repeated."},
	}},
	{Title: "The answer is strange", Faults: []web.LabFault{
		{Name: "wrong_amount_echo", Title: "Another amount", Effects: movesCash,
			Breaks: "The provider books 100 minor units more than was asked for (1.00 dollar, 100 yen, 0.100 dinar), and says so.",
			See:    "A contradiction: the intent waits for a person, and exposure counts the larger amount.",
			Safe:   "What differs is never taken as confirmed."},
		{Name: "other_key_echo", Title: "An answer for another request", Effects: anyEffect,
			Breaks: "The answer names another reference.",
			See:    "Outcome unknown; a check by our own reference, or a webhook, leads to the right object.",
			Safe:   "An answer counts only for the request that it names."},
	}},
	{Title: "What comes later", Faults: []web.LabFault{
		{Name: "settle_late", Title: "Final late", Effects: settling, Lasts: 15 * time.Second,
			Breaks: "What was accepted stays in transit for a while.",
			See:    "Settling, with the checks in between, then confirmed.",
			Safe:   "Accepted is not confirmed, and is never sent again."},
		{Name: "settle_never", Title: "Never final", Effects: settling,
			Breaks: "What was accepted stays in transit for ever.",
			See:    "Settling; a payout past its limit of " + settlesWithin + " becomes unknown, and is only asked about.",
			Safe:   "The object is known, so nothing is sent again."},
		{Name: "settle_failed", Title: "Accepted, then failed", Effects: settling,
			Breaks: "What was accepted fails at the provider. A dispute is lost.",
			See:    "Failed safely, for a person to decide; a lost dispute gives no credit.",
			Safe:   "The failed object keeps its key; a retry takes a new generation."},
		{Name: "settle_then_return", Title: "Paid, then returned", Effects: movesCash, Lasts: 10 * time.Second,
			Breaks: "The money arrives, and comes back.",
			See:    "Confirmed, then a contradiction with the amount that came back.",
			Safe:   "It is never paid again under this intent."},
	}},
	{Title: "What the provider tells", Faults: []web.LabFault{
		{Name: "webhook_twice", Title: "A webhook twice", Effects: anyEffect,
			Breaks: "Each event is delivered two times.",
			See:    "One state change, and one event kept.",
			Safe:   "Events are known by their ids, and only lead to a look-up."},
		{Name: "webhook_late", Title: "A webhook late", Effects: anyEffect, Lasts: 10 * time.Second,
			Breaks: "Events come much later than what they tell of.",
			See:    "The checks are faster; the late event changes nothing.",
			Safe:   "No step depends on an event coming."},
		{Name: "webhook_out_of_order", Title: "Webhooks out of order", Effects: movesCash, Lasts: 10 * time.Second,
			Breaks: "The money comes back, and the event of that overtakes the one that it arrived. (This arms the return too.)",
			See:    "The return is found, and the older event does not undo that.",
			Safe:   "An event is a hint; what counts is the object read at that moment."},
		{Name: "not_found_for_a_while", Title: "Hidden for a while", Effects: anyEffect, Lasts: 1500 * time.Millisecond, Most: 1500 * time.Millisecond,
			Breaks: "The answer is lost, and look-ups do not find the object at first. (This arms the cut too.)",
			See:    "“Not found” that is inconclusive, with the moment from which it would be final; then the object is found.",
			Safe:   "Absence counts only once nothing can still be on its way, by the delay that the provider promises; the lab hides nothing for longer than that."},
	}},
}
