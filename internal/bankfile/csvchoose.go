package bankfile

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// choose finds the columns by their headers and by what their cells look like.
func (g *guess) choose() {
	g.column = map[string]int{}
	for _, r := range roles {
		two := r.member == "debit" || r.member == "credit"
		if _, one := g.column["amount"]; two && one {
			continue
		}
		if at := g.find(r); at >= 0 {
			g.column[r.member] = at
		}
	}
	_, debit := g.column["debit"]
	_, credit := g.column["credit"]
	if debit != credit { // one alone says nothing
		delete(g.column, "debit")
		delete(g.column, "credit")
	}
	g.direction()
	g.status()
	g.write()
}

// findByCells is the column of a role in a file without a header, where only what
// the cells tell alone is taken: the first days, the only currency, the only amount.
func (g *guess) findByCells(r role) int {
	var found []int
	for at := range g.width() {
		if g.looksLike(at, r.cells) {
			found = append(found, at)
		}
	}
	switch {
	case r.member == "booked_on" && len(found) > 0, (r.member == "currency_column" || r.member == "amount") && len(found) == 1:
		return found[0]
	}
	return -1
}

// find is the column of a role, -1 where none is it.
func (g *guess) find(r role) int {
	if g.header == nil {
		return g.findByCells(r)
	}
	for _, exact := range []bool{true, false} {
		for _, word := range r.words {
			for at, cell := range g.header {
				name := strings.ToLower(headerName(cell))
				const long = 5 // shorter words are in many others
				hit := name == word || !exact && len(word) >= long && strings.Contains(name, word)
				if hit && !isForeign(name) && !g.taken(at) && g.looksLike(at, r.cells) {
					return at
				}
			}
		}
	}
	return -1
}

// isForeign reports whether a header is of an amount or a currency that is not the
// account's.
func isForeign(name string) bool {
	return slices.ContainsFunc(foreignWords, func(w string) bool { return strings.Contains(name, w) })
}

// width is the number of columns of the rows.
func (g *guess) width() (most int) {
	for _, row := range g.rows {
		most = max(most, len(row.cells))
	}
	return min(most, PreviewColumns)
}

// taken reports whether a role has the column.
func (g *guess) taken(at int) bool {
	for _, column := range g.column {
		if column == at {
			return true
		}
	}
	return false
}

// looksLike reports whether the cells of a column that are not blank look like a
// kind, but for the last rows, which may be sums, and some do.
func (g *guess) looksLike(at int, kind cellKind) bool {
	if kind == anyCells {
		return true
	}
	good, bad := 0, 0
	for i, row := range g.rows {
		cell := row.cell(at)
		switch {
		case cell == "":
		case fits(cell, kind):
			good++
		case i < len(g.rows)-3 || len(g.rows) < 4:
			bad++
		}
	}
	return good > 0 && bad == 0
}

// direction finds the column that says the direction of amounts without signs.
func (g *guess) direction() {
	amount, ok := g.column["amount"]
	if !ok || slices.ContainsFunc(g.cells("amount"), func(c string) bool { return strings.ContainsAny(c, "-\u2212(") }) {
		return
	}
	for at, cell := range g.header {
		if at == amount || !slices.Contains(directionWords, strings.ToLower(headerName(cell))) {
			continue
		}
		for _, pair := range directions {
			if in, out, ok := g.saysOnly(at, pair); ok {
				g.column["direction"], g.m.In, g.m.Out = at, in, out
				return
			}
		}
	}
}

// saysOnly reports whether a column says nothing but two words, and how it writes
// them; one that does not occur is written as the other begins.
func (g *guess) saysOnly(at int, pair [2]string) (in, out string, ok bool) {
	in, out = pair[0], pair[1]
	for _, row := range g.rows {
		switch cell := row.cell(at); strings.ToLower(cell) {
		case pair[0]:
			in, ok = cell, true
		case pair[1]:
			out, ok = cell, true
		case "":
		default:
			return "", "", false
		}
	}
	return in, out, ok
}

// cells are the cells of a member's column that are not blank.
func (g *guess) cells(member string) (all []string) {
	at, ok := g.column[member]
	if !ok {
		return nil
	}
	for _, row := range g.rows {
		if cell := row.cell(at); cell != "" {
			all = append(all, cell)
		}
	}
	return all
}

