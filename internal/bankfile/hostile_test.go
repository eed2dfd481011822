package bankfile

import (
	"runtime"
	"strings"
	"testing"
)

// What a file repeats without an end is not copied again and again: the memory
// that is taken stays in proportion to the file.
func TestHostileTexts(t *testing.T) {
	for name, body := range map[string]string{
		"a text of BAI2 in many lines": "01,A,B,261130,0700,1,,,2/\n02,B,A,1,261130,,EUR,2/\n03,1,EUR/\n16,142,1,,A,B,c\n" + strings.Repeat("x\n", 50_000),
		"many :86: of one entry":       mt("99,", ":61:2611271127D1,NTRFX"+strings.Repeat("\n:86:ab-123456 cd-123456", 20_000)),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := Parse([]byte(body), nil); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		runtime.ReadMemStats(&after)
		if took, most := after.TotalAlloc-before.TotalAlloc, uint64(120*len(body)); took > most {
			t.Errorf("%s: %d bytes for a file of %d", name, took, len(body))
		}
	}
}

// What does not fit is told as far as a person reads.
func TestDeclaredIsBounded(t *testing.T) {
	f, err := Parse([]byte("01,A,B,261130,0700,1,,,2/\n02,B,A,1,261130,,EUR,2/\n03,1,EUR/\n"+strings.Repeat("98,1,1,1/\n", 500)), nil)
	if err != nil || len(f.Statements[0].Declared) != maxDeclared+1 {
		t.Errorf("%d sentences, %v", len(f.Statements[0].Declared), err)
	}
}
