package web

import (
	"strings"
	"testing"
	"time"

	"countersign/internal/model"
	"countersign/internal/store"
)

// looked is what a look-up left.
func looked(at model.Time, detail string) model.Evidence {
	return model.Evidence{Source: model.FromQuery, Says: model.Inconclusive, At: at, BeganAt: at, Detail: detail, By: "w/1"}
}

func tried(number int, at model.Time, reason string) model.Attempt {
	return model.Attempt{Number: number, Generation: 1, StartedAt: at, FinishedAt: at, Result: model.ResultUnknown, Code: "reset", Reason: reason}
}

const wasReset = "The connection was reset before an answer."

// sentences are how an unknown outcome is told, whole.
var sentences = map[string]struct {
	change func(*model.Case, *model.Step)
	want   string
}{
	"sent once, not known there, not final yet": {
		func(_ *model.Case, s *model.Step) {
			s.Attempts = []model.Attempt{tried(1, ago(10*time.Minute), wasReset)}
			s.Evidence = []model.Evidence{looked(ago(9*time.Minute), model.NothingFound), looked(ago(8*time.Minute), model.NothingFound+" Not final.")}
		},
		"We sent 48,200.00 EUR to acct_9 at 09:32:18 +00:00 ; the connection was reset before an answer; bank did not know it at 09:33:18 +00:00 and 09:34:18 +00:00 ; " +
			"that becomes final at 10:32:48 +00:00 . Bank acts at most once per key, so at worst it was paid once.",
	},
	"sent often, its look-up down": {
		func(_ *model.Case, s *model.Step) {
			s.Attempts = []model.Attempt{tried(1, ago(104*time.Minute), wasReset), tried(2, ago(100*time.Minute), wasReset)}
			s.Evidence = []model.Evidence{looked(ago(90*time.Minute), "The look-up was answered with status 500.")}
		},
		"We sent 48,200.00 EUR to acct_9 twice under one key, first at 07:58:18 +00:00 , last at 08:02:18 +00:00 ; each time the connection was reset before an answer; " +
			"1 look-up settled nothing. Asked now, “not found” is final. Bank acts at most once per key",
	},
	"answers that differ": {
		func(_ *model.Case, s *model.Step) {
			s.Attempts = []model.Attempt{tried(1, ago(104*time.Minute), wasReset), tried(2, ago(2*time.Minute), "No rule says what this answer means.")}
		},
		"; no answer came back that we can trust. That it does not know it becomes final at 10:40:48 +00:00 .",
	},
	"without a key": {
		func(c *model.Case, s *model.Step) {
			c.Params = []byte(`{"dispute":"dp_31"}`)
			s.Class, s.Operation, s.Contract = model.Unkeyed, "dispute.respond", model.Contract{}
			s.Attempts = []model.Attempt{tried(1, ago(104*time.Minute), wasReset)}
		},
		"We sent the response to dispute dp_31 at 07:58:18 +00:00 ; the connection was reset before an answer. Bank takes no key here: it is never sent again before there is evidence that it did not happen.",
	},
	"a message": {
		func(_ *model.Case, s *model.Step) { s.Class, s.Amount, s.Currency = model.Message, 0, "" },
		"We sent the message of create-payout at 07:58:18 +00:00 ; no answer came back that we can trust",
	},
	"a reversal": {
		func(_ *model.Case, s *model.Step) { s.Operation = "payout.reverse" },
		"We sent the order to take 48,200.00 EUR back at 07:58:18 +00:00",
	},
	"yen":    {amounting(57_500, "JPY"), "We sent 57,500 JPY to acct_9"},
	"dinars": {amounting(412_500, "KWD"), "We sent 412.500 KWD to acct_9"},
	"unidad": {amounting(12_345_678, "CLF"), "We sent 1,234.5678 CLF to acct_9"},
}

func amounting(amount int64, currency string) func(*model.Case, *model.Step) {
	return func(_ *model.Case, s *model.Step) { s.Amount, s.Currency = amount, currency }
}

func TestAnUnknownOutcomeIsToldFromFacts(t *testing.T) {
	for name, test := range sentences {
		n := told(test.change)
		got := plain(t, n.uncertain().Text...)
		if !strings.Contains(got, test.want) {
			t.Errorf("%s:\n\t%s\nand not\n\t%s", name, got, test.want)
		}
	}
}

