package bankfile

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"countersign/internal/model"
)

// because is why a line that names one step has its finding.
func (f *finder) because(m Match, at int) string {
	s, names := m.Step, namedBy(m)
	moved := money(m.Line) + " " + way(s.Out)
	switch m.Finding {
	case Proves:
		return fmt.Sprintf("%s %s, the amount of the step; %s%s", names, moved, doubt(s), f.cameBack(at))
	case Known:
		if comesBack(&m.Line, s) {
			return fmt.Sprintf("%s %s %s again, as is known of the step.", names, money(m.Line), way(!s.Out))
		}
		return fmt.Sprintf("%s %s, as the step has it, which is confirmed.%s", names, moved, f.cameBack(at))
	case Differs:
		return fmt.Sprintf("%s %s, but the step is about %s.%s", names, moved, model.Money{Amount: s.Amount, Currency: s.Currency}, whatToDo(s))
	case Back:
		return fmt.Sprintf("%s %s %s again%s. That is not recorded from a file: reconcile the step, and its provider says what came back.",
			names, money(m.Line), way(!s.Out), code(m.Line))
	case Pending:
		return names + " The bank has not booked it, so it proves nothing yet: look at a statement of booked lines."
	case Several:
		return fmt.Sprintf("Lines %s all name %s, and one payment has one line: it may have been paid more than once. Ask the bank before anything is recorded.",
			enumerated(f.moved[at]), s.Key)
	}
	return fmt.Sprintf("%s %s, but here the step %s. Money moved for a step that had ended without effect: find out how before anything more is sent for it.",
		names, moved, ended(s.State))
}

// namedBy says which reference names the step.
func namedBy(m Match) string {
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
	return " Here the step " + ended(s.State) + ": find out what moved before anything more is sent for it."
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

// cameBack adds to a line by which money moved that other lines bring it back.
func (f *finder) cameBack(at int) string {
	if len(f.back[at]) == 0 {
		return ""
	}
	return " Money of it came back by " + ofLines(f.back[at]) + "."
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
	texts := make([]string, len(numbers))
	for i, n := range numbers {
		texts[i] = strconv.Itoa(n)
	}
	return listed(texts)
}

// mostNamed is how many things a sentence names before it counts the rest.
const mostNamed = 5

// listed joins texts as a sentence does; the many at the end it counts.
func listed(texts []string) string {
	last := ""
	if n := len(texts) - mostNamed; n > 0 {
		texts, last = texts[:mostNamed], fmt.Sprintf("%d more", n)
	} else {
		texts, last = texts[:len(texts)-1], texts[len(texts)-1]
	}
	if len(texts) == 0 {
		return last
	}
	return strings.Join(texts, ", ") + " and " + last
}
