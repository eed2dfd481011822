package e2e

import (
	"net/url"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"countersign/internal/model"
)

// TestMoneyOnEveryPage makes payouts in currencies without, with three and with
// four decimals, and finds each amount on every page and export that has it:
// written by the rules of its currency, and never otherwise.
func TestMoneyOnEveryPage(t *testing.T) {
	s := theScene(t)
	operator, auditor := signIn(t, s.demo.Address, s.person('o')), signIn(t, s.demo.Address, s.person('u'))
	for _, m := range []model.Money{{Amount: 45_679, Currency: "JPY"}, {Amount: 7_654_321, Currency: "KWD"}, {Amount: 98_765_432, Currency: "CLF"}} {
		t.Run(m.Currency, func(t *testing.T) {
			s.t = t
			waiting, lost := s.requestOf(s.postOf(int(m.Amount), m.Currency)), s.lose(int(m.Amount), m.Currency)
			plan := s.preview(s.person('o'), lost, "reconcile", "create-payout")
			for _, page := range []struct {
				by   *visitor
				path string
				must bool // the amount must stand there
			}{
				{operator, "/?q=" + lost, true},
				{operator, "/?state=all&currency=" + m.Currency, true},
				{operator, "/intents/" + lost, true},
				{operator, "/intents/" + waiting.Intent, true},
				{operator, "/intents/" + lost + "/actions/mark_external_result?step=create-payout", true},
				{operator, "/intents/" + lost + "/actions/abandon", false},
				{operator, "/previews/" + plan.ID, false},
				{operator, "/approvals", true},
				{operator, "/approvals/" + waiting.ID, true},
				{operator, "/uncertain", true},
				{operator, "/uncertain/file?format=csv", true},
				{auditor, "/audit?" + url.Values{"intent": {lost}}.Encode(), false},
				{auditor, "/audit/export/file?format=csv&zone=UTC", false},
			} {
				a := page.by.get(t, page.path)
				if a.status != ok {
					t.Errorf("%s: status %d", page.path, a.status)
					continue
				}
				text := cells(a.body)
				if a.isPage() {
					text = readable(t, a.body)
				}
				amountsIn(t, page.path, text, m, page.must)
			}
		})
	}
}

// amountsIn looks for the digits of an amount in a text, however they are
// grouped: each time they must be as the currency wants it, for people or plain.
func amountsIn(t *testing.T, path, text string, m model.Money, must bool) {
	t.Helper()
	digits := strings.Split(strings.NewReplacer(".", "", ",", "").Replace(m.Digits()), "")
	pattern := regexp.MustCompile(`(^|[^0-9a-z_.,])(` + strings.Join(digits, `[.,'  ]?`) + `([.,][0-9]+)?)($|[^0-9a-z])`)
	found := pattern.FindAllStringSubmatch(strings.ReplaceAll(text, "\u00a0", " "), -1)
	for _, f := range found {
		if f[2] != m.Digits() && f[2] != m.Decimal() {
			t.Errorf("%s: %s is written %q", path, m, f[2])
		}
	}
	if must && len(found) == 0 {
		t.Errorf("%s does not say %s:\n%s", path, m, text)
	}
}

// jsonCell is a cell of a CSV that holds an object as the log has it.
var jsonCell = regexp.MustCompile(`"\{([^"]|"")*\}"`)

// cells is a CSV without the cells that hold JSON, where amounts are in minor
// units.
func cells(csv string) string { return jsonCell.ReplaceAllString(csv, "") }

// verbatim are elements whose text is not ours: bytes and keys as they are sent.
var verbatim = map[string]bool{"code": true, "pre": true, "script": true, "style": true}

// apart are elements whose text does not go on in what follows.
var apart = map[string]bool{"td": true, "th": true, "li": true, "p": true, "dt": true, "dd": true, "div": true, "h1": true, "h2": true, "option": true}

// readable is the text of a page without what is shown byte for byte, the values
// of its fields included.
func readable(t *testing.T, page string) string {
	t.Helper()
	tree, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	var read func(*html.Node)
	read = func(n *html.Node) {
		if apart[n.Data] {
			b.WriteString(" ")
		}
		switch {
		case n.Type == html.TextNode:
			b.WriteString(n.Data)
		case verbatim[n.Data]:
			return
		case n.Data == "input" && attr(n, "type") != "hidden":
			b.WriteString(" " + attr(n, "value") + " ")
		}
		for child := range n.ChildNodes() {
			read(child)
		}
		if apart[n.Data] {
			b.WriteString(" ")
		}
	}
	read(tree)
	return b.String()
}
