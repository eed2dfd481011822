package templates_test

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// document is a parsed page with what the checks look up.
type document struct {
	nodes []*html.Node
	ids   map[string]*html.Node
}

func parse(t *testing.T, page []byte) document {
	t.Helper()
	root, err := html.Parse(bytes.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	d := document{ids: map[string]*html.Node{}}
	for node := range root.Descendants() {
		if node.Type != html.ElementNode {
			continue
		}
		d.nodes = append(d.nodes, node)
		if id := attr(node, "id"); id != "" {
			if d.ids[id] != nil {
				t.Errorf("id %q stands twice", id)
			}
			d.ids[id] = node
		}
	}
	return d
}

func (d document) all(name string) []*html.Node {
	return slices.DeleteFunc(slices.Clone(d.nodes), func(n *html.Node) bool { return n.Data != name })
}

func attr(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func has(n *html.Node, name string) bool {
	return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == name })
}

func content(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return b.String()
}

// checkPage holds what is true of every page.
func checkPage(t *testing.T, page []byte) {
	t.Helper()
	d := parse(t, page)
	if n := len(d.all("h1")); n != 1 {
		t.Errorf("%d h1", n)
	}
	if len(page) > 60_000 {
		t.Errorf("the page weighs %d bytes", len(page))
	}
	checkPolicy(t, d)
	checkLabels(t, d)
	checkLeads(t, d)
	checkForms(t, d)
	checkReferences(t, d)
	checkTables(t, d)
	checkKeys(t, d)
	checkMarks(t, d)
}

// checkPolicy finds what a strict content security policy would block.
func checkPolicy(t *testing.T, d document) {
	t.Helper()
	for _, n := range d.nodes {
		if n.Data == "style" || n.Data == "script" && (content(n) != "" || !strings.HasPrefix(attr(n, "src"), "/static/")) {
			t.Errorf("inline <%s>", n.Data)
		}
		for _, a := range n.Attr {
			if a.Key == "style" || strings.HasPrefix(a.Key, "on") {
				t.Errorf("<%s> has the attribute %s", n.Data, a.Key)
			}
			link := slices.Contains([]string{"href", "src", "action", "formaction"}, a.Key)
			if link && !strings.HasPrefix(a.Val, "/") && !strings.HasPrefix(a.Val, "#") && !strings.HasPrefix(a.Val, "?") {
				t.Errorf("<%s> leads away: %q", n.Data, a.Val)
			}
		}
	}
}

// checkLabels: each label has a control, each control a label, or a name of its own in
// the cell of a table that has no room for one.
func checkLabels(t *testing.T, d document) {
	t.Helper()
	labelled := map[string]bool{}
	for _, label := range d.all("label") {
		control := d.ids[attr(label, "for")]
		if control == nil || !slices.Contains([]string{"input", "select", "textarea"}, control.Data) {
			t.Errorf("the label %q has no control", content(label))
		}
		labelled[attr(label, "for")] = true
	}
	for _, n := range d.nodes {
		control := n.Data == "select" || n.Data == "textarea" || n.Data == "input" && attr(n, "type") != "hidden"
		if control && !labelled[attr(n, "id")] && attr(n, "aria-label") == "" {
			t.Errorf("the control %q has no label", attr(n, "name"))
		}
	}
}

// checkForms: each POST carries the token, and no GET does.
func checkForms(t *testing.T, d document) {
	t.Helper()
	for _, form := range d.all("form") {
		token := false
		for n := range form.Descendants() {
			token = token || n.Type == html.ElementNode && attr(n, "name") == "csrf"
		}
		if post := attr(form, "method") == "post"; post != token {
			t.Errorf("form to %s: post %v, token %v", attr(form, "action"), post, token)
		}
	}
}

// checkReferences: what is pointed at is there.
func checkReferences(t *testing.T, d document) {
	t.Helper()
	for _, n := range d.nodes {
		for _, name := range []string{"aria-labelledby", "aria-describedby", "list"} {
			for _, id := range strings.Fields(attr(n, name)) {
				if d.ids[id] == nil {
					t.Errorf("<%s> %s points at nothing: %q", n.Data, name, id)
				}
			}
		}
		if target, found := strings.CutPrefix(attr(n, "href"), "#"); found && d.ids[target] == nil {
			t.Errorf("a link to #%s leads nowhere", target)
		}
	}
	used := map[string]bool{}
	for _, n := range d.all("use") {
		used[strings.TrimPrefix(attr(n, "href"), "#")] = true
	}
	if n := len(d.all("symbol")); n != len(used) {
		t.Errorf("%d symbols are defined, %d used", n, len(used))
	}
}

// checkTables: each table has a caption and names its columns and rows.
func checkTables(t *testing.T, d document) {
	t.Helper()
	for _, table := range d.all("table") {
		captions := 0
		for n := range table.Descendants() {
			if n.Type != html.ElementNode {
				continue
			}
			if n.Data == "caption" {
				captions++
			}
			if n.Data == "th" && !has(n, "scope") {
				t.Errorf("a head without scope: %q", content(n))
			}
		}
		if captions != 1 {
			t.Errorf("a table with %d captions", captions)
		}
	}
}

// checkKeys: what the copy button copies is the key, without a space.
func checkKeys(t *testing.T, d document) {
	t.Helper()
	for _, n := range d.nodes {
		if n.Data == "code" && attr(n.Parent, "class") == "key" && strings.ContainsAny(content(n), " \n\t") {
			t.Errorf("the key %q has white space", content(n))
		}
	}
}

// loose is a comma or semicolon that stands away from its word.
var loose = regexp.MustCompile(`\S+\s+[,;](\s\S*|$)`)

// checkMarks: no mark stands away from the word that it follows.
func checkMarks(t *testing.T, d document) {
	t.Helper()
	for _, n := range d.all("main") {
		for _, found := range loose.FindAllString(content(n), -1) {
			t.Errorf("a mark stands alone: %q", found)
		}
	}
	for _, n := range d.all("footer") {
		for _, found := range loose.FindAllString(content(n), -1) {
			t.Errorf("a mark stands alone: %q", found)
		}
	}
}

// checkLeads: the cell that leads a stacked row begins at the edge, where a label
// would stand on it.
func checkLeads(t *testing.T, d document) {
	t.Helper()
	for _, cell := range d.all("th") {
		if slices.Contains(strings.Fields(attr(cell, "class")), "lead-cell") && has(cell, "data-l") {
			t.Errorf("the cell that leads the row of %q has the label %s", content(cell), attr(cell, "data-l"))
		}
	}
}
