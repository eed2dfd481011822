package actions

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"countersign/internal/authz"
	"countersign/internal/model"
)

// mark records what a person knows about an effect from a document.
var mark = &Action{Name: model.MarkExternalResult, Needs: authz.MarkExternalResult, Plan: planMark, Apply: applyMark}

// markable reports whether a person's word about the step could be asked for.
func markable(c *model.Case, s *model.Step) bool {
	return s.Class.Effect() && (s.State == model.OutcomeUnknown || settling(s)) || c.Contradicted(s)
}

// mayMark rules on a step before what is to be recorded is known; nil is an
// intent in which nothing is uncertain.
func mayMark(c *model.Case, s *model.Step, now model.Time) ruling {
	if r, busy := flying(c, now); busy {
		return r
	}
	switch {
	case s == nil:
		return no("mark.nothing-uncertain", "No step is unknown, overdue or in conflict.")
	case c.Contradicted(s) && s.Returned > 0:
		return yes("mark.returned", "The money of "+s.Name+" came back; a mark records how much, and closes that.")
	case c.Contradicted(s):
		return yes("mark.conflict", "Two observations of "+s.Name+" contradict each other; only a mark closes that.")
	case s.State == model.OutcomeUnknown && s.Class.Effect():
		return yes("mark.unknown", "What became of "+s.Name+" is unknown.")
	case settling(s) && s.SettlesBy != 0 && now >= s.SettlesBy:
		return yes("mark.overdue", "The provider took "+s.Name+" and has not said in time how it ended.")
	case settling(s):
		return no("mark.settling", fmt.Sprintf("The provider took %s and has until %s to say how it ends.", s.Name, s.SettlesBy))
	}
	return no("mark.nothing-uncertain", s.Name+" is "+string(s.State)+": there is nothing to mark.")
}

// mayMarkHappened rules on a statement that it happened. owner is the step that
// the external object belongs to, "" is none.
func mayMarkHappened(s *model.Step, ref, owner string) ruling {
	if owner != "" && owner != s.IntentID+":"+s.Name {
		return no("mark.ref-taken", "The object "+ref+" belongs to "+owner+"; one object confirms one step, ever.")
	}
	return yes("mark.happened", "It may be recorded as happened.")
}

// mayMarkNothing rules on a statement that it did not happen, by a document
// dated so. It opens the way to a second send, so nothing may be on its way. Nor
// may the provider's own word that it has an object of the step stand: the statement
// would take that money out of the exposure, and the next send could be a second
// payment. What contradicts a mark, or is another step's, is no such object.
func mayMarkNothing(c *model.Case, s *model.Step, dated, now model.Time) ruling {
	last, bounded := c.LastSend(s)
	over := last.Add(s.Contract.LongestCall + max(s.Contract.SettleDelay, 0))
	switch {
	case s.Returned > 0:
		return no("mark.already-back", "It happened, and the money came back; record it as happened.")
	case c.Stands(s) != nil:
		return no("mark.object-stands", objectStands(c.Stands(s)))
	case s.Contract.NotFoundCanBeFinal() && s.Uncertain() && !c.Contradicted(s):
		return no("mark.reconcile-says-it", "The provider can be asked, and its answer becomes final: reconcile says it.")
	case !bounded:
		return no("mark.may-still-send", "A worker that was lost may still send it; end that worker and declare it dead first.")
	case now <= over:
		return no("mark.too-early", fmt.Sprintf("Until %s the last send may still act.", over))
	case dated <= over:
		return no("mark.document-too-old", fmt.Sprintf("The document must be dated after %s, when the last send can have acted; give its time of day.", over))
	}
	return yes("mark.did-not-happen", "It may be recorded as not happened.")
}

// WhyNotNothing says why no document whatever can record now that a step did not
// happen; "" where one dated now could.
func WhyNotNothing(c *model.Case, s *model.Step, now model.Time) string {
	if r := mayMarkNothing(c, s, now, now); !r.allowed {
		return r.because
	}
	return ""
}

// objectStands says what the provider has, and how such a contradiction is closed.
func objectStands(e *model.Evidence) string {
	object := e.Ref
	if object == "" || e.Status == model.Several {
		object = strings.TrimSpace("several objects " + e.Ref)
	}
	if e.Currency != "" {
		object += ", " + model.Money{Amount: e.Amount, Currency: e.Currency}.String()
	}
	return "The provider shows " + object + ", and nothing newer from it says that this failed. Record it as happened, with the amount that really moved; if it has failed since, reconcile first."
}

// markPeople is how many people a statement takes. Where observations of money
// contradict each other, one person's word never decides between them.
func markPeople(c *model.Case, s *model.Step, m marking, tiers authz.Tiers) int {
	if !s.HasMoney() {
		return 1
	}
	signed, _ := tiers.People(m.Amount, m.Currency)
	differs := m.Amount != expectedAmount(s) || c.Contradicted(s) && s.Returned == 0
	return peopleFor(m.Result == markNothing || differs || signed > 0)
}

// expectedAmount is what a mark of the step would record if all is as known: the
// amount asked for, or what the provider says came back.
func expectedAmount(s *model.Step) int64 {
	if s.Returned > 0 {
		return s.Returned
	}
	return s.Amount
}

func planMark(p *Planning) (Plan, error) {
	if err := p.named(func(s *model.Step) bool { return markable(p.Case, s) }); err != nil {
		return Plan{}, err
	}
	s := p.Step
	if err := mayMark(p.Case, s, p.Now).err(); err != nil {
		return Plan{}, err
	}
	m, err := p.marking()
	if err != nil {
		return Plan{}, err
	}
	if err := p.mayRecord(m); err != nil {
		return Plan{}, err
	}
	plan := newPlan(markPeople(p.Case, s, m, p.Tiers))
	plan.Input = m
	plan.Changes = append(plan.Changes, model.PlannedChange{Subject: s.Key(), From: string(s.State), To: string(m.becomes(s)), Because: m.sentence()})
	plan.sort(p.Case, s)
	return plan, nil
}

// mayRecord rules on the very statement.
func (p *Planning) mayRecord(m marking) error {
	if m.Result == markNothing {
		return mayMarkNothing(p.Case, p.Step, begun(m.Dated), p.Now).err()
	}
	owner, err := p.tx.ObjectOwner(p.Step.Provider, p.Step.Operation, m.ExternalRef)
	if err != nil {
		return err
	}
	return mayMarkHappened(p.Step, m.ExternalRef, owner).err()
}

// applyMark records the statement. Where the provider can be asked, the engine
// checks a "happened" by asking, in its own time.
func applyMark(a *Applying) error {
	m, err := a.marking()
	if err != nil {
		return err
	}
	s, c := a.Step, a.Case
	if m.ExternalRef != "" && m.Result == markHappened {
		if err := a.tx.TakeObject(s, m.ExternalRef); err != nil {
			return err
		}
	}
	_, err = c.ApplyMark(s, model.Mark{Happened: m.Result == markHappened, ExternalRef: m.ExternalRef, Amount: m.Amount, Currency: m.Currency,
		Dated: m.Dated, Document: m.Document, DocSHA256: m.SHA256, Reason: a.Reason, By: a.ByName, EvidenceID: a.tx.NewID("evidence")},
		a.Timing, rand.Float64(), a.Now)
	if err != nil {
		return err
	}
	c.Fence++
	return nil
}