// The clocks of Paris went back at 03:00 on 25 October 2026: each moment has
// the offset that held then, in the sentence, the drawing and the table.
func TestEachMomentHasItsOwnOffset(t *testing.T) {
	paris, err := time.LoadLocation("Europe/Paris")
	if err != nil {
		t.Fatal(err)
	}
	at := func(hour, minute int) model.Time {
		return model.At(time.Date(2026, 10, 25, hour, minute, 0, 0, time.UTC))
	}
	n := told(func(c *model.Case, s *model.Step) {
		s.Generations[0].FrozenAt = at(0, 30)
		s.Attempts = []model.Attempt{tried(1, at(0, 30), wasReset), tried(2, at(1, 30), wasReset)}
	})
	n.clock.Zone, n.clock.Now = paris, int64(at(1, 45))
	got := plain(t, n.uncertain().Text...)
	for _, want := range []string{"first at 02:30:00 +02:00", "last at 02:30:00 +01:00", "final at 03:30:30 +01:00"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in %s", want, got)
		}
	}
	view := n.overTime(nil, store.Counted{})
	if len(view.Rows) < 3 || view.Rows[0].At.Of("15:04 -07:00") != "02:30 +02:00" || view.Rows[1].At.Of("15:04 -07:00") != "02:30 +01:00" {
		t.Errorf("the rows are %+v", view.Rows)
	}
	said := false
	for _, w := range view.Drawing.Words {
		said = said || strings.Contains(w.Text, "+01:00")
	}
	if !said {
		t.Errorf("the drawing does not say that the offset changed: %+v", view.Drawing.Words)
	}
}

// What the drawing shows, its table says: no attempt, check or act is in one and
// not in the other.
func TestTheDrawingAndItsTableSayTheSame(t *testing.T) {
	n := told(func(c *model.Case, s *model.Step) {
		s.Attempts = []model.Attempt{tried(1, ago(104*time.Minute), wasReset), tried(2, ago(50*time.Minute), wasReset)}
		s.Evidence = []model.Evidence{{Source: model.FromResponse, Says: model.Inconclusive, At: ago(104 * time.Minute), Attempt: 1}, looked(ago(70*time.Minute), model.NothingFound),
			{Source: model.FromWebhook, Says: model.Inconclusive, At: ago(60 * time.Minute), Status: "created", By: "bank"},
			{Source: model.FromOperator, Says: model.Happened, At: ago(20 * time.Minute), By: "Olga", Detail: "Statement of the bank."}}
		c.Requests = []model.Approval{{ID: "a", State: model.ApprovalExecuted, Action: model.MarkExternalResult, Step: s.Name, RequestedBy: "p", RequesterName: "Olga", CreatedAt: ago(30 * time.Minute),
			Decisions: []model.ApprovalDecision{{Name: "Ingrid", Says: "approve", At: ago(25 * time.Minute)}}}}
	})
	view := n.overTime(nil, store.Counted{})
	var rows []string
	for _, r := range view.Rows {
		rows = append(rows, r.At.Of("15:04:05")+" "+r.Step+" "+plain(t, r.What))
	}
	want := []string{"07:58:18 create-payout Attempt 1", "08:32:18 create-payout Query, engine", "08:42:18 create-payout Webhook, bank", "08:52:18 create-payout Attempt 2",
		"09:12:18 create-payout Mark external result asked for by Olga", "09:17:18 create-payout Approved by Ingrid", "09:22:18 create-payout Marked “happened” by Olga",
		"09:52:48 create-payout “not found” is final from 09:52:48", "05:34:18 create-payout Safe to send again until 1 Dec 05:34"}
	for i, line := range want {
		if i >= len(rows) || !strings.HasPrefix(strings.ToLower(rows[i]), strings.ToLower(line)) {
			t.Errorf("row %d is not %q:\n%s", i, line, strings.Join(rows, "\n"))
		}
	}
	legend := ""
	for _, l := range view.Drawing.Legend {
		legend += l.Text + "\n"
	}
	for _, want := range []string{"outcome unknown", "not known in this time", "check", "webhook", "a person’s act"} {
		if !strings.Contains(legend, want) {
			t.Errorf("the legend does not explain %q: %s", want, legend)
		}
	}
}
