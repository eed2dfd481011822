package main

import (
	"time"

	"countersign/internal/model"
	"countersign/internal/workflow"
)

// The sandbox's names of operations and look-ups, which faults match.
const (
	atPayouts      = "payouts"
	atCredits      = "credits"
	atDisputes     = "disputes"
	atMessages     = "messages"
	lookAtPayouts  = "list_payouts"
	lookAtCredits  = "list_credits"
	lookAtDisputes = "list_disputes"
	lookAtMessages = "list_messages"
)

// afterLastSend is a moment shortly after the sixth and last send of a payout
// whose outcome stays unknown, at the normal pace and with the samples' even
// jitter; five look-ups stand between the sends.
const afterLastSend = 80 * time.Second

// stories are the samples that are stuck, each in its own way. Every check that
// the engine makes soon is over when the staged time ends, so that each keeps
// for hours.
var stories = []sample{
	{
		key: "story-cut-after-acceptance", kind: model.KindPayout, title: "connection cut after acceptance",
		starts: 0, params: payout("María Fernanda Quiñones", "rep-101", 84_250, "USD"),
		faults: []sampleFault{{workflow.CreatePayout, atPayouts, "drop_after_accept", often, 0, 0},
			silent(workflow.CreatePayout, lookAtPayouts), quiet(workflow.CreatePayout, atPayouts)},
		text: "The bank took the payout, and the connection broke before it could say so. Six sends under one key got no answer, and the bank's look-up was down.",
		try:  "Reconcile create-payout: the look-up works again and finds one payout; the intent then completes.",
	},
	{
		key: "story-500-after-acting", kind: model.KindPayout, title: "provider answered 500 after acting",
		starts: 12 * time.Minute, params: payout("Óscar Ibáñez", "rep-102", 61_900, "EUR"),
		faults: []sampleFault{{workflow.CreatePayout, atPayouts, "500_after", 1, 0, 0},
			silent(workflow.CreatePayout, lookAtPayouts), quiet(workflow.CreatePayout, atPayouts)},
		text: "The bank made the payout and answered 500; every repeat under the same key replays that 500.",
		try:  "Reconcile create-payout. The status code said nothing about the money; the look-up does.",
	},
	{
		key: "story-not-found-yet", kind: model.KindPayout, title: "query finds nothing yet",
		starts: 20 * time.Minute, params: payout("Đặng Minh Châu", "rep-103", 47_300, "USD"),
		faults: []sampleFault{{workflow.CreatePayout, atPayouts, "drop_before_accept", 5, 0, 0},
			{workflow.CreatePayout, atPayouts, "drop_after_accept", 1, 0, 0},
			{workflow.CreatePayout, atPayouts, "not_found_for_a_while", 6, 30 * time.Second, 0},
			{workflow.CreatePayout, lookAtPayouts, "500_before", 5, 0, 0},
			{workflow.CreatePayout, lookAtPayouts, "500_before", often, 0, afterLastSend + 5*time.Second},
			quiet(workflow.CreatePayout, atPayouts)},
		deeds: []deed{{afterLastSend, priya, model.Reconcile, workflow.CreatePayout, "Only the last send may have arrived."}},
		text:  "The last of six sends got through. Priya asked the bank seconds later, and it did not know the payout: so soon, that proves nothing. Then its look-up went down.",
		try:   "Reconcile create-payout: asked now, the answer counts.",
	},
	{
		key: "story-another-amount", kind: model.KindPayout, title: "query finds another amount",
		starts: 30 * time.Minute, params: payout("أمل الزهراني", "rep-104", 39_500, "USD"),
		faults: []sampleFault{{workflow.CreatePayout, atPayouts, "wrong_amount_echo", 1, 0, 0}},
		text:   "The bank shows a payout under our reference, but a dollar too much. Two observations contradict each other; nothing more is sent.",
		try:    "Mark the external result: happened, with the amount that really moved. That needs a second person.",
	},
	{
		key: "story-lack-of-funds", kind: model.KindPayout, title: "lack of funds",
		starts: 45 * time.Minute, params: payout("Ngozi Okafor", "rep-105", 92_000, "EUR"),
		faults: []sampleFault{{workflow.CreatePayout, atPayouts, "reject_curable", 1, 0, 0}},
		text:   "The bank refused: the balance did not cover it. Nothing moved, and a person can cure the cause.",
		try:    "Retry unfinished. The bank keeps its refusal under the old key, so the retry opens the next generation, #2.",
	},
	{
		key: "story-refused-for-good", kind: model.KindPayout, title: "refused for good",
		starts: 50 * time.Minute, params: payout("Søren Kjærgaard", "rep-106", 25_600, "EUR"),
		faults: []sampleFault{{workflow.CreatePayout, atPayouts, "reject_permanent", 1, 0, 0}},
		text:   "The destination account is closed. Repeating cannot change that, and nothing happened.",
		try:    "Look at the five actions: each says why it is refused.",
	},
	{
		key: "story-mail-unknown", kind: model.KindStatement, title: "mail outcome unknown",
		starts: 55 * time.Minute, params: statement("田中 陽子", "rep-107", "JPY", "Asia/Tokyo",
			line{"s-1", "Sale 1, 定期購読", 48_000}, line{"s-2", "Sale 2", 12_500}, line{"c-1", "Chargeback", -3_000}),
		faults: []sampleFault{{workflow.SendStatement, atMessages, "drop_after_accept", 1, 0, 0},
			silent(workflow.SendStatement, lookAtMessages), quiet(workflow.SendStatement, atMessages)},
		text: "The statement is issued; whether its mail went out is not known. A message is never sent again while that is so.",
		try:  "Reconcile send-statement: the message is looked for by its Message-ID.",
	},
	{
		key: "story-dispute-unknown", kind: model.KindDispute, title: "dispute response unknown, without a key",
		starts: time.Hour, params: dispute("dp_31", "contest", 64_000, "EUR", params{"notify": []string{"rep-108@example.com"}}),
		faults: []sampleFault{{workflow.SubmitResponse, atDisputes, "drop_after_accept", 1, 0, 0},
			silent(workflow.SubmitResponse, lookAtDisputes), quiet(workflow.SubmitResponse, atDisputes)},
		text: "The portal takes no key, so a second send could answer twice. Only looking can tell.",
		try:  "See why retry is refused, then reconcile submit-response.",
	},
	{
		key: "story-settlement-overdue", kind: model.KindPayout, title: "settlement overdue",
		starts: 25 * time.Minute, params: payout("Σοφία Καραγιάννη", "rep-109", 73_450, "EUR"),
		faults: []sampleFault{{workflow.CreatePayout, atPayouts, "settle_never", 1, 0, 0}},
		text:   "The bank took the payout and should have finished within " + settlesWithin + ". It is still in transit, so its outcome counts as unknown.",
		try:    "Reconcile create-payout: the bank still says pending. Retry is refused, as the object is known.",
	},
	{
		key: "story-budget-spent", kind: model.KindPayout, title: "retry budget spent",
		starts: 80 * time.Minute, params: payout("Олена Ковальчук", "rep-110", 18_750, "EUR"),
		faults: []sampleFault{{workflow.CreatePayout, atPayouts, "429", 6, time.Minute, 0}},
		text:   "The bank answered six times that it had no time. Nothing happened, and the engine's tries are spent.",
		try:    "Retry unfinished: the bank has time now.",
	},
	{
		key: "story-partial", kind: model.KindPayout, title: "partial completion",
		starts: 90 * time.Minute, params: payout("יעל מזרחי", "rep-111", 56_000, "USD"),
		faults: []sampleFault{{workflow.SendRemittance, atMessages, "reject_permanent", 1, 0, 0}},
		text:   "The money moved and the ledger is posted, but the remittance advice was refused for good.",
		try:    "Compare compensate and abandon: the one undoes what happened, the other leaves it as it is.",
	},
	{
		key: "story-awaiting-approval", kind: model.KindPayout, title: "payout waiting for approval",
		starts: 140 * time.Minute, params: payout("Kwame Boateng", "rep-112", 420_000, "USD"),
		text: "Above 1,000 one approver must sign; nothing was sent yet.",
		try:  "Sign in as Ingrid Solheim and approve it, or reject it with a reason.",
	},
	{
		key: "story-compensation-asked", kind: model.KindPayout, title: "compensation waiting for approval",
		starts: 95 * time.Minute, params: payout("Siobhán Ní Bhriain", "rep-113", 33_300, "EUR"),
		deeds: []deed{{50 * time.Minute, tomas, model.Compensate, workflow.CreatePayout, "Paid twice: the October batch held this rep two times."}},
		text:  "Tomáš asked to undo a completed payout. Until a second person decides, nothing else runs on it.",
		try:   "Sign in as an approver, read the plan, and approve it.",
	},
	{
		key: "story-returned", kind: model.KindPayout, title: "payout returned by the bank",
		starts: 100 * time.Minute, params: payout("Ahmet Yıldırım", "rep-114", 28_800, "EUR"),
		faults: []sampleFault{{workflow.CreatePayout, atPayouts, "settle_then_return", 1, 40 * time.Minute, 0}},
		text:   "Everything was confirmed; then the bank sent the money back. It is never paid again under this intent.",
		try:    "Mark the external result: happened, which records what came back. Then compensate post-ledger: it reverses the entry that the money outlived.",
	},
	{
		key: "story-abandoned", kind: model.KindPayout, title: "abandoned with a reason",
		starts: 110 * time.Minute, params: payout("Łukasz Żółkiewski", "rep-115", 15_200, "EUR"),
		faults: []sampleFault{{workflow.CreatePayout, atPayouts, "reject_curable", 1, 0, 0}},
		deeds:  []deed{{30 * time.Minute, priya, model.Abandon, "", "The rep left; the balance is paid by cheque instead."}},
		text:   "The bank refused for lack of funds, and Priya gave the intent up. Nothing is sent any more.",
		try:    "Read who decided it and why, on the page and in the audit log.",
	},
}
