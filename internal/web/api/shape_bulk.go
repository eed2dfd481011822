package api

import (
	"countersign/internal/actions"
	"countersign/internal/model"
)

// BulkPreview is one action on a frozen list of intents.
type BulkPreview struct {
	ID          string     `json:"id"`
	Action      string     `json:"action" enum:"retry_unfinished,reconcile,abandon"`
	Account     string     `json:"account"`
	State       string     `json:"state" enum:"previewed,open,running,done,rejected,withdrawn,dismissed,expired" doc:"open waits for another person; running has items without a result."`
	Digest      string     `json:"digest" doc:"Seals all plans in their order; a confirmation and a decision name it."`
	People      int        `json:"people" enum:"1,2" doc:"2 where any item takes another person."`
	ExpiresAt   *string    `json:"expires_at" format:"date-time" doc:"Of the preview; of the request while it is open."`
	RequestedBy string     `json:"requested_by"`
	Reason      *string    `json:"reason" doc:"Null until it is confirmed."`
	Decisions   []Decision `json:"decisions" nullable:"false"`
	Included    int        `json:"included" doc:"How many items have a plan."`
	Left        int        `json:"left" doc:"How many of them have no result yet."`
	Sums        []BulkSum  `json:"sums" nullable:"false" doc:"The money that the list acts on, by currency."`
	Audit       *string    `json:"audit" doc:"Id of the confirmation's audit entry."`
	Items       []BulkItem `json:"items" nullable:"false"`
	Elsewhere   []string   `json:"elsewhere,omitempty" nullable:"false" doc:"Only where the list is made, and only if there are some: intents that are not in it, since they are of another account of yours."`
}

// BulkRequest is a list that another person was asked to sign.
type BulkRequest struct {
	ID          string    `json:"id"`
	Action      string    `json:"action" enum:"retry_unfinished,reconcile,abandon"`
	Account     string    `json:"account"`
	State       string    `json:"state" enum:"open,running,done,rejected,withdrawn,dismissed,expired"`
	Digest      string    `json:"digest"`
	RequestedBy string    `json:"requested_by"`
	Reason      string    `json:"reason"`
	Included    int       `json:"included" doc:"How many items have a plan."`
	Sums        []BulkSum `json:"sums" nullable:"false"`
	ExpiresAt   *string   `json:"expires_at" format:"date-time"`
}

// BulkSum is the money of a list in one currency, in minor units.
type BulkSum struct {
	Currency string `json:"currency"`
	Items    int    `json:"items"`
	Amount   int64  `json:"amount"`
	Twice    int64  `json:"twice" doc:"Of it, what may have been paid already."`
}

// BulkItem is one intent of a list.
type BulkItem struct {
	Intent  string      `json:"intent"`
	Allowed bool        `json:"allowed" doc:"False is excluded: nothing is planned and nothing is done."`
	Rule    string      `json:"rule"`
	Because string      `json:"because"`
	Step    *string     `json:"step"`
	People  int         `json:"people" enum:"0,1,2" doc:"0 where it is excluded."`
	Preview *string     `json:"preview" doc:"Id of the item's own preview."`
	Digest  *string     `json:"digest" doc:"Of the item's own plan."`
	Plan    *BulkPlan   `json:"plan"`
	Result  *BulkResult `json:"result" doc:"Null until the item is reached."`
}

// BulkPlan is an item's plan, null where it is excluded.
type BulkPlan struct {
	_ struct{} `nullable:"true"`
	Plan
}

// BulkResult is what became of an item.
type BulkResult struct {
	_       struct{} `nullable:"true"`
	Outcome string   `json:"outcome" enum:"executed,stale,refused,denied,failed" doc:"Of the plan. Only executed did anything; what that came to is became."`
	Became  *string  `json:"became" enum:"ordered,under_way,confirmed,settling,outcome_unknown,failed_safely,pending,not_needed,abandoned" doc:"Of an executed item: what it has come to by now, as far as is known. ordered is not carried out by the engine yet; outcome_unknown may or may not have happened. Null where nothing was done."`
	Because *string  `json:"because" doc:"Why it was not done."`
	Attempt *int     `json:"attempt" doc:"Number of the one attempt that was ordered."`
	Audit   *string  `json:"audit" doc:"Id of the audit entry."`
	At      *string  `json:"at" format:"date-time"`
}

func bulkOf(l actions.List, plans map[string]actions.Preview) BulkPreview {
	shape := BulkPreview{ID: l.ID, Action: l.Action, Account: l.Account, State: string(l.Standing(l.Now)), Digest: l.Digest, People: l.People,
		ExpiresAt: moment(l.ExpiresAt), RequestedBy: l.ActorName, Reason: text(l.Reason), Decisions: []Decision{}, Included: l.Planned, Left: l.Left(),
		Sums: sumsOf(l.Bulk), Audit: text(l.Entry), Items: []BulkItem{}}
	for _, d := range l.Decisions {
		shape.Decisions = append(shape.Decisions, Decision{By: d.Name, At: moment(d.At), Says: d.Says, Reason: d.Reason})
	}
	for _, item := range l.Items {
		shape.Items = append(shape.Items, bulkItemOf(l, item, plans))
	}
	return shape
}

func bulkItemOf(l actions.List, item model.BulkItem, plans map[string]actions.Preview) BulkItem {
	shape := BulkItem{Intent: item.IntentID, Allowed: item.Included(), Rule: item.Rule, Because: item.Because, Step: text(item.Step), Preview: text(item.PreviewID)}
	if p, ok := plans[item.PreviewID]; ok {
		shape.People, shape.Digest, shape.Plan = p.People, text(p.Digest), &BulkPlan{Plan: planOf(p.Plan)}
	}
	if item.Outcome != model.ItemWaiting {
		shape.Result = &BulkResult{Outcome: string(item.Outcome), Because: text(item.Said), Audit: text(item.Entry), At: moment(item.At)}
		if item.Outcome == model.ItemExecuted {
			shape.Result.Became = text(string(l.Stands[item.Position].Became()))
		}
		if item.Attempt > 0 {
			shape.Result.Attempt = &item.Attempt
		}
	}
	return shape
}

func sumsOf(b model.Bulk) []BulkSum {
	sums := []BulkSum{}
	for _, s := range b.Sums() {
		sums = append(sums, BulkSum{s.Currency, s.Items, s.Amount, s.Twice})
	}
	return sums
}

func bulkRequestOf(b model.Bulk, now model.Time) BulkRequest {
	return BulkRequest{ID: b.ID, Action: b.Action, Account: b.Account, State: string(b.Standing(now)), Digest: b.Digest, RequestedBy: b.ActorName,
		Reason: b.Reason, Included: b.Planned, Sums: sumsOf(b), ExpiresAt: moment(b.ExpiresAt)}
}
