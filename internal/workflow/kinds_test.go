package workflow

import (
	"strings"
	"testing"

	"countersign/internal/model"
	"countersign/internal/provider"
)

func TestOrders(t *testing.T) {
	payoutCase, disputeCase := accepted(t, "payout", nil), accepted(t, "dispute", nil)
	cases := []struct {
		c    *model.Case
		step string
		want provider.Order
	}{
		{payoutCase, CreatePayout, provider.Order{Operation: model.PayoutCreate, Amount: 125050, Currency: "USD", Destination: "acct_9",
			Metadata: map[string]string{"intent": intentID, "payee": "rep-118", "period": "2026-10"}}},
		{disputeCase, SubmitResponse, provider.Order{Operation: model.DisputeRespond, Amount: 4200, Currency: "EUR", Object: "dp_31",
			Response: "contest", Evidence: []provider.Item{{Type: "shipping", Text: "Line one\nLine two"}},
			Metadata: map[string]string{"intent": intentID, "charge": "ch_8"}}},
		{disputeCase, CreditBalance, provider.Order{Operation: model.CreditCreate, Amount: 4200, Currency: "EUR", Destination: "acct_9",
			Metadata: map[string]string{"intent": intentID, "payee": "rep-118", "dispute": "dp_31"}}},
	}
	for _, tc := range cases {
		tc.want.StepKey = intentID + ":" + tc.step
		tc.want.WireKey = tc.want.StepKey
		if got, want := asJSON(t, orderOf(t, tc.c, tc.step)), asJSON(t, tc.want); got != want {
			t.Errorf("%s:\n%s, want\n%s", tc.step, got, want)
		}
	}
}

func TestMessages(t *testing.T) {
	payoutCase, disputeCase := confirmAll(accepted(t, "payout", nil)), confirmAll(accepted(t, "dispute", nil))
	payoutCase.Step(CreatePayout).Moved = 100000
	says(disputeCase.Step(SubmitResponse), model.Happened, Won)
	cases := []struct {
		c                           *model.Case
		step, to, template, subject string
		text                        []string
	}{
		{payoutCase, SendRemittance, "ada@example.com", "remittance", "Payment of 1,000.00 USD",
			[]string{"Dear Ada Rep,", "acme has paid you 1,000.00 USD.", "Paid to: acct_9", "Period: 2026-10", intentID}},
		{accepted(t, "statement", nil), SendStatement, "ada@example.com", "statement", "Statement for 2026-10-01 to 2026-10-31",
			[]string{"c-7  Chargeback: −12.50 USD", "Balance in your favour: 887.50 USD", "2026-10-31", "America/New_York"}},
		{disputeCase, NotifyParties, "ada@example.com, ops@example.com", "dispute-notice", "Dispute dp_31 was won",
			[]string{"The dispute named below was won.", "Amount: 42.00 EUR", "Credited: 42.00 EUR"}},
		{accepted(t, "dispute", nil), NotifyParties, "ada@example.com, ops@example.com", "dispute-notice", "Dispute dp_31 is closed", nil},
	}
	for _, tc := range cases {
		m := orderOf(t, tc.c, tc.step).Message
		if m == nil || m.To != tc.to || m.Template != tc.template || m.Subject != tc.subject || !strings.HasPrefix(m.HTML, "<!DOCTYPE html>") {
			t.Errorf("%s: %+v", tc.step, m)
			continue
		}
		for _, part := range tc.text {
			if !strings.Contains(m.Text, part) {
				t.Errorf("%s: the text lacks %q:\n%s", tc.step, part, m.Text)
			}
		}
	}
}

func TestNotesStayInside(t *testing.T) {
	for kind := range samples {
		c := confirmAll(accepted(t, kind, map[string]any{"memo": "inside-only", "trace_id": "inside-only"}))
		for _, s := range c.Steps {
			if s.Class.Effect() && strings.Contains(asJSON(t, orderOf(t, c, s.Name)), "inside-only") {
				t.Errorf("%s tells the provider a note", s.Name)
			}
		}
	}
}

func TestHTMLIsEscaped(t *testing.T) {
	c := accepted(t, "payout", map[string]any{"payee.name": "<script>alert(1)</script>"})
	if m := orderOf(t, c, SendRemittance).Message; strings.Contains(m.HTML, "<script") {
		t.Error(m.HTML)
	}
}

func TestChecksRunAgain(t *testing.T) {
	cases := []struct{ kind, step, break1, break2, code string }{
		{"payout", VerifyPayee, `"destination":"acct_9"`, `"destination":"acct 9"`, "payee_invalid"},
		{"statement", CalculateStatement, `"currency":"USD"`, `"currency":"DEM"`, "statement_invalid"},
		{"dispute", AssembleEvidence, `"response":"contest"`, `"response":"perhaps"`, "response_invalid"},
	}
	for _, tc := range cases {
		c := accepted(t, tc.kind, nil)
		if w := work(t, c, tc.step); w.Refused != "" || w.Detail == "" || w.Outcome().Result != model.ResultDone {
			t.Errorf("%s: %+v", tc.step, w)
		}
		c.Params = []byte(strings.ReplaceAll(string(c.Params), tc.break1, tc.break2))
		w := work(t, c, tc.step)
		if w.Refused != model.ResultPermanent || w.Code != tc.code || w.Outcome().Result != model.ResultPermanent {
			t.Errorf("%s, broken: %+v", tc.step, w)
		}
	}
}

