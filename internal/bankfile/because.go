package bankfile

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"countersign/internal/model"
)

// moved says how much went which way, as far as a step is concerned.
func moved(m *Match) string { return money(m.Line) + " " + way(m.Step.Out) }

func proves(m *Match) string {
	return fmt.Sprintf("%s %s, the amount of the step; %s", namedBy(m), moved(m), doubt(m.Step))
}

// paidAndBack is about a payment that the file says to have come back, in whole or
// in part: a mark of the payment alone would say that the payee has the money.
func (f *finder) paidAndBack(m *Match, at int) string {
	return fmt.Sprintf("%s It was paid by line %d and came back by %s: %s, and %s Recording the payment alone would hide the return. Reconcile the step, and its provider says what stands.",
		namedBy(m), m.Number, ofLines(f.told[at].back), moved(m), doubt(m.Step))
}

func (f *finder) confirmed(m *Match, at int) string {
	return fmt.Sprintf("%s %s, as the step has it, which is confirmed.%s%s", namedBy(m), moved(m), knownBack(m.Step), f.cameBackToo(at))
}

func differs(m *Match) string {
	s := m.Step
	return fmt.Sprintf("%s %s, but the step is about %s.%s", namedBy(m), moved(m), model.Money{Amount: s.Amount, Currency: s.Currency}, whatToDo(s))
}

func cameBackAsKnown(m *Match) string {
	return fmt.Sprintf("%s %s %s again, as is known of the step.", namedBy(m), money(m.Line), way(m.Amount < 0))
}

// cameBack is about money that went back the way it came, or that the bank says did.
func cameBack(m *Match) string {
	if !undoes(&m.Line, m.Step) {
		return fmt.Sprintf("%s The bank names it a return or a reversal%s, but %s, the same way as the payment: it may have moved once more. Ask the bank what it is; nothing of it is recorded from a file.",
			namedBy(m), code(m.Line), moved(m))
	}
	return fmt.Sprintf("%s %s %s again%s. That is not recorded from a file%s", namedBy(m), money(m.Line), way(m.Amount < 0), code(m.Line), askOfBack(m.Step))
}

// askOfBack says how it is found out what came back.
func askOfBack(s *Step) string {
	switch {
	case s.Conflict != "":
		return ": " + onItsPage + contradiction(s)
	case s.Returned > 0:
		return ": " + onItsPage + knownBack(s)
	case s.Uncertain || s.State == model.Confirmed:
		return ": reconcile the step, and its provider says what came back."
	}
	return ". Here the step " + stands(s.State) + ": find out what moved before anything more is sent for it." + next(s)
}

// onItsPage is where what a file does not decide is decided.
const onItsPage = "a person decides it on the page of its intent."

// contradicted is about a step of which a person has to decide first what is true.
func contradicted(m *Match) string {
	return fmt.Sprintf("%s %s, the amount of the step. That proves nothing by itself: %s%s", namedBy(m), moved(m), onItsPage, contradiction(m.Step))
}

// contradiction says what contradicts what.
func contradiction(s *Step) string {
	text := strings.TrimSpace(s.Conflict)
	if !strings.HasSuffix(text, ".") {
		text += "."
	}
	return " Its observations contradict each other: " + text
}

// returned is about a step of which nobody knows that it was paid, but that money of
// it came back.
func returned(m *Match) string {
	return fmt.Sprintf("%s %s, the amount of the step. It is not confirmed: %s%s", namedBy(m), moved(m), onItsPage, knownBack(m.Step))
}

// knownBack adds what is known to have come back of the step.
func knownBack(s *Step) string {
	if s.Returned == 0 {
		return ""
	}
	return fmt.Sprintf(" Of it %s is known to have come back.", model.Money{Amount: s.Returned, Currency: s.Currency})
}

func notBooked(m *Match) string {
	return namedBy(m) + " The bank has not booked it, so it proves nothing yet: look at a statement of booked lines."
}

func charge(m *Match) string {
	return fmt.Sprintf("%s It is a charge of the bank, %s, and not the payment itself: it proves nothing.", namedBy(m), money(m.Line))
}

func repeated(m *Match, line int) string {
	return fmt.Sprintf("%s It is line %d once more, word for word, and counts once.", namedBy(m), line)
}

// ofEarlier is about a line that names what was sent before the present
// generation, which exists because that had ended without effect.
func ofEarlier(m *Match, generation int) string {
	return fmt.Sprintf("%s That was generation %d of the step, which had ended without effect before generation %d began. %s under the earlier one all the same: both may have been paid, so this proves nothing of the present one. Ask the provider and the bank before anything is recorded.%s",
		namedBy(m), generation, m.Step.Generation, moved(m), next(m.Step))
}

func paidBefore(m *Match) string {
	paid := make([]string, len(m.Step.PaidBy))
	for i, p := range m.Step.PaidBy {
		paid[i] = fmt.Sprintf("%s of %s, %s,", p.Ref, p.Day, p.Money)
	}
	slices.Sort(paid)
	return fmt.Sprintf("%s %s, but its payment is recorded by the bank's line %s already, and this is another line: it may have been paid twice. Compare the two lines, and ask the bank.",
		namedBy(m), moved(m), listed(paid))
}

