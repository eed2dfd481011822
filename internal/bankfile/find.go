package bankfile

import (
	"slices"

	"countersign/internal/model"
)

// Step is a step of ours that a line may be about: the part of it that Find needs.
type Step struct {
	Key        string // the step's key
	IntentID   string
	Name       string
	State      model.StepState
	Uncertain  bool  // its outcome is unknown, it settles, or it is in conflict
	Generation int   // the present one: earlier ones had ended without effect
	Out        bool  // its money leaves the account
	Amount     int64 // minor units, without a sign: what was asked for, or has moved
	Returned   int64 // minor units that are known to have come back
	Currency   string
	Payee      string
	Since      model.Time // since when it is uncertain; 0 where it is not
	NextTryAt  model.Time // when the engine sends it again by itself; 0 where it does not
	Awaited    bool       // it has not begun, and the engine sends it by itself when its turn comes
	FirstDay   string     // 2006-01-02: the first and the last day that a line which proves it can be booked on; "" is no bound
	LastDay    string
	Refs       []StepRef // what a line may name it by: its keys, its wire keys, its object at the provider
	LineRefs   []string  // references of bank lines that people have recorded for it
	PaidBy     []Payment // what bank's files gave for its payment
	Conflict   string    // why its observations contradict each other, as far as a person has not decided it; "" where they do not
}

// Payment is a bank's line that is recorded for a step.
type Payment struct {
	Ref string // the bank's reference, or the line's identity
	Day string // on which it was booked, 2006-01-02
	model.Money
}

// is reports whether the payment was recorded from this line, in whichever file: by
// what it says, or by a reference, which banks use again, on its day and of its amount.
func (p *Payment) is(line *Line) bool {
	return p.Ref == line.Identity() ||
		p.Ref == line.BankRef && p.Day == line.BookedOn && p.Money == model.Money{Amount: size(line.Amount), Currency: line.Currency}
}

// StepRef is a reference that a line may name a step by.
type StepRef struct {
	Value      string
	Generation int // of the step, that was sent under it
}

// Finding says how a line stands to our steps.
type Finding string

// The findings. Only Proves can be recorded from the file; the others are for a
// person to look at, or tell nothing new.
const (
	Proves   Finding = "proves"   // names an uncertain step, with its amount
	Known    Finding = "known"    // names a confirmed step, with its amount, or what is known to have come back
	Repeated Finding = "repeated" // is another line of the file once more, and counts once
	Differs  Finding = "differs"  // names a step, with another amount or currency
	Back     Finding = "back"     // money of a step that came back
	Pending  Finding = "pending"  // names a step, but is not booked
	Charged  Finding = "charged"  // names a step, but is the bank's charge
	Doubtful Finding = "doubtful" // names a step, but cannot prove it: by an earlier generation's reference, its money came back too, its day cannot be the payment's, the line is in doubt itself, or the step is in contradiction
	Several  Finding = "several"  // names several steps, or several lines name its step, in this file or recorded before
	Ended    Finding = "ended"    // names a step that is neither uncertain nor confirmed
	Nobody   Finding = "nobody"   // names no step of ours
)

// NeedsPerson reports whether somebody has to do something about a line that is so
// found: record what it proves, or look into it.
func (f Finding) NeedsPerson() bool { return f == Proves || f.Odd() }

