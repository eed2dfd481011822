package house

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var (
	testFunc  = regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	namedTest = regexp.MustCompile("`(Test\\w+)`")
	numbered  = regexp.MustCompile(`^\| (\d+) \|`)
)

// TestThePageOfMomentsNamesTests compares docs/moments.md with the tests that
// exist: every moment and every invariant has its row, and every row a test.
func TestThePageOfMomentsNamesTests(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(root, "docs", "moments.md"))
	if err != nil {
		t.Fatal(err)
	}
	exist := map[string]bool{}
	for _, text := range sources(t, "_test.go") {
		for _, match := range testFunc.FindAllStringSubmatch(text, -1) {
			exist[match[1]] = true
		}
	}
	for _, fault := range pageFaults(string(page), exist) {
		t.Error(fault)
	}
	missing := strings.Replace(string(page), "| 7 |", "| 70 |", 1)
	if len(pageFaults(missing, exist)) == 0 || len(pageFaults(string(page), map[string]bool{})) == 0 {
		t.Error("a page without a moment, or with tests that do not exist, passes")
	}
}

// pageFaults tells what is wrong with the page.
func pageFaults(page string, exist map[string]bool) (faults []string) {
	_, moments, _ := strings.Cut(page, "## Moments")
	moments, invariants, _ := strings.Cut(moments, "## Invariants")
	for title, section := range map[string]struct {
		text string
		rows int
	}{"moment": {moments, 17}, "invariant": {invariants, 13}} {
		seen := 0
		for line := range strings.Lines(section.text) {
			row := numbered.FindStringSubmatch(line)
			if row == nil {
				continue
			}
			seen++
			if row[1] != strconv.Itoa(seen) {
				faults = append(faults, title+" "+strconv.Itoa(seen)+" is not where it should be")
			}
			tests := namedTest.FindAllStringSubmatch(line, -1)
			if len(tests) == 0 {
				faults = append(faults, title+" "+row[1]+" names no test")
			}
			for _, test := range tests {
				if !exist[test[1]] {
					faults = append(faults, title+" "+row[1]+" names "+test[1]+", which does not exist")
				}
			}
		}
		if seen != section.rows {
			faults = append(faults, "there are "+strconv.Itoa(seen)+" rows of "+title+"s, not "+strconv.Itoa(section.rows))
		}
	}
	return faults
}
