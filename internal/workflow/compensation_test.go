package workflow

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"countersign/internal/model"
	"countersign/internal/provider"
)

func names(undos []Undo) string {
	var list []string
	for _, u := range undos {
		list = append(list, u.Step.Name)
	}
	return strings.Join(list, " ")
}

func TestUndos(t *testing.T) {
	cases := []struct {
		name, kind, from string
		change           func(*model.Case)
		want             string
	}{
		{"from the first effect", "payout", CreatePayout, nil, "send-correction reverse-ledger reverse-payout"},
		{"from the ledger", "payout", PostLedger, nil, "send-correction reverse-ledger"},
		{"the message alone", "payout", SendRemittance, nil, "send-correction"},
		{"from the start", "payout", VerifyPayee, nil, "send-correction reverse-ledger reverse-payout"},
		{"no such step", "payout", "other", nil, ""},
		{"message not needed", "payout", CreatePayout, func(c *model.Case) { c.Step(SendRemittance).State = model.NotNeeded }, "reverse-ledger reverse-payout"},
		{"message unknown", "payout", CreatePayout, func(c *model.Case) { c.Step(SendRemittance).State = model.OutcomeUnknown }, "reverse-ledger reverse-payout"},
		{"all came back", "payout", CreatePayout, func(c *model.Case) { c.Step(CreatePayout).Returned = 125050 }, "send-correction reverse-ledger"},
		{"provider has no undo", "payout", CreatePayout, func(c *model.Case) { c.Step(CreatePayout).Contract.Undo = "" }, "send-correction reverse-ledger"},
		{"settling", "payout", CreatePayout, settlingPayout, "reverse-payout"},
		{"settling, undo only after", "payout", CreatePayout, func(c *model.Case) {
			settlingPayout(c)
			c.Step(CreatePayout).Contract.UndoBefore = false
		}, ""},
		{"statement", "statement", IssueStatement, nil, "send-correction void-statement"},
		{"dispute", "dispute", SubmitResponse, nil, "send-correction reverse-credit"},
		{"dispute without credit", "dispute", SubmitResponse, func(c *model.Case) { c.Step(CreditBalance).State = model.NotNeeded }, "send-correction"},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			c := confirmAll(accepted(t, tc.kind, nil))
			if tc.change != nil {
				tc.change(c)
			}
			if got := names(Undos(c, tc.from)); got != tc.want {
				t.Errorf("undoes %q, want %q", got, tc.want)
			}
		})
	}
}

func settlingPayout(c *model.Case) {
	for _, s := range c.Steps[2:] {
		s.State = model.Pending
	}
	s := c.Step(CreatePayout)
	s.State, s.Settling, s.Moved = model.InProgress, true, 0
}

func TestUndosAgreeWithTheModel(t *testing.T) {
	for kind := range samples {
		c := confirmAll(accepted(t, kind, nil))
		for _, s := range c.Steps {
			if _, ok := undoOf(s); ok != s.HasUndo() {
				t.Errorf("%s: undo %v, the model says %v", s.Name, ok, s.HasUndo())
			}
		}
	}
}

func TestUndoAmounts(t *testing.T) {
	c := confirmAll(accepted(t, "payout", nil))
	c.Step(CreatePayout).Moved, c.Step(CreatePayout).Returned = 100000, 40000
	c.Step(PostLedger).Evidence = []model.Evidence{{Says: model.Happened, Amount: 100000}}
	undos := Undos(c, CreatePayout)
	payout, ledger := undos[2], undos[1]
	if payout.Step.Amount != 60000 || payout.Step.Currency != "USD" || payout.Of.Name != CreatePayout || payout.Step.Operation != model.PayoutReverse ||
		payout.Step.Class != model.Keyed || payout.Step.Provider != "bank" {
		t.Errorf("payout: %+v", payout.Step)
	}
	if ledger.Step.Amount != 100000 || ledger.Step.Operation != model.LedgerReverse || ledger.Step.Class != model.Local {
		t.Errorf("ledger: %+v", ledger.Step)
	}
	settling := accepted(t, "payout", nil)
	settlingPayout(settling)
	if u := Undos(settling, CreatePayout); len(u) != 1 || u[0].Step.Amount != 125050 {
		t.Errorf("settling: %+v", u)
	}
}

// child is the compensation of a parent as a case of its own, which knows
// nothing of the parent but its params.
func child(t tester, parent *model.Case, from string) *model.Case {
	t.Helper()
	d, err := Compensation(parent, from)
	if err != nil {
		t.Fatal(err)
	}
	c := caseOf(t, model.KindCompensation, d)
	c.ID = model.IntentID("installation", "acme", "compensation", "compensate:"+parent.Step(from).Key())
	for _, s := range c.Steps {
		s.IntentID = c.ID
		s.WireKey = s.Key()
	}
	return c
}

