package workflow

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"strings"

	"countersign/internal/provider"
)

//go:embed templates/*.html
var templateFiles embed.FS

var templates = template.Must(template.ParseFS(templateFiles, "templates/*.html"))

// notice is a short mail: the same content as HTML and as plain text.
type notice struct {
	Template   string // its name
	To         string
	Subject    string
	Greeting   string
	Paragraphs []string
	Facts      []fact
}

// fact is one line of figures: a label and its value.
type fact struct{ Label, Value string }

// message renders the notice. The same notice gives the same bytes.
func (n notice) message() (*provider.Message, error) {
	html, err := render("notice.html", n)
	if err != nil {
		return nil, err
	}
	return &provider.Message{To: n.To, Template: n.Template, Subject: n.Subject, HTML: string(html), Text: n.text()}, nil
}

func (n notice) text() string {
	var b strings.Builder
	b.WriteString(n.Greeting + "\n")
	for _, p := range n.Paragraphs {
		b.WriteString("\n" + p + "\n")
	}
	if len(n.Facts) > 0 {
		b.WriteString("\n")
	}
	for _, f := range n.Facts {
		b.WriteString(f.Label + ": " + f.Value + "\n")
	}
	return b.String()
}

// greeting addresses a person, by name where there is one.
func greeting(name string) string {
	if name == "" {
		return "Hello,"
	}
	return "Dear " + name + ","
}

func render(name string, data any) ([]byte, error) {
	var out bytes.Buffer
	if err := templates.ExecuteTemplate(&out, name, data); err != nil {
		return nil, fmt.Errorf("render %s: %w", name, err)
	}
	return out.Bytes(), nil
}
