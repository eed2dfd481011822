package actions

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"countersign/internal/model"
	"countersign/internal/store"
)

// unknown is a send that nobody knows the end of.
var unknown = model.Outcome{Result: model.ResultUnknown, Code: "timeout", Detail: "no answer"}

// cell is one cell of the table of the five actions.
type cell struct {
	name    string
	account string // acme, or mute: its provider cannot be asked
	setup   func(w *world, id string)
	action  string
	step    string
	input   string // {ID} stands for the intent's id
	rule    string
	allowed bool
}

const happenedInput = `{"result":"happened","external_ref":"po_1","amount":500,"currency":"USD","date":"2026-11-29","document":{"url":"https://bank.example/1"}}`

func before(step string) func(*world, string) {
	return func(w *world, id string) { w.pass(id, step) }
}

// sent brings the payout to its first send, which ends so.
func sent(outs ...model.Outcome) func(*world, string) {
	return func(w *world, id string) {
		w.pass(id, "approve-payout")
		for _, out := range outs {
			w.send(id, out)
		}
	}
}

func then(steps ...func(*world, string)) func(*world, string) {
	return func(w *world, id string) {
		for _, step := range steps {
			step(w, id)
		}
	}
}

func edit(change func(*model.Case, *store.Tx)) func(*world, string) {
	return func(w *world, id string) { w.engine(id, change) }
}

func later(d time.Duration) func(*world, string) {
	return func(w *world, id string) { w.wait(d) }
}

func asked(step string) func(*world, string) {
	return func(w *world, id string) { w.ask(id, step) }
}

func found(step string, o model.Observation) func(*world, string) {
	return edit(func(c *model.Case, tx *store.Tx) {
		if s := c.Step(step); o.Finding == model.FoundReturned {
			o.ExternalRef = s.ExternalRef // the step's own object came back
		}
		l := model.Look{Observation: o, Source: model.FromQuery, By: "w1", EvidenceID: tx.NewID("evidence"), Began: tx.Now()}
		if _, err := c.Observe(c.Step(step), l, model.NormalPace(), 0.5, tx.Now()); err != nil {
			panic(err)
		}
	})
}

var (
	accepted      = model.Outcome{Result: model.ResultAccepted, ExternalRef: "po_1", Detail: "pending"}
	curable       = model.Outcome{Result: model.ResultCurable, Code: "insufficient_funds", Detail: "no funds"}
	curable2      = model.Outcome{Result: model.ResultCurable, Code: "other_hold", Detail: "held"}
	refusedP      = model.Outcome{Result: model.ResultPermanent, Code: "account_closed", Detail: "closed"}
	notSent       = model.Outcome{Result: model.ResultNotSent, Code: "refused", Detail: "not reached"}
	failedO       = model.Outcome{Result: model.ResultFailed, ExternalRef: "po_1", Code: "failed", Detail: "failed", Final: true}
	another       = model.Observation{Finding: model.FoundOther, ExternalRef: "po_9", Amount: 1, Detail: "another amount"}
	several       = model.Observation{Finding: model.FoundSeveral, ExternalRef: "po_9", Amount: 1000, Currency: "USD", Status: model.Several, Detail: "two"}
	done          = model.Observation{Finding: model.FoundHappened, ExternalRef: "po_9", Amount: 500, Currency: "USD", Status: "paid", Detail: "paid"}
	anotherFailed = model.Observation{Finding: model.FoundOther, ExternalRef: "po_9", Amount: 1, Failed: true, Detail: "another amount"}
	cameBack      = model.Observation{Finding: model.FoundReturned, ExternalRef: "po_1", Amount: 500, Returned: 500, Detail: "returned"}
	open          = edit(func(c *model.Case, tx *store.Tx) {
		c.Step("create-payout").ExternalRef = ""
		s := c.Unfinished()
		if _, err := c.Reserve(s, model.Attempt{Trigger: model.ByEngine, Worker: "w1", Boot: "b1", Fence: c.Fence, DeadlineAt: tx.Now().Add(time.Minute)}, tx.Now()); err != nil {
			panic(err)
		}
	})
	lost = edit(func(c *model.Case, tx *store.Tx) {
		s, _ := c.OpenAttempt()
		if _, err := c.Lose(s, tx.NewID("evidence"), model.NormalPace(), 0.5, tx.Now()); err != nil {
			panic(err)
		}
	})
	gone = func(w *world, id string) {
		w.confirm(w.ada, w.preview(w.ada, id, model.Abandon, "", acknowledged(w, id)))
	}
	undone = func(w *world, id string) {
		w.confirm(w.ada, w.preview(w.ada, id, model.Compensate, "create-payout", ""))
	}
	refused0 = edit(func(c *model.Case, tx *store.Tx) {
		request := c.ApproveIntentRequest(tx.NewID("approval"), model.NormalPace(), tx.Now())
		if err := tx.OpenApproval(request); err != nil {
			panic(err)
		}
		c.Requests = append(c.Requests, request)
	})
)

