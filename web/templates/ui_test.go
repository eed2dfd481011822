package templates

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"
	_ "time/tzdata" // zones, on a machine without them too

	"countersign/internal/model"
)

func micros(value string) int64 {
	at, err := time.Parse(time.RFC3339, value)
	if err != nil {
		panic(err)
	}
	return at.UnixMicro()
}

func show(t *testing.T, text Text) string {
	t.Helper()
	var b bytes.Buffer
	if err := partsOf(text).Render(context.Background(), &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// partsOf is the component under its own name, which the tests' text hides.
var partsOf = text

func TestTimeInItsZone(t *testing.T) {
	newYork, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, at      string
		zone          *time.Location
		clock, column string
	}{
		{"utc", "2026-11-30T09:42:18Z", nil, "09:42:18 +00:00", "Mon 30 Nov 09:42"},
		{"before the hour is set back", "2026-11-01T05:30:00Z", newYork, "01:30:00 -04:00", "Sun 1 Nov 01:30 -04:00"},
		{"after it", "2026-11-01T06:30:00Z", newYork, "01:30:00 -05:00", "Sun 1 Nov 01:30 -05:00"},
		{"when the hour is over", "2026-11-01T07:00:00Z", newYork, "02:00:00 -05:00", "Sun 1 Nov 02:00"},
		{"an hour before it", "2026-11-01T04:59:59Z", newYork, "00:59:59 -04:00", "Sun 1 Nov 00:59 -04:00"},
		{"the day before", "2026-11-30T02:00:00Z", newYork, "21:00:00 -05:00", "Sun 29 Nov 21:00"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			at := Clock{Now: micros("2026-11-30T09:42:18Z"), Zone: test.zone}.At(micros(test.at))
			if at.clock() != test.clock || at.column() != test.column {
				t.Errorf("got %q and %q", at.clock(), at.column())
			}
			if summer := strings.Contains(test.column, " -04:00"); strings.HasSuffix(at.Brief(), " -04:00") != summer {
				t.Errorf("in a drawing it is %q", at.Brief())
			}
			if at.utc() != test.at {
				t.Errorf("utc is %q", at.utc())
			}
		})
	}
}

