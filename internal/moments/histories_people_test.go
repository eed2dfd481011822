package moments

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"countersign/internal/actions"
	"countersign/internal/authz"
	"countersign/internal/model"
)

// who are the people of a world, by number.
func (h *history) who(n int) authz.Actor {
	p := h.people
	return []authz.Actor{p.operator, p.operator2, p.approver, p.approver2, p.administrator}[n]
}

// planOffered plans one of the actions that the state allows to somebody. To
// give up ends the story, so it is taken only by the last number.
func (h *history) planOffered(who, intent, offer, input int) {
	h.t.Helper()
	h.does("planOffered(%d, %d, %d, %d)", who, intent, offer, input)
	c := h.nth(intent)
	if c == nil {
		return
	}
	var offers []actions.Verdict
	for _, v := range actions.Verdicts(c, h.who(who), nil, h.timing, authz.DefaultTiers, h.db.Now()) {
		if v.Allowed && (v.Action != model.Abandon || offer == lastOffer) {
			offers = append(offers, v)
		}
	}
	if len(offers) == 0 {
		return
	}
	v := offers[offer%len(offers)]
	if offer == lastOffer {
		v = offers[len(offers)-1]
	}
	step := ""
	if v.Step != nil && v.Action != model.RetryUnfinished {
		step = *v.Step
	}
	h.makePlan(who, c, v.Action, step, input)
}

const lastOffer = 7

// plan plans any action on any step, the step -1 being none.
func (h *history) plan(who, intent int, action string, step, input int) {
	h.t.Helper()
	h.does("plan(%d, %d, %q, %d, %d)", who, intent, action, step, input)
	c := h.nth(intent)
	if c == nil {
		return
	}
	name := ""
	if step >= 0 {
		name = c.Steps[step%len(c.Steps)].Name
	}
	h.makePlan(who, c, action, name, input)
}

// makePlan previews an action. It may be refused in every way that is meant.
func (h *history) makePlan(who int, c *model.Case, action, step string, input int) {
	h.t.Helper()
	by := h.who(who)
	p, err := h.act.Preview(context.Background(), by, actions.PreviewRequest{Intent: c.ID, Action: action, Step: step, Input: h.input(c, action, step, input)})
	if err == nil {
		h.plans = append(h.plans, planned{by, p})
		return
	}
	h.meant("the preview of "+action, err, "")
}

// meant: a refusal is one that people are told of, and a commit of which nobody
// knows is one only where the database was made to lie.
func (h *history) meant(what string, err error, doubt string) {
	h.t.Helper()
	switch kind := model.KindOf(err); kind {
	case model.Denied, model.Conflict, model.Stale, model.Invalid, model.NotFound:
		return
	case model.Unknown:
		if doubt != "" {
			return
		}
	}
	if err != nil {
		h.t.Errorf("%s is answered with %v", what, err)
	}
}

// input is what a person states: as it should be, or one of three other ways.
func (h *history) input(c *model.Case, action, step string, variant int) json.RawMessage {
	switch action {
	case model.Abandon:
		keys, _ := json.Marshal(actions.ToAcknowledge(c))
		if variant == 3 {
			keys = []byte("[]")
		}
		return json.RawMessage(fmt.Sprintf(`{"acknowledge":%s}`, keys))
	case model.MarkExternalResult:
		return h.statement(c.Step(step), variant)
	}
	return nil
}

func (h *history) statement(s *model.Step, variant int) json.RawMessage {
	document := `"document":{"url":"https://bank.example/lines/` + fmt.Sprint(len(h.moves)) + `","sha256":"` + strings.Repeat("ab", 32) + `"}`
	date := h.db.Now().Std().Add(-time.Millisecond).Format(time.RFC3339Nano)
	if variant == 0 || s == nil {
		return json.RawMessage(fmt.Sprintf(`{"result":"did_not_happen","date":%q,%s}`, date, document))
	}
	amount := ""
	if s.HasMoney() {
		amount = fmt.Sprintf(`"amount":%d,"currency":%q,`, s.Amount-int64(variant-1), s.Currency)
	}
	return json.RawMessage(fmt.Sprintf(`{"result":"happened","external_ref":"line-%d",%s"date":%q,%s}`, len(h.moves), amount, date, document))
}

// confirmPlan confirms one of the latest previews, again if it was, by the
// person who made it or by another, and perhaps on a database that lies.
func (h *history) confirmPlan(back int, by, doubt string) {
	h.t.Helper()
	h.does("confirmPlan(%d, %q, %q)", back, by, doubt)
	if len(h.plans) == 0 {
		return
	}
	p := h.plans[max(len(h.plans)-1-back, 0)]
	if by == "another" {
		p.by = h.people.approver2
	}
	err := h.doubtful(doubt, 1, func() error { _, err := h.confirm(p.by, p.preview); return err })
	h.meant("the confirmation of "+p.preview.Action, err, doubt)
}

// decideOn says a word on the n-th request from the newest, those first that
// are open, under its digest or another one.
func (h *history) decideOn(n, who int, word, digest string) {
	h.t.Helper()
	h.does("decideOn(%d, %d, %q, %q)", n, who, word, digest)
	requests := h.requests()
	if len(requests) == 0 {
		return
	}
	r := requests[n%len(requests)]
	if digest == "wrong" {
		r.Digest = strings.Repeat("0", len(r.Digest))
	}
	words := map[string]decision{"approve": h.act.Approve, "reject": h.act.Reject, "withdraw": h.act.Withdraw}
	_, err := h.decide(words[word], h.who(who), r.ID, r.Digest)
	h.meant("to "+word, err, "")
}

func (h *history) requests() (list []model.Approval) {
	ids := h.intents()
	slices.Reverse(ids)
	for _, id := range ids {
		list = append(list, h.load(id).Requests...)
	}
	slices.SortStableFunc(list, func(a, b model.Approval) int {
		return cmp.Compare(btoi(b.State == model.ApprovalOpen), btoi(a.State == model.ApprovalOpen))
	})
	return list
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
