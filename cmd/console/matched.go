package main

import (
	"bufio"
	"cmp"
	"encoding/hex"
	"fmt"
	"io"

	"countersign/internal/actions"
	"countersign/internal/bankfile"
	"countersign/internal/model"
)

// found are the findings in the order in which they are told, with what one line
// and what many lines do.
var found = []struct {
	finding   bankfile.Finding
	one, many string
}{
	{bankfile.Proves, "proves an uncertain step", "prove an uncertain step each"},
	{bankfile.Differs, "names a step, with another amount or currency", "name a step, with another amount or currency"},
	{bankfile.Back, "brings money of a step back", "bring money of a step back"},
	{bankfile.Several, "is not clear: several steps or several lines", "are not clear: several steps or several lines"},
	{bankfile.Doubtful, "names a step, but cannot prove it", "name a step, but cannot prove it"},
	{bankfile.Ended, "names a step that had ended without effect", "name a step that had ended without effect"},
	{bankfile.Pending, "names a step and is not booked", "name a step and are not booked"},
	{bankfile.Charged, "is the bank's charge for a step", "are the bank's charges for a step"},
	{bankfile.Known, "is known already", "are known already"},
	{bankfile.Repeated, "is another line of the file once more", "are other lines of the file once more"},
	{bankfile.Nobody, "names no step of ours", "name no step of ours"},
}

// writeMatched tells people what a file says beside our steps: the sums first, then
// what needs somebody, line by line.
func writeMatched(out io.Writer, b actions.BankReading) error {
	w := bufio.NewWriter(out)
	writeFile(w, b)
	counts := map[bankfile.Finding]int{}
	for i := range b.Matches {
		counts[b.Matches[i].Finding]++
	}
	fmt.Fprintf(w, "\n%s:\n", counted(len(b.Matches), "line", "lines"))
	for _, f := range found {
		if n := counts[f.finding]; n > 0 {
			fmt.Fprintf(w, "  %6d %s\n", n, map[bool]string{true: f.one, false: f.many}[n == 1])
		}
	}
	for _, f := range found {
		if !f.finding.NeedsPerson() && f.finding != bankfile.Pending || counts[f.finding] == 0 {
			continue
		}
		fmt.Fprintf(w, "\nLines that %s:\n", f.many)
		for i := range b.Matches {
			if m := &b.Matches[i]; m.Finding == f.finding {
				writeLine(w, m)
			}
		}
	}
	writeUnnamed(w, b)
	fmt.Fprintf(w, "\nNothing was changed. What the file proves is recorded on the page /reconcile: upload it there, look at its lines and confirm them.\n")
	return w.Flush()
}

// writeFile tells what the file is and whether it adds up.
func writeFile(w io.Writer, b actions.BankReading) {
	fmt.Fprintf(w, "%s: %s, %s\n", b.Name, b.Read.Format, counted(len(b.Read.Statements), "statement", "statements"))
	for i := range b.Read.Statements {
		s := &b.Read.Statements[i]
		fmt.Fprintf(w, "  %s of account %s, %s", s.Kind, orUnsaid(s.Account), counted(len(s.Lines), "line", "lines"))
		if s.Opening != nil && s.Closing != nil {
			fmt.Fprintf(w, ", from %s to %s", s.Opening.Money, s.Closing.Money)
		}
		fmt.Fprintln(w)
		for _, says := range append([]string{s.Check()}, s.Declared...) {
			if says != "" {
				fmt.Fprintf(w, "    ! %s\n", says)
			}
		}
	}
	for _, note := range b.Read.Notes {
		fmt.Fprintf(w, "  %s\n", note)
	}
}

// writeLine tells one line: what the bank says, the step, and why.
func writeLine(w io.Writer, m *bankfile.Match) {
	fmt.Fprintf(w, "  line %d  %s  %s  %s\n", m.Number, orUnsaid(m.BookedOn), model.Money{Amount: m.Amount, Currency: m.Currency}, cmp.Or(m.BankRef, m.By.Value))
	if m.Step != nil {
		fmt.Fprintf(w, "    %s\n", m.Step.Key)
	}
	fmt.Fprintf(w, "    %s\n", m.Because)
}