// TestZoneHead: the head of a column says the offset of the rows that write none.
func TestZoneHead(t *testing.T) {
	paris, err := time.LoadLocation("Europe/Paris")
	if err != nil {
		t.Fatal(err)
	}
	now := micros("2026-11-30T09:42:18Z")
	for want, clock := range map[string]Clock{"UTC": {Now: now}, "Europe/Paris +01:00": {Now: now, Zone: paris}, "Europe/Paris +02:00": {Now: micros("2026-08-30T09:42:18Z"), Zone: paris}} {
		if got := clock.ZoneHead(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestDistance(t *testing.T) {
	now := micros("2026-11-30T09:42:18Z")
	tests := []struct {
		distance         time.Duration
		ago, left, plain string
	}{
		{0, "under a minute ago", "ended under a minute ago", "under a minute"},
		{30 * time.Second, "in under a minute", "under a minute left", "under a minute"},
		{29 * time.Minute, "in 29 min", "29 min left", "29 min"},
		{-104 * time.Minute, "1 h 44 min ago", "ended 1 h 44 min ago", "1 h 44 min"},
		{-63 * time.Hour, "2 d 15 h ago", "ended 2 d 15 h ago", "2 d 15 h"},
		{20 * time.Hour, "in 20 h 0 min", "20 h 0 min left", "20 h 0 min"},
	}
	for _, test := range tests {
		at := Clock{Now: now}.At(now + test.distance.Microseconds())
		if at.ago() != test.ago || at.left() != test.left || at.span() != test.plain {
			t.Errorf("%v: %q, %q, %q", test.distance, at.ago(), at.left(), at.span())
		}
	}
}

func TestClocktimeNamesAnotherDay(t *testing.T) {
	clock := Clock{Now: micros("2026-11-30T09:42:18Z")}
	if got := show(t, Say(Clocktime(clock.At(micros("2026-11-30T07:58:04Z"))))); strings.Contains(got, "2026 ") {
		t.Errorf("today is shown with its date: %s", got)
	}
	if got := show(t, Say(Clocktime(clock.At(micros("2026-11-29T07:58:04Z"))))); !strings.Contains(got, "29 Nov 2026") {
		t.Errorf("yesterday is shown without its date: %s", got)
	}
	if got := show(t, Say(clock.At(0))); !strings.Contains(got, "–") {
		t.Errorf("no moment is shown as %s", got)
	}
}

func TestSay(t *testing.T) {
	got := show(t, Say("Pay ", Strong(model.Money{Amount: 1250, Currency: "JPY"}), nil, " to ", Name("<b>"), Say("; ", Link("/x", "y")), ", ", LinkText("/z", Name("محمد"))))
	want := `Pay <b><span class="money">1,250&nbsp;<span class="ccy">JPY</span></span></b> to <bdi>&lt;b&gt;</bdi>; <a href="/x">y</a>, <a href="/z"><bdi>محمد</bdi></a>`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	defer func() {
		if recover() == nil {
			t.Error("a number was taken as a part")
		}
	}()
	Say(42)
}

// A link to a script is made harmless, whoever wrote it.
func TestLinkIsHarmless(t *testing.T) {
	if got := show(t, Say(Link("javascript:alert(1)", "x"))); strings.Contains(got, "javascript") {
		t.Errorf("got %s", got)
	}
}

func TestKeyParts(t *testing.T) {
	tests := []struct{ key, prefix, rest string }{
		{"intent-01jd:create-payout#2", "intent-01jd:", "create-payout#2"},
		{"intent-01jd", "", "intent-01jd"},
		{"payroll:2026", "", "payroll:2026"},
		{"", "", ""},
	}
	for _, test := range tests {
		if prefix, rest := keyParts(test.key); prefix != test.prefix || rest != test.rest {
			t.Errorf("%q: %q, %q", test.key, prefix, rest)
		}
	}
}

func TestGrouped(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", 18412: "18,412", 12345678: "12,345,678"} {
		if got := grouped(n); got != want {
			t.Errorf("%d: %q", n, got)
		}
	}
}

func TestDecimals(t *testing.T) {
	for currency, want := range map[string]string{"JPY": "d0", "EUR": "d2", "KWD": "d3", "CLF": "d3"} {
		if got := decimals(model.Money{Amount: 123456, Currency: currency}); got != want {
			t.Errorf("%s: %s", currency, got)
		}
	}
}

func TestGauge(t *testing.T) {
	tests := []struct {
		name                      string
		gauge                     Gauge
		now, safe, needle, margin string
	}{
		{"half way", Gauge{First: 0, Now: 500, Safe: 900, End: 1000}, "720", "1296", "718", "140"},
		{"not begun", Gauge{First: 100, Now: 0, Safe: 900, End: 1000}, "0", "1280", "0", "156"},
		{"over", Gauge{First: 0, Now: 5000, Safe: 900, End: 1000}, "1440", "1296", "1436", "140"},
		{"no window", Gauge{}, "0", "0", "0", "1436"},
	}
	for _, test := range tests {
		g := test.gauge
		if g.now() != test.now || g.safe() != test.safe || g.needle() != test.needle || g.marginWidth() != test.margin {
			t.Errorf("%s: %s %s %s %s", test.name, g.now(), g.safe(), g.needle(), g.marginWidth())
		}
	}
}

// Every state of the model has a look.
func TestStatesHaveALook(t *testing.T) {
	var states []State
	for _, s := range []model.StepState{model.Pending, model.InProgress, model.Confirmed, model.FailedSafely, model.OutcomeUnknown, model.NotNeeded} {
		states = append(states, State(s))
	}
	for _, s := range []model.IntentState{model.Received, model.Processing, model.AwaitingApproval, model.NeedsReview, model.RetryableFailure, model.TerminalFailure, model.Completed, model.Compensating, model.Compensated, model.Abandoned} {
		states = append(states, State(s))
	}
	for _, s := range states {
		if _, ok := looks[s]; !ok {
			t.Errorf("%s has no look", s)
		}
	}
	if len(looks) != len(states)+2 {
		t.Errorf("%d looks for %d states, settling and an undo that is asked for", len(looks), len(states))
	}
}

// No two states share a word, and only the unknown one looks unknown.
func TestStatesAreToldApart(t *testing.T) {
	seen := map[string]State{}
	for state, l := range looks {
		if other, ok := seen[l.word]; ok {
			t.Errorf("%s and %s are both called %q", state, other, l.word)
		}
		seen[l.word] = state
		if l.shape == "unknown" && state != "outcome_unknown" {
			t.Errorf("%s looks unknown", state)
		}
	}
	if got := State("new_state").look().word; got != "new_state" {
		t.Errorf("a state without a look is called %q", got)
	}
}

// A word that the state has said is not said again below it; what is more is.
func TestResultSaysMoreThanItsState(t *testing.T) {
	for _, c := range []struct {
		row  AttemptRow
		want bool
	}{
		{AttemptRow{State: "confirmed", Result: "confirmed"}, true},
		{AttemptRow{State: "outcome_unknown", Result: "unknown"}, true},
		{AttemptRow{State: "outcome_unknown", Result: "unknown", Late: true}, false},
		{AttemptRow{State: "confirmed", Result: "done"}, false},
		{AttemptRow{Result: "unknown"}, false},
	} {
		if got := c.row.sameWord(); got != c.want {
			t.Errorf("%q over %q: %v, want %v", c.row.State, c.row.result(), got, c.want)
		}
	}
}
