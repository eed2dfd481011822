package web

import (
	"strings"
	"time"

	"countersign/internal/actions"
	"countersign/internal/audit"
	"countersign/internal/authz"
	"countersign/internal/model"
	"countersign/internal/store"
	"countersign/web/templates"
)

// shownRequests is how many requests stand above the list; the inbox has the rest.
const shownRequests = 10

// deadlineSoon is how near a deadline is named before it passes.
const deadlineSoon = 4 * time.Hour

// needs is what is read for the block of what needs the viewer: of an auditor the
// newest acts and the state of the log, of whoever looks after the installation
// its upkeep.
type needs struct {
	orphans  actions.OrphanPage  // what they may settle
	requests actions.RequestPage // what they may sign
	upkeep   store.Upkeep
	acts     []audit.Item // the newest of people
	refusals []audit.Item // and the newest that were refused or denied
	contra   []model.Intent
	root     audit.Checkpoint
	rooted   bool
	waiting  audit.Backlog
}

// shownActs is how many acts and refusals, and contradictions, an auditor is
// named.
const shownActs = 3

func (n *needs) read(tx *store.Tx, v *visit) error {
	audits, runs := v.is(model.RoleAuditor), v.is(model.RoleAdministrator)
	accounts := v.actor.Accounts()
	var parts []func() error
	if audits || runs {
		parts = append(parts, func() (err error) { n.upkeep, err = tx.Upkeep(accounts, v.now().Add(-v.Timing.Lease)); return err })
	}
	if len(v.permitted(authz.SettleOrphans)) > 0 {
		parts = append(parts, func() (err error) {
			n.orphans, err = actions.OrphansIn(tx, v.actor, actions.OrphanQuery{Limit: 1})
			return err
		})
	}
	if len(v.permitted(authz.Decide)) > 0 {
		yours := actions.ApprovalQuery{Yours: true, Limit: shownRequests}
		parts = append(parts, func() (err error) { n.requests, err = actions.RequestsIn(tx, v.actor, yours); return err })
	}
	if audits {
		acts := audit.Filter{Accounts: audit.Of(v.permitted(authz.ReadAudit)...), Show: audit.ByPeople, Newest: true, Limit: shownActs}
		refusals := acts
		refusals.Show = audit.Refusals
		parts = append(parts, func() (err error) { n.contra, err = tx.Contradicted(accounts, shownActs); return err },
			func() (err error) { n.acts, err = v.Log.List(tx, acts); return err },
			func() (err error) { n.refusals, err = v.Log.List(tx, refusals); return err },
			func() (err error) { n.root, n.rooted, err = audit.LatestCheckpoint(tx); return err },
			func() (err error) { n.waiting, err = v.Log.WaitingIn(tx); return err })
	}
	return tx.Together(parts...)
}

// is reports whether the viewer has a role in any account.
func (v *visit) is(role model.Role) bool {
	for _, roles := range v.actor.Roles {
		if hasRole(roles, role) {
			return true
		}
	}
	return false
}

// forYou fills in what needs the viewer before everything else, by role.
func (v *visit) forYou(view *templates.QueueView, d queueData) {
	block := &templates.Needs{}
	if len(v.permitted(authz.TakeOwnership)) > 0 {
		block.Lines = append(block.Lines, v.forOperators(d.tally)...)
	}
	if len(v.permitted(authz.SettleOrphans)) > 0 {
		block.Lines = append(block.Lines, v.forSettling(d.needs.orphans)...)
	}
	if v.is(model.RoleAdministrator) {
		block.Lines = append(block.Lines, v.forAdministrators(d.needs.upkeep)...)
	}
	signing := v.forSigning(d.needs.requests)
	if v.is(model.RoleAuditor) {
		block.Lines = append(block.Lines, v.forAuditors(d.needs)...)
	}
	view.Signing, view.Needs = signing, block
	switch n := len(block.Lines); {
	case n > 0 && v.is(model.RoleAuditor):
		block.Title = "What to look at first"
	case n > 0:
		block.Title = "What needs you"
	case signing != nil && len(signing.Rows) > 0:
		view.Needs = nil
	default:
		block.Title = "Nothing needs you"
	}
}

// forOperators is what one's own deadlines and the decisions that nobody has
// taken ask for.
func (v *visit) forOperators(t store.Tally) (lines []templates.Line) {
	line := func(n int, href, one, many, sub string) {
		if n == 0 {
			return
		}
		words := grouped(int64(n)) + " " + many
		if n == 1 {
			words = "1 " + one
		}
		lines = append(lines, templates.Line{State: "needs_review", Text: say(templates.Link(href, words)), Sub: say(sub)})
	}
	line(t.MinePast, "/?owner=me&due="+duePast, "that you took is past its deadline", "that you took are past their deadline", "")
	line(t.MineSoon, "/?owner=me&due="+dueSoon, "that you took is to be decided within 4 hours", "that you took are to be decided within 4 hours", "")
	line(t.Past-t.MinePast, "/?due="+duePast, "past its deadline that others took, or nobody", "past their deadline that others took, or nobody", "")
	line(t.Unowned, "/?due="+dueAny+"&owner="+store.Nobody, "proposes a decision, and nobody has taken it", "propose a decision, and nobody has taken them", "")
	return lines
}

