package web

import (
	"net/url"
	"strings"

	"countersign/internal/authz"
	"countersign/internal/model"
	"countersign/internal/web/problem"
)

// previewBankFile plans a mark for each ticked line, or goes to another page of
// them and keeps what is unticked.
func (v *visit) previewBankFile() error {
	var form struct {
		Lines []string `form:"line"`
		Shown string   `form:"shown"`
		Out   string   `form:"out"`
		From  string   `form:"from"`
		Go    string   `form:"go"`
	}
	if err := v.bind(&form); err != nil {
		return err
	}
	p, err := v.openBankFile()
	if err != nil {
		return err
	}
	p.untick(form.Out, form.Shown, form.Lines)
	if form.Go != "" {
		return v.to(v.withOut(form.Go, p))
	}
	var lines []int
	for _, m := range p.chosen() {
		lines = append(lines, m.Number)
	}
	if len(lines) == 0 && p.may.Allowed {
		return v.to(withSaid(v.withOut(form.From, p), "no-line-ticked"))
	}
	b, err := v.Runner.PreviewBankFile(v.r.Context(), v.actor, p.ID, lines)
	return v.listMade(p, b, err)
}

// listMade leads to a list that was made, or says what stands in its way.
func (v *visit) listMade(p bankPage, b model.Bulk, err error) error {
	refusal := problem.Of(err)
	switch {
	case err == nil:
		return v.to("/bulk/" + b.ID)
	case refusal.Name == authz.CodeStepUp:
		return v.showBankFile(refusal.Status, p, stepUpNote(err, "Nothing was stored.", bankFilePath(p.ID)))
	}
	return err
}

// untick takes in what came from one page: what is unticked there is out, what is
// ticked is not, and the other pages are as they were.
func (p *bankPage) untick(out, shown string, ticked []string) {
	p.out = numbersIn(out)
	for n := range numbersIn(strings.Join(strings.Fields(shown), ",")) {
		p.out[n] = true
	}
	for n := range numbersIn(strings.Join(ticked, ",")) {
		delete(p.out, n)
	}
}

// withOut is an address of the file's page with what is unticked now.
func (v *visit) withOut(address string, p bankPage) string {
	at, err := url.Parse(localPath(address))
	if err != nil || at.Path != bankFilePath(p.ID) {
		return bankFilePath(p.ID)
	}
	values := at.Query()
	values.Set("out", p.unticked())
	if p.unticked() == "" {
		values.Del("out")
	}
	at.RawQuery = values.Encode()
	return at.String()
}
