package web

import (
	"fmt"

	"countersign/internal/actions"
	"countersign/internal/authz"
	"countersign/internal/model"
	"countersign/internal/store"
	"countersign/web/templates"
)

// shownRequests is how many requests stand above the list; the inbox has the rest.
const shownRequests = 10

// forSigning lists the open requests that the viewer may sign: what needs an
// approver comes before what needs an operator.
func (v *visit) forSigning() (*templates.Signing, error) {
	if len(v.permitted(authz.Decide)) == 0 {
		return nil, nil
	}
	query := actions.ApprovalQuery{State: string(model.ApprovalOpen), Limit: rowsPerPage}
	list, err := v.Runner.Approvals(v.r.Context(), v.actor, query)
	if err != nil {
		return nil, err
	}
	about, err := v.aboutIntents(list.Items)
	if err != nil {
		return nil, err
	}
	s := &templates.Signing{}
	for _, a := range list.Items {
		if row := v.approvalRow(a, about[a.Intent]); row.Yours && len(s.Rows) < shownRequests {
			s.Rows = append(s.Rows, row)
		}
	}
	s.Title = "Nothing waits for your signature"
	if n := len(s.Rows); n > 0 {
		s.Title = upper(counted(n, "request")) + " for you to sign"
	}
	if list.Count > len(s.Rows) {
		s.More = say(templates.Link("/approvals", fmt.Sprintf("All %s open", counted(list.Count, "request"))))
	}
	return s, nil
}

// summary says how much work there is, the viewer's own part first.
func (v *visit) summary(d queueData) templates.Text {
	text := say(count(d.open), " open")
	if d.open.N == 0 {
		text = say("Nothing is open")
	}
	if len(v.permitted(authz.TakeOwnership)) > 0 {
		text = say(text, ", ", count(d.mine), " taken by you")
	}
	if n := v.counts.Approvals; n.N > 0 && len(v.permitted(authz.Decide)) == 0 {
		verb := " requests wait for "
		if n.N == 1 {
			verb = " request waits for "
		}
		text = say(text, "; ", count(n), verb, templates.Link("/approvals", "approvers"))
	}
	return text
}

// matches says how many rows of a list match.
func matches(n store.Counted) string {
	if n.N == 1 {
		return "1 match"
	}
	return count(n) + " match"
}
