package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"

	"countersign/internal/actions"
	"countersign/internal/authz"
	"countersign/internal/model"
	"countersign/internal/store"
	"countersign/web/templates"
)

// approvalStates are what the inbox can be filtered by.
var approvalStates = []model.ApprovalState{model.ApprovalOpen, model.ApprovalExecuted, model.ApprovalRejected, model.ApprovalWithdrawn,
	model.ApprovalDismissed, model.ApprovalExpired}

// Lists of the inbox that are of no state: the requests of every one, and those
// that the viewer may sign, with which it opens for who signs.
const (
	anyApproval   = "all"
	yoursApproval = "yours"
)

// approvals is the inbox of requests.
func (v *visit) approvals() error {
	state := v.c.QueryParam("state")
	if state == "" {
		state = string(model.ApprovalOpen)
		if len(v.permitted(authz.Decide)) > 0 {
			state = yoursApproval
		}
	}
	if state != anyApproval && state != yoursApproval && !slices.Contains(approvalStates, model.ApprovalState(state)) {
		return model.Errorf(model.Invalid, "invalid-params", "There is no such state of a request.").WithFields(model.Field{Location: "state", Message: "is none of those offered"})
	}
	query := actions.ApprovalQuery{State: state, Yours: state == yoursApproval, Cursor: v.c.QueryParam("cursor"), Limit: rowsPerPage}
	if state == anyApproval {
		query.State = ""
	}
	list, err := v.Runner.Requests(v.r.Context(), v.actor, query)
	if err != nil {
		return err
	}
	return v.show(http.StatusOK, templates.Approvals(v.approvalsView(state, list)))
}

// requestCount counts requests: "1 request", "14 requests".
func requestCount(n store.Counted) string {
	if n.N == 1 {
		return "1 request"
	}
	return count(n) + " requests"
}

func (v *visit) approvalsView(state string, list actions.RequestPage) templates.ApprovalsView {
	view := templates.ApprovalsView{Page: v.titled("Approvals"), Caption: "Requests, newest first", Matched: requestCount(list.Count)}
	if len(v.permitted(authz.Decide)) > 0 {
		view.States = append(view.States, templates.Choice{Href: "/approvals?state=" + yoursApproval, Label: "for you to sign", Current: state == yoursApproval})
	}
	for _, s := range append(slices.Clone(approvalStates), anyApproval) {
		view.States = append(view.States, templates.Choice{Href: "/approvals?state=" + string(s), Label: words(string(s)), Current: string(s) == state})
	}
	view.Rows = v.requestRows(list)
	mine := 0
	for _, row := range view.Rows {
		if row.Yours {
			mine++
		}
	}
	view.Summary = say(fmt.Sprintf("%d of those shown for you to decide", mine))
	if state == yoursApproval {
		view.Caption = "Requests for you to sign, the soonest ending first"
	}
	switch {
	case len(view.Rows) > 0:
	case state == yoursApproval:
		view.Empty = &templates.EmptyView{Title: "Nothing waits for your signature", Text: say("What you asked for, answer for or have decided is signed by others. ", templates.Link("/approvals?state=open", "Show all open requests"))}
	default:
		view.Empty = &templates.EmptyView{Title: "No request is " + words(state), Text: say("Nothing is hidden: these are all the requests of your accounts. ", templates.Link("/approvals?state=all", "Show requests of every state"))}
	}
	if list.NextCursor != nil {
		view.Next = "/approvals?state=" + state + "&cursor=" + url.QueryEscape(*list.NextCursor)
	}
	if v.c.QueryParam("cursor") != "" {
		view.Prev = "/approvals?state=" + state
	}
	return view
}

// asks are the acts of requests, as their titles begin.
var asks = map[string]string{model.ApproveIntent: "Approve", model.RetryUnfinished: "Try again", model.Reconcile: "Ask about",
	model.MarkExternalResult: "Record the outcome of", model.Compensate: "Undo", model.Abandon: "Abandon"}

