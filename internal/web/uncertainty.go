package web

import (
	"fmt"
	"sort"
	"strings"

	"countersign/internal/model"
	"countersign/web/templates"
)

// uncertain answers what is uncertain: every effect that may have happened
// without our knowing, and every one that is not final yet.
func (n narrator) uncertain() templates.UncertainView {
	v := templates.UncertainView{}
	var unknown []*model.Step
	moving := 0
	for _, s := range n.c.Steps {
		if !s.Uncertain() && !s.InDoubt() {
			continue
		}
		switch s.State {
		case model.OutcomeUnknown:
			unknown = append(unknown, s)
		case model.Confirmed:
			v.Lead = say(v.Lead, n.beside(s), " ")
		case model.InProgress:
			moving++
		default: // it had ended without effect, and a contradiction says otherwise
			v.Lead = say(v.Lead, n.mayBe(s), " ")
		}
		v.Items = append(v.Items, n.uncertainItem(s))
	}
	for _, s := range unknown {
		v.Lead = say(v.Lead, n.mayBe(s), " ")
		v.Text = append(v.Text, n.whyUnknown(s))
	}
	if len(v.Items) == 1 {
		v.Items[0].Title = nil
	}
	if k := n.c.OpenConflict(); k != nil {
		v.Text = append(v.Text, n.contradiction(k))
	}
	if len(unknown) == 0 {
		v.Text = append(v.Text, n.nothingUnknown(moving))
	}
	return v
}

// cameBackItself reports whether the conflict is only that the money came back.
func (n narrator) cameBackItself(k *model.Contradiction) bool {
	s := n.c.Step(k.Step)
	return s != nil && s.Returned > 0
}

// contradiction says what does not fit together.
func (n narrator) contradiction(k *model.Contradiction) templates.Text {
	if n.cameBackItself(k) {
		return say(templates.Bold(k.Step+" happened, and the money came back by itself. "), "Nothing is sent again under this intent.")
	}
	if figures := n.figures(k); figures != nil {
		return figures
	}
	return say(templates.Bold("Two observations contradict each other on "+k.Step+": "), n.prose(k.Reason))
}

// seen is the object that opened a conflict by another amount than the step's, or
// nil.
func (n narrator) seen(k *model.Contradiction) *model.Evidence {
	s := n.c.Step(k.Step)
	if s == nil || !s.HasMoney() {
		return nil
	}
	return lastThat(s.Evidence, func(e model.Evidence) bool {
		return e.ID == k.EvidenceID && e.Says == model.Conflicting && e.Ref != "" && e.Amount != 0 && (e.Amount != s.Expected() || e.Currency != s.Currency)
	})
}

// figures set the amount that was seen against the one that was asked for, and the
// one that a person marked; nil where the conflict is about something else.
func (n narrator) figures(k *model.Contradiction) templates.Text {
	e := n.seen(k)
	if e == nil {
		return nil
	}
	s := n.c.Step(k.Step)
	text := say()
	if m := s.Marked(); m != nil {
		text = say(n.marked(m), "; ")
	}
	text = say(text, upper(s.Provider), " shows ", templates.Strong(model.Money{Amount: e.Amount, Currency: e.Currency}))
	if e.Status != "" {
		text = say(text, ", “", e.Status, "”,")
	}
	return say(text, " as ", templates.Key(e.Ref), "; ", templates.Strong(model.Money{Amount: s.Amount, Currency: s.Currency}), " was asked for.")
}

// marked says what a person recorded as moved, and under what.
func (n narrator) marked(m *model.Evidence) templates.Text {
	text := say(templates.Name(m.By), " marked ", templates.Strong(model.Money{Amount: m.Amount, Currency: m.Currency}))
	if m.Ref != "" {
		text = say(text, " as ", templates.Key(m.Ref))
	}
	return text
}

// object is the contradicting object of the step's own open conflict, or nil.
func (n narrator) object(s *model.Step) *model.Evidence {
	if k := n.c.OpenConflict(); k != nil && k.Step == s.Name {
		return n.seen(k)
	}
	return nil
}

// beside says of a confirmed effect what a contradiction shows beside it.
func (n narrator) beside(s *model.Step) templates.Text {
	open, moved := model.Money{Amount: s.Open, Currency: s.Currency}, model.Money{Amount: s.Moved, Currency: s.Currency}
	return say(templates.Strong(open), " may or may not have been ", doneWord(s), " beside the ", moved, " that is confirmed.")
}

