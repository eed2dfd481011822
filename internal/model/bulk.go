package model

import (
	"encoding/json"
	"slices"
	"strings"
)

// BulkState says where one action on a list of intents stands.
type BulkState string

// The states of a list. Only a confirmation leads out of the first.
const (
	BulkPreviewed BulkState = "previewed"
	BulkOpen      BulkState = "open"    // another person is asked
	BulkRunning   BulkState = "running" // its items are carried out, one after the other
	BulkDone      BulkState = "done"    // every item has a result
	BulkRejected  BulkState = "rejected"
	BulkWithdrawn BulkState = "withdrawn"
	BulkDismissed BulkState = "dismissed" // who asked may not ask any more
	BulkExpired   BulkState = "expired"
)

// Bulk is one action on a frozen list of intents. Its digest seals the digests
// of all items' plans in their order.
type Bulk struct {
	ID            string    `db:"id"`
	Account       string    `db:"account"`
	Actor         string    `db:"actor"` // person id
	ActorName     string    `db:"actor_name"`
	Action        string    `db:"action"`
	BankFile      string    `db:"bank_file"` // id of the bank's file that it was made of; "" for none
	Digest        string    `db:"digest"`
	People        int       `db:"people"`   // 1, or 2 where any item takes another person
	Planned       int       `db:"planned"`  // items with a plan
	Money         []byte    `db:"sums"`     // of them, as Sums gives it
	Answering     string    `db:"creators"` // as Creators gives it
	State         BulkState `db:"state"`
	CreatedAt     Time      `db:"created_at"`
	ExpiresAt     Time      `db:"expires_at"` // of the preview; of the request once people are asked
	UsedAt        Time      `db:"used_at"`    // when it was confirmed; 0 until then
	UsedWith      string    `db:"used_with"`  // digest of the confirmation's contents
	Reason        string    `db:"reason"`
	Entry         string    `db:"entry"` // id of the confirmation's audit entry
	ClosedAt      Time      `db:"closed_at"`
	ClosedBecause string    `db:"closed_because"`

	Items     []BulkItem         `db:"-"`
	Decisions []ApprovalDecision `db:"-"` // without receipts; their ApprovalID is the list's id
}

// BulkOutcome is what became of one item.
type BulkOutcome string

// The outcomes of an item; "" is one that was not reached yet. Only the first
// one did anything.
const (
	ItemWaiting  BulkOutcome = ""
	ItemExecuted BulkOutcome = "executed"
	ItemStale    BulkOutcome = "stale"   // the intent moved since the preview
	ItemRefused  BulkOutcome = "refused" // a send was in flight, or the plan was used already
	ItemDenied   BulkOutcome = "denied"  // a right is gone
	ItemFailed   BulkOutcome = "failed"  // a fault of ours; nothing was done
)

// BulkOutcomes lists the outcomes of items that were reached.
var BulkOutcomes = []BulkOutcome{ItemExecuted, ItemStale, ItemRefused, ItemDenied, ItemFailed}

// BulkItem is one intent of a list: with a sealed plan, or excluded.
type BulkItem struct {
	BulkID    string      `db:"bulk_id"`
	Position  int         `db:"position"` // from 1 on
	IntentID  string      `db:"intent_id"`
	PreviewID string      `db:"preview_id"` // "" is excluded
	Rule      string      `db:"rule"`       // that allowed or excluded it
	Because   string      `db:"because"`
	Step      string      `db:"step"` // name of the step that is acted on, or ""
	Amount    int64       `db:"amount"`
	Currency  string      `db:"currency"`
	Twice     bool        `db:"twice"` // it may have happened already: a second payment could follow
	Outcome   BulkOutcome `db:"outcome"`
	Said      string      `db:"said"`    // why it was not done
	Attempt   int         `db:"attempt"` // number of the one attempt that was ordered; 0 for none
	Entry     string      `db:"entry"`   // id of the audit entry
	At        Time        `db:"at"`
}

// Included reports whether the item has a plan that is to be carried out.
func (i *BulkItem) Included() bool { return i.PreviewID != "" }

// Left is how many of the planned items have no result yet. The items must be
// loaded.
func (b *Bulk) Left() (left int) {
	for i := range b.Items {
		if item := &b.Items[i]; item.Included() && item.Outcome == ItemWaiting {
			left++
		}
	}
	return left
}

// Requested reports whether another person was ever asked to sign the list.
func (b *Bulk) Requested() bool { return b.People > 1 && b.UsedAt != 0 }

// Standing is the state at a moment: a request whose time is over is expired,
// before anybody wrote that down.
func (b *Bulk) Standing(now Time) BulkState {
	if b.State == BulkOpen && now >= b.ExpiresAt {
		return BulkExpired
	}
	return b.State
}

// BulkSum is the money of a list in one currency.
type BulkSum struct {
	Currency string
	Amount   int64 // minor units
	Items    int
	Twice    int64 // of the amount, what could be paid twice
	Doubt    int   // how many items that is
}

// Freeze keeps with the list what its items come to and who answers for their
// intents, by person id: neither changes any more.
func (b *Bulk) Freeze(creators []string) {
	b.Planned, b.Answering = 0, strings.Join(slices.Compact(slices.Sorted(slices.Values(creators))), ",")
	for _, item := range b.Items {
		if item.Included() {
			b.Planned++
		}
	}
	b.Money = encode(b.SumsOf(func(BulkItem) bool { return true }))
}

// SumsOf is the money of those planned items that are chosen, by currency in the
// order of the list. The items must be loaded.
func (b *Bulk) SumsOf(chosen func(BulkItem) bool) []BulkSum {
	sums, at := []BulkSum{}, map[string]int{}
	for _, item := range b.Items {
		if !item.Included() || item.Currency == "" || !chosen(item) {
			continue
		}
		n, known := at[item.Currency]
		if !known {
			n = len(sums)
			at[item.Currency] = n
			sums = append(sums, BulkSum{Currency: item.Currency})
		}
		sums[n].add(item)
	}
	return sums
}

func (s *BulkSum) add(item BulkItem) {
	s.Amount += item.Amount
	s.Items++
	if item.Twice {
		s.Twice += item.Amount
		s.Doubt++
	}
}

// Sums is the money that the list acts on, by currency in the order of the list;
// currencies are never added to each other. Items without money count in none.
func (b *Bulk) Sums() (sums []BulkSum) {
	_ = json.Unmarshal(b.Money, &sums) // ours, by Freeze
	return sums
}

// Creators are the people who answer for the intents of the list.
func (b *Bulk) Creators() []string {
	if b.Answering == "" {
		return nil
	}
	return strings.Split(b.Answering, ",")
}

// Selection is what a person has ticked in the queue, over its pages.
type Selection struct {
	ID      string
	Intents []string // in the order of ticking
	Pages   int      // how many pages of a list they were ticked on
}
