package moments

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"countersign/internal/actions"
	"countersign/internal/audit"
	"countersign/internal/model"
	"countersign/internal/store"
)

// invariant07 compares each preview with what was done under its name.
func (tr *truth) invariant07() (broken []string) {
	for _, p := range tr.previews {
		done := tr.confirmations(p)
		switch {
		case p.UsedAt == 0 && len(done) > 0:
			broken = append(broken, p.ID+" was carried out and is not used up")
		case p.UsedAt != 0 && len(done) != 1:
			broken = append(broken, fmt.Sprintf("%s was carried out %d times", p.ID, len(done)))
		case p.UsedAt != 0:
			broken = append(broken, tr.asPreviewed(p, done[0])...)
		}
	}
	return append(broken, tr.ordered()...)
}

// confirmations are the entries that say that a preview was confirmed.
func (tr *truth) confirmations(p store.Preview) []audit.Item {
	return slices.DeleteFunc(tr.about(p.IntentID, "action."+p.Action+"."), func(e audit.Item) bool {
		requested := strings.HasSuffix(e.Event, ".requested")
		own := strings.HasSuffix(e.Event, ".executed") && detail(e, "approval") == ""
		return e.Preview != p.ID || !requested && !own
	})
}

// detail is a text of an entry's detail, or "".
func detail(e audit.Item, name string) string {
	var all map[string]any
	if json.Unmarshal(e.Detail, &all) != nil {
		return ""
	}
	text, _ := all[name].(string)
	return text
}

// asPreviewed: the receipt, the entry and the attempt are those of the plan.
func (tr *truth) asPreviewed(p store.Preview, entry audit.Item) []string {
	var receipt actions.Receipt
	var plan model.Plan
	if json.Unmarshal(p.Receipt, &receipt) != nil || json.Unmarshal(p.Plan, &plan) != nil {
		return []string{p.ID + " has no receipt or plan that can be read"}
	}
	broken := differ("the entry that the receipt of "+p.ID+" names", receipt.Audit, entry.ID)
	broken = append(broken, differ("the digest that was confirmed under "+p.ID, detail(entry, "digest"), p.Digest)...)
	broken = append(broken, differ("who confirmed "+p.ID, entry.Actor.ID, p.Actor)...)
	if receipt.Attempt == nil || len(plan.Calls) == 0 || plan.Calls[0].BodySHA256 == "" {
		return broken
	}
	s := tr.byID[p.IntentID].Step(plan.Calls[0].Step)
	if s == nil || *receipt.Attempt > len(s.Attempts) {
		return broken // not made yet, or held back
	}
	a := &s.Attempts[*receipt.Attempt-1]
	if g := frozen(s, a.Generation); a.Trigger == model.ByOperator && g != nil {
		broken = append(broken, differ("the key sent under "+p.ID, a.WireKey, plan.Calls[0].WireKey)...)
		broken = append(broken, differ("the body sent under "+p.ID, hex.EncodeToString(g.BodySHA256), plan.Calls[0].BodySHA256)...)
	}
	return broken
}

// ordered: no attempt was made on a person's word without such a word.
func (tr *truth) ordered() (broken []string) {
	for _, c := range tr.cases {
		words, attempts := 0, 0
		for _, e := range tr.about(c.ID, "action."+model.RetryUnfinished+".executed") {
			if e.Intent == c.ID {
				words++
			}
		}
		for _, s := range c.Steps {
			for _, a := range s.Attempts {
				if a.Trigger == model.ByOperator {
					attempts++
				}
			}
		}
		if attempts > words {
			broken = append(broken, fmt.Sprintf("%d attempts of %s are a person's, and %d were ordered", attempts, c.ID, words))
		}
	}
	return broken
}

// invariant08 looks at every compensation, who stood behind it, and what it took back.
func (tr *truth) invariant08() (broken []string) {
	for _, c := range tr.cases {
		standing := map[string]int{}
		for _, k := range c.Compensations {
			if k.Standing() {
				standing[k.Step]++
			}
			if standing[k.Step] > 1 {
				broken = append(broken, "two compensations of "+c.ID+":"+k.Step+" stand")
			}
			if k.ChildID != "" {
				broken = append(broken, tr.byDifferentPeople(c, k)...)
			}
		}
	}
	return append(broken, tr.takenBackOnce()...)
}

