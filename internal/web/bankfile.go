package web

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"countersign/internal/actions"
	"countersign/internal/authz"
	"countersign/internal/bankfile"
	"countersign/internal/model"
	"countersign/internal/web/problem"
	"countersign/web/templates"
)

// bankRows is how many rows one table of a bank file shows at once: five full
// tables keep the page under its weight.
const bankRows = 12

// bankPage is a bank file as it is read now, its lines parted by what is to be
// done about them.
type bankPage struct {
	actions.BankReading
	proves []bankfile.Match
	person []bankfile.Match
	others []bankfile.Match
	out    map[int]bool // numbers of lines that are unticked
	may    authz.Decision
	typed  contradictionTyped
}

// The parts of the page, as addresses name them.
const (
	partStatements = "statements"
	partProves     = "proves"
	partPerson     = "person"
	partOurs       = "ours"
	partOthers     = "others"
)

// pageParts are the parts that have pages of their own.
var pageParts = []string{partStatements, partProves, partPerson, partOurs, partOthers}

// openBankFile reads a file that the viewer may see.
func (v *visit) openBankFile() (p bankPage, err error) {
	if p.BankReading, err = v.Runner.ReadBankFile(v.r.Context(), v.actor, v.c.Param("id")); err != nil {
		return p, err
	}
	p.may, p.out = v.actor.May(p.Account, authz.MarkExternalResult), numbersIn(v.c.QueryParam("out"))
	for _, m := range p.Matches {
		switch {
		case m.Finding == bankfile.Proves:
			p.proves = append(p.proves, m)
		case m.Finding.Odd():
			p.person = append(p.person, m)
		default:
			p.others = append(p.others, m)
		}
	}
	return p, nil
}

// numbersIn reads numbers of lines, parted by commas; what is none is left out.
func numbersIn(text string) map[int]bool {
	list := map[int]bool{}
	for _, word := range strings.Split(text, ",") {
		if n, err := strconv.Atoi(word); err == nil && n > 0 {
			list[n] = true
		}
	}
	return list
}

// bankFile shows one bank file: what it is, what it proves, what needs a person,
// what of ours it does not name, and the rest.
func (v *visit) bankFile() error {
	p, err := v.openBankFile()
	if err != nil {
		return err
	}
	return v.showBankFile(http.StatusOK, p, nil)
}

// showBankFile shows the page; flash says something first, nil is nothing.
func (v *visit) showBankFile(status int, p bankPage, flash *templates.Note) error {
	view := templates.BankFileView{Page: v.titled("Bank file " + p.Name), ID: p.ID, Name: p.Name, Meta: v.bankMeta(p), Facts: v.bankFacts(p)}
	if flash != nil {
		view.Page.Flash = flash
	}
	if v.c.QueryParam(saidParam) == sameFile {
		view.Page.Flash, view.Page.Refresh = v.sameFileNote(p), withSaid(v.r.URL.RequestURI(), "")
	}
	if p.Fault != nil && flash == nil {
		view.Page.Flash = &templates.Note{Kind: "no", Title: say("Its columns, as they were named, do not read it any more. Nothing was lost, and nothing is matched."),
			Text: []templates.Text{say(problem.Of(p.Fault).Detail, " Name them anew below.")}}
	}
	if p.Waiting || p.Format == actions.CSV && v.c.QueryParam("mapping") != "" {
		view.Mapping = v.mappingForm(p)
		return v.show(status, templates.BankFile(view))
	}
	view.Sums, view.Parts, view.Lists = p.sums(), p.parts(), v.bankLists(p)
	for _, note := range p.Read.Notes {
		view.Odd = append(view.Odd, say(note))
	}
	at, until, pages := v.bankPart(p, partStatements, "Statements", len(p.Read.Statements))
	for _, s := range p.Read.Statements[at:until] {
		view.Statements = append(view.Statements, statementRow(s))
	}
	view.Pages = pages
	view.Proves, view.Person = v.proving(p), v.needsPerson(p)
	v.notNamed(p, &view)
	view.Others = v.othersOf(p)
	return v.show(status, templates.BankFile(view))
}

