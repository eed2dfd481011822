package e2e

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/audits"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// patience is how long one step in the browser may take on a loaded machine.
const patience = 60 * time.Second

// theBrowser is Chromium with a profile of its own, started once for all tests.
var theBrowser = sync.OnceValues(func() (context.Context, error) {
	profile, err := os.MkdirTemp("", "countersign-chromium-")
	if err != nil {
		return nil, err
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(have.chromium), chromedp.UserDataDir(profile), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true), chromedp.Flag("hide-scrollbars", true))
	alloc, cancelAlloc := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, cancel := chromedp.NewContext(alloc)
	closeBrowser = func() {
		cancel()
		cancelAlloc()
		removeAll(profile)
	}
	return ctx, chromedp.Do(ctx)
})

// closeBrowser ends Chromium, if a test has started it.
var closeBrowser = func() {}

// startBrowser gives the Chromium that all tests share. Tabs are opened from the
// context, each with cookies of its own.
func startBrowser(t *testing.T) context.Context {
	t.Helper()
	ctx, err := theBrowser()
	if err != nil {
		t.Fatalf("starting %s: %v", have.chromium, err)
	}
	return ctx
}

// removeAll removes a browser's profile. Its processes may still write to it
// for a moment after they were told to end.
func removeAll(folder string) {
	for range 50 {
		if os.RemoveAll(folder) == nil {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// look is how a tab shows pages.
type look struct {
	name          string
	noScript      bool
	dark          bool
	width, height int64
}

var (
	plain = look{name: "noscript", noScript: true, width: 1280, height: 1060}
	light = look{name: "light", width: 1280, height: 900}
	dark  = look{name: "dark", dark: true, width: 1280, height: 900}
	phone = look{name: "phone", width: 390, height: 844}
)

// tab is one tab with cookies of its own. It collects all that a page must not
// do; what it collected fails the test at its end.
type tab struct {
	t    *testing.T
	ctx  context.Context
	base string
	look look

	keepsBody bool   // whether body is wanted
	body      string // of the last page that was loaded, as it came

	mu     sync.Mutex
	path   string                     // of the page being loaded, for messages
	asked  network.RequestID          // for the page itself
	weight float64                    // bytes over the wire since the page was asked for
	later  map[network.RequestID]bool // what refreshes a page that is there
	wrongs []string
}

// openTab opens a tab on the product at base.
func openTab(t *testing.T, browser context.Context, base string, l look) *tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
	b := &tab{t: t, ctx: ctx, base: base, look: l, later: map[network.RequestID]bool{}}
	t.Cleanup(func() {
		cancel()
		for _, w := range b.takeWrongs() {
			t.Error(w)
		}
	})
	b.must(chromedp.Listen(ctx, b.observe), "listening")
	b.call(audits.Enable.Method, call(audits.Enable, cdp.Empty{}))
	b.settings()
	if !l.noScript { // axe-core is there before the page is; sending it to each page took half of the time
		source, err := axeSource()
		b.must(err, "reading axe-core")
		b.call("preparing axe-core", call(page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: source}))
	}
	b.call("emulating", call(emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: l.noScript}))
	return b
}

// call makes an action of a protocol command whose answer is of no interest.
func call[P, R any](command cdp.Command[P, R], params P) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, command, params)
		return err
	})
}

// observe takes what the browser tells. It runs on the browser's own loop and
// only notes things down.
func (b *tab) observe(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventConsoleAPICalled:
		b.wrong("console.%s was called", e.Type)
	case *runtime.EventExceptionThrown:
		b.wrong("script failed: %s", e.ExceptionDetails.Text)
	case *log.EventEntryAdded:
		// Chromium notes the status of a refused page itself.
		if e.Entry.Source != "network" || strings.HasPrefix(e.Entry.URL, b.base+"/static/") {
			b.wrong("console: %s", e.Entry.Text)
		}
	case *audits.EventIssueAdded:
		if d := e.Issue.Details.ContentSecurityPolicyIssueDetails; d != nil {
			b.wrong("content security policy: %s, blocked %s", d.ViolatedDirective, d.BlockedURL)
		}
	case *network.EventRequestWillBeSent:
		if e.Type == network.ResourceTypeFetch {
			b.later[e.RequestID] = true
		}
		// Chromium draws its own controls from data: addresses.
		if !strings.HasPrefix(e.Request.URL, b.base+"/") && !strings.HasPrefix(e.Request.URL, "data:") {
			b.wrong("asked another place for %s", e.Request.URL)
		}
	case *network.EventResponseReceived:
		if e.Type == network.ResourceTypeDocument {
			b.asked = e.RequestID
		}
	case *network.EventLoadingFinished:
		if !b.later[e.RequestID] {
			b.weight += e.EncodedDataLength
		}
	}
}

