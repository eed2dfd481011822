package timeline

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"countersign/web/templates"
)

// base is a moment of no importance.
var base = time.Date(2026, 11, 30, 7, 58, 4, 0, time.UTC).UnixMicro()

func sec(n int64) int64 { return base + n*time.Second.Microseconds() }

// box is the room that words take.
type box struct{ x0, x1, y0, y1 float64 }

func boxOf(w templates.Words) box {
	x0 := w.X
	switch {
	case w.End:
		x0 -= w.Wide
	case w.Mid:
		x0 -= w.Wide / 2
	}
	return box{x0, x0 + w.Wide, w.Y - 9, w.Y + 2}
}

func (b box) meets(c box) bool { return b.x0 < c.x1 && c.x0 < b.x1 && b.y0 < c.y1 && c.y0 < b.y1 }

// checkWords: no two words meet, and none leaves the box.
func checkWords(t interface{ Errorf(string, ...any) }, d templates.Drawing) {
	for i, w := range d.Words {
		b := boxOf(w)
		if b.x0 < -0.5 || b.x1 > d.Width+0.5 || b.y0 < 0 || b.y1 > d.Height {
			t.Errorf("%q leaves the box of %.0f × %.0f: %+v", w.Text, d.Width, d.Height, b)
		}
		for _, other := range d.Words[:i] {
			if b.meets(boxOf(other)) {
				t.Errorf("%q and %q meet: %+v, %+v", w.Text, other.Text, b, boxOf(other))
			}
		}
	}
}

var start = regexp.MustCompile(`M(-?[\d.]+) (-?[\d.]+)`)

// checkShapes: every part of every path begins inside the box, and no number is
// not a number.
func checkShapes(t interface{ Errorf(string, ...any) }, d templates.Drawing) {
	for _, s := range d.Shapes {
		if strings.Contains(s.Path, "NaN") || strings.Contains(s.Path, "Inf") {
			t.Errorf("the path of %s is %s", s.Class, s.Path)
		}
		for _, m := range start.FindAllStringSubmatch(s.Path, -1) {
			x, _ := strconv.ParseFloat(m[1], 64)
			y, _ := strconv.ParseFloat(m[2], 64)
			if x < -0.5 || x > d.Width || y < 0 || y > d.Height {
				t.Errorf("%s begins outside of the box: %s", s.Class, s.Path)
			}
		}
	}
}

// histories are drawn at random: from one event to hundreds, from one instant to
// months, with words of any script.
func histories(t *rapid.T) History {
	said := rapid.SampledFrom([]string{"", "reset", "approved by Ingrid Solheim", "approved by محمد الحربي", "付款 已 确认 的 事件 很 长 的 名字 在 这里", strings.Repeat("long ", 30), "a\x00b\nc"})
	scale := rapid.SampledFrom([]int64{1, 1000, 1_000_000, 60_000_000, 3_600_000_000, 86_400_000_000}).Draw(t, "scale")
	at := rapid.Custom(func(t *rapid.T) int64 {
		if rapid.IntRange(0, 9).Draw(t, "far") == 0 {
			return base + rapid.Int64Range(0, 40*86_400_000_000).Draw(t, "at")
		}
		return base + scale*rapid.Int64Range(0, 120).Draw(t, "at")
	})
	h := History{Zone: zone(t)}
	for i := range rapid.IntRange(1, 6).Draw(t, "lanes") {
		l := Lane{Name: fmt.Sprintf("step-with-some-name-%d", i), Class: "external, keyed", Idle: "waits for something that takes long"}
		for n := range rapid.IntRange(0, 60).Draw(t, "bars") {
			from := at.Draw(t, "from")
			l.Bars = append(l.Bars, Bar{From: from, To: from + scale*rapid.Int64Range(-1, 3).Draw(t, "long"), Number: n + 1, Says: said.Draw(t, "says"),
				Kind: rapid.SampledFrom(barKinds).Draw(t, "kind"), Count: rapid.SampledFrom([]int{0, 1, 40, 12_400}).Draw(t, "count")})
		}
		for range rapid.IntRange(0, 40).Draw(t, "marks") {
			l.Marks = append(l.Marks, Mark{At: at.Draw(t, "at"), Kind: rapid.SampledFrom([]MarkKind{Check, Hook, Paper, Person}).Draw(t, "kind"), Says: said.Draw(t, "says")})
		}
		if rapid.Bool().Draw(t, "span") {
			from := at.Draw(t, "from")
			l.Spans = append(l.Spans, Span{From: from, To: from + scale, Kind: rapid.SampledFrom([]SpanKind{UnknownSince, Settling}).Draw(t, "kind")})
		}
		h.Lanes = append(h.Lanes, l)
	}
	for range rapid.IntRange(0, 5).Draw(t, "moments") {
		h.Moments = append(h.Moments, Moment{At: at.Draw(t, "at"), Says: rapid.SampledFrom([]string{"safe to send again until 30 Nov 17:03", "settles by 10:11:33", strings.Repeat("付", 70)}).Draw(t, "says")})
	}
	if rapid.Bool().Draw(t, "now") {
		h.Now = at.Draw(t, "present")
	}
	return h
}

func zone(t *rapid.T) *time.Location {
	name := rapid.SampledFrom([]string{"UTC", "Europe/Paris", "America/New_York", "Asia/Kathmandu", "Australia/Lord_Howe"}).Draw(t, "zone")
	loc, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return loc
}

