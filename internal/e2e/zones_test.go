package e2e

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"
)

// TestTimesAcrossDaylightSaving opens pages as somebody in zones whose clocks
// were changed between the times on them: every time is the one of its zone at
// that moment, with the offset of that moment where the offset stands beside it.
func TestTimesAcrossDaylightSaving(t *testing.T) {
	s := theScene(t)
	second := secondOperator(t, s.demo)
	v := signIn(t, s.demo.Address, second)
	moments := []string{"2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z", "2026-11-01T05:30:00Z", "2026-11-01T06:30:00Z"}
	var intents []string
	for i, moment := range moments {
		at, err := time.Parse(time.RFC3339, moment)
		if err != nil {
			t.Fatal(err)
		}
		id := s.post(500_000 + i)
		s.requestOf(id)
		s.write("UPDATE intents SET created_at = ? WHERE id = ?", at.UnixMicro(), id)
		intents = append(intents, id)
	}
	for zone, want := range map[string][]string{
		"Europe/Paris":     {"25 Oct 2026 02:30:00 +02:00", "25 Oct 2026 02:30:00 +01:00", "1 Nov 2026 06:30:00 +01:00", "1 Nov 2026 07:30:00 +01:00"},
		"America/New_York": {"24 Oct 2026 20:30:00 -04:00", "24 Oct 2026 21:30:00 -04:00", "1 Nov 2026 01:30:00 -04:00", "1 Nov 2026 01:30:00 -05:00"},
		"Asia/Kolkata":     {"25 Oct 2026 06:00:00 +05:30", "25 Oct 2026 07:00:00 +05:30", "1 Nov 2026 11:00:00 +05:30", "1 Nov 2026 12:00:00 +05:30"},
	} {
		t.Run(zone, func(t *testing.T) {
			v.settle(t, zone)
			for i, id := range intents {
				page := v.get(t, "/intents/"+id)
				if said := strings.ReplaceAll(strings.Join(strings.Fields(readable(t, page.body)), " "), "−", "-"); !strings.Contains(said, want[i]) {
					t.Errorf("the page of an intent of %s does not say %q", moments[i], want[i])
				}
			}
			for _, path := range []string{"/", "/?state=all&sort=new", "/intents/" + intents[0], "/intents/{unknown}", "/approvals", "/uncertain", "/audit", "/workers", "/providers", "/me"} {
				v.timesOf(t, s.fill(path), zone)
			}
		})
	}
	v.settle(t, "UTC")
}

// settle chooses a zone on /me.
func (v *visitor) settle(t *testing.T, zone string) {
	t.Helper()
	form := url.Values{"zone": {zone}, "csrf": {v.token(t)}}
	if a := v.post(t, "/me/settings", form); a.status != http.StatusSeeOther {
		t.Fatalf("choosing %s: status %d", zone, a.status)
	}
}

// token is what the forms of this session carry.
func (v *visitor) token(t *testing.T) string {
	t.Helper()
	tree, err := html.Parse(strings.NewReader(v.get(t, "/me").body))
	if err != nil {
		t.Fatal(err)
	}
	for input := range elements(tree, "input") {
		if attr(input, "name") == "csrf" {
			return attr(input, "value")
		}
	}
	t.Fatal("no form has a token")
	return ""
}

var writtenOffset = regexp.MustCompile(`[+-]\d\d:\d\d\b`)

// timesOf compares every time of a page with the zone's own.
func (v *visitor) timesOf(t *testing.T, path, zone string) {
	t.Helper()
	location, err := time.LoadLocation(zone)
	if err != nil {
		t.Fatal(err)
	}
	tree, err := html.Parse(strings.NewReader(v.get(t, path).body))
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for n := range elements(tree, "time") {
		at, err := time.Parse(time.RFC3339, attr(n, "datetime"))
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		said, local := strings.ReplaceAll(textUnder(n), "−", "-"), at.In(location)
		if !strings.Contains(said, local.Format("15:04")) {
			t.Errorf("%s in %s: %s is written %q", path, zone, attr(n, "datetime"), said)
		}
		offset := writtenOffset.FindString(said)
		if local.Format("-07:00") != time.Now().In(location).Format("-07:00") && offset == "" {
			t.Errorf("%s in %s: %s is written %q, as if it had the offset of today", path, zone, attr(n, "datetime"), said)
		}
		if offset != "" && offset != local.Format("-07:00") {
			t.Errorf("%s in %s: %s has the offset %s", path, zone, attr(n, "datetime"), offset)
		}
		count++
	}
	if count == 0 {
		t.Errorf("%s has no time", path)
	}
}

func textUnder(n *html.Node) string {
	var b strings.Builder
	for child := range n.Descendants() {
		if child.Type == html.TextNode {
			b.WriteString(child.Data)
		}
	}
	return b.String()
}
