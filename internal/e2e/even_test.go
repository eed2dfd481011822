package e2e

import (
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// even reports what is out of line on the page as it is shown.
func (b *tab) even(path string) {
	b.t.Helper()
	for _, fault := range evaluate(b, "looking along the lines", chromedp.Evaluate[[]string](uneven)) {
		b.t.Errorf("%s (%s): %s", path, b.look.name, fault)
	}
}

// uneven says what is out of line: a copy button that went to another line than its
// key ends on, a figure that is wider than its column, questions that stand side by
// side and not level, a main navigation of which one row hangs below another.
const uneven = `(() => {
	const faults = [], shown = q => [...document.querySelectorAll(q)].filter(e => e.checkVisibility()), box = e => e.getBoundingClientRect();
	const squeezed = innerWidth < 360 || innerWidth <= 1120 && innerWidth > 720; // there keys break wherever they must
	for (const b of shown(".key > .copy").filter(b => !squeezed)) {
		const last = [...b.previousElementSibling.getClientRects()].at(-1);
		if (box(b).top > last.bottom) faults.push("the copy button left its key: " + b.previousElementSibling.textContent.trim());
	}
	for (const f of shown(".sums .fig")) if (f.scrollWidth > f.clientWidth) faults.push("a sum leaves its column: " + f.textContent.trim());
	const level = (what, list) => {
		const tops = new Set(list.map(e => Math.round(box(e).top)));
		if (tops.size > 1) faults.push(what + " stand at the heights " + [...tops].join(", "));
	};
	if (innerWidth > 1040) {
		level("the entries of the navigation", shown(".top nav a"));
		level("questions 3 and 4", shown(".five > .q3 h2, .five > .q4 h2"));
	}
	return faults;
})()`

// TestPagesAreEven looks along the lines of pages with much on them, wide and narrow.
func TestPagesAreEven(t *testing.T) {
	s := theScene(t)
	browser := startBrowser(t)
	for letter, paths := range map[rune][]string{
		'o': {"/", "/uncertain", "/orphans", "/intents/{unknown}", "/intents/{cut}", "/intents/{spent}", "/intents/{completed}", "/previews/{fresh}", "/selections/{selection}"},
		'd': {"/", "/workers"},
		'a': {"/approvals/{open}"},
	} {
		b := openTab(t, browser, s.demo.Address, light)
		b.use(signIn(t, s.demo.Address, s.person(letter)))
		for _, path := range paths {
			b.open(s.fill(path))
			for _, width := range []int64{1440, 1280, 820, 390, 320} {
				b.window(width, 900)
				b.even(path)
			}
			b.settings()
		}
	}
}

// TestPaperPutsTheDoubtFirst prints an intent: what is uncertain stands at the top of
// the first sheet, and what only a screen can do is not on it.
func TestPaperPutsTheDoubtFirst(t *testing.T) {
	s := theScene(t)
	b := openTab(t, startBrowser(t), s.demo.Address, light)
	b.use(signIn(t, s.demo.Address, s.person('o')))
	b.open(s.fill("/intents/{unknown}"))
	b.call("turning to paper", call(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"}))
	b.window(688, 1000) // a sheet of A4 between its margins
	order := evaluate(b, "reading the order", chromedp.Evaluate[string](`[...document.querySelectorAll(".five > section")]
		.sort((a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top || a.getBoundingClientRect().left - b.getBoundingClientRect().left)
		.map(e => e.className.match(/q\d/)[0]).join(" ")`))
	if order != "q3 q4 q1 q2 q5" {
		t.Errorf("on paper the questions stand as %s", order)
	}
	for _, selector := range []string{".crumb", ".asof a", ".copy", ".btn", "nav"} {
		if seen := evaluate(b, "looking for "+selector, chromedp.Evaluate[int](`[...document.querySelectorAll("`+selector+`")].filter(e => e.checkVisibility()).length`)); seen > 0 {
			t.Errorf("on paper stand %d of %s", seen, selector)
		}
	}
}