func hadEnded(m *Match) string {
	return fmt.Sprintf("%s %s, but here the step %s. Money moved for it all the same: find out how before anything more is sent for it.%s",
		namedBy(m), moved(m), stands(m.Step.State), next(m.Step))
}

// next says what the engine will do about a step that a bank's line contradicts.
func next(s *Step) string {
	switch {
	case s.Awaited:
		return " It is sent when its turn comes, and may be paid twice then: abandon the intent to stop that."
	case s.NextTryAt == 0:
		return ""
	}
	return fmt.Sprintf(" It will be sent at %s by itself, and may be paid twice then: abandon the intent, or reconcile the step, to stop that.", s.NextTryAt)
}

// linesNameIt is about all lines by which a step's money moved.
func (f *finder) linesNameIt(at int) string {
	t := &f.told[at]
	if t.several == "" {
		t.several = fmt.Sprintf("Lines %s all name %s, and one payment has one line: it may have been paid more than once. Ask the bank before anything is recorded.",
			enumerated(t.moved), f.steps[at].Key)
	}
	return t.several
}

// namedBy says which reference names the step.
func namedBy(m *Match) string {
	switch {
	case m.By.Kind == bankRef:
		return fmt.Sprintf("The bank's reference %s is recorded for %s.", m.By.Value, m.Step.Key)
	case m.By.Value == m.Step.Key:
		return fmt.Sprintf("Its %s names %s.", m.By.Kind, m.Step.Key)
	}
	return fmt.Sprintf("Its %s %s names %s.", m.By.Kind, m.By.Value, m.Step.Key)
}

func money(line Line) string {
	return model.Money{Amount: size(line.Amount), Currency: line.Currency}.String()
}

func way(out bool) string {
	if out {
		return "went out"
	}
	return "came in"
}

func code(line Line) string {
	if line.Code == "" {
		return ""
	}
	return " (" + line.Code + ")"
}

// whatToDo says what follows from another amount than the step's.
func whatToDo(s *Step) string {
	switch {
	case s.Conflict != "":
		return " What really moved is recorded on the page of the intent, by two people." + contradiction(s)
	case s.State == model.Confirmed:
		return " It is confirmed with that amount: ask the provider and the bank which one is true." + knownBack(s)
	case s.Returned > 0:
		return " What really moved is recorded on the page of the intent." + knownBack(s)
	case s.Uncertain:
		return " What really moved is recorded on the page of the intent, by two people."
	}
	return " Here the step " + stands(s.State) + ": find out what moved before anything more is sent for it." + next(s)
}

func doubt(s *Step) string {
	if s.State == model.OutcomeUnknown {
		return "its outcome is unknown."
	}
	return "its provider has not said how it ended."
}

// stands says in which state a step is.
func stands(state model.StepState) string {
	switch state {
	case model.FailedSafely:
		return "failed safely"
	case model.NotNeeded:
		return "is not needed"
	case model.Confirmed:
		return "is confirmed"
	case model.InProgress:
		return "is under way"
	case model.OutcomeUnknown:
		return "has an unknown outcome"
	}
	return "has not begun"
}

// cameBackToo adds to a line by which money moved that other lines bring it back.
func (f *finder) cameBackToo(at int) string {
	t := &f.told[at]
	if t.backLines == "" && len(t.back) > 0 {
		t.backLines = " Money of it came back by " + ofLines(t.back) + "."
	}
	return t.backLines
}

func ofLines(numbers []int) string {
	if len(numbers) == 1 {
		return "line " + strconv.Itoa(numbers[0])
	}
	return "lines " + enumerated(numbers)
}

func (f *finder) namesSeveral(n naming) string {
	keys := make([]string, len(n.steps))
	for i, at := range n.steps {
		keys[i] = f.steps[at].Key
	}
	slices.Sort(keys)
	return "Its references name several steps: " + listed(keys) + ". One line is about one step: find out which, and mark that one on the page of its intent."
}

// enumerated lists line numbers in their order.
func enumerated(numbers []int) string {
	numbers = slices.Sorted(slices.Values(numbers))
	texts := make([]string, min(len(numbers), mostNamed))
	for i := range texts {
		texts[i] = strconv.Itoa(numbers[i])
	}
	return joined(texts, len(numbers))
}

// mostNamed is how many things a sentence names before it counts the rest.
const mostNamed = 5

// listed joins texts as a sentence does; the many at the end it counts.
func listed(texts []string) string { return joined(texts[:min(len(texts), mostNamed)], len(texts)) }

// joined is listed of the first few of so many texts.
func joined(texts []string, all int) string {
	last := texts[len(texts)-1]
	if n := all - len(texts); n > 0 {
		last = fmt.Sprintf("%d more", n)
	} else {
		texts = texts[:len(texts)-1]
	}
	if len(texts) == 0 {
		return last
	}
	return strings.Join(texts, ", ") + " and " + last
}