// asksFor says what a request asks for, by its sealed plan: an undo that takes
// no money back at a provider must not read like one that does, and a mark names
// the money that it records, or says that there was none.
func asksFor(action string, plan model.Plan, input json.RawMessage, i model.Intent) templates.Text {
	what := say(" the ", i.Kind)
	if m, ok := recorded(action, input, i); ok {
		return say(asks[action], what, " to ", templates.Name(i.Who()), ": ", m, askedBeside(i))
	}
	if m, ok := i.Money(); ok {
		what = say(what, " of ", m)
	}
	what = say(what, " to ", templates.Name(i.Who()))
	if action == model.MarkExternalResult && statedIn(input).Result == markNothing {
		return say("Record", what, " as not happened")
	}
	if action == model.Compensate && !takesBack(plan) {
		return say("Undo what our own records say of", what, "; no money moves at a provider")
	}
	return say(asks[action], what)
}

// recorded is the money of which a mark says that it moved, where that is another sum
// than the intent's.
func recorded(action string, input json.RawMessage, i model.Intent) (m model.Money, other bool) {
	in := statedIn(input)
	m = model.Money{Amount: in.Amount, Currency: i.Currency}
	return m, action == model.MarkExternalResult && in.Result == markHappened && in.Amount != 0 && i.Currency != "" && in.Amount != i.Amount
}

// askedBeside names what was asked for; of a dispute that is a step's to say.
func askedBeside(i model.Intent) templates.Text {
	if i.Kind == model.KindDispute {
		return nil
	}
	return say(", ", model.Money{Amount: i.Amount, Currency: i.Currency}, " asked")
}

// takesBack reports whether a plan calls a provider for more than a message.
func takesBack(plan model.Plan) bool {
	return slices.ContainsFunc(plan.Calls, func(c model.PlannedCall) bool { return movesMoney(c.Class) })
}

// movesMoney reports whether a step of a class acts at a provider.
func movesMoney(class model.Class) bool { return class == model.Keyed || class == model.Unkeyed }

func (v *visit) approvalRow(a actions.Approval, i model.Intent) templates.ApprovalRow {
	var plan model.Plan
	_ = json.Unmarshal(a.Stored.Plan, &plan) // stored by the runner; what cannot be read is shown as one without calls
	row := templates.ApprovalRow{Href: "/approvals/" + a.ID, Title: asksFor(a.Action, plan, a.Stored.Input, i), Sub: say(templates.Key(a.Intent)), Money: money(i.Amount, i.Currency),
		By: a.RequestedBy, At: v.at(a.Stored.CreatedAt), Outcome: templates.Outcome(a.State), Ends: v.at(a.ExpiresAt)}
	if a.Action == model.Compensate && !takesBack(plan) {
		row.Money = nil
	}
	if m, ok := recorded(a.Action, a.Stored.Input, i); ok {
		row.Money = &m
	}
	row.Note = alikeRow(a.Beside)
	stake := exposure{currency: i.Currency, confirmed: i.Confirmed, transit: a.Beside.Transit, uncertain: i.Uncertain - a.Beside.Transit}
	row.Stake = stake.line()
	row.Why, row.WhyRule = v.whyAsked(a.Stored, i)
	if a.Stored.State != model.ApprovalOpen {
		row.Ends = v.at(a.Stored.ClosedAt)
		row.How = endedRow(a.Stored)
		return row
	}
	row.Yours = authz.MayApprove(v.actor, requestOf(a.Stored, i.Creator)).Allowed
	row.How = say(fmt.Sprintf("%d of %d signed", len(a.Decisions), a.Needed))
	return row
}

// endedRow says in a row how a request ended: in whose words, or why by itself.
func endedRow(a model.Approval) templates.Text {
	if d := lastWord(a.Decisions); d != nil {
		return say("by ", templates.Name(d.Name), ": ", templates.Name(a.ClosedBecause))
	}
	return say(a.ClosedBecause)
}

// requestOf is what matters about a request for who may decide it.
func requestOf(a model.Approval, creator string) authz.Request {
	return authz.Request{Account: a.Account, Requester: a.RequestedBy, Creator: creator, Decisions: a.Decisions}
}
