package templates

import "countersign/internal/model"

// QueueView is the list of work, filtered and in one order.
type QueueView struct {
	Page    Page
	Heading string // "Queue"
	Summary Text   // "14 intents of acme need an operator, 2 are yours"
	Sums    Sums
	Filter  QueueFilter
	Matched string // "14 match", "10,000+ match"
	Orders  []Choice
	Views   []Choice // ready-made filters as links: mine, unowned
	Rows    []QueueRow
	Prev    string // path and query of the neighbouring pages; "" for none
	Next    string
	Empty   *EmptyView  // shown in place of an empty list
	Failed  *FailedView // shown in place of a list that could not be read
}

// Sums is the ledger line of what is uncertain now, one column per currency.
// Currencies are never added up.
type Sums struct {
	Heading string // "Uncertain now"
	Href    string // where the heading leads; "" for nowhere
	Figure  string // "7 effects"; with Calm: "Nothing"
	Note    Text   // "oldest 2 d 15 h, since …"
	Calm    bool   // nothing is uncertain
	Columns []SumColumn
}

// SumColumn is the uncertain money of one currency.
type SumColumn struct {
	Money model.Money
	Note  Text // "2 effects · oldest 2 d 15 h"
}

// QueueFilter is the filter form as it was sent, wrong values kept. The form's
// field names are kind, state, account, currency, min, before, owner; q and
// sort travel as hidden fields.
type QueueFilter struct {
	Query      string
	Sort       string
	Kinds      []Choice // Value and Label; Current is the one chosen
	States     []Choice
	Accounts   []Choice
	Currencies []Choice
	Owners     []Choice
	Min        string      // amount from, in major units, as typed
	Before     string      // stuck before, a date in the viewer's zone: 2026-11-30
	Errors     FieldErrors // Field: min, before
	Active     bool        // something is filtered: offer to clear it
}

// QueueRow is one intent of the list.
type QueueRow struct {
	Href     string
	Who      string // payee, rep or other party: the row's name
	What     string // "Payout", "Dispute dp_31"
	ID       string
	Money    *model.Money // at stake; nil: no money
	State    State        // of the step or intent that is stuck
	Stuck    Text         // "create-payout · needs review"
	Since    Time
	Proposed Text
	Why      Text   // second line of Proposed
	Owner    string // "" for nobody
	Until    Text   // second line of Owner
	Mine     bool
}

// EmptyView says why a list is empty, and that it was read.
type EmptyView struct {
	Title string
	Text  Text
	Facts []Fact
}