func (tr *truth) byDifferentPeople(c *model.Case, k model.Compensation) []string {
	r := c.Request(k.ApprovalID)
	if r == nil || r.State != model.ApprovalExecuted || tr.byID[k.ChildID] == nil {
		return []string{"the compensation " + k.ID + " runs without an executed request or without its own intent"}
	}
	for _, d := range r.Decisions {
		if d.Says == "approve" && d.Person != r.RequestedBy && d.Person != c.Creator {
			return nil
		}
	}
	return []string{"nobody but its requester and the intent's creator approved the compensation " + k.ID}
}

// takenBackOnce: over all compensations of an intent, each effect is undone at
// most once, by our rows and by the books.
func (tr *truth) takenBackOnce() (broken []string) {
	undone := map[string]int{}
	count := func(parent, operation, where string) {
		if taken := model.TakesBack(operation); parent != "" && taken != "" {
			what := taken + " of " + parent + " was taken back twice " + where
			if undone[what]++; undone[what] == 2 {
				broken = append(broken, what)
			}
		}
	}
	tr.each(func(c *model.Case, s *model.Step) []string {
		if s.State == model.Confirmed {
			count(c.Parent, s.Operation, "by our own account")
		}
		return nil
	})
	for _, e := range tr.effects {
		if s, _ := tr.stepOf(e); s != nil && e.UndoneAt == nil && strings.HasSuffix(e.Operation, "_reversals") {
			count(tr.byID[s.IntentID].Parent, s.Operation, "by the provider's books")
		}
	}
	return broken
}

// invariant11 counts the entries of all that people did and were refused.
func (tr *truth) invariant11() (broken []string) {
	once := func(what string, n int) {
		broken = append(broken, differ("the number of entries of "+what, n, 1)...)
	}
	for _, c := range tr.cases {
		once("the acceptance of "+c.ID, len(tr.about(c.ID, "intent.accepted")))
		for _, r := range c.Requests {
			tr.decisions(c, r, once)
		}
	}
	for _, p := range tr.previews {
		if p.UsedAt != 0 {
			once("the confirmation of "+p.ID, len(tr.confirmations(p)))
		}
	}
	for h, want := range tr.w.memory.refused {
		if !tr.w.memory.unsure[h] {
			broken = append(broken, differ(fmt.Sprintf("the number of entries about what %s was refused on %s", h.actor, h.about), tr.refusals(h), want)...)
		}
	}
	return broken
}

// decisions counts the entries of everything that became of a request.
func (tr *truth) decisions(c *model.Case, r model.Approval, once func(string, int)) {
	count := func(event, actor string) (n int) {
		for _, e := range tr.about(c.ID, event) {
			if detail(e, "approval") == r.ID && (actor == "" || e.Actor.ID == actor) {
				n++
			}
		}
		return n
	}
	said := map[string]string{"approve": "approval.approved", "reject": "approval.rejected", "withdraw": "approval.withdrawn"}
	for _, d := range r.Decisions {
		once("the decision of "+d.Name+" on "+r.ID, count(said[d.Says], d.Person))
	}
	switch r.State {
	case model.ApprovalExecuted:
		once("the execution of "+r.ID, count("action."+r.Action+".executed", ""))
	case model.ApprovalDismissed:
		once("the dismissal of "+r.ID, count("approval.dismissed", ""))
	case model.ApprovalExpired:
		once("the end of "+r.ID, count("approval.expired", ""))
	}
	if r.Action == model.ApproveIntent {
		once("the request "+r.ID, count("approval.requested", ""))
	}
}

// refusals counts the entries of refusals and denials of one person about one
// preview, request or intent.
func (tr *truth) refusals(h hearing) (n int) {
	for _, e := range tr.entries {
		refusal := strings.HasSuffix(e.Event, ".refused") || strings.HasSuffix(e.Event, ".denied")
		about := []string{e.Preview, detail(e, "approval")}
		if strings.HasPrefix(e.Event, "approval.") {
			about = about[1:] // it names the preview that asked, too
		}
		if e.Preview == "" {
			about = append(about, e.Intent)
		}
		if refusal && e.Actor.ID == h.actor && slices.Contains(about, h.about) {
			n++
		}
	}
	return n
}