func acknowledged(w *world, id string) string {
	raw, _ := json.Marshal(abandonInput{ToAcknowledge(w.load(id))})
	return string(raw)
}

// TestEveryVerdict holds every cell of the table against the one list of
// verdicts and against a preview, which must agree.
func TestEveryVerdict(t *testing.T) {
	for _, test := range cells() {
		t.Run(test.action+"/"+test.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			account := test.account
			if account == "" {
				account = "acme"
			}
			id := w.post(account, "k", 500).ID
			if test.setup != nil {
				test.setup(w, id)
			}
			w.checkCell(t, test, id)
		})
	}
}

func (w *world) checkCell(t *testing.T, test cell, id string) {
	c := w.load(id)
	input := strings.ReplaceAll(test.input, "{ID}", id)
	if input == "{ACK}" {
		input = acknowledged(w, id)
	}
	w.checkProposal(t, c)
	var got *Verdict
	if input == "" || test.allowed {
		got = w.verdict(t, c, test)
		if got.Allowed != test.allowed || got.Rule != test.rule {
			t.Errorf("verdict: allowed %v by %s (%s), want %v by %s", got.Allowed, got.Rule, got.Because, test.allowed, test.rule)
		}
	}
	_, err := w.run.Preview(t.Context(), w.ada, PreviewRequest{Intent: id, Action: test.action, Step: test.step, Input: json.RawMessage(input)})
	switch {
	case test.allowed && err != nil:
		t.Errorf("preview: %v", err)
	case !test.allowed && (codeOf(err) != "action-refused" || extra(err, "rule") != test.rule):
		t.Errorf("preview: %v by %v, want %s", err, extra(err, "rule"), test.rule)
	}
}

// verdict finds the entry of an action and step, or the action's entry without one.
func (w *world) verdict(t *testing.T, c *model.Case, test cell) *Verdict {
	t.Helper()
	list := Verdicts(c, w.ada, nil, w.run.timing, w.run.tiers, w.db.Now())
	for _, name := range model.ActionNames {
		if !slices.ContainsFunc(list, func(v Verdict) bool { return v.Action == name }) {
			t.Errorf("%s is not told", name)
		}
	}
	for i := range list {
		if v := &list[i]; v.Action == test.action && (test.step == "" || v.Step != nil && *v.Step == test.step) {
			return v
		}
	}
	for i := range list {
		if list[i].Action == test.action {
			t.Logf("no entry for %s; taking the action's own", test.step)
			return &list[i]
		}
	}
	t.Fatal("no entry")
	return nil
}

// checkProposal holds what the intent's review proposes to what the state allows.
func (w *world) checkProposal(t *testing.T, c *model.Case) {
	t.Helper()
	r := c.Review(w.run.timing, w.db.Now())
	if _, busy := flying(c, w.db.Now()); r == nil || busy || c.OpenRequest() != nil {
		return
	}
	if !slices.ContainsFunc(Verdicts(c, w.ada, nil, w.run.timing, w.run.tiers, w.db.Now()), func(v Verdict) bool { return v.Action == r.Propose && v.Allowed }) {
		t.Errorf("%s is proposed by %s (%s), and refused", r.Propose, r.Rule, r.Because)
	}
}
