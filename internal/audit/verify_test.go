package audit_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"countersign/internal/audit"
	"countersign/internal/model"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
)

var everything = audit.Everything()

// file is an export in memory.
func file(name string, content []byte) audit.File {
	return audit.File{Name: name, Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(content)), nil }}
}

func export(t testing.TB, l *audit.Log, who audit.Accounts) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := l.Export(t.Context(), &out, audit.Scope{Accounts: who, Format: audit.JSONL}); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// exports gives a complete and a filtered export of one log.
func exports(t testing.TB) map[string][]byte {
	t.Helper()
	db, l := open(t)
	record(t, db, l, "acme", 2)
	record(t, db, l, "globex", 1)
	record(t, db, l, "acme", 1)
	sequence(t, l)
	return map[string][]byte{"complete": export(t, l, everything), "filtered": export(t, l, audit.Of("acme"))}
}

func TestExportsVerify(t *testing.T) {
	for name, content := range exports(t) {
		report, err := audit.Verify(file(name, content))
		if err != nil {
			t.Fatal(err)
		}
		got, entries := report.Files[0], map[string]int64{"complete": 4, "filtered": 3}[name]
		if got.Size != 4 || got.Entries != entries || got.Complete != (name == "complete") || got.Compared {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestEmptyLogVerifies(t *testing.T) {
	_, l := open(t)
	for _, who := range []audit.Accounts{everything, audit.Of("acme")} {
		if report, err := audit.Verify(file("empty", export(t, l, who))); err != nil || report.Files[0].Size != 0 {
			t.Errorf("%+v, %v", report, err)
		}
	}
}

func TestLastLineSaysWhatTheExportHolds(t *testing.T) {
	_, l := open(t)
	for want, who := range map[string]audit.Accounts{
		`{"complete":true,"accounts":null,"from":null,"to":null,"entries":0}`:               everything,
		`{"complete":false,"accounts":[],"from":null,"to":null,"entries":0}`:                {},
		`{"complete":false,"accounts":["acme","globex"],"from":null,"to":null,"entries":0}`: audit.Of("globex", "acme", "acme"),
	} {
		if content := export(t, l, who); !bytes.Contains(content, []byte(want)) {
			t.Errorf("%s does not say %s", content, want)
		}
	}
}

func TestExportKeepsTheCanonicalBytes(t *testing.T) {
	db, l := open(t)
	id := record(t, db, l, "acme", 1)[0]
	sequence(t, l)
	canonical := genuineRow(t, db, id).Canonical
	if line, _, _ := bytes.Cut(export(t, l, everything), []byte("\n")); !bytes.HasSuffix(line, append([]byte(`"entry":`), append(canonical, '}')...)) {
		t.Errorf("line %s", line)
	}
}

func TestEveryFlippedByteIsRefused(t *testing.T) {
	for name, content := range exports(t) {
		for i := range content {
			for _, bit := range []byte{1 << (i % 8), 0x20} {
				changed := bytes.Clone(content)
				changed[i] ^= bit
				_, err := audit.Verify(file(name, changed))
				var fault *audit.Fault
				if !errors.As(err, &fault) {
					t.Fatalf("%s: byte %d (%q) flipped by %#x: %v", name, i, content[i], bit, err)
				}
				line := int64(bytes.Count(content[:i], []byte("\n")))
				if name == "complete" && line < 4 && fault.Index != line {
					t.Fatalf("byte %d of entry %d flipped: told as %v", i, line, fault)
				}
			}
		}
	}
}

func TestEveryCutIsRefused(t *testing.T) {
	for name, content := range exports(t) {
		for i := range content {
			if _, err := audit.Verify(file(name, content[:i])); err == nil {
				t.Fatalf("%s: cut after %d bytes of %d", name, i, len(content))
			}
		}
	}
}

func TestChangedLinesAreRefusedWithTheFirstBadIndex(t *testing.T) {
	for name, content := range exports(t) {
		lines := strings.SplitAfter(strings.TrimSuffix(string(content), "\n")+"\n", "\n")
		lines = lines[:len(lines)-1]
		for i := range lines {
			for change, edit := range map[string]func([]string) []string{
				"dropped":    func(l []string) []string { return slices.Delete(l, i, i+1) },
				"duplicated": func(l []string) []string { return slices.Insert(l, i, l[i]) },
				"swapped": func(l []string) []string {
					j := (i + 1) % len(l)
					l[i], l[j] = l[j], l[i]
					return l
				},
			} {
				changed := strings.Join(edit(slices.Clone(lines)), "")
				_, err := audit.Verify(file(name, []byte(changed)))
				var fault *audit.Fault
				if !errors.As(err, &fault) {
					t.Errorf("%s: line %d %s: %v", name, i, change, err)
					continue
				}
				want := map[string]int64{"dropped": int64(i), "duplicated": int64(i) + 1, "swapped": int64(i)}[change]
				if name == "complete" && i < len(lines)-2 && fault.Index != want {
					t.Errorf("line %d %s: first bad index told as %v", i, change, fault)
				}
			}
		}
	}
}

func TestEntryChangedWithItsHashIsRefused(t *testing.T) {
	for name, content := range exports(t) {
		other := exports(t)[name] // the same entries, recorded at other times
		lines, foreign := bytes.SplitAfter(content, []byte("\n")), bytes.SplitAfter(other, []byte("\n"))
		lines[1] = foreign[1]
		if _, err := audit.Verify(file(name, bytes.Join(lines, nil))); err == nil {
			t.Errorf("%s: another log's entry was taken", name)
		}
	}
}

func TestFilesOfOneLogAreCompared(t *testing.T) {
	db, l := open(t)
	record(t, db, l, "acme", 3)
	sequence(t, l)
	first, part := export(t, l, everything), export(t, l, audit.Of("acme"))
	var checkpoint bytes.Buffer
	if err := l.WriteCheckpoint(t.Context(), &checkpoint); err != nil {
		t.Fatal(err)
	}
	record(t, db, l, "acme", 4)
	sequence(t, l)
	second := export(t, l, everything)
	files := []audit.File{file("part", part), file("first", first), file("second", second), file("checkpoint", checkpoint.Bytes())}
	report, err := audit.Verify(files...)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range report.Files {
		if !f.Compared {
			t.Errorf("%s was not compared", f.Name)
		}
	}
}

// A log that was rewritten verifies alone; its own past is what convicts it.
func TestRewrittenLogIsRefusedBesideItsPast(t *testing.T) {
	db, l := open(t)
	record(t, db, l, "acme", 3)
	sequence(t, l)
	past := export(t, l, everything)
	var checkpoint bytes.Buffer
	if err := l.WriteCheckpoint(t.Context(), &checkpoint); err != nil {
		t.Fatal(err)
	}
	rewritten := rewrite(t, db)
	for name, evidence := range map[string][]byte{"past": past, "checkpoint": checkpoint.Bytes()} {
		if _, err := audit.Verify(file("rewritten", rewritten), file(name, evidence)); err == nil {
			t.Errorf("the rewritten log agrees with its %s", name)
		}
	}
}

// rewrite makes another log under the same installation, longer than the first.
func rewrite(t *testing.T, db *store.DB) []byte {
	t.Helper()
	other, l := open(t)
	record(t, other, l, "acme", 5)
	sequence(t, l)
	update(t, other, func(tx *store.Tx) error {
		_, err := tx.Exec("UPDATE installation SET id = ?", db.Installation)
		return err
	})
	other.Installation = db.Installation
	return export(t, l, everything)
}

func TestFilesOfTwoInstallationsAreRefused(t *testing.T) {
	_, one := open(t)
	_, two := open(t)
	if _, err := audit.Verify(file("one", export(t, one, everything)), file("two", export(t, two, everything))); err == nil {
		t.Error("taken for one log")
	}
}

// tamper changes the database as its owner could, triggers out of the way.
func tamper(t *testing.T, db *store.DB, statement string, args ...any) {
	t.Helper()
	update(t, db, func(tx *store.Tx) error {
		if err := storetest.DropTriggers(tx, "audit"); err != nil {
			return err
		}
		_, err := tx.Exec(statement, args...)
		return err
	})
}

func TestCheckFindsWhatWasChangedInTheDatabase(t *testing.T) {
	for name, c := range map[string]struct {
		statement string
		index     int64
	}{
		"untouched":        {"SELECT 1", -2},
		"bytes":            {"UPDATE audit_entries SET canonical = '{}' WHERE id = (SELECT entry_id FROM audit_log WHERE idx = 2)", 2},
		"column":           {"UPDATE audit_log SET account = 'globex' WHERE idx = 1", 1},
		"leaf":             {"UPDATE audit_log SET leaf_hash = '00000000000000000000000000000000' WHERE idx = 3", 3},
		"number":           {"UPDATE audit_log SET idx = 90 WHERE idx = 2", 2},
		"last one":         {"DELETE FROM audit_log WHERE idx = 4", 4},
		"another entry":    {"UPDATE audit_log SET entry_id = (SELECT entry_id FROM audit_waiting) WHERE idx = 0", -1},
		"node":             {"UPDATE audit_nodes SET hash = '00000000000000000000000000000000' WHERE level = 1 AND idx = 1", 3},
		"node gone":        {"DELETE FROM audit_nodes WHERE level = 2", 3},
		"checkpoint":       {"UPDATE audit_checkpoints SET root = '00000000000000000000000000000000'", -1},
		"lost before turn": {"DELETE FROM audit_waiting", -1},
	} {
		t.Run(name, func(t *testing.T) {
			db, l := open(t)
			record(t, db, l, "acme", 5)
			sequence(t, l)
			record(t, db, l, "acme", 1)
			tamper(t, db, c.statement)
			_, err := l.Check(t.Context())
			var fault *audit.Fault
			if c.index == -2 {
				if err != nil {
					t.Error(err)
				}
			} else if !errors.As(err, &fault) || fault.Index != c.index {
				t.Errorf("got %v, want a fault at %d", err, c.index)
			}
		})
	}
}

func TestExportOfAPeriod(t *testing.T) {
	db, l := open(t)
	record(t, db, l, "acme", 4)
	sequence(t, l)
	items := list(t, db, l, audit.Filter{Accounts: everything})
	var out bytes.Buffer
	err := l.Export(t.Context(), &out, audit.Scope{Accounts: everything, Format: audit.JSONL, From: items[1].At, To: items[3].At})
	if err != nil {
		t.Fatal(err)
	}
	report, err := audit.Verify(file("period", out.Bytes()))
	if err != nil || report.Files[0].Entries != 2 || report.Files[0].Complete {
		t.Errorf("%+v, %v", report, err)
	}
}

func TestZipHoldsBothFormats(t *testing.T) {
	db, l := open(t)
	record(t, db, l, "acme", 2)
	sequence(t, l)
	var out bytes.Buffer
	if err := l.Export(t.Context(), &out, audit.Scope{Accounts: everything, Format: audit.Zip}); err != nil {
		t.Fatal(err)
	}
	archive, err := zip.NewReader(bytes.NewReader(out.Bytes()), int64(out.Len()))
	if err != nil || len(archive.File) != 2 {
		t.Fatalf("%+v, %v", archive, err)
	}
	evidence := audit.File{Name: archive.File[0].Name, Open: archive.File[0].Open}
	if report, err := audit.Verify(evidence); err != nil || report.Files[0].Entries != 2 || archive.File[1].Name != "audit.csv" {
		t.Errorf("%+v, %v", report, err)
	}
}

func TestUnknownFormatIsRefused(t *testing.T) {
	_, l := open(t)
	if err := l.Export(t.Context(), io.Discard, audit.Scope{Format: "pdf"}); !errors.Is(err, model.Invalid) {
		t.Error(err)
	}
}

func ExampleFault() {
	fmt.Println(&audit.Fault{File: "october.jsonl", Index: 17, Why: "its bytes do not have its hash"})
	// Output: october.jsonl: entry 17: its bytes do not have its hash
}

// Nothing breaks the reader, and what verifies does not without its first line.
func FuzzVerify(f *testing.F) {
	for _, content := range exports(f) {
		f.Add(content)
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		report, err := audit.Verify(file("fuzz", content))
		if err != nil || report.Files[0].Entries == 0 {
			return
		}
		_, rest, _ := bytes.Cut(content, []byte("\n"))
		if report, err := audit.Verify(file("rest", rest)); err == nil && report.Files[0].LastOf == 0 {
			t.Errorf("verified without its first line: %q", content)
		}
	})
}
