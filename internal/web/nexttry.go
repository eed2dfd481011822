package web

import (
	"countersign/internal/model"
	"countersign/web/templates"
)

// nextTry says when a step is sent or looked at next, and by whom; before is the
// step that comes first.
func (n narrator) nextTry(s *model.Step, before string) templates.Text {
	send, look := n.nextSend(s, before), templates.Text(nil)
	if s.NextCheckAt != 0 && (s.Uncertain() || s.State == model.Confirmed) {
		look = say("next look ", n.clockAt(s.NextCheckAt))
	}
	if send != nil && look != nil {
		return say(send, "; ", look)
	}
	return say(send, look)
}

// nextSend says what comes of sending or running the step; nil where the step is
// done or on its way.
func (n narrator) nextSend(s *model.Step, before string) templates.Text {
	_, open := n.c.OpenAttempt()
	switch {
	case s.State.Done(), s.State == model.InProgress:
		return nil
	case open != nil && s.OpenAttempt() != nil:
		return say("under way")
	case s.Ordered == model.OrderRetry:
		return say("sent as ordered, at once")
	}
	if stopped := n.notSent(s); stopped != "" {
		return say(stopped)
	}
	switch {
	case s != n.c.Unfinished():
		return n.waitsItsTurn(before)
	case s.State == model.Pending:
		return n.pendingTurn()
	case s.NextTryAt != 0:
		return say("try ", n.clockAt(s.NextTryAt))
	}
	return n.byPerson(s)
}

// notSent says what stops every send under the intent, "" where nothing does.
func (n narrator) notSent(s *model.Step) string {
	verb := "not sent again"
	if len(s.Attempts) == 0 {
		verb = "nothing"
	}
	switch {
	case n.c.Held:
		return verb + ": restored from a backup, on hold"
	case n.c.Abandonment != nil:
		return verb + ", abandoned"
	case n.c.StandingCompensation() != nil:
		return verb + ", a compensation stands"
	case n.c.OpenConflict() != nil:
		return verb + ": a person closes the conflict first"
	case n.c.State == model.TerminalFailure:
		return verb + ": refused for good"
	}
	return ""
}

// waitsItsTurn is said of a step that is not the next one.
func (n narrator) waitsItsTurn(before string) templates.Text {
	if u := n.c.Unfinished(); u != nil && u.Failure == model.Permanent {
		return say("nothing: ", u.Name, " was refused for good")
	}
	return say("after ", before)
}

// pendingTurn is said of the next step while nothing of it was tried.
func (n narrator) pendingTurn() templates.Text {
	if r := n.c.Review(n.timing, n.now()); r != nil {
		if r.Propose == model.RetryUnfinished {
			return say("once a person retries it")
		}
		return say("not sent: ", n.because(r))
	}
	if open := n.c.OpenRequest(); open != nil && open.Action == model.ApproveIntent {
		return say("once people approve")
	}
	return say("at once, by the engine")
}

// byPerson says whether a person's retry could send a step for which the engine
// has planned no try.
func (n narrator) byPerson(s *model.Step) templates.Text {
	switch r := n.c.MaySend(s, model.ByOperator, n.timing, n.now()); {
	case r == nil && s.State == model.OutcomeUnknown:
		return say("by a person, under the same key")
	case r == nil:
		return say("by a person")
	case s.Failure == model.Permanent:
		return say("not sent again: refused for good")
	case r.Rule == "send.reconcile-first":
		return say("by a person, after a look")
	case r.Rule == "send.due-date-passed":
		return say("not sent again: the due date has passed")
	}
	return say("not sent again")
}
