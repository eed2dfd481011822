package bankfile

import (
	"runtime"
	"strings"
	"testing"
)

// What a file repeats without an end is not copied again and again: twice the
// file takes about twice the memory, not four times.
func TestHostileTexts(t *testing.T) {
	for name, body := range map[string]func(n int) string{
		"a text of BAI2 in many lines": func(n int) string {
			return "01,A,B,261130,0700,1,,,2/\n02,B,A,1,261130,,EUR,2/\n03,1,EUR/\n16,142,1,,A,B,c\n" + strings.Repeat("x\n", 2*n)
		},
		"many :86: of one entry": func(n int) string {
			return mt("99,", ":61:2611271127D1,NTRFX"+strings.Repeat("\n:86:ab-123456 cd-123456", n))
		},
	} {
		if once, twice := taken(t, body(10_000)), taken(t, body(20_000)); twice > 3*once {
			t.Errorf("%s: %d bytes, and %d for twice the file", name, once, twice)
		}
	}
}

// taken is how much memory was taken, and given back or not, to read a file.
func taken(t *testing.T, body string) uint64 {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := Parse([]byte(body), nil); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// What does not fit is told as far as a person reads.
func TestDeclaredIsBounded(t *testing.T) {
	f, err := Parse([]byte("01,A,B,261130,0700,1,,,2/\n02,B,A,1,261130,,EUR,2/\n03,1,EUR/\n"+strings.Repeat("98,1,1,1/\n", 500)), nil)
	if err != nil || len(f.Statements[0].Declared) != maxDeclared+1 {
		t.Errorf("%d sentences, %v", len(f.Statements[0].Declared), err)
	}
}