func TestCompensationOfAPayout(t *testing.T) {
	parent := confirmAll(accepted(t, "payout", nil))
	c := child(t, parent, CreatePayout)
	if c.Amount != 125050 || c.Currency != "USD" || c.Payee != "Ada Rep" || c.PayeeRef != "rep-118" || c.Period != "2026-10" {
		t.Errorf("facts: %+v", c.Intent)
	}
	var r Reversal
	if err := json.Unmarshal(c.Params, &r); err != nil || r.Intent != parent.ID || r.Step != parent.Step(CreatePayout).Key() || len(r.Undo) != 3 {
		t.Errorf("params %s, %v", c.Params, err)
	}
	want := provider.Order{Operation: model.PayoutReverse, StepKey: c.ID + ":reverse-payout", WireKey: c.ID + ":reverse-payout",
		Amount: 125050, Currency: "USD", Destination: "acct_9", Object: "obj_create-payout",
		Metadata: map[string]string{"intent": c.ID, "undoes": parent.ID + ":create-payout"}}
	if got := asJSON(t, orderOf(t, c, ReversePayout)); got != asJSON(t, want) {
		t.Errorf("order\n%s, want\n%s", got, asJSON(t, want))
	}
	m := orderOf(t, c, SendCorrection).Message
	if m.To != "ada@example.com" || m.Template != "correction" || m.Subject != "Correction: Payment of 1,250.50 USD" || !strings.Contains(m.Text, parent.ID) {
		t.Errorf("message %+v", m)
	}
	if s := c.Step(ReversePayout); s.Provider != "bank" || s.Contract.Operation != model.PayoutReverse || s.ContractID == "" || s.Position != 3 {
		t.Errorf("step %+v", s)
	}
}

func TestCompensationOfOtherKinds(t *testing.T) {
	statement := child(t, confirmAll(accepted(t, "statement", nil)), IssueStatement)
	if w := work(t, statement, VoidStatement); w.Void != intentID+":issue-statement" {
		t.Errorf("void: %+v", w)
	}
	if statement.Amount != 0 || statement.Currency != "" {
		t.Errorf("money on a voided statement: %d %s", statement.Amount, statement.Currency)
	}
	dispute := child(t, confirmAll(accepted(t, "dispute", nil)), CreditBalance)
	if o := orderOf(t, dispute, ReverseCredit); o.Object != "obj_credit-balance" || o.Amount != 4200 || o.Currency != "EUR" || o.Operation != model.CreditReverse {
		t.Errorf("credit: %+v", o)
	}
	ledger := child(t, confirmAll(accepted(t, "payout", nil)), PostLedger)
	if ledger.Amount != 125050 || ledger.Currency != "USD" {
		t.Errorf("books: %d %s", ledger.Amount, ledger.Currency)
	}
}

func TestCompensationRefuses(t *testing.T) {
	nothing := accepted(t, "payout", nil)
	lost := confirmAll(accepted(t, "payout", nil))
	lost.Step(CreatePayout).ExternalRef = ""
	undone := child(t, confirmAll(accepted(t, "payout", nil)), CreatePayout)
	confirmAll(undone)
	for name, c := range map[string]*model.Case{"nothing stands": nothing, "object not known": lost} {
		if _, err := Compensation(c, CreatePayout); model.KindOf(err) != model.Conflict {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Compensation(undone, ReversePayout); model.KindOf(err) != model.Conflict {
		t.Errorf("a compensation of a compensation: %v", err)
	}
	stray := &model.Case{Intent: model.Intent{Kind: "other"}, Steps: []*model.Step{{Name: "a", Operation: model.LedgerPost, State: model.Confirmed}}}
	if _, err := Compensation(stray, "a"); err == nil || model.KindOf(err) != model.Internal {
		t.Errorf("an unknown kind: %v", err)
	}
	_, err := compensation{}.Accept(json.RawMessage(`{}`))
	if got := locations(t, err); !slices.Equal(got, []string{"/kind"}) {
		t.Errorf("accepted from outside: %v", err)
	}
}

func TestLedgerCancelsOut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		asked := rapid.Int64Range(1, model.MaxAmount).Draw(t, "asked")
		moved := rapid.Int64Range(0, model.MaxAmount).Draw(t, "moved")
		currency := rapid.SampledFrom(model.Currencies()).Draw(t, "currency").Code
		parent := confirmAll(accepted(t, "payout", map[string]any{"amount": asked, "currency": currency}))
		parent.Step(CreatePayout).Moved = moved
		done := work(t, parent, PostLedger)
		parent.Step(PostLedger).Evidence = []model.Evidence{{Says: model.Happened, Amount: done.Outcome().Amount}}
		parent.Step(CreatePayout).Moved = rapid.Int64Range(0, model.MaxAmount).Draw(t, "corrected since")
		undone := work(t, child(t, parent, PostLedger), ReverseLedger)
		balances := map[string]int64{}
		for _, transfer := range slices.Concat(done.Transfers, undone.Transfers) {
			balances[transfer.Debit] += transfer.Amount
			balances[transfer.Credit] -= transfer.Amount
		}
		for _, account := range slices.Sorted(maps.Keys(balances)) {
			if balances[account] != 0 {
				t.Fatalf("%s is left with %d", account, balances[account])
			}
		}
	})
}
