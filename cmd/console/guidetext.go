package main

import (
	"countersign/internal/model"
	"countersign/internal/web"
)

// guidePart is a group of stories in the guide.
type guidePart struct {
	title, text string
	tales       []tale
}

// tale is a sample in the guide. Title, text and try are there where the sample
// has none of its own.
type tale struct {
	key, as, fault, title, text, try string
	href, label                      string // a page that the try is about
	twin                             string // key of a sample that belongs to it
}

var guideIntro = []string{
	"Everything here is real but the money: the same engine, actions, approvals and audit log as in production, against a bank, a mail service and a dispute portal that run as a server of their own and can be told to fail.",
	"The demo is a business that has paid its reps for a month: weekly and monthly runs, statements, disputes. Nearly all of it went well. What did not is below, each case stuck in its own way. Open one, read what is confirmed, what is uncertain and what would happen next, preview an action, and confirm it.",
	"What was made at the first start was made on a clock that ran ahead of itself; entries of that time say so in the audit log.",
}

// mayWords say what a role may do.
var mayWords = map[model.Role]string{
	model.RoleOperator:      "act on what is stuck, and post intents",
	model.RoleApprover:      "sign or reject what somebody else asked for",
	model.RoleAuditor:       "read everything, export the log and verify it",
	model.RoleAdministrator: "look after people, keys and processes; never money",
}

var guideWalks = []web.Walk{
	{Title: "An operator with a rep on the phone", As: "Priya Raman", Steps: []web.WalkStep{
		{Text: "María Fernanda Quiñones calls: has she been paid? Search her name as she says it.", Href: "/?q=quinones", Label: "Search"},
		{Text: "Open her payout and read the five headings aloud in your head: what was intended, what is confirmed, what is uncertain, what happens next, who may decide."},
		{Text: "Tell her the truth: the bank was asked to pay, and has not yet said whether it did."},
		{Text: "Preview reconcile. It asks and sends nothing. Confirm it with a reason, and tell her the bank's reference."},
		{Text: "Make the next caller yourself: cut 20 calls in the lab, and tick “Look-ups fail too”.", Href: "/lab?fault=drop_after_accept&times=20&blind=yes", Label: "Fault lab"},
	}},
	{Title: "An approver with two minutes", As: "Ingrid Solheim", Steps: []web.WalkStep{
		{Text: "Open what waits for your signature.", Href: "/approvals", Label: "Approvals"},
		{Text: "Two requests are for the same payee, amount and period. The page says so; ask whether both are meant, approve one with its plan code and reject the other with a reason."},
		{Text: "One is about undoing a payout: compare the plan's short code with the one that the person who asked has on their page."},
		{Text: "One needs two signatures, and you have given yours. See who is still asked, and why it cannot be you."},
	}},
	{Title: "An auditor who believes nothing", As: "林怡君", Steps: []web.WalkStep{
		{Text: "Open the log, pick an entry of a decision, and look at its proof.", Href: "/audit?event=approval.approved", Label: "Approved requests"},
		{Text: "Open the intent that was undone, and find for each movement the attempt, the evidence and the two people."},
		{Text: "Export the log, and verify the file without this console: console audit verify FILE.", Href: "/audit/export", Label: "Export"},
		{Text: "Ask the other side: the sandbox's books say what really happened. The demo printed their address when it started. No payout may stand there twice."},
	}},
}

// statementExpect says what the sample statement shows, as long as nobody has
// decided anything about its stories.
var statementExpect = []string{
	"Download it, open Reconcile, and upload it as Priya. It has four lines, and it adds up.",
	"One line proves the payout to Дмитро Коваленко, whose outcome is unknown and whose key the bank may have forgotten: it was paid. Preview its mark, look at the plan, confirm it with a reason; the intent completes, with the file as its evidence.",
	"One differs: to أمل الزهراني the bank paid a dollar more than was asked for. The line says so and leads to the mark on its intent, which needs a second person.",
	"One is known: the payout to יעל מזרחי is confirmed here already. One names nothing of ours: a rent that somebody paid by hand.",
	"Below stands what of ours the bank does not name. That proves nothing, and nothing of it changes.",
	"Upload the same file again: the console shows the first one, and stores nothing.",
}

