package workflow

import (
	"bytes"
	"flag"
	"os"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

var update = flag.Bool("update", false, "write the golden files")

func TestStatementDocument(t *testing.T) {
	c := accepted(t, "statement", nil)
	w := work(t, c, IssueStatement)
	d := w.Document
	if d == nil || d.Rep != "rep-118" || d.Period != "2026-10-01/2026-11-01 America/New_York" ||
		d.Name != "statement-rep-118-2026-10-01.html" || d.MediaType != "text/html; charset=utf-8" || w.Detail == "" {
		t.Fatalf("%+v", w)
	}
	const golden = "testdata/statement.html"
	if *update {
		if err := os.WriteFile(golden, d.Body, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(d.Body, want) {
		t.Errorf("the document differs from %s; run with -update and look at the difference", golden)
	}
	again := work(t, accepted(t, "statement", nil), IssueStatement)
	if !bytes.Equal(d.Body, again.Document.Body) {
		t.Error("the same intent gave other bytes")
	}
	if m := orderOf(t, c, SendStatement).Message; m.HTML != string(d.Body) {
		t.Error("what is sent is not what was issued")
	}
}

func TestStatementDocumentStandsAlone(t *testing.T) {
	body := string(work(t, accepted(t, "statement", nil), IssueStatement).Document.Body)
	if _, err := html.Parse(strings.NewReader(body)); err != nil {
		t.Fatal(err)
	}
	if found := regexp.MustCompile(`(?i)(src|href)=|url\(|@import|<script|<link`).FindString(body); found != "" {
		t.Errorf("it loads something: %q", found)
	}
	for _, part := range []string{"Ada Rép &lt;ops&gt;", "東京 &amp; Søn", "900.00", "−12.50", "887.50 USD", "Balance in your favour",
		"2026-10-31", "America/New_York", "@media print", "US dollar (USD)", "Prepared 2026-11-01", intentID} {
		if !strings.Contains(body, part) {
			t.Errorf("it lacks %q", part)
		}
	}
}

func TestStatementDocumentOfNegativeAndEmpty(t *testing.T) {
	negative := accepted(t, "statement", map[string]any{"currency": "JPY",
		"lines": []any{map[string]any{"reference": "c-1", "description": "Chargeback", "amount": -1250}}})
	if body := string(work(t, negative, IssueStatement).Document.Body); !strings.Contains(body, "Balance owed by you") || !strings.Contains(body, "−1,250 JPY") {
		t.Error(body)
	}
	empty := accepted(t, "statement", map[string]any{"lines": []any{}})
	if body := string(work(t, empty, IssueStatement).Document.Body); !strings.Contains(body, "No entries in this period.") || !strings.Contains(body, "0.00 USD") {
		t.Error(body)
	}
	if w := work(t, empty, CalculateStatement); w.Detail != "0 lines add up to 0.00 USD." {
		t.Error(w.Detail)
	}
	if w := work(t, negative, CalculateStatement); w.Detail != "1 line adds up to −1,250 JPY." {
		t.Error(w.Detail)
	}
}

func TestStatementFileName(t *testing.T) {
	p := Statement{Rep: Rep{Reference: "a/b:c@d+e"}, Period: Period{From: "2026-10-01"}}
	if got := p.fileName(); got != "statement-a-b-c-d-e-2026-10-01.html" {
		t.Error(got)
	}
}
