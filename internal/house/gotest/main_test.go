package main

import (
	"strings"
	"testing"
)

func TestReport(t *testing.T) {
	const start = `{"Action":"output","Package":"p","Test":"TestA","Output":"what A said\n"}` + "\n"
	for _, c := range []struct {
		name, events string
		good         bool
		shows, hides string
	}{
		{"passed", `{"Action":"pass","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Output":"ok  \tp\t0.1s\n"}
{"Action":"pass","Package":"p"}`, true, "ok  \tp\t0.1s\n1 passed, 0 failed, 0 skipped\n", "what A said"},
		{"failed", `{"Action":"fail","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Output":"FAIL\tp\t0.1s\n"}
{"Action":"fail","Package":"p"}`, false, "what A said\nFAIL\tp\t0.1s\n0 passed, 1 failed", ""},
		{"skipped", `{"Action":"skip","Package":"p","Test":"TestA"}
{"Action":"pass","Package":"p","Test":"TestB"}`, false, "skipped: p TestA\n1 passed, 0 failed, 1 skipped", "what A said"},
		{"nothing ran", `{"Action":"pass","Package":"p"}`, false, "0 passed", ""},
		{"package without tests", `{"Action":"pass","Package":"p","Test":"TestA"}
{"Action":"output","Package":"q","Output":"?   \tq\t[no test files]\n"}
{"Action":"skip","Package":"q"}`, true, "[no test files]\n1 passed", ""},
		{"package that ran none", `{"Action":"pass","Package":"p","Test":"TestA"}
{"Action":"output","Package":"q","Output":"ok  \tq\t0.1s [no tests to run]\n"}
{"Action":"pass","Package":"q"}`, false, "ran no test: q", ""},
		{"died in a test", `{"Action":"fail","Package":"p"}`, false, "what A said", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out strings.Builder
			r := newReport(&out)
			if err := r.read(strings.NewReader(start + c.events)); err != nil {
				t.Fatal(err)
			}
			r.close()
			if r.good() != c.good {
				t.Errorf("good %t, want %t", r.good(), c.good)
			}
			if !strings.Contains(out.String(), c.shows) {
				t.Errorf("does not show %q:\n%s", c.shows, out.String())
			}
			if c.hides != "" && strings.Contains(out.String(), c.hides) {
				t.Errorf("shows %q:\n%s", c.hides, out.String())
			}
		})
	}
}

func TestReportRefusesWhatIsNoEvent(t *testing.T) {
	if err := newReport(&strings.Builder{}).read(strings.NewReader("panic: no json")); err == nil {
		t.Error("no error")
	}
}
