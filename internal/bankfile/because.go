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
	return fmt.Sprintf("%s %s, as the step has it, which is confirmed.%s", namedBy(m), moved(m), f.cameBackToo(at))
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
	return fmt.Sprintf("%s %s %s again%s. That is not recorded from a file: reconcile the step, and its provider says what came back.",
		namedBy(m), money(m.Line), way(m.Amount < 0), code(m.Line))
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
	return fmt.Sprintf("%s %s, but its payment is recorded by the bank's line %s already, and this is another line: it may have been paid twice. Compare the two lines, and ask the bank.",
		namedBy(m), moved(m), listed(m.Step.PaidBy))
}

func hadEnded(m *Match) string {
	return fmt.Sprintf("%s %s, but here the step %s. Money moved for a step that had ended without effect: find out how before anything more is sent for it.%s",
		namedBy(m), moved(m), ended(m.Step.State), next(m.Step))
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
	case s.Uncertain:
		return " What really moved is recorded on the page of the intent, by two people."
	case s.State == model.Confirmed:
		return " It is confirmed with that amount: ask the provider and the bank which one is true."
	}
	return " Here the step " + ended(s.State) + ": find out what moved before anything more is sent for it." + next(s)
}

func doubt(s *Step) string {
	switch s.State {
	case model.OutcomeUnknown:
		return "its outcome is unknown."
	case model.Confirmed:
		return "its observations contradict each other."
	}
	return "its provider has not said how it ended."
}

func ended(state model.StepState) string {
	switch state {
	case model.FailedSafely:
		return "failed safely"
	case model.NotNeeded:
		return "is not needed"
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