// mayBe is the sentence with the doubt in it.
func (n narrator) mayBe(s *model.Step) templates.Text {
	amount := model.Money{Amount: s.Amount, Currency: s.Currency}
	switch {
	case n.object(s) != nil:
		return say("Whether ", amount, " or another amount was ", doneWord(s), " is not settled.")
	case s.Operation == model.DisputeRespond && s.HasMoney():
		return say("The response about ", amount, " may or may not have been submitted.")
	case s.HasMoney():
		return say(amount, " may or may not have been ", doneWord(s), ".")
	case s.Class == model.Message:
		return say("The message of ", s.Name, " may or may not have been sent.")
	}
	return say(s.Name, " may or may not have been ", doneWord(s), ".")
}

// nothingUnknown is said where no outcome is unknown.
func (n narrator) nothingUnknown(moving int) templates.Text {
	switch {
	case moving > 0 && n.inFlight():
		return say("Nothing is unknown; a send is under way.")
	case moving > 0:
		return say("Nothing is unknown. What is below was accepted and is not final yet.")
	case n.c.OpenConflict() != nil && n.cameBackItself(n.c.OpenConflict()):
		return say("A person records what came back, by a mark with its document.")
	case n.c.OpenConflict() != nil:
		return say("A person’s mark says what is true.")
	case n.c.SomethingHappened():
		return say("Nothing. Every effect that was sent is certain.")
	}
	return say("Nothing. No effect was sent whose outcome is open.")
}

func (n narrator) inFlight() bool {
	s, _ := n.c.OpenAttempt()
	return s != nil && s.Class.Effect()
}

// uncertainItem lists what is known about one uncertain effect.
func (n narrator) uncertainItem(s *model.Step) templates.UncertainItem {
	item := templates.UncertainItem{Title: say(s.Name), State: stepState(s)}
	add := func(label string, text templates.Text) {
		if text != nil {
			item.Facts = append(item.Facts, templates.Fact{Label: label, Text: text})
		}
	}
	add("Sent", n.sent(s))
	add("Came back", n.cameBack(s))
	found := n.object(s)
	switch {
	case found != nil:
		add("Object", say(templates.Key(found.Ref), ", ", model.Money{Amount: found.Amount, Currency: found.Currency}, ", by ", lowerSource(*found), ", ", n.clockAt(found.At)))
		if m := s.Marked(); m != nil {
			add("Marked", say(n.marked(m), ", ", n.clockAt(m.At)))
		}
		add("Asked for", say(model.Money{Amount: s.Amount, Currency: s.Currency}))
	case s.ExternalRef != "":
		add("Object", say(templates.Key(s.ExternalRef), " at ", s.Provider))
	}
	if s.Settling {
		add("Settles by", n.settlesBy(s))
	}
	add("Checked", n.checked(s))
	if s.State == model.OutcomeUnknown {
		if s.ExternalRef == "" && found == nil {
			add("“Not found” is final", n.notFoundFinal(s))
			add("Waits for", n.awaitedDeath(s))
		}
		add("Safe to send again", n.safe(s))
		if !n.stopped() {
			item.Gauge = gaugeOf(n.timing, n.clock, s.Frozen(), s)
		}
	}
	return item
}

// lowerSource names a source inside a sentence: "webhook", "bank file".
func lowerSource(e model.Evidence) string { return words(string(e.Source)) }

func (n narrator) sent(s *model.Step) templates.Text {
	if len(s.Attempts) == 0 {
		return say("never by us")
	}
	first, last := s.Attempts[0], s.Attempts[len(s.Attempts)-1]
	if s.Tried() == 1 {
		return say("once, ", n.clockAt(first.StartedAt))
	}
	same := ", byte for byte the same"
	if first.Generation != last.Generation {
		same = fmt.Sprintf(", under %d keys", last.Generation)
	}
	return say(times(s.Tried()), ", first ", n.clockAt(first.StartedAt), ", last ", n.clockAt(last.StartedAt), same)
}

// cameBack counts what the attempts ended with, the most frequent first; of a long
// record, the newest.
func (n narrator) cameBack(s *model.Step) templates.Text {
	count := map[string]int{}
	newest := unbroken(s.Attempts)
	for _, a := range newest {
		count[endedWith(a)]++
	}
	list := make([]string, 0, len(count))
	for what := range count {
		list = append(list, what)
	}
	sort.Slice(list, func(i, j int) bool {
		return count[list[i]] > count[list[j]] || count[list[i]] == count[list[j]] && list[i] < list[j]
	})
	for i, what := range list {
		list[i] = fmt.Sprintf("%d × %s", count[what], what)
	}
	switch {
	case len(list) == 0:
		return nil
	case s.Left.Attempts > 0:
		return say("of the newest ", fmt.Sprint(len(newest)), ": ", strings.Join(list, ", "))
	}
	return say(strings.Join(list, ", "))
}