// writeUnnamed tells which of our uncertain steps the file says nothing of.
func writeUnnamed(w io.Writer, b actions.BankReading) {
	if len(b.Unnamed) == 0 {
		return
	}
	fmt.Fprintf(w, "\nOurs and uncertain, and no line names them: %s", counted(len(b.Unnamed), "step", "steps"))
	if b.More {
		fmt.Fprint(w, ", the oldest; there are more")
	}
	fmt.Fprintln(w)
	for _, s := range b.Unnamed {
		fmt.Fprintf(w, "  %s  %s  since %s\n", s.Key, model.Money{Amount: s.Amount, Currency: s.Currency}, s.Since)
	}
}

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

func orUnsaid(text string) string {
	if text == "" {
		return "(not said)"
	}
	return text
}

// The JSON of a file that was set beside our steps.
type (
	matchedFile struct {
		Name        string             `json:"name"`
		SHA256      string             `json:"sha256"`
		Account     string             `json:"account"`
		Format      string             `json:"format"`
		Statements  []matchedStatement `json:"statements"`
		Notes       []string           `json:"notes"`
		Lines       []matchedLine      `json:"lines"`
		Unnamed     []unnamedStep      `json:"unnamed"` // ours and uncertain, and no line names them
		UnnamedMore bool               `json:"unnamed_capped"`
		NeedsPerson bool               `json:"needs_person"`
	}
	matchedStatement struct {
		Kind    string   `json:"kind"`
		Account string   `json:"account"`
		Lines   int      `json:"lines"`
		Faults  []string `json:"faults"` // what does not add up
	}
	matchedLine struct {
		Number    int     `json:"number"`
		Booked    bool    `json:"booked"`
		BookedOn  string  `json:"booked_on"`
		Amount    int64   `json:"amount"` // minor units; below zero went out
		Currency  string  `json:"currency"`
		Reference string  `json:"reference"`
		Finding   string  `json:"finding"`
		Intent    *string `json:"intent"`
		StepKey   *string `json:"step_key"`
		Because   string  `json:"because"`
	}
	unnamedStep struct {
		Intent   string     `json:"intent"`
		StepKey  string     `json:"step_key"`
		Amount   int64      `json:"amount"` // minor units
		Currency string     `json:"currency"`
		Since    model.Time `json:"since"`
	}
)

func matchedJSON(b actions.BankReading) matchedFile {
	f := matchedFile{Name: b.Name, SHA256: hex.EncodeToString(b.SHA256), Account: b.Account, Format: b.Read.Format, Statements: []matchedStatement{},
		Notes: append([]string{}, b.Read.Notes...), Lines: []matchedLine{}, Unnamed: []unnamedStep{}, UnnamedMore: b.More, NeedsPerson: needsPerson(b)}
	for i := range b.Read.Statements {
		s := &b.Read.Statements[i]
		out := matchedStatement{string(s.Kind), s.Account, len(s.Lines), append([]string{}, s.Declared...)}
		if off := s.Check(); off != "" {
			out.Faults = append([]string{off}, out.Faults...)
		}
		f.Statements = append(f.Statements, out)
	}
	for i := range b.Matches {
		m := &b.Matches[i]
		line := matchedLine{Number: m.Number, Booked: m.Booked, BookedOn: m.BookedOn, Amount: m.Amount, Currency: m.Currency, Reference: m.BankRef,
			Finding: string(m.Finding), Because: m.Because}
		if m.Step != nil {
			line.Intent, line.StepKey = &m.Step.IntentID, &m.Step.Key
		}
		f.Lines = append(f.Lines, line)
	}
	for _, s := range b.Unnamed {
		f.Unnamed = append(f.Unnamed, unnamedStep{s.IntentID, s.Key, s.Amount, s.Currency, s.Since})
	}
	return f
}
