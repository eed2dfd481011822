package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// axeSource is axe-core's script, read once.
var axeSource = sync.OnceValues(func() (string, error) {
	text, err := os.ReadFile(have.axe)
	return string(text), err
})

// axeRun checks the page and gives a line for each element that breaks a rule.
// It loads nothing. %s says which rules.
const axeRun = `axe.run(document, {
	runOnly: %s,
	resultTypes: ["violations"], preload: false,
}).then(r => r.violations.flatMap(v => v.nodes.map(n => v.id + ": " + n.target.join(" ") + ": " + n.failureSummary.replace(/\s+/g, " "))))`

// The rules: of WCAG 2.2, levels A and AA, all; where a page differs from what
// was looked at in nothing but colours, or in its width, those about that.
const (
	allRules    = `{ type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22a", "wcag22aa"] }`
	colourRules = `["color-contrast", "link-in-text-block"]`
	narrowRules = `["target-size", "scrollable-region-focusable"]`
)

// violations runs axe-core on the page that the tab shows.
func (b *tab) violations() []string {
	b.t.Helper()
	rules := allRules
	if b.look.dark {
		rules = colourRules
	}
	return b.axe(rules)
}

// validate runs html-validate on pages by their names and gives its complaints,
// "" for none.
func validate(t *testing.T, pages map[string]string) string {
	t.Helper()
	folder := t.TempDir()
	var names []string // pairs of a file and the page it holds
	for name, page := range pages {
		file := filepath.Join(folder, fmt.Sprintf("%05d.html", len(names)))
		if err := os.WriteFile(file, []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
		names = append(names, file, name)
	}
	config, err := filepath.Abs(filepath.Join(root, ".htmlvalidate.json"))
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(have.node, have.validate, "--config", config, "--formatter", "text", folder).CombinedOutput()
	if err != nil && len(out) == 0 {
		out = fmt.Append(out, err)
	}
	return strings.NewReplacer(names...).Replace(string(out))
}
