package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"countersign/internal/model"
	"countersign/internal/provider/sandbox/server"
	"countersign/internal/store"
	"countersign/internal/web"
)

// labEnd is what the lab's explanation of a fault promises for a payout: how its
// first attempt ends, and where the intent comes to.
type labEnd struct {
	first model.Result
	state model.IntentState
}

var labEnds = map[string]labEnd{
	"drop_after_accept": {model.ResultUnknown, model.Completed}, "drop_before_accept": {model.ResultUnknown, model.Completed}, "hang_after_accept": {model.ResultUnknown, model.Completed},
	"truncated_body": {model.ResultUnknown, model.Completed}, "refuse_connect": {model.ResultNotSent, model.Completed}, "slow": {model.ResultAccepted, model.Completed},
	"500_after": {model.ResultUnknown, model.Completed}, "500_before": {model.ResultUnknown, model.Completed}, "429": {model.ResultThrottled, model.Completed},
	"reject_curable": {model.ResultCurable, model.NeedsReview}, "reject_permanent": {model.ResultPermanent, model.TerminalFailure},
	"wrong_amount_echo": {model.ResultUnknown, model.NeedsReview}, "other_key_echo": {model.ResultUnknown, model.Completed},
	"settle_late": {model.ResultAccepted, model.Completed}, "settle_never": {model.ResultAccepted, model.Processing}, "settle_failed": {model.ResultAccepted, model.NeedsReview},
	"settle_then_return": {model.ResultAccepted, model.NeedsReview}, "webhook_twice": {model.ResultAccepted, model.Completed}, "webhook_late": {model.ResultAccepted, model.Completed},
	"webhook_out_of_order": {model.ResultAccepted, model.NeedsReview}, "not_found_for_a_while": {model.ResultUnknown, model.Completed},
}

// The lab offers every fault that the sandbox has, and no other.
func TestLabHasEveryFault(t *testing.T) {
	var names []string
	for _, g := range labFaults {
		for _, f := range g.Faults {
			names = append(names, f.Name)
			if f.Title == "" || f.Breaks == "" || f.See == "" || f.Safe == "" || len(f.Effects) == 0 {
				t.Errorf("%s is not explained", f.Name)
			}
			if _, told := labEnds[f.Name]; !told {
				t.Errorf("%s: nobody checks what is said of it", f.Name)
			}
		}
	}
	slices.Sort(names)
	if want := server.FaultNames(); !slices.Equal(names, want) {
		t.Errorf("the lab has %v, the sandbox %v", names, want)
	}
}

// experiment is one fault at one effect.
type experiment struct {
	web.LabFault
	effect web.LabEffect
	id     string
	times  int // 1 where 0
	blind  bool
}

// post arms and posts one, as the lab's page does.
func (e experiment) post(t *testing.T, d *demo, line readyLine) {
	t.Helper()
	if _, err := d.Guide.Lab.Arm(t.Context(), web.LabOrder{Intent: e.id, Effect: e.effect, Fault: e.LabFault, Times: max(e.times, 1), Blind: e.blind}); err != nil {
		t.Fatal(err)
	}
	payee := params{"reference": "lab-1", "name": "Lab", "destination": "acct_lab"}
	body := params{"amount": 25_000, "currency": "USD"}
	if e.effect.Kind == model.KindPayout {
		payee["email"] = "lab@example.com"
		body["payee"] = payee
	} else {
		body = dispute("dp_"+e.Name, "contest", 25_000, "USD", nil)(time.Now())
		if e.effect.Name == "credit" {
			body["credit"] = params{"payee": payee, "amount": 25_000}
		}
	}
	text, err := json.Marshal(params{"kind": e.effect.Kind, "account": acme, "params": body})
	if err != nil {
		t.Fatal(err)
	}
	fetch(t, "POST", line.Address+"/v1/intents", d.keys[priya], string(text), nil, "Idempotency-Key", e.key())
}

func (e experiment) key() string { return "lab/" + e.Name + "/" + e.effect.Name }

// read gives the intent as it is now.
func (e experiment) read(t *testing.T, d *demo) (c *model.Case) {
	t.Helper()
	if err := d.db.View(t.Context(), func(tx *store.Tx) (err error) { c, err = tx.Case(e.id); return err }); err != nil {
		t.Fatalf("%s: %v", e.key(), err)
	}
	return c
}

