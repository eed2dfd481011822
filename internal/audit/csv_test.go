package audit_test

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
	_ "time/tzdata"

	"pgregory.net/rapid"

	"countersign/internal/audit"
	"countersign/internal/model"
	"countersign/internal/store"
)

// formulaCells are published cells that spreadsheets take for formulas, and a
// few that look like them.
func formulaCells(t testing.TB) []string {
	t.Helper()
	raw, err := os.ReadFile("testdata/csv-formula-cells.txt")
	if err != nil {
		t.Fatal(err)
	}
	unescape := strings.NewReplacer(`\t`, "\t", `\r`, "\r", `\n`, "\n")
	var cells []string
	for line := range strings.Lines(string(raw)) {
		cells = append(cells, unescape.Replace(strings.TrimSuffix(line, "\n")))
	}
	return cells
}

func TestNoCellStartsAFormula(t *testing.T) {
	usable := map[string]bool{"-12.50": true, "+49 30 1234567": true}
	for _, text := range formulaCells(t) {
		cell := audit.Neutral(text)
		if usable[text] {
			if cell != text {
				t.Errorf("%q was changed to %q", text, cell)
			}
			continue
		}
		for _, part := range strings.FieldsFunc(cell, func(r rune) bool { return strings.ContainsRune(",;|\t\r\n", r) }) {
			if first := strings.TrimLeft(part, "\" \u00a0\u200b"); first != "" && strings.ContainsAny(first[:1], "=+-@") {
				t.Errorf("%q became %q, where %q is a formula", text, cell, part)
			}
		}
		if audit.Original(cell) != text {
			t.Errorf("%q came back as %q", text, audit.Original(cell))
		}
	}
}

func TestNeutralText(t *testing.T) {
	for text, want := range map[string]string{
		"":              "",
		"paid":          "paid",
		"=1+1":          "'=1+1",
		"＝1+1":          "'＝1+1",
		"\t=1":          "'\t'=1",
		"'=1":           "''=1",
		"a;-1+x":        "a;'-1+x",
		"-1+1":          "'-1+1",
		"--1":           "'--1",
		"-":             "'-",
		"-12.50":        "-12.50",
		"+49 30 123":    "+49 30 123",
		"phone: +49 30": "phone: +49 30",
	} {
		if got := audit.Neutral(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}

func TestNeutralTextComesBack(t *testing.T) {
	text := rapid.StringOf(rapid.SampledFrom([]rune("=+-@'\"\t\r\n,;| a1＝\u200b")))
	rapid.Check(t, func(t *rapid.T) {
		original := text.Draw(t, "text")
		if back := audit.Original(audit.Neutral(original)); back != original {
			t.Fatalf("%q came back as %q", original, back)
		}
	})
}

func TestCSVExport(t *testing.T) {
	db, l := open(t)
	cells := formulaCells(t)
	update(t, db, func(tx *store.Tx) error {
		for _, text := range cells {
			e := entry("acme", 1)
			e.Reason = text
			if _, err := l.Append(tx, e); err != nil {
				return err
			}
		}
		return nil
	})
	sequence(t, l)
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := l.Export(t.Context(), &out, audit.Scope{Accounts: everything, Format: audit.CSV, Zone: zone}); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&out).ReadAll()
	if err != nil || len(rows) != len(cells)+1 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	column := map[string]int{}
	for i, name := range rows[0] {
		column[name] = i
	}
	for i, row := range rows[1:] {
		if got := audit.Original(row[column["reason"]]); got != cells[i] {
			t.Errorf("reason %q came back as %q", cells[i], got)
		}
		local, err := time.Parse(time.RFC3339Nano, row[column["at"]])
		utc, err2 := time.Parse(time.RFC3339Nano, row[column["at_utc"]])
		if err != nil || err2 != nil || !local.Equal(utc) || !strings.HasSuffix(row[column["at_utc"]], "Z") || strings.HasSuffix(row[column["at"]], "Z") {
			t.Errorf("at %q, UTC %q", row[column["at"]], row[column["at_utc"]])
		}
		if row[column["attempt"]] != "1" || row[column["detail"]] != `{"amount":125050,"n":1}` {
			t.Errorf("row %q", row)
		}
	}
}

// Whoever verifies the convenience is told so, and is not told of tampering.
func TestCSVIsNotVerified(t *testing.T) {
	db, l := open(t)
	record(t, db, l, "acme", 1)
	sequence(t, l)
	var out bytes.Buffer
	if err := l.Export(t.Context(), &out, audit.Scope{Accounts: everything, Format: audit.CSV}); err != nil {
		t.Fatal(err)
	}
	saved := "\ufeff" + strings.ReplaceAll(strings.ReplaceAll(out.String(), `"`, ""), ",", ";")
	for name, content := range map[string]string{"as written": out.String(), "as a spreadsheet saved it": saved} {
		_, err := audit.Verify(file("log.csv", []byte(content)))
		if _, tampered := errors.AsType[*audit.Fault](err); tampered || model.KindOf(err) != model.Invalid {
			t.Errorf("%s: %v is no refusal", name, err)
		}
		if text := fmt.Sprint(err); !strings.HasPrefix(text, "log.csv: a CSV export cannot be verified") || !strings.Contains(text, "jsonl") {
			t.Errorf("%s: %s", name, text)
		}
	}
}