// forSettling counts what stands on one side only and the viewer may settle.
func (v *visit) forSettling(page actions.OrphanPage) []templates.Line {
	if page.Count == 0 {
		return nil
	}
	n := store.Counted{N: page.Count, Capped: page.CountCapped}
	words := count(n) + " orphans"
	if page.Count == 1 {
		words = "1 orphan"
	}
	return []templates.Line{{State: "needs_review", Text: say(templates.Link("/orphans", words), ": on one side only, here or at a provider")}}
}

// forAdministrators is what keeps the installation from doing its work.
func (v *visit) forAdministrators(u store.Upkeep) (lines []templates.Line) {
	add := func(parts ...any) { lines = append(lines, templates.Line{State: "needs_review", Text: say(parts...)}) }
	if v.hold.On() {
		add(templates.Link("/admin/hold", "A restore hold"), ": nothing is sent until two administrators lift it")
	}
	switch {
	case u.Running == 0:
		add(templates.Link("/workers", "No process with workers runs"), ": intents are accepted, and nothing is sent")
	case u.Silent > 0:
		add(templates.Link("/workers", counted(u.Silent, "process")), " not seen for longer than a lease, and not known to be dead")
	}
	if u.Undelivered > 0 {
		add(templates.Link("/admin/alerts", counted(u.Undelivered, "alert")), " could not be delivered")
	}
	return lines
}

// forAuditors is what somebody who believes nothing would open first.
func (v *visit) forAuditors(n needs) (lines []templates.Line) {
	lines = append(lines, v.stateOfLog(n))
	if n.upkeep.Conflicts > 0 {
		text := say(counted(n.upkeep.Conflicts, "open contradiction"), ": ")
		for i, row := range n.contra {
			if i > 0 {
				text = say(text, ", ")
			}
			text = say(text, templates.LinkText("/intents/"+row.ID, templates.Name(row.Who())))
		}
		lines = append(lines, templates.Line{State: "needs_review", Text: text})
	}
	lines = append(lines, v.actLines("Newest acts of people", audit.ByPeople, "All that people did", n.acts)...)
	return append(lines, v.actLines("Newest refused or denied", audit.Refusals, "All that was refused or denied", n.refusals)...)
}

// actLines names the first of what the log shows; none is no line.
func (v *visit) actLines(title string, show audit.Show, all string, items []audit.Item) []templates.Line {
	if len(items) == 0 {
		return nil
	}
	text := say(title, ": ")
	for i, item := range items {
		if i > 0 {
			text = say(text, "; ")
		}
		text = say(text, templates.Link(v.auditRow(item).Href, words(strings.TrimPrefix(item.Event, "action."))), " by ", templates.Name(item.Actor.Name), ", ", templates.Ago(v.at(item.At)))
	}
	return []templates.Line{{Text: say(text, ". ", templates.Link(auditQuery{show: string(show)}.address("/audit"), all))}}
}

// stateOfLog says how much of the log is protected, and since when.
func (v *visit) stateOfLog(n needs) templates.Line {
	if err := v.Log.Trouble().Err(); err != nil {
		return templates.Line{State: "failed_safely", Text: say(templates.Link("/audit", "The log has trouble"), ": ", err.Error())}
	}
	if !n.rooted {
		return templates.Line{State: "pending", Text: say(templates.Link("/audit", "The log"), " has no root yet: nothing in it is protected against removal")}
	}
	text := say(templates.Link("/audit", "The log"), ": ", grouped(n.root.Size), " entries under a root of ", v.at(n.root.At), ", ", templates.Ago(v.at(n.root.At)))
	if n.waiting.Count > 0 {
		text = say(text, "; ", grouped(n.waiting.Count), " wait for their number")
	}
	return templates.Line{State: "confirmed", Text: text}
}

// forSigning lists the open requests that the viewer may sign, the soonest ending
// first: what needs an approver comes before what needs an operator; nil for who
// never signs.
func (v *visit) forSigning(list actions.RequestPage) *templates.Signing {
	if len(v.permitted(authz.Decide)) == 0 {
		return nil
	}
	s := &templates.Signing{Rows: v.requestRows(list), Title: "Nothing waits for your signature"}
	if list.Count.N > 0 {
		s.Title = requestCount(list.Count) + " for you to sign"
	}
	switch {
	case list.Count.N > len(s.Rows):
		s.More = say(templates.Link("/approvals", "All "+requestCount(list.Count)+" for you"))
	case v.counts.Approvals.N > len(s.Rows):
		s.More = say(templates.Link("/approvals?state=open", "All "+requestCount(v.counts.Approvals)+" open"))
	}
	return s
}

// summary says how much work there is, the viewer's own part first.
func (v *visit) summary(d queueData) templates.Text {
	text := say(count(store.Counted{N: d.tally.Open, Capped: d.tally.Capped}), " open")
	if d.tally.Open == 0 {
		text = say("Nothing is open")
	}
	if len(v.permitted(authz.TakeOwnership)) > 0 {
		text = say(text, ", ", grouped(int64(d.tally.Mine)), " taken by you")
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