func TestAnyHistoryIsLegible(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := Draw(histories(t))
		checkWords(t, d)
		checkShapes(t, d)
		size := 0
		for _, s := range d.Shapes {
			size += len(s.Path) + len(s.Title) + 30
		}
		if size > 90_000 {
			t.Errorf("the drawing weighs %d bytes", size)
		}
	})
}

// Of any history, time goes from left to right, and what lies between two cuts
// lies between their places.
func TestTimeGoesRight(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		moments := rapid.SliceOfN(rapid.Int64Range(base, base+30*86_400_000_000), 1, 200).Draw(t, "moments")
		a := newAxis(moments)
		for _, m := range moments {
			for _, other := range moments {
				if m < other && a.at(m) > a.at(other) {
					t.Fatalf("%d lies at %.1f, the later %d at %.1f", m, a.at(m), other, a.at(other))
				}
			}
			if x := a.at(m); x < axisLeft || x > axisRight+0.1 {
				t.Fatalf("%d lies at %.1f", m, x)
			}
		}
		if n := len(a.cuts()); n > maxCuts {
			t.Fatalf("%d cuts", n)
		}
	})
}

// Checks with growing gaps, then a day of waiting: without cuts all but the
// last would lie on one spot.
func TestLongIdleIsCutAndSaid(t *testing.T) {
	d := Draw(History{Zone: time.UTC, Now: sec(9000), Lanes: []Lane{{Name: "create-payout", Bars: []Bar{{From: base, To: sec(1), Number: 1, Kind: Unknown, Says: "reset"}, {From: sec(6), To: sec(7), Number: 2, Kind: Unknown}},
		Marks: []Mark{{At: sec(30), Kind: Check}, {At: sec(150), Kind: Check}, {At: sec(3750), Kind: Check}}}}, Moments: []Moment{{At: sec(80_000), Says: "safe to send again until tomorrow"}}})
	text := allWords(d)
	for _, want := range []string{"1 h 28 min", "19 h 43 min", "now 10:28", "safe to send again until tomorrow", "30 Nov 07:58", "reset"} {
		if !strings.Contains(text, want) {
			t.Errorf("the drawing does not say %q: %s", want, text)
		}
	}
	if !strings.Contains(fmt.Sprint(d.Legend), "time left out") {
		t.Error("the legend does not explain the cuts")
	}
}

// An even history keeps its scale.
func TestEvenHistoryIsNotCut(t *testing.T) {
	l := Lane{Name: "create-payout"}
	for i := range int64(9) {
		l.Bars = append(l.Bars, Bar{From: sec(600 * i), To: sec(600*i + 30), Number: int(i) + 1, Kind: Unknown})
	}
	if cuts := newAxis(History{Lanes: []Lane{l}}.moments()).cuts(); len(cuts) != 0 {
		t.Errorf("cut at %+v", cuts)
	}
}

func TestCrowdsAreCounted(t *testing.T) {
	l := Lane{Name: "create-payout"}
	for i := range 10_000 {
		kind := Unknown
		if i%4 == 0 {
			kind = Refused
		}
		l.Bars = append(l.Bars, Bar{From: sec(int64(i)), To: sec(int64(i)), Number: i + 1, Kind: kind})
	}
	d := Draw(History{Lanes: []Lane{l}})
	if text := allWords(d); !strings.Contains(text, "× 10,000") {
		t.Errorf("the group is not counted: %s", text)
	}
	if len(d.Shapes) > 60 {
		t.Errorf("%d shapes", len(d.Shapes))
	}
	titles := ""
	for _, s := range d.Shapes {
		titles += s.Title + "\n"
	}
	if !strings.Contains(titles, "7,500 × attempt, outcome unknown") || !strings.Contains(titles, "2,500 × attempt, refused") {
		t.Errorf("the group does not say what it is made of: %s", titles)
	}
}

// Ticks stand at round moments of the viewer's clock, and the offset is said
// where it changes.
func TestTicksAcrossTheChangeOfClocks(t *testing.T) {
	paris, err := time.LoadLocation("Europe/Paris")
	if err != nil {
		t.Fatal(err)
	}
	from := time.Date(2026, 10, 24, 20, 0, 0, 0, paris).UnixMicro()
	l := Lane{Name: "s"}
	for i := range int64(15) {
		l.Marks = append(l.Marks, Mark{At: from + i*time.Hour.Microseconds(), Kind: Check})
	}
	h := History{Zone: paris, Lanes: []Lane{l}}
	for _, tick := range newAxis(h.moments()).ticks(paris) {
		at := time.UnixMicro(tick.at).In(paris)
		if at.Minute() != 0 || at.Hour()%2 != 0 {
			t.Errorf("a tick at %s", at)
		}
	}
	if text := allWords(Draw(h)); !strings.Contains(text, "04:00 +01:00") || !strings.Contains(text, "24 Oct 20:00") {
		t.Errorf("the ticks are %s", text)
	}
}

func TestNothingIsDrawnOfNothing(t *testing.T) {
	if d := Draw(History{Lanes: []Lane{{Name: "a"}}}); len(d.Shapes) != 0 {
		t.Errorf("%+v", d)
	}
}

func TestLasting(t *testing.T) {
	for d, want := range map[time.Duration]string{50 * time.Second: "50 s", 61*time.Minute + 40*time.Second: "1 h 2 min", 52 * time.Hour: "2 d 4 h", 72 * time.Hour: "3 days", 500 * time.Hour: "20 days"} {
		if got := Lasting(d); got != want {
			t.Errorf("%s is said as %q, want %q", d, got, want)
		}
	}
}

func allWords(d templates.Drawing) string {
	var list []string
	for _, w := range d.Words {
		list = append(list, w.Text)
	}
	return strings.Join(list, " ")
}
