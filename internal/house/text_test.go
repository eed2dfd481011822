package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"strings"
	"testing"
)

// Limits of what ships; tests may be longer where a table is.
const (
	maxFileLines     = 400
	maxFunctionLines = 50
	maxTemplateLines = 60
)

func TestFilesAreShort(t *testing.T) {
	for name, text := range sources(t, ".go", ".templ", ".css", ".js") {
		if lines := strings.Count(text, "\n"); lines > maxFileLines && !strings.HasSuffix(name, "_test.go") {
			t.Errorf("%s has %d lines, more than %d: split it by topic", name, lines, maxFileLines)
		}
	}
}

func TestFunctionsAreShort(t *testing.T) {
	for name, text := range sources(t, ".go") {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, name, text, parser.SkipObjectResolution)
		if err != nil {
			t.Error(err)
			continue
		}
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			lines := fset.Position(f.End()).Line - fset.Position(f.Pos()).Line + 1
			if lines > maxFunctionLines {
				t.Errorf("%s: %s has %d lines, more than %d", name, f.Name.Name, lines, maxFunctionLines)
			}
		}
	}
}

func TestTemplatesAreShort(t *testing.T) {
	start := regexp.MustCompile(`^(templ|func) `)
	for name, text := range sources(t, ".templ") {
		first, title := 0, ""
		for i, line := range strings.Split(text, "\n") {
			switch {
			case start.MatchString(line):
				first, title = i, line
			case line == "}" && title != "":
				if lines := i - first + 1; lines > maxTemplateLines {
					t.Errorf("%s: %s has %d lines, more than %d", name, title, lines, maxTemplateLines)
				}
				title = ""
			}
		}
	}
}

// forbidden are texts that no file may have, and why. The patterns are put
// together from parts so that this file does not have them.
var forbidden = []struct {
	pattern string
	endings []string
	why     string
}{
	{`\b(TO` + `DO|FIX` + `ME)\b`, []string{".go", ".templ", ".sql", ".css", ".js", ".md", ".sh", "Makefile"}, "do it, or leave it out"},
	{`\btempl\.` + `(Raw|SafeURL|SafeCSS|SafeScript|JSUnsafeFuncCall)\b`, []string{".go", ".templ"}, "it passes by the escaping"},
	{`\btemplate\.` + `(HTML|JS|URL|CSS)\(`, []string{".go"}, "it passes by the escaping"},
	{`\b[tb]\.` + `Skip(f|Now)?\(`, []string{".go"}, "a skipped test proves nothing"},
	{`\.\./` + `shared`, []string{".go", ".templ", ".sql", ".css", ".js", ".md", ".sh", ".json", ".yaml", "Makefile"}, "it is outside of the repository"},
}

func TestForbiddenTexts(t *testing.T) {
	for _, f := range forbidden {
		pattern := regexp.MustCompile(f.pattern)
		for name, text := range sources(t, f.endings...) {
			for _, at := range pattern.FindAllStringIndex(text, -1) {
				line := 1 + strings.Count(text[:at[0]], "\n")
				t.Errorf("%s:%d has %s: %s", name, line, text[at[0]:at[1]], f.why)
			}
		}
	}
}

// TestOperationsAreNamedOnce: what ships takes an operation's name from the model.
// Tests write it out: they hold what others see.
func TestOperationsAreNamedOnce(t *testing.T) {
	const home = "internal/model/operation.go"
	files := sources(t, ".go", ".templ")
	operations := regexp.MustCompile(`"\w+\.\w+"`).FindAllString(files[home], -1)
	if len(operations) < 10 {
		t.Fatalf("%s names only %q", home, operations)
	}
	for name, text := range files {
		if name == home || strings.HasSuffix(name, "_test.go") {
			continue
		}
		for number, line := range strings.Split(text, "\n") {
			code, _, _ := strings.Cut(line, "//")
			for _, o := range operations {
				if strings.Contains(code, o) {
					t.Errorf("%s:%d writes %s out", name, number+1, o)
				}
			}
		}
	}
}

func TestGeneratedFilesAreFresh(t *testing.T) {
	goCommand(t, "tool", "templ", "generate", "-check")
}
