package moments

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"countersign/internal/actions"
	"countersign/internal/model"
)

// A marked payout that the bank does not know, and would by now, contradicts aloud.
func TestMarkThatTheProviderDenies(t *testing.T) {
	w := newWorld(t)
	w.fault("drop_before_accept", 1, posts("/payouts"), 0)
	w.fault("500_before", 1000, looks(), 0)
	w.fault("drop_before_accept", 5, posts("/payouts"), 0)
	id := w.payout("p-1")
	w.run(2 * time.Hour)
	w.expect(id, model.NeedsReview, "create-payout", model.OutcomeUnknown)
	w.do(w.people.operator, id, model.MarkExternalResult, "create-payout",
		`{"result":"happened","external_ref":"bank-line-77","amount":95050,"currency":"USD","date":"2026-11-27","document":{"url":"https://bank.example/77","sha256":""}}`)
	w.noFaults()
	w.run(24 * time.Hour)
	if c := w.load(id); c.State != model.NeedsReview || c.OpenConflict() == nil {
		t.Errorf("%s\n%s", c.State, describe(c))
	}
	if n := w.effects("payouts"); n != 0 {
		t.Errorf("the books show %d payouts", n)
	}
	w.survive(t)
}

// A person marks another amount than the bank then shows: both may have moved, and
// what the bank shows is uncertain until a person decides.
func TestMarkOfAnotherAmountThanTheProviderShows(t *testing.T) {
	w := newWorld(t)
	w.fault("drop_after_accept", 100, posts("/payouts"), 0)
	w.fault("500_before", 1000, looks(), 0)
	id := w.payout("p-1")
	w.run(2 * time.Hour)
	w.do(w.people.operator, id, model.MarkExternalResult, "create-payout",
		`{"result":"happened","external_ref":"bank-line-77","amount":100000,"currency":"USD","date":"2026-11-27","document":{"url":"https://bank.example/77","sha256":""}}`)
	if _, err := w.approve(w.people.approver, id); err != nil {
		t.Fatal(err)
	}
	w.noFaults()
	w.run(24 * time.Hour)
	c, object := w.load(id), w.objectOf(id+":create-payout")
	want := "A person marked 1,000.00 USD (bank-line-77); the provider shows 950.50 USD as " + object + "; 950.50 USD was asked for."
	if c.Reason != want || c.Confirmed != 100000 || c.Uncertain != 95050 {
		t.Errorf("%d confirmed, %d uncertain\n%s", c.Confirmed, c.Uncertain, describe(c))
	}
	w.survive(t)
	w.do(w.people.operator, id, model.MarkExternalResult, "create-payout",
		`{"result":"happened","external_ref":"`+object+`","amount":95050,"currency":"USD","date":"2026-11-28","document":{"url":"https://bank.example/78","sha256":""}}`)
	if _, err := w.approve(w.people.approver, id); err != nil {
		t.Fatal(err)
	}
	w.run(time.Hour)
	if c := w.load(id); c.Confirmed != 95050 || c.Uncertain != 0 || c.UncertainSince != 0 || c.OpenConflict() != nil {
		t.Errorf("%d confirmed, %d uncertain\n%s", c.Confirmed, c.Uncertain, describe(c))
	}
	w.survive(t)
}

// Observations of money that contradict each other are decided by two people,
// with the amount said aloud; what came back lets its ledger entry be reversed.
func TestContradictionTakesTwoPeople(t *testing.T) {
	w := newWorld(t)
	w.fault("wrong_amount_echo", 1, posts("/payouts"), 0)
	id := w.payout("p-1")
	w.run(time.Minute)
	mark := func(amount string) string {
		return `{"result":"happened","external_ref":"bank-line-77",` + amount + `"currency":"USD","date":"2026-11-27","document":{"url":"https://bank.example/77","sha256":""}}`
	}
	_, err := w.act.Preview(context.Background(), w.people.operator, actions.PreviewRequest{Intent: id, Action: model.MarkExternalResult, Step: "create-payout", Input: json.RawMessage(mark(""))})
	refused(t, err, "invalid-params")
	r := w.do(w.people.operator, id, model.MarkExternalResult, "create-payout", mark(`"amount":95150,`))
	if r.Outcome != actions.AwaitingApproval {
		t.Fatalf("one person decided: %+v", r)
	}
	if _, err := w.approve(w.people.approver, id); err != nil {
		t.Fatal(err)
	}
	w.run(time.Hour)
	c := w.load(id)
	if s := c.Step("create-payout"); c.State != model.Completed || s.Moved != 95150 || c.Confirmed != 95150 || !strings.HasPrefix(s.ExternalRef, "po_") {
		t.Errorf("%s, moved %d, ref %s\n%s", c.State, s.Moved, s.ExternalRef, describe(c))
	}
	w.survive(t)
}

