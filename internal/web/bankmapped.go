package web

import (
	"cmp"
	"strings"

	"countersign/internal/bankfile"
	"countersign/web/templates"
)

// mappedFacts tell how the columns are read, field by field as the form asks for
// them. Columns and texts that were left empty are not listed.
func mappedFacts(m bankfile.Mapping, rows bankfile.Preview) (facts []templates.Fact) {
	add := func(label string, text templates.Text) {
		facts = append(facts, templates.Fact{Label: label, Text: text})
	}
	for _, g := range mappingGroups(fieldsOf(m), rows) {
		for _, f := range g.Fields {
			switch label := factLabel(f.Label); {
			case f.Name == "any_status" && m.Status != "":
			case f.Name == "any_status" && m.AnyStatus:
				add(g.Legend, say("every row, whatever a column seems to say"))
			case f.Name == "any_status":
				add(g.Legend, say("every row: no column says which"))
			case f.Box:
				add(label, say(map[bool]string{true: "yes", false: "no"}[f.Value != ""]))
			case f.Column && f.Value != "":
				add(label, columnNamed(columnsOf(rows), f.Value))
			case f.Options != nil:
				if c, is := chosenOption(f.Options); is {
					add(label, columnText(c))
				}
			case f.Name == "skip_lines", f.Name == "skip_rows":
				add(label, say(cmp.Or(f.Value, "none")))
			case f.Value != "":
				add(label, say(templates.Name(f.Value)))
			}
		}
		var columns templates.Text
		for _, c := range g.Boxes {
			switch {
			case !c.Current:
			case columns == nil:
				columns = columnText(c)
			default:
				columns = say(columns, ", ", columnText(c))
			}
		}
		if g.Name != "" && columns == nil {
			columns = say("none: no line is matched")
		}
		if columns != nil {
			add(g.Legend, columns)
		}
	}
	return facts
}

// factLabel is the label of a field where it stands by itself.
func factLabel(label string) string {
	for _, joint := range []string{"or ", "and ", "the ", "a "} {
		label = strings.TrimPrefix(label, joint)
	}
	return upper(label)
}

// chosenOption is the option that is chosen; none is where that is to leave it out.
func chosenOption(list []templates.Choice) (c templates.Choice, is bool) {
	for _, c := range list {
		if c.Current && c.Value != "" {
			return c, true
		}
	}
	return c, false
}

// columnNamed tells the column that a mapping's word names.
func columnNamed(columns []templates.Choice, word string) templates.Text {
	for i, c := range columns {
		if isColumn(c, i, word) {
			return columnText(c)
		}
	}
	return say(templates.Name(word))
}

// columnText names a chosen option: a column by its number and what its header says.
func columnText(c templates.Choice) templates.Text {
	number, head, column := strings.Cut(c.Label, "  ")
	switch {
	case !column:
		return say(templates.Name(c.Label))
	case head == "":
		return say("column ", number)
	}
	return say("column ", number, ", ", templates.Name(head))
}