// Every fault of the lab meets every effect that it is offered for, and a payout
// comes to what its explanation says. Nothing happens twice at the provider.
func TestLabFaultsDoWhatTheySay(t *testing.T) {
	d, line, _ := startDemo(t, t.TempDir(), true)
	var all []experiment
	for _, g := range labFaults {
		for _, f := range g.Faults {
			for _, effect := range d.Guide.Lab.Effects {
				if slices.Contains(f.Effects, effect.Name) && f.Name != "refuse_connect" {
					e := experiment{LabFault: f, effect: effect}
					e.id = model.IntentID(d.db.Installation, acme, effect.Kind, e.key())
					e.post(t, d, line)
					all = append(all, e)
				}
			}
		}
	}
	met := func(e experiment) bool {
		armed, err := d.Guide.Lab.Armed(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return slices.ContainsFunc(armed, func(a web.LabArmed) bool {
			return a.Fault == e.Name && a.StepKey == e.id+":"+e.effect.Step && a.Bites > 0
		})
	}
	for _, e := range all {
		eventually(t, "the fault of "+e.key()+" has bitten", func() bool { return met(e) })
		if e.effect.Name == "payout" {
			e.check(t, d)
		}
	}
	checkBooks(t, d)
}

// A provider that takes no connections concerns everybody, so it is tried alone.
func TestLabRefusesConnections(t *testing.T) {
	d, line, _ := startDemo(t, t.TempDir(), true)
	var e experiment
	for _, g := range labFaults {
		for _, f := range g.Faults {
			if f.Name == "refuse_connect" {
				f.Lasts = 500 * time.Millisecond
				e = experiment{LabFault: f, effect: labPayout}
			}
		}
	}
	e.id = model.IntentID(d.db.Installation, acme, model.KindPayout, e.key())
	e.post(t, d, line)
	e.check(t, d)
	checkBooks(t, d)
}

// check waits for what a payout must come to.
func (e experiment) check(t *testing.T, d *demo) {
	t.Helper()
	want := labEnds[e.Name]
	var c *model.Case
	eventually(t, fmt.Sprintf("%s is %s", e.key(), want.state), func() bool { c = e.read(t, d); return c.State == want.state })
	if first := c.Step(e.effect.Step).Attempts[0]; first.Result != want.first {
		t.Errorf("%s: the first attempt ended %s, want %s (%s)", e.key(), first.Result, want.first, first.Reason)
	}
}

// Where look-ups fail too and the cut meets every send, the doubt stays until the
// look-ups are disarmed and somebody asks.
func TestLabLeavesADoubt(t *testing.T) {
	d, line, _ := startDemo(t, t.TempDir(), true)
	e := experiment{LabFault: labFaults[0].Faults[0], effect: labPayout, times: 20, blind: true}
	e.id = model.IntentID(d.db.Installation, acme, model.KindPayout, e.key())
	e.post(t, d, line)
	eventually(t, "the tries are spent", func() bool { return e.read(t, d).State == model.NeedsReview })
	if s := e.read(t, d).Step("create-payout"); s.State != model.OutcomeUnknown {
		t.Fatalf("create-payout is %s: %s", s.State, s.Reason)
	} else if limit := fmt.Sprintf("%.0f minutes", s.Contract.SettleLimit.Minutes()); limit != settlesWithin {
		t.Errorf("guide and lab say that the bank settles within %s, its contract %s", settlesWithin, limit)
	}
	armed, err := d.Guide.Lab.Armed(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range armed {
		if a.Operation == lookAtPayouts {
			err = d.Guide.Lab.Disarm(t.Context(), a.ID)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "a check finds it", func() bool { return e.read(t, d).State == model.Completed })
	checkBooks(t, d)
}

// A form sent twice arms once, and what is disarmed bites no more.
func TestLabArmsOnceAndDisarms(t *testing.T) {
	d, _, _ := startDemo(t, t.TempDir(), true)
	lab := d.Guide.Lab
	order := web.LabOrder{Intent: "intent-x", Effect: labMessage, Fault: labFaults[0].Faults[0], Times: 2, Blind: true}
	first, err := lab.Arm(t.Context(), order)
	if err != nil || len(first) != 3 {
		t.Fatalf("armed %v, %v", first, err)
	}
	if again, err := lab.Arm(t.Context(), order); err != nil || len(again) != 0 {
		t.Errorf("armed again: %v, %v", again, err)
	}
	armed, err := lab.Armed(t.Context())
	if err != nil || len(armed) != 3 || armed[1].StepKey != "intent-x:send-remittance" || armed[1].Times != 2 || armed[2].Operation != lookAtMessages {
		t.Errorf("armed: %+v, %v", armed, err)
	}
	if armed[1].Beside != "" || !strings.Contains(armed[0].Beside, "Look-ups fail too") || !strings.Contains(armed[2].Beside, "Look-ups fail too") {
		t.Errorf("why they are armed: %+v", armed)
	}
	var hidden web.LabFault
	for _, g := range labFaults {
		if at := slices.IndexFunc(g.Faults, func(f web.LabFault) bool { return f.Name == "not_found_for_a_while" }); at >= 0 {
			hidden = g.Faults[at]
		}
	}
	second, err := lab.Arm(t.Context(), web.LabOrder{Intent: "intent-y", Effect: labPayout, Fault: hidden, Times: 1})
	if armed, also := lab.Armed(t.Context()); err != nil || also != nil || len(second) != 2 || armed[0].Beside != "" || !strings.Contains(armed[1].Beside, hidden.Title) {
		t.Errorf("beside what is hidden: %+v, %v, %v", armed, err, also)
	}
	first = append(first, second...)
	if err := lab.Disarm(t.Context(), append(first, 99)...); err != nil {
		t.Error(err)
	}
	if armed, err := lab.Armed(t.Context()); err != nil || len(armed) != 0 {
		t.Errorf("left: %+v, %v", armed, err)
	}
}