func TestReturnedMoneyAndItsLedgerEntry(t *testing.T) {
	w := newWorld(t)
	w.fault("settle_then_return", 1, posts("/payouts"), 10_000)
	id := w.payout("p-1")
	w.run(time.Hour)
	w.expect(id, model.NeedsReview, "create-payout", model.Confirmed)
	w.do(w.people.operator, id, model.MarkExternalResult, "create-payout",
		`{"result":"happened","external_ref":"bank-line-78","date":"2026-11-27","document":{"url":"https://bank.example/78","sha256":""}}`)
	c := w.load(id)
	if s := c.Step("create-payout"); c.State != model.NeedsReview || s.Moved != 95050 || s.Returned != 95050 || c.Exposure() != 0 || c.StaleEntry() == nil {
		t.Fatalf("%s, moved %d, returned %d, exposure %d\n%s", c.State, s.Moved, s.Returned, c.Exposure(), describe(c))
	}
	w.do(w.people.operator, id, model.Compensate, "post-ledger", "")
	receipt, err := w.approve(w.people.approver, id)
	if err != nil {
		t.Fatal(err)
	}
	w.run(time.Hour)
	w.expect(*receipt.Compensation, model.Completed, "reverse-ledger", model.Confirmed)
	w.expect(id, model.Compensated, "create-payout", model.Confirmed)
	if n := w.effects("payout_reversals"); n != 0 {
		t.Errorf("the books show %d reversals of money that had come back", n)
	}
	w.survive(t)
}

// Moment 10: the query finds an object that is another intent's already. It
// confirms nothing here.
func TestMoment10AnotherIntentsObject(t *testing.T) {
	w := newWorld(t)
	w.fault("drop_after_accept", 100, posts("/payouts"), 0)
	w.fault("500_before", 1000, looks(), 0)
	a, b := w.payout("p-1"), w.payout("p-2")
	w.run(2 * time.Hour)
	w.expect(b, model.NeedsReview, "create-payout", model.OutcomeUnknown)
	w.noFaults()
	object := w.objectOf(b + ":create-payout")
	w.do(w.people.operator, a, model.MarkExternalResult, "create-payout", // by mistake
		`{"result":"happened","external_ref":"`+object+`","amount":95050,"currency":"USD","date":"2026-11-27","document":{"url":"https://bank.example/77","sha256":""}}`)
	w.do(w.people.operator2, b, model.Reconcile, "create-payout", "")
	w.run(time.Minute)
	w.expect(b, model.NeedsReview, "create-payout", model.OutcomeUnknown)
	if k := w.load(b).OpenConflict(); k == nil || !strings.Contains(k.Reason, a) {
		t.Errorf("the conflict is %+v", k)
	}
	if n := w.effects("payouts"); n != 2 {
		t.Errorf("the books show %d payouts", n)
	}
	w.survive(t)
}

// objectOf is the provider's object with a reference.
func (w *world) objectOf(reference string) string {
	w.t.Helper()
	answer := must(http.Get(w.bank.URL() + "/payouts?reference=" + url.QueryEscape(reference)))(w.t)
	defer answer.Body.Close()
	var list struct{ Items []struct{ ID string } }
	if err := json.NewDecoder(answer.Body).Decode(&list); err != nil || len(list.Items) != 1 {
		w.t.Fatalf("%d objects of %s: %v", len(list.Items), reference, err)
	}
	return list.Items[0].ID
}
