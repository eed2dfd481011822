package e2e

import (
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// TestTextAtTwiceItsSize looks at pages as somebody reads them who has made the
// text alone larger: no line is set into the next one, no control cuts its words
// off, and the page still fits its window.
func TestTextAtTwiceItsSize(t *testing.T) {
	s := theScene(t)
	b := openTab(t, startBrowser(t), s.demo.Address, light)
	b.use(signIn(t, s.demo.Address, s.person('o')))
	b.call("enlarging the text", call(page.SetFontSizes, page.SetFontSizesParams{FontSizes: &page.FontSizes{Standard: 32, Fixed: 26}}))
	for _, path := range []string{"/", "/intents/{unknown}", "/approvals", "/uncertain", "/workers", "/guide", "/lab", "/providers", "/me", "/help"} {
		b.open(s.fill(path))
		for name, width := range map[string]int64{"wide": 1280, "390 pixels": 390} {
			b.window(width, 844)
			for _, line := range evaluate(b, "measuring lines", chromedp.Evaluate[[]string](tooTight)) {
				t.Errorf("%s, %s: %s", path, name, line)
			}
			b.fits(path + " with large text, " + name)
		}
		b.settings()
	}
}

// tooTight names elements of which a line is lower than its letters, and controls
// that are.
const tooTight = `[...document.querySelectorAll("body *")].filter(e => {
	if (!e.checkVisibility() || e.closest("svg, .vh")) return false;
	const own = [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim()), look = getComputedStyle(e), size = parseFloat(look.fontSize);
	return own && getComputedStyle(e).display !== "inline" && parseFloat(look.lineHeight) < size || e.matches("main input[type=text], main select") && e.clientHeight < size;
}).slice(0, 5).map(e => e.tagName.toLowerCase() + "." + e.className + " " + JSON.stringify(e.textContent.trim().slice(0, 30)))`
