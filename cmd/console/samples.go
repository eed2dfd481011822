package main

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"countersign/internal/model"
)

// sample is one intent of the demo: what is posted, what goes wrong with it at
// the provider, and what people do about it.
type sample struct {
	key     string // its idempotency key
	kind    string
	account string        // acme where empty
	poster  string        // address of the person who posts it; a service key where empty
	starts  time.Duration // after the beginning of the staged time
	params  func(now time.Time) params
	faults  []sampleFault
	deeds   []deed

	// Of a story, for the guide. What simply completed has none.
	title, text, try string
}

// samples are those of the last hours: stories first.
func samples() []sample { return append(slices.Clone(stories), routine...) }

// params are those of an intent, as JSON.
type params map[string]any

// owner is the account of the sample.
func (s sample) owner() string {
	if s.account == "" {
		return acme
	}
	return s.account
}

// id is the intent's id in an installation.
func (s sample) id(installation string) string {
	return model.IntentID(installation, s.owner(), s.kind, s.key)
}

// body is what is posted; a story is labelled in its memo.
func (s sample) body(now time.Time) (json.RawMessage, error) {
	p := s.params(now)
	if s.title != "" {
		p["memo"] = "Story: " + s.title
	}
	return json.Marshal(p)
}

// sampleFault is a fault that the sandbox is told to have with one step.
type sampleFault struct {
	step, operation, name string
	times                 int
	lasts                 time.Duration
	after                 time.Duration // armed so long after the sample is posted
}

// deed is what a person does about a sample some time after it was posted.
type deed struct {
	after  time.Duration
	who    string // address
	action string // one of the five, or approve, reject, take
	step   string
	reason string
}

// Deeds beside the five actions: signing or rejecting whatever request is open
// about the intent, and becoming its owner.
const (
	approve = "approve"
	reject  = "reject"
	take    = "take"
)

// often is more than any step is sent or looked for while samples are made.
const often = 1000

// quiet holds webhooks back, so that a story keeps until a person acts on it.
func quiet(step, operation string) sampleFault {
	return sampleFault{step, operation, "webhook_late", often, 30 * 24 * time.Hour, 0}
}

// silent makes every look-up of a step fail while samples are made.
func silent(step, lookup string) sampleFault {
	return sampleFault{step, lookup, "500_before", often, 0, 0}
}

// payout gives the params of a payout for last month.
func payout(name, reference string, amount int64, currency string) func(time.Time) params {
	return func(now time.Time) params {
		return params{"amount": amount, "currency": currency, "period": lastMonth(now).Format("2006-01"),
			"payee": params{"reference": reference, "name": name, "destination": "acct_" + strings.ReplaceAll(reference, "-", "_"),
				"email": reference + "@example.com"}}
	}
}

// line is one line of a sample statement.
type line struct {
	reference, description string
	amount                 int64
}

// statement gives the params of a statement for last month.
func statement(name, reference, currency, zone string, lines ...line) func(time.Time) params {
	return func(now time.Time) params {
		list := make([]params, len(lines))
		for i, l := range lines {
			list[i] = params{"reference": l.reference, "description": l.description, "amount": l.amount}
		}
		from := lastMonth(now)
		return params{"currency": currency, "lines": list,
			"rep":    params{"reference": reference, "name": name, "email": reference + "@example.com"},
			"period": params{"from": from.Format(time.DateOnly), "to": from.AddDate(0, 1, 0).Format(time.DateOnly), "zone": zone}}
	}
}

// dispute gives the params of an answer to a chargeback, due in twelve days.
func dispute(id, response string, amount int64, currency string, more params) func(time.Time) params {
	return func(now time.Time) params {
		p := params{"dispute": id, "charge": "ch_" + id, "amount": amount, "currency": currency, "reason": "product_not_received",
			"response": response, "due_by": now.UTC().Truncate(24*time.Hour).AddDate(0, 0, 12).Format(time.RFC3339),
			"evidence": []params{{"type": "shipping", "text": "Delivered and signed for; tracking number 1Z 999 AA1 01 2345 6784."}}}
		for name, value := range more {
			p[name] = value
		}
		return p
	}
}

func lastMonth(now time.Time) time.Time {
	now = now.UTC()
	return time.Date(now.Year(), now.Month()-1, 1, 0, 0, 0, 0, time.UTC)
}