// sameFileNote says that the bytes were there before.
func (v *visit) sameFileNote(p bankPage) *templates.Note {
	return &templates.Note{Kind: "mind", Title: say("This very file was uploaded on ", v.at(p.UploadedAt), " by ", templates.Name(p.PersonName), "; nothing was stored."),
		Text: []templates.Text{say("The same bytes are one file, whatever they are called. What was recorded from it stands as it did.")}}
}

// bankPart cuts a page out of a part, and says where the other pages are.
func (v *visit) bankPart(p bankPage, part, unit string, all int) (at, until int, pages templates.Paging) {
	if n, err := strconv.Atoi(v.c.QueryParam(part)); err == nil && n > 1 && n <= all {
		at = n - 1
	}
	until = min(at+bankRows, all)
	if at == 0 && until == all {
		return at, until, pages
	}
	pages.Shown = unit + " " + grouped(int64(at+1)) + "–" + grouped(int64(until)) + " of " + grouped(int64(all))
	if at > 0 {
		pages.Prev = v.bankPath(p, part, max(at-bankRows, 0))
	}
	if until < all {
		pages.Next = v.bankPath(p, part, until)
	}
	return at, until, pages
}

// bankPath is the address of a page of one part; the others stay where they are,
// and so does what is unticked.
func (v *visit) bankPath(p bankPage, part string, at int) string {
	values := url.Values{}
	for _, name := range pageParts {
		if n, err := strconv.Atoi(v.c.QueryParam(name)); err == nil && n > 1 && name != part {
			values.Set(name, strconv.Itoa(n))
		}
	}
	if at > 0 {
		values.Set(part, strconv.Itoa(at+1))
	}
	if out := p.unticked(); out != "" {
		values.Set("out", out)
	}
	return strings.TrimSuffix(bankFilePath(p.ID)+"?"+values.Encode(), "?") + "#" + part
}

// unticked are the numbers of lines that are unticked, as addresses have them.
func (p bankPage) unticked() string {
	var list []string
	for _, m := range p.proves {
		if p.out[m.Number] {
			list = append(list, strconv.Itoa(m.Number))
		}
	}
	return strings.Join(list, ",")
}

// chosen are the proving lines that are ticked, as many as one list holds.
func (p bankPage) chosen() (list []bankfile.Match) {
	for _, m := range p.proves {
		if !p.out[m.Number] && len(list) < actions.MaxBulk {
			list = append(list, m)
		}
	}
	return list
}

// moneyOf is the money of lines by currency, as much as each moved.
func moneyOf(list []bankfile.Match) (sums []model.Money, many map[string]int) {
	at := map[string]int{}
	many = map[string]int{}
	for _, m := range list {
		n, known := at[m.Currency]
		if !known {
			n = len(sums)
			at[m.Currency], sums = n, append(sums, model.Money{Currency: m.Currency})
		}
		sums[n].Amount += max(m.Amount, -m.Amount)
		many[m.Currency]++
	}
	slices.SortFunc(sums, func(a, b model.Money) int { return strings.Compare(a.Currency, b.Currency) })
	return sums, many
}

// sums is the ledger line of what the file proves.
func (p bankPage) sums() templates.Sums {
	s := templates.Sums{Heading: "It proves", Figure: counted(len(p.proves), "uncertain step"), Calm: true, Note: say("nothing is recorded before you confirm it")}
	if len(p.proves) == 0 {
		s.Figure, s.Note = "Nothing new", say("no line confirms an uncertain step")
	}
	sums, many := moneyOf(p.proves)
	for _, m := range sums {
		s.Columns = append(s.Columns, templates.SumColumn{Money: m, Note: say(counted(many[m.Currency], "line"))})
	}
	return s
}

// parts link the parts of the page, each with how many are in it.
func (p bankPage) parts() []templates.Choice {
	link := func(part, label string, n int) templates.Choice {
		return templates.Choice{Href: "#" + part, Label: label + ": " + grouped(int64(n))}
	}
	list := []templates.Choice{{Href: "#what", Label: "What the file is"}, link(partProves, "What it proves", len(p.proves)), link(partPerson, "What needs a person", len(p.person)),
		link(partOurs, "What of ours no line names", len(p.Unnamed)), link(partOthers, "Known, and not ours", len(p.others))}
	if p.More {
		list[3].Label += "+"
	}
	if len(p.Lists) > 0 {
		list = append(list, link("lists", "What was made of it", len(p.Lists)))
	}
	return list
}
