package main

import (
	"time"

	"countersign/internal/model"
	"countersign/internal/workflow"
)

// The samples of the morning are open, and older than the stories: what a desk
// finds when it begins its day. Each rests for hours, since its last check by
// the engine was made a while ago and the next comes every six hours only.

// morning gives them at their ages.
func morning(h *chronicle) (list []sample) {
	open := func(age time.Duration, s sample) {
		s.starts = staged - age
		s.title = ""
		list = append(list, s)
	}
	by := func(number int) rep { return h.reps[number-firstRep] }
	period := h.day.AddDate(0, -1, 0).Format("2006-01")
	unknown := []sampleFault{{workflow.CreatePayout, atPayouts, "drop_after_accept", often, 0, 0},
		silent(workflow.CreatePayout, lookAtPayouts), quiet(workflow.CreatePayout, atPayouts)}
	send := func(key string, r rep, amount int64, faults []sampleFault, deeds ...deed) sample {
		return sample{key: key, kind: model.KindPayout, params: paid(r, r.reference(), period, amount), faults: faults, deeds: deeds}
	}
	curable := []sampleFault{{workflow.CreatePayout, atPayouts, "reject_curable", 1, 0, 0}}

	open(63*time.Hour, sample{key: "dispute/dp_631", kind: model.KindDispute,
		params: dispute("dp_631", "contest", 87_450, "EUR", params{"reason": "fraudulent", "due_by": h.day.AddDate(0, 0, 6).Format(time.RFC3339)}),
		faults: []sampleFault{{workflow.SubmitResponse, atDisputes, "drop_after_accept", 1, 0, 0}, silent(workflow.SubmitResponse, lookAtDisputes), quiet(workflow.SubmitResponse, atDisputes)},
		deeds:  []deed{{3 * time.Hour, tomas, take, "", ""}}})
	open(34*time.Hour+20*time.Minute, send("bonus/open-1/"+by(302).reference(), by(302), 98_754, unknown))
	open(15*time.Hour+10*time.Minute, send("bonus/open-2/"+by(336).reference(), by(336), 731_500, unknown, deed{30 * time.Minute, priya, take, "", ""}))
	open(9*time.Hour+40*time.Minute, send("bonus/open-3/"+by(333).reference(), by(333), 41_800, unknown,
		deed{4 * time.Minute, kwabena, approve, "", "A prize agreed in the sales meeting."}))
	open(21*time.Hour+30*time.Minute, send("bonus/open-4/"+by(341).reference(), by(341), 6_412_500, unknown))
	open(28*time.Hour, send("bonus/open-5/"+by(328).reference(), by(328), 77_210, []sampleFault{{workflow.CreatePayout, atPayouts, "settle_never", 1, 0, 0}}))
	open(22*time.Hour, send("bonus/open-6/"+by(306).reference(), by(306), 96_300, curable, deed{40 * time.Minute, priya, take, "", ""}))
	open(5*time.Hour, send("bonus/open-7/"+by(334).reference(), by(334), 38_600, curable, deed{25 * time.Minute, ingrid, approve, "", "As promised to the team in Osaka."}))
	open(71*time.Hour, send("bonus/open-8/"+by(314).reference(), by(314), 51_990, []sampleFault{{workflow.SendRemittance, atMessages, "reject_permanent", 1, 0, 0}}))
	open(46*time.Hour, send("bonus/open-9/"+by(316).reference(), by(316), 64_020, []sampleFault{{workflow.CreatePayout, atPayouts, "settle_then_return", 1, 9 * time.Hour, 0}}))
	open(26*time.Hour, send("bonus/open-10/"+by(323).reference(), by(323), 6_240_000, nil, deed{2 * time.Hour, ingrid, approve, "", "The yearly bonus, as in the signed contract."}))
	open(19*time.Hour, send("advance/"+by(313).reference()+"-a", by(313), 285_000, nil))
	open(18*time.Hour+30*time.Minute, send("advance/"+by(313).reference()+"-b", by(313), 285_000, nil))
	open(98*time.Hour, send("bonus/open-11/"+by(319).reference(), by(319), 174_000, nil))
	open(4*time.Hour+10*time.Minute, sample{key: "statement/open/" + by(340).reference(), kind: model.KindStatement,
		params: statement(by(340).name, by(340).reference(), "CLF", "America/Santiago", line{"s-90", "Sale 90", 212_500}, line{"s-91", "Sale 91", 64_125}),
		faults: []sampleFault{{workflow.SendStatement, atMessages, "drop_after_accept", 1, 0, 0}, silent(workflow.SendStatement, lookAtMessages), quiet(workflow.SendStatement, atMessages)}})
	return list
}