// endedWith is one attempt's end in a word or two.
func endedWith(a model.Attempt) string {
	switch {
	case a.FinishedAt == 0:
		return "still open"
	case a.Lost:
		return "worker lost"
	case a.Result == model.ResultAccepted || a.Result == model.ResultConfirmed:
		return string(a.Result)
	case a.Code != "" && !strings.HasPrefix(a.Code, "http_"):
		return words(a.Code)
	case a.Status != 0:
		return fmt.Sprintf("status %d", a.Status)
	}
	return words(string(a.Result))
}

func (n narrator) settlesBy(s *model.Step) templates.Text {
	if s.SettlesBy == 0 {
		return say("no limit is promised")
	}
	return say(n.at(s.SettlesBy), ", ", templates.Ago(n.at(s.SettlesBy)), "; past it without word it is unknown")
}

// checked says how often the provider was asked, and what it said last.
func (n narrator) checked(s *model.Step) templates.Text {
	last := lastThat(s.Evidence, func(e model.Evidence) bool { return e.Source == model.FromQuery })
	switch {
	case last == nil && !s.Contract.Queryable():
		return say("never: ", s.Provider, " cannot be asked about it", n.heard(s))
	case last == nil && s.NextCheckAt != 0:
		return say("not asked yet; first ", n.clockAt(s.NextCheckAt), ", ", templates.Ago(n.at(s.NextCheckAt)), n.heard(s))
	case last == nil:
		return say("not asked yet", n.heard(s))
	}
	text := say(times(s.Looks()), ", last ", n.clockAt(last.At), ": ", words(string(last.Says)), ". ", n.prose(last.Detail))
	if s.NextCheckAt != 0 {
		text = say(text, " Next ", n.clockAt(s.NextCheckAt), ".")
	}
	return text
}

// heard says what is known of a step that was not asked about, and from where; nil
// where nothing was heard.
func (n narrator) heard(s *model.Step) templates.Text {
	e := lastThat(s.Evidence, func(e model.Evidence) bool {
		return e.Source == model.FromWebhook || e.Source == model.FromBankFile || e.Source == model.FromLate
	})
	if e == nil {
		return nil
	}
	return say(". What is known came by ", lowerSource(*e), ", ", n.clockAt(e.At), ": ", words(string(e.Says)), ". ", n.prose(e.Detail))
}

func (n narrator) notFoundFinal(s *model.Step) templates.Text {
	at, ok := n.c.NotFoundFinalAt(s)
	_, bounded := n.c.LastSend(s)
	switch {
	case ok:
		return say(n.fromOrSince(at), ": the last send, the longest call and the time that ", s.Provider, " needs to show it")
	case s.Class.Effect() && s.Contract.NotFoundCanBeFinal() && !bounded:
		return say("not yet known: a worker that was lost may still send")
	}
	return say("never: ", s.Provider, " does not promise when a look-up shows everything")
}

// stopped reports whether nothing is sent under the intent, whatever the key's
// window says.
func (n narrator) stopped() bool {
	return n.c.OpenConflict() != nil || n.c.Abandonment != nil || n.c.StandingCompensation() != nil || n.c.Held
}

func (n narrator) safe(s *model.Step) templates.Text {
	until, ok := s.SafeUntil(n.timing.Call)
	switch {
	case n.c.OpenConflict() != nil:
		return say("no: the contradiction must be closed first")
	case n.stopped():
		return say("no: nothing more is sent under this intent")
	case s.ExternalRef != "":
		return say("no: its object is known, so it is only asked about")
	case s.Class == model.Message:
		return say("no: a message is not repeated while unknown")
	case s.Class == model.Unkeyed:
		return say("no: ", s.Provider, " takes no key here")
	case !ok:
		return say("no: ", s.Provider, " does not promise to keep what it did with what it answered")
	}
	return say("until ", n.at(until), " — ", templates.Strong(templates.Left(n.at(until))))
}

// gaugeOf draws the window of a key from its first possible send to its end.
func gaugeOf(t model.Timing, clock templates.Clock, frozen *model.Generation, s *model.Step) *templates.Gauge {
	until, ok := s.SafeUntil(t.Call)
	if !ok || frozen == nil || s.ExternalRef != "" {
		return nil
	}
	end := frozen.FrozenAt.Add(s.Contract.Retention)
	if until < frozen.FrozenAt {
		return nil
	}
	at := func(m model.Time) templates.Part { return templates.Clocktime(clock.At(int64(m))) }
	return &templates.Gauge{First: int64(frozen.FrozenAt), Now: clock.Now, Safe: int64(until), End: int64(end),
		Label: fmt.Sprintf("%s remembers the key for %s; %s have passed, and the last %s are our margin", upper(s.Provider), span(s.Contract.Retention),
			span(model.Time(clock.Now).Sub(frozen.FrozenAt)), span(end.Sub(until))),
		Left:  say("first sent ", at(frozen.FrozenAt)),
		Right: say("our margin, ", span(end.Sub(until)), ", then ", s.Provider, " forgets the key ", at(end))}
}