// Odd reports whether somebody has to look into a line that is so found.
func (f Finding) Odd() bool {
	return f == Differs || f == Back || f == Doubtful || f == Several || f == Ended
}

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
	var naming []*Line
	for i := range lines {
		if named[i] = f.naming(&lines[i]); len(named[i].steps) > 0 {
			naming = append(naming, &lines[i])
		}
	}
	f.again = repeats(naming)
	for i := range lines {
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

// finder holds what all lines say of each step.
type finder struct {
	steps            []Step
	byRef, byLineRef map[string][]owner
	told             []told      // by the index of the step
	again            map[int]int // by the number of a line, the line that it is once more
}

// owner is a step that a reference belongs to, by its index.
type owner struct{ step, generation int }

// told is what booked lines say of one step. Its sentences are made once, however
// many lines there are.
type told struct {
	moved, back        []int // numbers of the lines by which its money moved, and came back
	several, backLines string
}

func newFinder(steps []Step) *finder {
	f := &finder{steps: steps, byRef: map[string][]owner{}, byLineRef: map[string][]owner{}, told: make([]told, len(steps))}
	enter := func(index map[string][]owner, ref string, by owner) {
		if ref != "" && !slices.Contains(index[ref], by) {
			index[ref] = append(index[ref], by)
		}
	}
	for i := range steps {
		for _, ref := range steps[i].Refs {
			enter(f.byRef, ref.Value, owner{i, ref.Generation})
		}
		for _, ref := range steps[i].LineRefs {
			enter(f.byLineRef, ref, owner{i, steps[i].Generation})
		}
	}
	return f
}

// naming is which steps a line names, and by which reference the first.
type naming struct {
	steps   []int
	by      Ref
	earlier int // the generation of the first that by belongs to, where it is not the present one; else 0
}

func (f *finder) naming(line *Line) (n naming) {
	take := func(found []owner, by Ref) {
		for _, o := range found {
			if !slices.Contains(n.steps, o.step) {
				n.steps = append(n.steps, o.step)
			}
			earlier := o.step == n.steps[0] && o.generation != f.steps[o.step].Generation
			if n.by == (Ref{}) || earlier && n.earlier == 0 {
				n.by = by
			}
			if earlier && n.earlier == 0 {
				n.earlier = o.generation
			}
		}
	}
	for _, ref := range line.Refs {
		take(f.byRef[ref.Value], ref)
	}
	if len(f.byLineRef) == 0 {
		return n
	}
	for _, ref := range line.RecordedAs() {
		take(f.byLineRef[ref], Ref{Kind: bankRef, Value: ref})
	}
	return n
}

// RecordedAs are the references under which the line may have been recorded: the
// bank's own, where it has one, and its identity.
func (l *Line) RecordedAs() []string {
	if l.BankRef == "" {
		return []string{l.Identity()}
	}
	return []string{l.BankRef, l.Identity()}
}

// count notes what a booked line says of each step that it may be about.
func (f *finder) count(line *Line, steps []int) {
	if !line.Booked || line.Charge || len(steps) == 0 || f.again[line.Number] != 0 {
		return
	}
	for _, i := range steps {
		t := &f.told[i]
		if comesBack(line, &f.steps[i]) {
			t.back = append(t.back, line.Number)
		} else {
			t.moved = append(t.moved, line.Number)
		}
	}
}

// comesBack reports whether the line is about money of the step that came back: it
// goes the other way, or the bank names it a return.
func comesBack(line *Line, s *Step) bool { return line.Back || undoes(line, s) }

// undoes reports whether the line's money goes the other way than the step's.
func undoes(line *Line, s *Step) bool { return (line.Amount < 0) != s.Out }

// match decides what one line stands for.
func (f *finder) match(line Line, n naming) Match {
	m := Match{Line: line, Finding: Nobody, By: n.by}
	switch len(n.steps) {
	case 0:
		m.Because = "None of its references names a step of this account."
	case 1:
		at := n.steps[0]
		m.Step = &f.steps[at]
		m.Finding, m.Because = f.rule(&m, at, n.earlier)
	default:
		m.Finding, m.Because = Several, f.namesSeveral(n)
	}
	return m
}

// rule decides what a line stands for that names one step, the one at an index.
func (f *finder) rule(m *Match, at, earlier int) (Finding, string) {
	s, t := m.Step, &f.told[at]
	fits := size(m.Amount) == s.Amount && m.Currency == s.Currency
	doubtful := earlier != 0 || m.Doubt != ""
	switch again := f.again[m.Number]; {
	case !m.Booked:
		return Pending, notBooked(m)
	case m.Charge:
		return Charged, charge(m)
	case again != 0:
		return Repeated, repeated(m, again)
	case undoes(&m.Line, s) && !doubtful && len(t.back) == 1 && m.Currency == s.Currency && size(m.Amount) == s.Returned:
		return Known, cameBackAsKnown(m)
	case comesBack(&m.Line, s):
		return Back, cameBack(m)
	case len(t.moved) > 1:
		return Several, f.linesNameIt(at)
	case earlier != 0:
		return Doubtful, ofEarlier(m, earlier)
	case doubtful:
		return Doubtful, namedBy(m) + " " + m.Doubt
	case paidOtherwise(&m.Line, s):
		return Several, paidBefore(m)
	case !fits:
		return Differs, differs(m)
	case s.Conflict != "":
		return Doubtful, contradicted(m)
	case s.State == model.Confirmed:
		return Known, f.confirmed(m, at)
	case s.Returned > 0:
		return Doubtful, returned(m)
	case s.Uncertain && len(t.back) > 0:
		return Doubtful, f.paidAndBack(m, at)
	case s.Uncertain && outOfTime(m) != "":
		return Doubtful, namedBy(m) + " " + outOfTime(m)
	case s.Uncertain:
		return Proves, proves(m)
	}
	return Ended, hadEnded(m)
}

// paidOtherwise reports whether another bank line is recorded for the payment.
func paidOtherwise(line *Line, s *Step) bool {
	return len(s.PaidBy) > 0 && !slices.ContainsFunc(s.PaidBy, func(p Payment) bool { return p.is(line) })
}

func size(amount int64) int64 {
	if amount < 0 {
		return -amount
	}
	return amount
}