// wrong notes a fault of the page. The lock is held.
func (b *tab) wrong(format string, args ...any) {
	b.wrongs = append(b.wrongs, fmt.Sprintf("%s (%s): ", b.path, b.look.name)+fmt.Sprintf(format, args...))
}

// takeWrongs gives what was noted, and forgets it.
func (b *tab) takeWrongs() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	wrongs := b.wrongs
	b.wrongs = nil
	return wrongs
}

// weighed gives the bytes over the wire since the page was asked for, but for what
// live updates fetched.
func (b *tab) weighed() float64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.weight
}

// open loads a path of the product and returns the status of the answer.
func (b *tab) open(path string) int64 {
	b.t.Helper()
	return b.load(path, chromedp.Navigate(b.base+path))
}

// press clicks what leads to another page, and returns the answer's status.
func (b *tab) press(selector string) int64 {
	b.t.Helper()
	return b.load(selector, chromedp.Click(chromedp.CSS(selector)))
}

// load runs actions that lead to another page.
func (b *tab) load(path string, steps ...chromedp.Action[chromedp.Void]) int64 {
	b.t.Helper()
	b.mu.Lock()
	b.path, b.weight = path, 0
	b.mu.Unlock()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	response, err := chromedp.RunResponse(ctx, steps...)
	b.must(err, "loading "+path)
	if response == nil {
		return 0 // from the browser's own memory, as after Back
	}
	if b.keepsBody {
		b.body = evaluate(b, "keeping the page", b.source())
	}
	return response.Status
}

// source reads the page as it came over the wire.
func (b *tab) source() chromedp.Action[string] {
	b.mu.Lock()
	asked := b.asked
	b.mu.Unlock()
	return func(ctx context.Context, target *chromedp.Target) (string, error) {
		came, err := cdp.Call(ctx, target, network.GetResponseBody, network.GetResponseBodyParams{RequestID: asked})
		return string(came.Body), err
	}
}

// call runs an action that stays on the page.
func (b *tab) call(doing string, action chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	b.must(chromedp.Do(ctx, action), doing)
}

// fill types into a field that is empty or holds something else.
func (b *tab) fill(selector, text string) {
	b.t.Helper()
	b.call("emptying "+selector, chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`document.querySelector(%q).value = ""`, selector)))
	b.call("typing into "+selector, chromedp.SendKeys(chromedp.CSS(selector), text))
}

// text is the visible text of the first element that matches.
func (b *tab) text(selector string) string {
	b.t.Helper()
	return evaluate(b, "reading "+selector, chromedp.Text(chromedp.CSS(selector)))
}

// texts are the texts of all elements that match, without spaces around.
func (b *tab) texts(selector string) []string {
	b.t.Helper()
	return evaluate(b, "reading "+selector, chromedp.Evaluate[[]string](fmt.Sprintf(`[...document.querySelectorAll(%q)].map(e => e.textContent.trim())`, selector)))
}

// attribute is an attribute of the first element that matches; "" where there
// is no such element or attribute.
func (b *tab) attribute(selector, name string) string {
	b.t.Helper()
	return evaluate(b, "reading "+selector, chromedp.Evaluate[string](fmt.Sprintf(`document.querySelector(%q)?.getAttribute(%q) ?? ""`, selector, name)))
}

// at is the path and query that the tab shows.
func (b *tab) at() string {
	b.t.Helper()
	return evaluate(b, "reading the address", chromedp.Evaluate[string](`location.pathname + location.search`))
}

// evaluate runs an action that gives a value.
func evaluate[T any](b *tab, doing string, action chromedp.Action[T]) T {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	value, err := chromedp.Run(ctx, action)
	b.must(err, doing)
	return value
}

// must ends the test when a step in the browser failed, and says where.
func (b *tab) must(err error, doing string) {
	b.t.Helper()
	if err == nil {
		return
	}
	b.mu.Lock()
	path := b.path
	b.mu.Unlock()
	b.shot("failed")
	b.t.Fatalf("%s, at %s (%s): %v", doing, path, b.look.name, err)
}

// shot writes a screenshot of the whole page, if screenshots are wanted.
func (b *tab) shot(name string) { b.picture(name, chromedp.FullScreenshot(100)) }

// view writes a screenshot of what the window shows.
func (b *tab) view(name string) { b.picture(name, chromedp.CaptureScreenshot()) }

func (b *tab) picture(name string, take chromedp.Action[[]byte]) {
	folder := os.Getenv("E2E_SHOTS")
	if folder == "" {
		return
	}
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	picture, err := chromedp.Run(ctx, take)
	if err == nil {
		err = os.MkdirAll(folder, 0o755)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, name+"-"+b.look.name+".png"), picture, 0o644)
	}
	if err != nil {
		b.t.Logf("no screenshot of %s: %v", name, err)
	}
}