var guideParts = []guidePart{
	{"Not known", "Something was sent, and nobody can say yet whether it happened. Unknown is not failed: nothing is sent again that could pay twice.", []tale{
		{key: "story-cut-after-acceptance", as: "Priya Raman", fault: "drop_after_accept"},
		{key: "story-500-after-acting", as: "Priya Raman", fault: "500_after"},
		{key: "story-not-found-yet", as: "Priya Raman", fault: "not_found_for_a_while"},
		{key: "story-mail-unknown", as: "Tomáš Dvořák", fault: "drop_after_accept"},
		{key: "story-dispute-unknown", as: "Tomáš Dvořák", fault: "drop_after_accept"},
		{key: "story-settlement-overdue", as: "Priya Raman", fault: "settle_never"},
		{key: "dispute/dp_631", as: "Tomáš Dvořák", title: "unknown for more than two days",
			text: "The oldest doubt of the desk: a dispute answered at a portal that takes no key, and whose look-up has been down ever since. Tomáš has taken it.",
			try:  "Find it first in the queue, and see why it is refused to send it again; then reconcile."},
		{key: "bonus/open-2/rep-336", as: "Priya Raman", title: "dinars, with the key still good",
			text: "The answer to a payout of 731.500 dinars was lost this morning. The bank still recognises the key for some hours.",
			try:  "Compare reconcile and retry: the one asks, the other sends the same bytes under the same key, and says until when that is safe."},
		{key: "bonus/open-1/rep-302", as: "Priya Raman", title: "unknown, and the key's window has closed",
			text: "More than a day old: the bank may have forgotten the key, and a repeat could pay twice.",
			try:  "Read why retry is refused now, although it was allowed yesterday."},
	}},
	{"Waiting for a person", "Nothing is on its way. Somebody has to cure a cause, or to sign.", []tale{
		{key: "story-lack-of-funds", as: "Priya Raman", fault: "reject_curable"},
		{key: "story-budget-spent", as: "Priya Raman", fault: "429"},
		{key: "story-another-amount", as: "Priya Raman", fault: "wrong_amount_echo"},
		{key: "story-awaiting-approval", as: "Ingrid Solheim"},
		{key: "story-compensation-asked", as: "Ingrid Solheim"},
		{key: "advance/rep-313-a", twin: "advance/rep-313-b", as: "Ingrid Solheim", title: "two requests that look alike",
			text: "Two advances for one rep, of one amount, for one period, half an hour apart. Both may be meant; both pages name the other.",
			try:  "Approve one with its plan code, and reject the other with a reason."},
		{key: "bonus/open-10/rep-323", as: "Kwabena Mensah", title: "two signatures needed, one given",
			text: "62,400 pounds are more than one person may sign. Ingrid has.",
			try:  "Sign as Kwabena, and watch it go out at once."},
		{key: "bonus/open-11/rep-319", as: "Tomáš Dvořák", title: "nobody signed in time",
			text: "The request ran out after three days. Nothing was sent, and nothing will be by itself.",
			try:  "Retry unfinished: it asks again, and sends nothing."},
	}},
	{"Finished oddly", "These have come to an end, or half of one, that is not the usual.", []tale{
		{key: "story-partial", as: "Tomáš Dvořák", fault: "reject_permanent"},
		{key: "story-returned", as: "Priya Raman", fault: "settle_then_return"},
		{key: "story-refused-for-good", as: "Priya Raman", fault: "reject_permanent"},
		{key: "story-abandoned", as: "林怡君"},
	}},
	{"Several at once", "What a person does again and again is chosen from the queue together; each item is previewed and carried out for itself.", []tale{
		{key: "bonus/open-6/rep-306", as: "Priya Raman", title: "one cause, several payouts",
			text: "The balance did not cover this one (김민서), nor the bonus in yen (髙橋 さくら), nor the payout to Ngozi Okafor. One transfer cures all three.",
			try:  "Tick the three in the queue, choose Retry unfinished beneath the list, and press “Preview each”: each gets its own plan, and each its own result.", href: "/?state=needs_review", label: "What needs review"},
	}},
}
