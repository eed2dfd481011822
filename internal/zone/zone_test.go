package zone

import (
	"slices"
	"strings"
	"testing"
	"time"
	_ "time/tzdata" // the zones that the product carries
)

// TestEveryNameIsFound: each name of the list is a zone, in any case.
func TestEveryNameIsFound(t *testing.T) {
	for _, name := range list {
		for _, typed := range []string{name, strings.ToLower(name), " " + strings.ToUpper(name), strings.ReplaceAll(name, "_", " ")} {
			if zone, ok := Find(typed); !ok || zone.String() != name {
				t.Errorf("%q finds %v", typed, zone)
			}
		}
	}
	if !slices.IsSorted(list) || len(list) < 590 {
		t.Errorf("%d names", len(list))
	}
}

func TestWhatIsNoZone(t *testing.T) {
	for _, typed := range []string{"", " ", "Local", "local", "Mars/Olympus", "../etc/passwd", "CEST", "+01:00"} {
		if zone, ok := Find(typed); ok {
			t.Errorf("%q finds %v", typed, zone)
		}
	}
}

func TestNearNames(t *testing.T) {
	for typed, want := range map[string]string{
		"berlin": "Europe/Berlin", "Europe/Berln": "Europe/Berlin", "Asia/Berlin": "Europe/Berlin", "new york": "America/New_York",
		"Europe/Kiew": "Europe/Kiev", "Mars/Olympus": "", "": "", "x": "",
	} {
		if got := strings.Join(Near(typed), " "); !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("near %q are %q, want %q first", typed, got, want)
		}
	}
	began := time.Now()
	if text := Unknown(strings.Repeat("Europe/", 9000)); text != "is not known; one is Europe/Berlin, another UTC" || time.Since(began) > time.Second {
		t.Errorf("said %q after %v", text, time.Since(began))
	}
}
