package api_test

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"countersign/internal/audit"
)

func TestAuditList(t *testing.T) {
	w := newWorld(t)
	for i := range 5 {
		w.post(fmt.Sprintf("pay-%d", i), 5000)
	}
	w.sequence()
	var indexes []any
	path := "/v1/audit?limit=2&event=intent."
	for next := ""; ; path = "/v1/audit?limit=2&event=intent.&after=" + next {
		a := w.call("reader", "GET", path, nil).is(200, "")
		for _, item := range a.items() {
			indexes = append(indexes, item["index"])
		}
		if a.at("count") != 5.0 && next == "" {
			t.Errorf("%s", a.raw)
		}
		more, ok := a.at("next_cursor").(string)
		if !ok {
			break
		}
		next = more
	}
	if fmt.Sprint(indexes) != "[0 1 2 3 4]" {
		t.Errorf("indexes %v", indexes)
	}
	w.call("reader", "GET", "/v1/audit?after=-2", nil).is(422, "invalid-params")
	w.call("gus", "GET", "/v1/audit/0", nil).is(404, "not-found")
	w.call("gus", "GET", "/v1/audit?account=acme", nil).is(404, "not-found")
	if a := w.call("gus", "GET", "/v1/audit", nil).is(200, ""); len(a.items()) != 0 {
		t.Errorf("globex sees acme: %s", a.raw)
	}
	w.call("service", "GET", "/v1/audit", nil).is(403, "denied")
}

func TestAuditProofs(t *testing.T) {
	w := newWorld(t)
	for i := range 5 {
		w.post(fmt.Sprintf("pay-%d", i), 5000)
	}
	w.sequence()
	point := w.call("reader", "GET", "/v1/audit/checkpoint", nil).is(200, "")
	proof := w.call("reader", "GET", "/v1/audit/inclusion?index=2&size=5", nil).is(200, "")
	if point.at("size") != 5.0 || proof.text("root") != point.text("root") || len(proof.at("hashes").([]any)) != 3 {
		t.Errorf("checkpoint %s, inclusion %s", point.raw, proof.raw)
	}
	proof = w.call("reader", "GET", "/v1/audit/consistency?from=3&to=5", nil).is(200, "")
	if proof.text("to_root") != point.text("root") || len(proof.at("hashes").([]any)) == 0 {
		t.Errorf("consistency %s", proof.raw)
	}
	w.call("reader", "GET", "/v1/audit/inclusion?index=2&size=6", nil).is(422, "invalid-params")
	w.call("reader", "GET", "/v1/audit/inclusion", nil).is(422, "invalid-params")
	w.call("reader", "GET", "/v1/audit/inclusion?index=9", nil).is(404, "not-found")
	w.call("reader", "GET", "/v1/audit/consistency?from=6&to=5", nil).is(422, "invalid-params")
}

func TestAuditExport(t *testing.T) {
	w := newWorld(t)
	for i := range 3 {
		w.post(fmt.Sprintf("pay-%d", i), 5000)
	}
	w.sequence()
	a := w.call("audrey", "GET", "/v1/audit/export?format=jsonl", nil).is(200, "")
	file := filepath.Join(t.TempDir(), "audit.jsonl")
	w.must(os.WriteFile(file, a.raw, 0o600))
	if report, err := audit.Verify(audit.Path(file)); err != nil {
		t.Errorf("verify: %v (%+v)", err, report)
	}
	if !strings.HasPrefix(a.header.Get("Content-Disposition"), "attachment") || bytes.Count(a.raw, []byte("\n")) != 4 {
		t.Errorf("%v %s", a.header, a.raw)
	}
	a = w.call("audrey", "GET", "/v1/audit/export?format=csv&zone=Europe/Vienna&from=2026-11-27&to=2026-11-28", nil).is(200, "")
	if rows, err := csv.NewReader(bytes.NewReader(a.raw)).ReadAll(); err != nil || len(rows) != 4 {
		t.Errorf("%d rows, %v", len(rows), err)
	}
	for _, query := range []string{"format=zip", "format=pdf", "zone=Mars", "from=yesterday", "to=2026-13-01", "zone=Local",
		"from=2026-11-28&to=2026-11-27", "from=2026-11-27T10:00:00Z&to=2026-11-27T10:00:00Z", "from=2026-11-27T10:00:00+01:00"} {
		w.call("audrey", "GET", "/v1/audit/export?"+query, nil).is(422, "invalid-params")
	}
	if strings.Contains(string(w.call("audrey", "GET", "/v1/openapi.json", nil).raw), `"zip"`) {
		t.Error("an export is offered as zip, which is never made")
	}
	faulty := w.call("audrey", "GET", "/v1/audit/export?from=soon&to=later&zone=Mars", nil).is(422, "invalid-params")
	if faults := faulty.at("errors").([]any); len(faults) != 3 {
		t.Errorf("not every fault is told: %s", faulty.raw)
	}
	w.call("olga", "GET", "/v1/audit/export", nil).is(403, "denied")
	w.call("audrey", "GET", "/v1/audit/export?account=globex", nil).is(404, "not-found")
	w.sequence()
	if a := w.call("audrey", "GET", "/v1/audit?event=audit.export.denied", nil).is(200, ""); a.at("count") != 1.0 {
		t.Errorf("entries of denied exports: %s", a.raw)
	}
	if a := w.call("audrey", "GET", "/v1/audit?event=audit.exported", nil).is(200, ""); a.at("count") != 2.0 {
		t.Errorf("entries of exports: %s", a.raw)
	}
}

// A day is in the export whole, in the zone that is named; a moment is exact.
func TestAuditExportSpans(t *testing.T) {
	w := newWorld(t)
	w.advance(14 * time.Hour) // to 23:00 UTC, which is 02:00 of the next day in Kuwait
	w.post("pay-1", 5000)
	w.sequence()
	tests := []struct {
		query string
		rows  int
	}{
		{"from=2026-11-27&to=2026-11-27", 1},
		{"to=2026-11-26", 0},
		{"from=2026-11-28", 0},
		{"from=2026-11-28&to=2026-11-28&zone=Asia/Kuwait", 1},
		{"to=2026-11-27&zone=Asia/Kuwait", 0},
		{"from=2026-11-27T23:00:00Z&to=2026-11-27T23:00:01Z", 1},
		{"to=2026-11-27T23:00:00Z", 0},
		{"from=2026-11-28T02:00:00%2B03:00&to=2026-11-27", 1},
	}
	for _, tt := range tests {
		a := w.call("audrey", "GET", "/v1/audit/export?format=csv&"+tt.query, nil).is(200, "")
		if rows := bytes.Count(a.raw, []byte("\n")) - 1; rows != tt.rows {
			t.Errorf("%s: %d entries, want %d", tt.query, rows, tt.rows)
		}
	}
}
