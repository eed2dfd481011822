package e2e

import (
	"fmt"
	"strings"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// media sets what the page is told of its reader's wishes.
func (b *tab) media(features ...string) {
	b.t.Helper()
	var wishes []*emulation.MediaFeature
	for _, f := range features {
		name, value, _ := strings.Cut(f, ": ")
		wishes = append(wishes, &emulation.MediaFeature{Name: name, Value: value})
	}
	b.call("emulating", call(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: wishes}))
}

// window gives the tab a size. A page at 200 % zoom has half of the pixels.
func (b *tab) window(width, height int64) {
	b.t.Helper()
	b.call("emulating", call(emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
		Width: width, Height: height, DeviceScaleFactor: 1, Mobile: width < 640,
	}))
}

// Wishes of readers.
const (
	inLight   = "prefers-color-scheme: light"
	inDark    = "prefers-color-scheme: dark"
	atRest    = "prefers-reduced-motion: reduce"
	ownColour = "forced-colors: active"
)

// settings put the tab back as its look says.
func (b *tab) settings() {
	b.t.Helper()
	scheme := inLight
	if b.look.dark {
		scheme = inDark
	}
	b.media(scheme, atRest)
	b.window(b.look.width, b.look.height)
}

// examine looks at one page, once loaded, in every way that a reader may have
// it: each of these draws it anew and none loads it again.
func (b *tab) examine(path string) {
	b.t.Helper()
	b.glance(path)
	usable := b.usable()
	for _, w := range []struct {
		name  string
		width int64
	}{{"at 200 % zoom", 640}, {"320 pixels wide", 320}} {
		b.window(w.width, 844)
		b.fits(path + ", " + w.name)
		if now := b.usable(); len(now) < len(usable) {
			b.t.Errorf("%s, %s: hidden: %q", path, w.name, without(usable, now))
		}
		if over := evaluate(b, "looking at labels", chromedp.Evaluate[[]string](labelsOver)); len(over) > 0 {
			b.t.Errorf("%s, %s: labels are printed over text: %q", path, w.name, over)
		}
	}
	for _, v := range b.axe(narrowRules) {
		b.t.Errorf("%s, narrow: axe-core: %s", path, v)
	}
	b.media(inDark, ownColour, atRest)
	for _, shape := range evaluate(b, "looking at shapes", chromedp.Evaluate[[]string](unseenShapes)) {
		b.t.Errorf("%s, in forced colours: %s cannot be seen", path, shape)
	}
	b.settings()
}

// glance looks at a page in light and dark.
func (b *tab) glance(path string) {
	b.t.Helper()
	b.judge(path)
	b.media(inDark, atRest)
	for _, v := range b.axe(colourRules) {
		b.t.Errorf("%s, dark: axe-core: %s", path, v)
	}
	b.media(inLight, atRest)
}

// judge looks for what can be wrong with the page as it is shown.
func (b *tab) judge(path string) {
	b.t.Helper()
	for _, v := range b.violations() {
		b.t.Errorf("%s (%s): axe-core: %s", path, b.look.name, v)
	}
	if w := b.weighed(); w > heaviest {
		b.t.Errorf("%s (%s) weighs %.0f bytes", path, b.look.name, w)
	}
	b.fits(path)
	b.even(path)
	if restless := evaluate(b, "looking for motion", chromedp.Evaluate[int](`document.getAnimations().length`)); restless > 0 {
		b.t.Errorf("%s (%s): %d animations run although the reader wants none", path, b.look.name, restless)
	}
}

// fits reports a page that is wider than its window, and by what.
func (b *tab) fits(path string) {
	b.t.Helper()
	if wide := evaluate(b, "measuring", chromedp.Evaluate[string](widest)); wide != "" {
		b.t.Errorf("%s (%s): the page is too wide: %s", path, b.look.name, wide)
	}
}

// widest says by how much the page is wider than its window, and which elements
// stand out; "" is none.
const widest = `(() => {
	const root = document.documentElement, over = root.scrollWidth - root.clientWidth;
	if (over <= 0) return "";
	const out = [...document.querySelectorAll("body *")].filter(e => e.getBoundingClientRect().right > root.clientWidth + 1 && !e.closest(".scroll"));
	return over + " pixels, by " + out.slice(0, 4).map(e => e.tagName.toLowerCase() + "." + e.className + " " + JSON.stringify(e.textContent.trim().slice(0, 40))).join(", ");
})()`

// labelsOver names the labels of stacked cells that are printed over a text of
// their row. A label is drawn by the style alone and has no place that can be
// asked for, so a copy of it is put where it stands.
const labelsOver = `(() => {
	const labels = [];
	for (const cell of document.querySelectorAll(".stack th, .stack td")) {
		const style = getComputedStyle(cell, "::before");
		if (style.content === "none" || style.position !== "absolute" || !cell.checkVisibility()) continue;
		const copy = document.createElement("span");
		copy.textContent = cell.dataset.l;
		for (const name of ["position", "left", "top", "width", "fontSize", "lineHeight", "textTransform", "letterSpacing", "overflowWrap"]) copy.style[name] = style[name];
		labels.push([cell, copy]);
	}
	for (const [cell, copy] of labels) cell.prepend(copy);
	const boxes = e => { const range = document.createRange(); range.selectNodeContents(e); return [...range.getClientRects()]; };
	const texts = row => [...row.querySelectorAll("*")].flatMap(e => [...e.childNodes]).filter(n => n.nodeType === 3 && n.data.trim() && n.parentElement.checkVisibility() && !n.parentElement.closest(".vh"));
	const meet = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
	const over = labels.filter(([cell, copy]) => texts(cell.parentElement).some(n => n.parentElement !== copy && boxes(n).some(t => boxes(copy).some(l => meet(l, t)))))
		.map(([cell, copy]) => copy.textContent + " over " + cell.parentElement.textContent.trim().slice(0, 60));
	for (const [, copy] of labels) copy.remove();
	return over;
})()`

// usable are the headings and controls that can be seen, by their words: none
// may be lost in a narrow window.
func (b *tab) usable() []string {
	b.t.Helper()
	return evaluate(b, "looking for controls", chromedp.Evaluate[[]string](`[...document.querySelectorAll("h1, h2, h3, main a[href], main button, input, select, textarea, summary")]
		.filter(e => e.checkVisibility({ visibilityProperty: true }) && e.getClientRects().length > 0)
		.map(e => e.tagName.toLowerCase() + " " + (e.textContent.trim().slice(0, 40) || e.name))`))
}

// without are the texts of a list that another lacks.
func without(list, other []string) (missing []string) {
	count := map[string]int{}
	for _, text := range other {
		count[text]++
	}
	for _, text := range list {
		if count[text]--; count[text] < 0 {
			missing = append(missing, text)
		}
	}
	return missing
}

// unseenShapes names the states' shapes, drawn in the colour of their words,
// that have the colour of the ground on which they stand.
const unseenShapes = `(() => {
	const probe = document.body.appendChild(document.createElement("p"));
	probe.style.color = "Canvas";
	const ground = getComputedStyle(probe).color;
	probe.remove();
	return [...document.querySelectorAll("main svg.g")].filter(e => e.checkVisibility() && getComputedStyle(e).color === ground).map(e => e.getAttribute("class"));
})()`

// axe runs some of axe-core's rules on the page as it is shown.
func (b *tab) axe(rules string) []string {
	b.t.Helper()
	return evaluate(b, "running axe-core", chromedp.Evaluate[[]string](fmt.Sprintf(axeRun, rules), chromedp.EvalAwaitPromise))
}
