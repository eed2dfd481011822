package bankfile

import (
	"slices"

	"countersign/internal/model"
)

// Step is a step of ours that a line may be about: the part of it that Find needs.
type Step struct {
	Key       string // the step's key
	IntentID  string
	Name      string
	State     model.StepState
	Uncertain bool  // its outcome is unknown, it settles, or it is in conflict
	Out       bool  // its money leaves the account
	Amount    int64 // minor units, without a sign: what was asked for, or has moved
	Returned  int64 // minor units that are known to have come back
	Currency  string
	Payee     string
	Since     model.Time // since when it is uncertain; 0 where it is not
	Refs      []string   // what a line may name it by: its key, its wire keys, its object at the provider
	LineRefs  []string   // references of bank lines that people have recorded for it
}

// Finding says how a line stands to our steps.
type Finding string

// The findings. Only Proves can be recorded from the file; the others are for a
// person to look at, or tell nothing new.
const (
	Proves  Finding = "proves"  // names an uncertain step, with its amount
	Known   Finding = "known"   // names a confirmed step, with its amount, or what is known to have come back
	Differs Finding = "differs" // names a step, with another amount or currency
	Back    Finding = "back"    // money of a step that came back
	Pending Finding = "pending" // names a step, but is not booked
	Several Finding = "several" // names several steps, or several lines name its step
	Ended   Finding = "ended"   // names a step that is neither uncertain nor confirmed
	Nobody  Finding = "nobody"  // names no step of ours
)

// Match is a line with what it stands for.
type Match struct {
	Line
	Finding Finding
	Step    *Step  // nil for Nobody, and for Several where it names several
	By      Ref    // the reference that named it
	Because string // a full sentence
}

// Find sets each line beside the step that it names: exactly, by a reference that
// the step could have given it, or by the bank's own reference where a person has
// recorded that for a step. Amount, name and day never name a step. The matches are
// in the order of the lines, on which no finding depends.
func Find(lines []Line, steps []Step) []Match {
	f := newFinder(steps)
	named := make([]naming, len(lines))
	for i := range lines {
		named[i] = f.naming(&lines[i])
		f.count(&lines[i], named[i].steps)
	}
	matches := make([]Match, len(lines))
	for i := range lines {
		matches[i] = f.match(lines[i], named[i])
	}
	return matches
}

// Unnamed gives the steps that no line names, whatever the lines say of those that
// they do name. They are in the order given.
func Unnamed(lines []Line, steps []Step) []Step {
	f := newFinder(steps)
	named := map[int]bool{}
	for i := range lines {
		for _, step := range f.naming(&lines[i]).steps {
			named[step] = true
		}
	}
	var left []Step
	for i := range steps {
		if !named[i] {
			left = append(left, steps[i])
		}
	}
	return left
}

// bankRef is the kind of the bank's own reference, where a person recorded it.
const bankRef = "BankRef"

// finder holds, by the index of a step, what all lines say of it.
type finder struct {
	steps            []Step
	byRef, byLineRef map[string][]int
	moved            map[int][]int // numbers of the booked lines by which its money moved
	back             map[int][]int // and of those by which it came back
}

func newFinder(steps []Step) *finder {
	f := &finder{steps: steps, byRef: map[string][]int{}, byLineRef: map[string][]int{}, moved: map[int][]int{}, back: map[int][]int{}}
	for i := range steps {
		enter(f.byRef, i, steps[i].Refs)
		enter(f.byLineRef, i, steps[i].LineRefs)
	}
	return f
}

// naming is which steps a line names, and by which reference the first.
type naming struct {
	steps []int
	by    Ref
}

func enter(index map[string][]int, step int, refs []string) {
	for _, ref := range refs {
		if ref != "" && !slices.Contains(index[ref], step) {
			index[ref] = append(index[ref], step)
		}
	}
}

func (f *finder) naming(line *Line) (n naming) {
	take := func(found []int, by Ref) {
		for _, step := range found {
			if len(n.steps) == 0 {
				n.by = by
			}
			if !slices.Contains(n.steps, step) {
				n.steps = append(n.steps, step)
			}
		}
	}
	for _, ref := range line.Refs {
		take(f.byRef[ref.Value], ref)
	}
	if line.BankRef != "" {
		take(f.byLineRef[line.BankRef], Ref{Kind: bankRef, Value: line.BankRef})
	}
	return n
}

// count notes what a booked line says of each step that it may be about.
func (f *finder) count(line *Line, steps []int) {
	for _, i := range steps {
		switch {
		case !line.Booked:
		case comesBack(line, &f.steps[i]):
			f.back[i] = append(f.back[i], line.Number)
		default:
			f.moved[i] = append(f.moved[i], line.Number)
		}
	}
}

// comesBack reports whether the line undoes what the step did.
func comesBack(line *Line, s *Step) bool { return line.Back || (line.Amount < 0) != s.Out }

// match decides what one line stands for.
func (f *finder) match(line Line, n naming) Match {
	m := Match{Line: line, Finding: Nobody, By: n.by}
	switch len(n.steps) {
	case 0:
		m.Because = "None of its references names a step of this account."
		return m
	case 1:
	default:
		m.Finding, m.Because = Several, f.namesSeveral(n)
		return m
	}
	at := n.steps[0]
	m.Step = &f.steps[at]
	fits := size(line.Amount) == m.Step.Amount && line.Currency == m.Step.Currency
	switch moved := f.moved[at]; {
	case !line.Booked:
		m.Finding = Pending
	case comesBack(&line, m.Step) && len(f.back[at]) == 1 && line.Currency == m.Step.Currency && size(line.Amount) == m.Step.Returned:
		m.Finding = Known
	case comesBack(&line, m.Step):
		m.Finding = Back
	case len(moved) > 1:
		m.Finding = Several
	case !fits:
		m.Finding = Differs
	case m.Step.Uncertain:
		m.Finding = Proves
	case m.Step.State == model.Confirmed:
		m.Finding = Known
	default:
		m.Finding = Ended
	}
	m.Because = f.because(m, at)
	return m
}

func size(amount int64) int64 {
	if amount < 0 {
		return -amount
	}
	return amount
}
