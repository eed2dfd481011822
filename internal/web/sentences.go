package web

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"countersign/internal/model"
	"countersign/web/templates"
)

// whyUnknown says what was sent, what came back, what was asked since, and what
// it can have come to at worst.
func (n narrator) whyUnknown(s *model.Step) templates.Text {
	found := n.object(s)
	switch {
	case len(s.Attempts) == 0:
		return say("Its outcome is not known: ", n.prose(s.Reason))
	case found != nil:
		return say(n.sentIn(s), ". ", upper(s.Provider), " has made something of it that we did not ask for.")
	case s.ExternalRef != "":
		return say(n.sentIn(s), ". ", upper(s.Provider), " took ", templates.Bold(s.Name), " as ", templates.Key(s.ExternalRef),
			" and has not said in time how it ended. It is only asked about until it says so.")
	}
	return say(n.sentIn(s), "; ", n.brokeOff(s), n.askedSince(s), " ", n.atWorst(s))
}

// sentIn says what went out, to whom, how often and when.
func (n narrator) sentIn(s *model.Step) templates.Text {
	first, last := s.Attempts[0], s.Attempts[len(s.Attempts)-1]
	text := say("We sent ", n.whatGoes(s))
	if s.Tried() == 1 {
		return say(text, " at ", n.clockAt(first.StartedAt))
	}
	keys := "under one key"
	switch {
	case s.Class != model.Keyed:
		keys = "in all"
	case first.Generation != last.Generation:
		keys = fmt.Sprintf("under %d keys", last.Generation)
	}
	return say(text, " ", times(s.Tried()), " ", keys, ", first at ", n.clockAt(first.StartedAt), ", last at ", n.clockAt(last.StartedAt))
}

// sends says how often each step was sent that was sent more than once, and from
// when to when: an entry tells when a state began, once, however many sends it held.
// nil where there is none.
func (n narrator) sends() (text templates.Text) {
	for _, s := range n.c.Steps {
		if !s.Class.Effect() || s.Tried() < 2 {
			continue
		}
		lead := say("; ")
		if text == nil {
			lead = say("An entry tells when a state began, once, and not how often it was sent: ")
		}
		first, last := s.Attempts[0], s.Attempts[len(s.Attempts)-1]
		text = say(text, lead, templates.Bold(s.Name), " was sent ", times(s.Tried()), ", ", n.clockAt(first.StartedAt), " to ", n.clockAt(last.StartedAt))
	}
	if text == nil {
		return nil
	}
	return say(text, ". Each is in the table of ", templates.Link("#attempts", "attempts"), ".")
}

// whatGoes names what a step sends, and to whom.
func (n narrator) whatGoes(s *model.Step) templates.Text {
	a := n.told()
	money := model.Money{Amount: s.Amount, Currency: s.Currency}
	switch {
	case s.Operation == model.DisputeRespond && a.Dispute != "":
		return say("the response to dispute ", templates.Code(a.Dispute))
	case s.Class == model.Message:
		return say("the message of ", templates.Bold(s.Name))
	case s.TakesMoneyBack() && s.HasMoney():
		return say("the order to take ", money, " back")
	case s.HasMoney() && a.Payee.Destination != "":
		return say(money, " to ", templates.Code(a.Payee.Destination))
	case s.HasMoney():
		return say(money, " by ", templates.Bold(s.Name))
	}
	return say(templates.Bold(s.Name))
}

// brokeOff says what came back instead of an answer.
func (n narrator) brokeOff(s *model.Step) templates.Text {
	reason := s.Attempts[0].Reason
	for _, a := range s.Attempts {
		if a.Reason != reason || a.Reason == "" || s.Left.Attempts > 0 {
			return say("no answer came back that we can trust")
		}
	}
	text := say(n.prose(inside(reason)))
	if s.Tried() > 1 {
		text = say("each time ", text)
	}
	return text
}

// inside makes a sentence part of another: its first letter small and its full
// stop gone.
func inside(sentence string) string {
	sentence = strings.TrimSuffix(strings.TrimSpace(sentence), ".")
	first, size := utf8.DecodeRuneInString(sentence)
	second, _ := utf8.DecodeRuneInString(sentence[size:])
	if unicode.IsUpper(second) || unicode.IsDigit(second) {
		return sentence // "HTTP …" begins with a name
	}
	return string(unicode.ToLower(first)) + sentence[size:]
}

// askedSince says what look-ups told, and when nothing would be an answer.
func (n narrator) askedSince(s *model.Step) templates.Text {
	var none, other []model.Evidence
	for _, e := range s.Evidence {
		switch {
		case e.Source != model.FromQuery || e.Says != model.Inconclusive:
		case strings.HasPrefix(e.Detail, model.NothingFound):
			none = append(none, e)
		default:
			other = append(other, e)
		}
	}
	text := say()
	switch {
	case s.Left.Looks > 0:
		text = say(text, "; it was asked about ", times(s.Looks()))
		if len(none) > 0 {
			text = say(text, ", and ", s.Provider, " did not know it last at ", n.clockAt(none[len(none)-1].At))
		}
	case len(none) > 0:
		text = say(text, "; ", s.Provider, " did not know it ", n.onTimes(none))
	}
	if len(other) > 0 && s.Left.Looks == 0 {
		text = say(text, "; ", counted(len(other), "look-up"), " settled nothing")
	}
	at, ok := n.c.NotFoundFinalAt(s)
	switch {
	case ok && at > n.now() && len(none) > 0:
		return say(text, "; that becomes final at ", n.clockAt(at), ".")
	case ok && at > n.now():
		return say(text, ". That it does not know it becomes final at ", n.clockAt(at), ".")
	case ok:
		return say(text, ". Asked now, “not found” is final.")
	}
	return say(text, ".")
}

// onTimes writes "at 14:02:12 and 14:02:40", or of many only how many and the last.
func (n narrator) onTimes(list []model.Evidence) templates.Text {
	last := n.clockAt(list[len(list)-1].At)
	switch len(list) {
	case 1:
		return say("at ", last)
	case 2:
		return say("at ", n.clockAt(list[0].At), " and ", last)
	}
	return say(times(len(list)), ", last at ", last)
}

// atWorst says what the effect can have come to.
func (n narrator) atWorst(s *model.Step) string {
	switch s.Class {
	case model.Keyed:
		return upper(s.Provider) + " acts at most once per key, so at worst it was " + doneWord(s) + " once."
	case model.Message:
		return upper(s.Provider) + " may have delivered it: a message is never sent again before there is evidence that it did not go out."
	}
	return upper(s.Provider) + " takes no key here: it is never sent again before there is evidence that it did not happen."
}