func TestApprovalSaysHow(t *testing.T) {
	c := accepted(t, "payout", nil)
	s := c.Step(ApprovePayout)
	s.Rule = "payout.small"
	if w := work(t, c, ApprovePayout); w.Detail != "Approved by rule payout.small." {
		t.Error(w.Detail)
	}
	s.PeopleNeeded = 2
	if w := work(t, c, ApprovePayout); w.Detail != "Approved by people, 2 needed, under rule payout.small." {
		t.Error(w.Detail)
	}
	d := accepted(t, "dispute", nil)
	if w := work(t, d, ApproveResponse); w.Detail != "Approved by rule (unnamed)." {
		t.Error(w.Detail)
	}
}

func TestLedgerPostsWhatMoved(t *testing.T) {
	cases := []struct {
		name                string
		moved, posted, want int64
	}{
		{"as asked", 125050, 0, 125050}, {"another amount", 100000, 0, 100000}, {"not recorded", 0, 0, 125050},
		{"already posted, corrected since", 90000, 100000, 100000},
	}
	for _, tc := range cases {
		c := accepted(t, "payout", nil)
		c.Step(CreatePayout).Moved = tc.moved
		if tc.posted != 0 {
			c.Step(PostLedger).Evidence = []model.Evidence{{Says: model.Happened, Amount: tc.posted}}
		}
		w := work(t, c, PostLedger)
		want := Transfer{Debit: "payables:rep-118", Credit: "cash", Amount: tc.want, Currency: "USD"}
		if len(w.Transfers) != 1 || w.Transfers[0] != want || w.Outcome().Amount != tc.want || w.Outcome().Currency != "USD" {
			t.Errorf("%s: %+v", tc.name, w)
		}
	}
}

func TestResolution(t *testing.T) {
	type evidence struct {
		says   model.Says
		status string
	}
	cases := []struct {
		name     string
		evidence []evidence
		debit    string // "" is refused
		moot     bool
	}{
		{"won", []evidence{{model.Happened, Won}}, "cash", false},
		{"lost", []evidence{{model.Happened, Lost}}, "disputes:losses", true},
		{"accepted", []evidence{{model.Happened, Accepted}}, "disputes:losses", false},
		{"the newest decides", []evidence{{model.Happened, Won}, {model.Happened, Lost}}, "disputes:losses", true},
		{"later doubt says nothing", []evidence{{model.Happened, Won}, {model.Inconclusive, Lost}}, "cash", false},
		{"a person's mark", []evidence{{model.Happened, Won}, {model.Happened, ""}}, "", false},
		{"only submitted", []evidence{{model.Happened, "submitted"}}, "", false},
		{"nothing", nil, "", false},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			c := accepted(t, "dispute", nil)
			for _, e := range tc.evidence {
				says(c.Step(SubmitResponse), e.says, e.status)
			}
			w := work(t, c, RecordResolution)
			switch {
			case tc.debit == "" && (w.Refused != model.ResultCurable || w.Code != "resolution_unknown" || !strings.Contains(w.Detail, "Reconcile submit-response")):
				t.Errorf("not refused: %+v", w)
			case tc.debit != "" && (len(w.Transfers) != 1 || w.Transfers[0] != Transfer{tc.debit, "disputes:held", 4200, "EUR"}):
				t.Errorf("transfers: %+v", w)
			}
			for _, s := range c.Steps {
				reason, moot := kindNamed(t, "dispute").Moot(c, s)
				if want := tc.moot && s.Name == CreditBalance; moot != want || (reason != "") != want {
					t.Errorf("%s is moot: %v (%q)", s.Name, moot, reason)
				}
			}
		})
	}
}

func TestAcceptingWithoutEvidence(t *testing.T) {
	c := accepted(t, "dispute", map[string]any{"response": "accept", "evidence": nil})
	if w := work(t, c, AssembleEvidence); w.Detail != "The response is to accept, without evidence." {
		t.Error(w.Detail)
	}
}

func TestNothingElseIsMoot(t *testing.T) {
	for kind, k := range Kinds() {
		if kind == model.KindDispute {
			continue
		}
		if _, moot := k.Moot(&model.Case{}, &model.Step{Name: CreditBalance}); moot {
			t.Errorf("%s has moot steps", kind)
		}
	}
}

func TestUnknownStepsAreOurError(t *testing.T) {
	for kind, k := range Kinds() {
		c := &model.Case{Intent: model.Intent{Params: []byte(`{}`)}}
		if kind == model.KindCompensation {
			c.Params = []byte(`{"undo":[{"name":"other"}]}`)
		}
		s := &model.Step{Name: "other"}
		if _, err := k.Order(c, s); model.KindOf(err) != model.Internal || err == nil {
			t.Errorf("%s orders %v", kind, err)
		}
		if _, err := k.Work(c, s); model.KindOf(err) != model.Internal || err == nil {
			t.Errorf("%s works %v", kind, err)
		}
		c.Params = []byte(`{"broken`)
		if _, err := k.Order(c, s); model.KindOf(err) != model.Internal || err == nil {
			t.Errorf("%s orders from broken params: %v", kind, err)
		}
		if _, err := k.Work(c, s); model.KindOf(err) != model.Internal || err == nil {
			t.Errorf("%s works on broken params: %v", kind, err)
		}
	}
}