// write names the chosen columns in the mapping.
func (g *guess) write() {
	for member, into := range map[string]*string{
		"booked_on": &g.m.BookedOn, "valued_on": &g.m.ValuedOn, "amount": &g.m.Amount, "debit": &g.m.Debit, "credit": &g.m.Credit,
		"direction": &g.m.Direction, "currency_column": &g.m.CurrencyColumn, "account_column": &g.m.AccountColumn, "balance": &g.m.Balance,
		"bank_ref": &g.m.BankRef, "other": &g.m.Other, "other_account": &g.m.OtherAccount, "text": &g.m.Text,
	} {
		if at, ok := g.column[member]; ok {
			*into = g.name(at)
		}
	}
	for at, cell := range g.header {
		if slices.Contains(refWords, strings.ToLower(headerName(cell))) && !g.taken(at) {
			g.m.Refs = append(g.m.Refs, g.name(at))
		}
	}
}

// name is how a mapping names a column: by its header where that says which.
func (g *guess) name(at int) string {
	number := strconv.Itoa(at + 1)
	if at >= len(g.header) {
		return number
	}
	name, n := headerName(g.header[at]), 0
	for _, cell := range g.header {
		if headerName(cell) == name {
			n++
		}
	}
	if name == "" || n > 1 || digitsOnly(name) {
		return number
	}
	return name
}

var (
	// amountShape is a number with groups of three digits or none; no day has it.
	amountShape = regexp.MustCompile(`^[-+(]? ?(\d{1,3}([., ']\d{3})+|\d+)?([.,]\d*)?[-+)]?$`)
	// decimalsAtEnd is a mark with decimals behind it that can be no group of three.
	decimalsAtEnd = regexp.MustCompile(`([.,])(\d{1,2}|\d{4,})?[-+)]?$`)
	// groupsBefore is a mark between thousands, where another mark or group follows.
	groupsBefore = regexp.MustCompile(`\d([.,' ])\d{3}(?:[.,' ]|[-+)]?$)`)
)

// numbers finds the decimal sign by numbers that cannot be read otherwise. It
// stays open where each could be both.
func (g *guess) numbers() {
	marks, groups := map[string]bool{}, map[string]bool{}
	open := false
	for _, member := range []string{"amount", "debit", "credit", "balance"} {
		for _, cell := range g.cells(member) {
			cell = blanks.Replace(cell)
			open = open || strings.ContainsAny(cell, ".,")
			if p := decimalsAtEnd.FindStringSubmatch(cell); p != nil {
				marks[p[1]] = true
			}
			if p := groupsBefore.FindStringSubmatch(cell); p != nil {
				groups[p[1]] = true
			}
		}
	}
	switch {
	case len(marks) == 1 && marks[","], len(marks) == 0 && !open && g.m.Separator == ";":
		g.m.Decimal = ","
	case len(marks) == 1 && marks["."], len(marks) == 0 && !open:
		g.m.Decimal = "."
	default:
		return
	}
	for _, mark := range Groupings {
		if groups[mark] && mark != g.m.Decimal {
			g.m.Grouping = mark
		}
	}
}

// daysOf are the ways to read a cell as a day: the format, and the day.
func daysOf(cell string) map[string]string {
	found := map[string]string{}
	if len(cell) < 6 || len(cell) > 40 {
		return found
	}
	for _, format := range DateFormats {
		layout, _ := dateLayout(format)
		if day, ok := parseDay(cell, layout); ok {
			found[format] = day.Format(dayForm)
		}
	}
	return found
}

// days finds the format that fits all days. It stays open where several fit and do
// not mean the same.
func (g *guess) days() {
	cells := slices.Concat(g.cells("booked_on"), g.cells("valued_on"))
	var fitting []string
	for _, format := range DateFormats {
		layout, _ := dateLayout(format)
		wrong := 0
		for _, cell := range cells {
			if _, ok := parseDay(cell, layout); !ok && len(daysOf(cell)) > 0 {
				wrong++
			}
		}
		if wrong == 0 && len(cells) > 0 {
			fitting = append(fitting, format)
		}
	}
	for _, cell := range cells {
		days := daysOf(cell)
		for _, format := range fitting {
			if days[format] != days[fitting[0]] {
				return
			}
		}
	}
	if len(fitting) > 0 {
		g.m.Dates = fitting[0]
	}
}

// footer counts the last rows of the whole file that have no day: sums and words.
func (g *guess) footer(body []byte) {
	at, ok := g.column["booked_on"]
	layout, known := dateLayout(g.m.Dates)
	if !ok || !known {
		return
	}
	text, err := decoded(body, g.m.Encoding)
	if err != nil {
		return
	}
	rows, err := csvRows(text, g.m.Separator, g.m.SkipLines, MaxLines+10)
	if err != nil {
		return
	}
	const most = 10
	n := 0
	for _, row := range slices.Backward(rows) {
		if _, ok := parseDay(row.cell(at), layout); ok || n == most {
			break
		}
		n++
	}
	if n < most && n < len(rows)-1 {
		g.m.SkipRows = n
	}
}
