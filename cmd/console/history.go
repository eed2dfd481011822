package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"countersign/internal/authz"
	"countersign/internal/model"
	"countersign/internal/workflow"
)

// historyDays is how far back the sample business goes: far enough to hold the
// first of a month, whichever day it is.
const historyDays = 31

// history is what the business did before the stories: every Friday a run of
// payouts, at the first of the month the statements and a longer run, disputes
// and single payouts in between. Most of it went as it should. It is the same
// for the same day, and its keys name days, so that a start which goes on with an
// interrupted one finds what that one posted.
func history(anchor, from time.Time) []sample {
	h := newChronicle(anchor, from)
	for back := historyDays; back >= 1; back-- {
		day := h.day.AddDate(0, 0, -back)
		if day.Day() == 1 {
			h.monthEnd(day)
		}
		if day.Weekday() == time.Friday {
			h.week(day)
		}
		if weekend := day.Weekday() == time.Saturday || day.Weekday() == time.Sunday; !weekend {
			h.ordinary(day)
		}
	}
	return append(h.samples, morning(h)...)
}

// chronicle writes the history.
type chronicle struct {
	from    time.Time // where offsets count from
	day     time.Time // the present one
	reps    []rep
	chance  *rand.Rand // of a fixed seed
	samples []sample
	payouts int // so far, which decides what goes wrong with the next
	odd     int // single payouts and disputes so far
}

func newChronicle(anchor, from time.Time) *chronicle {
	return &chronicle{from: from, day: anchor.UTC().Truncate(24 * time.Hour), reps: reps(), chance: rand.New(rand.NewPCG(9, 42))}
}

// add posts a sample at a moment.
func (h *chronicle) add(at time.Time, s sample) {
	s.starts = at.Sub(h.from)
	h.samples = append(h.samples, s)
}

// monthEnd is the first of a month: statements of the one before, and the run of
// those who are paid by month.
func (h *chronicle) monthEnd(day time.Time) {
	last := day.AddDate(0, -1, 0)
	for i, r := range h.reps {
		if i%4 != 3 {
			h.add(day.Add(6*time.Hour+10*time.Minute), h.statementOf(r, last))
		}
	}
	at := day.Add(8 * time.Hour)
	for i, r := range h.reps {
		if i < weekly && i%3 != 0 {
			continue
		}
		h.add(at, h.payoutOf(r, fmt.Sprintf("monthly/%s/%s", last.Format("2006-01"), r.reference()), last.Format("2006-01"), h.amount(r.currency, 3), at))
	}
}

// week is a Friday's run of payouts.
func (h *chronicle) week(day time.Time) {
	year, number := day.ISOWeek()
	at := day.Add(8*time.Hour + 30*time.Minute)
	for _, r := range h.reps[:weekly] {
		h.add(at, h.payoutOf(r, fmt.Sprintf("weekly/%s/%s", day.Format(time.DateOnly), r.reference()), fmt.Sprintf("%d-W%02d", year, number), h.amount(r.currency, 1), at))
	}
	for n, name := range []string{"ليلى حداد", "Rania Khoury", "Jean-Luc Müller", "陈丽华"} {
		at := day.Add(9 * time.Hour)
		r := rep{n + 1, name, "USD", "Asia/Dubai", n != 2}
		s := sample{key: fmt.Sprintf("weekly/%s/agent-%d", day.Format(time.DateOnly), n+1), kind: model.KindPayout, account: globex, poster: mohammed,
			params: paid(r, fmt.Sprintf("agent-%d", n+1), fmt.Sprintf("%d-W%02d", year, number), h.amount("USD", 1)%90_000+9_000)}
		h.add(at, s)
	}
}

// ordinary is what happens on a working day: a payout or a dispute, now and then both.
func (h *chronicle) ordinary(day time.Time) {
	h.odd++
	at := day.Add(10*time.Hour + time.Duration(h.chance.IntN(240))*time.Minute)
	r := h.reps[(h.odd*7)%len(h.reps)]
	key := fmt.Sprintf("bonus/%s/%s", day.Format(time.DateOnly), r.reference())
	s := h.payoutOf(r, key, day.AddDate(0, -1, 0).Format("2006-01"), h.amount(r.currency, 2), at)
	if h.odd%2 == 0 {
		s.poster = tomas
	}
	h.add(at, s)
	if h.odd%4 != 1 {
		h.add(at.Add(95*time.Minute), h.disputeOf(day))
	}
}

// amount is a believable one in minor units, of a weekly size times about so much.
func (h *chronicle) amount(currency string, times int64) int64 {
	span := map[string][2]int64{"USD": {4_800, 62_000}, "EUR": {4_200, 58_000}, "GBP": {3_900, 49_000}, "CHF": {5_100, 61_000},
		"JPY": {6_400, 21_000}, "KWD": {24_000, 260_000}, "CLF": {15_000, 90_000}}[currency]
	n := (span[0] + h.chance.Int64N(span[1]-span[0])) * times
	if h.chance.IntN(9) == 0 {
		n *= 4 // a good week
	}
	return n
}

// paid gives the params of a payout to a rep.
func paid(r rep, reference, period string, amount int64) func(time.Time) params {
	payee := params{"reference": reference, "name": r.name, "destination": "acct_" + strings.ReplaceAll(reference, "-", "_")}
	if r.mail {
		payee["email"] = reference + "@example.com"
	}
	return func(time.Time) params {
		return params{"amount": amount, "currency": r.currency, "period": period, "payee": payee}
	}
}

// payoutOf is a payout, with whatever befell it, and signed where that is needed.
func (h *chronicle) payoutOf(r rep, key, period string, amount int64, at time.Time) sample {
	h.payouts++
	s := sample{key: key, kind: model.KindPayout, params: paid(r, r.reference(), period, amount)}
	if signers(amount, r.currency) > 0 {
		h.signed(&s, amount, r.currency, at)
		return s
	}
	if befalls, ok := mishaps[h.payouts]; ok {
		befalls(&s)
	}
	return s
}

// signers is how many people must sign an amount.
func signers(amount int64, currency string) int {
	people, _ := authz.DefaultTiers.People(amount, currency)
	return people
}

// signed adds the signatures, one after the other in working hours: about a
// minute for each request.
func (h *chronicle) signed(s *sample, amount int64, currency string, at time.Time) {
	begin := 25 * time.Minute
	if night := at.Hour(); night < 8 {
		begin += time.Duration(8-night) * time.Hour
	}
	after := begin + time.Duration(h.payouts%30)*47*time.Second
	reasons := []string{"Matches the contract and the statement.", "Checked against the sales report.", "Amount and payee as in the run's list.", "Agreed with the sales lead by telephone."}
	s.deeds = append(s.deeds, deed{after, ingrid, approve, "", reasons[h.payouts%len(reasons)]})
	if signers(amount, currency) > 1 {
		s.deeds = append(s.deeds, deed{after + 83*time.Minute, kwabena, approve, "", reasons[(h.payouts+1)%len(reasons)]})
	}
	if h.payouts%23 == 11 {
		s.deeds = []deed{{after, ingrid, reject, "", "The amount is not what the statement says; post it anew with the right one."}}
	}
}

// statementOf is a rep's statement of a month.
func (h *chronicle) statementOf(r rep, month time.Time) sample {
	lines := []params{}
	for n := range 2 + h.chance.IntN(5) {
		lines = append(lines, params{"reference": fmt.Sprintf("s-%d%02d", r.number, n), "description": fmt.Sprintf("Sale %d", 1000+h.chance.IntN(9000)), "amount": h.amount(r.currency, 1)})
	}
	if h.chance.IntN(3) == 0 {
		lines = append(lines, params{"reference": fmt.Sprintf("c-%d", r.number), "description": "Chargeback", "amount": -h.amount(r.currency, 1) / 6})
	}
	body := params{"currency": r.currency, "lines": lines, "rep": params{"reference": r.reference(), "name": r.name},
		"period": params{"from": month.Format(time.DateOnly), "to": month.AddDate(0, 1, 0).Format(time.DateOnly), "zone": r.zone}}
	if address := r.address(); address != "" {
		body["rep"].(params)["email"] = address
	}
	s := sample{key: fmt.Sprintf("statement/%s/%s", month.Format("2006-01"), r.reference()), kind: model.KindStatement,
		params: func(time.Time) params { return body }}
	if r.number%17 == 0 {
		s.faults = []sampleFault{{workflow.SendStatement, atMessages, "drop_after_accept", 1, 0, 0}}
	}
	return s
}

// disputeOf is the answer to a chargeback.
func (h *chronicle) disputeOf(day time.Time) sample {
	id := fmt.Sprintf("dp_%d", 500+h.odd)
	r := h.reps[(h.odd*11)%weekly]
	amount := h.amount(r.currency, 1)/4 + 900
	more := params{"due_by": day.AddDate(0, 0, 14).Format(time.RFC3339), "reason": []string{"product_not_received", "duplicate", "fraudulent", "credit_not_processed"}[h.odd%4]}
	response := "contest"
	if h.odd%5 == 0 {
		response = "accept"
	}
	if h.odd%3 == 0 {
		more["credit"] = params{"payee": params{"reference": r.reference(), "destination": r.destination()}, "amount": amount}
	}
	if address := r.address(); address != "" {
		more["notify"] = []string{address}
	}
	s := sample{key: "dispute/" + id, kind: model.KindDispute, params: dispute(id, response, amount, r.currency, more)}
	if h.odd%6 == 2 {
		s.faults = []sampleFault{{workflow.SubmitResponse, atDisputes, "settle_failed", 1, 0, 0}} // lost
	}
	return s
}

// mishaps are what befell payouts of the history, by their place in it.
var mishaps = map[int]func(*sample){
	4: fault("drop_before_accept", 1), 9: fault("429", 1), 15: fault("drop_after_accept", 1), 21: fault("500_before", 2), 28: fault("truncated_body", 1),
	34: fault("429", 2), 41: fault("drop_before_accept", 2), 47: fault("drop_after_accept", 1), 55: fault("webhook_twice", 1), 60: fault("500_before", 1),
	66: fault("settle_late", 1), 73: fault("429", 1), 79: fault("webhook_out_of_order", 1), 88: fault("drop_after_accept", 1), 97: fault("500_after", 1),
	103: fault("truncated_body", 1), 111: fault("429", 1), 118: fault("drop_before_accept", 1), 127: fault("500_before", 1),
	12: cured("The balance was topped up from the reserve account."), 52: cured("The treasurer moved funds in; the bank shows them."),
	93: cured("Funds arrived at 11:40, see the bank's page."), 121: cured("Balance restored; retrying this one alone."),
	18: fault("reject_permanent", 1), 63: fault("reject_permanent", 1), 90: fault("reject_permanent", 1), 115: fault("reject_permanent", 1),
	25: givenUp("The rep asked to be paid with the next run instead."), 70: givenUp("Paid by hand from the branch account, receipt 4471."),
	106: givenUp("The contract ended in October; nothing is owed."),
	37:  undone("The rep had left the team; the manager asked for it back."), 82: undone("Paid twice: the single payout of Tuesday was the same one."),
	124: undone("Wrong period: it belongs to the next run."),
	44:  cameBack("The rep's bank closed the account; the money is with us again."),
}

// fault has the bank do something at the payout itself.
func fault(name string, times int) func(*sample) {
	return func(s *sample) {
		s.faults = append(s.faults, sampleFault{workflow.CreatePayout, atPayouts, name, times, 0, 0})
	}
}

func cured(reason string) func(*sample) {
	return func(s *sample) {
		fault("reject_curable", 1)(s)
		s.deeds = append(s.deeds, deed{20 * time.Minute, priya, take, "", ""}, deed{170 * time.Minute, priya, model.RetryUnfinished, "", reason})
	}
}

func givenUp(reason string) func(*sample) {
	return func(s *sample) {
		fault("reject_curable", 1)(s)
		s.deeds = append(s.deeds, deed{4 * time.Hour, tomas, model.Abandon, "", reason})
	}
}

func undone(reason string) func(*sample) {
	return func(s *sample) {
		s.deeds = append(s.deeds, deed{5 * time.Hour, tomas, model.Compensate, workflow.CreatePayout, reason}, deed{6*time.Hour + 12*time.Minute, kwabena, approve, "", "Confirmed with the manager; the plan undoes exactly this payout."})
	}
}

func cameBack(reason string) func(*sample) {
	return func(s *sample) {
		s.faults = append(s.faults, sampleFault{workflow.CreatePayout, atPayouts, "settle_then_return", 1, 26 * time.Hour, 0})
		s.deeds = append(s.deeds, deed{29 * time.Hour, priya, model.MarkExternalResult, workflow.CreatePayout, reason},
			deed{30 * time.Hour, tomas, model.Compensate, workflow.PostLedger, "Reverses the entry that the money outlived."},
			deed{31 * time.Hour, ingrid, approve, "", "The bank's statement shows the return in full."})
	}
}
