package web

import (
	"bytes"
	"html"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"countersign/internal/model"
)

// wiretap stands before the bank and writes down each request that comes in.
type wiretap struct {
	testing.TB
	mu   sync.Mutex
	seen []wired
}

// wired is a request as it came in.
type wired struct {
	method, url, body string
	header            http.Header
}

func (t *wiretap) before(bank string) string {
	tap := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		t.mu.Lock()
		t.seen = append(t.seen, wired{r.Method, "http://" + r.Host + r.RequestURI, string(body), r.Header.Clone()})
		t.mu.Unlock()
		on, err := http.NewRequestWithContext(r.Context(), r.Method, bank+r.RequestURI, bytes.NewReader(body))
		if err != nil {
			t.Error(err)
			return
		}
		on.Header = r.Header.Clone()
		answer, err := http.DefaultTransport.RoundTrip(on)
		if err != nil {
			panic(http.ErrAbortHandler) // a fault that was armed: the engine sees it too
		}
		defer answer.Body.Close()
		maps.Copy(rw.Header(), answer.Header)
		rw.WriteHeader(answer.StatusCode)
		_, _ = io.Copy(rw, answer.Body) // the engine judges an answer that breaks off
	}))
	t.Cleanup(tap.Close)
	return tap.URL
}

// taken gives what came in since it was last asked.
func (t *wiretap) taken() []wired {
	t.mu.Lock()
	defer t.mu.Unlock()
	defer func() { t.seen = nil }()
	return t.seen
}

// Of a card of a plan: its request, its key with where that travels, its bytes.
var (
	shownCards = regexp.MustCompile(`(?s)<article class="card">.*?</article>`)
	shownCall  = regexp.MustCompile(`<code class="wire"><b>([A-Z]+)</b> ([^<]+)</code>`)
	shownKey   = regexp.MustCompile(`(?s)<dt>Wire key</dt>\s*<dd[^>]*>(.*?)</dd>`)
	shownBytes = regexp.MustCompile(`(?s)<pre class="bytes">(.*?)</pre>`)
)

// plannedRequests are the requests of a page's plan as a reader sees them: the header
// holds what the page says of it, and nothing else.
func plannedRequests(p page) (list []wired) {
	for _, card := range shownCards.FindAllString(p.body, -1) {
		call := shownCall.FindStringSubmatch(card)
		if call == nil {
			continue // nothing is sent
		}
		r := wired{method: call[1], url: html.UnescapeString(call[2]), header: http.Header{}}
		if m := shownBytes.FindStringSubmatch(card); m != nil {
			r.body = html.UnescapeString(m[1])
		}
		if m := shownKey.FindStringSubmatch(card); m != nil {
			text := page{body: m[1]}.text()
			key, how, _ := strings.Cut(strings.Replace(text, " the step key as it is,", "", 1), " in the ")
			key = strings.ReplaceAll(key, " ", "") // it may be broken there
			if name, ok := strings.CutPrefix(how, "header "); ok {
				r.header.Set(name, key)
			} else if !strings.Contains(r.body, key) {
				r.header.Set("Somewhere", key) // which no request has
			}
		}
		list = append(list, r)
	}
	return list
}

// plainHeaders say nothing of the effect and stand in no preview.
var plainHeaders = []string{"Accept", "Accept-Encoding", "Connection", "Content-Length", "Content-Type", "User-Agent", requestIDOfCalls}

const requestIDOfCalls = "X-Request-Id"

// sameRequest reports whether a request is the one that was shown, no more and no less.
func sameRequest(shown, sent wired) bool {
	rest := sent.header.Clone()
	maps.DeleteFunc(rest, func(name string, _ []string) bool { return slices.Contains(plainHeaders, name) })
	return shown.method == sent.method && shown.url == sent.url && shown.body == sent.body && maps.EqualFunc(shown.header, rest, slices.Equal)
}

// carriedOut fails unless each request that a preview showed came in, exactly.
func (t *wiretap) carriedOut(what string, preview page) {
	t.Helper()
	shown, sent := plannedRequests(preview), t.taken()
	if len(shown) == 0 {
		t.Errorf("%s shows no request: %s", what, preview.text())
	}
	for _, r := range shown {
		if !slices.ContainsFunc(sent, func(s wired) bool { return sameRequest(r, s) }) {
			t.Errorf("%s shows\n\t%v\nwhich is not among what the bank received:\n\t%v", what, r, sent)
		}
	}
}

// pass lets time go by and the engine work, until nothing settles any more.
func (w *world) pass() {
	w.Helper()
	for range 3 {
		w.wait(10 * time.Second)
		w.work()
	}
}

// acts previews an action, confirms it, lets another person sign where that is
// needed, and compares what was shown with what the bank received.
func (t *wiretap) acts(w *world, id, action, step string) {
	t.Helper()
	olga, ann := w.browse("Olga"), w.browse("Ann")
	path, preview := olga.preview(id, action, "step", step)
	t.taken()
	form := []string{"digest", found(t, digestField, preview), "reason", because, "plan_code", found(t, planCode, preview)}
	olga.follow(olga.post(path+"/confirm", form...))
	if action == model.Compensate {
		link := found(t, requestLink, ann.get("/approvals"))
		request := ann.get(link)
		if got := plannedRequests(request); !slices.EqualFunc(got, plannedRequests(preview), sameRequest) {
			t.Errorf("the request to sign shows %v, the preview %v", got, plannedRequests(preview))
		}
		ann.follow(ann.post(link+"/approve", form...))
	}
	w.pass()
	t.carriedOut(action+" of "+step, preview)
}

// TestAPreviewShowsTheRequestThatGoesOut: method, address, key with its header, and
// bytes, of every action that calls the bank and every operation that it serves. A
// header that is shown is sent, and one that is sent is shown.
func TestAPreviewShowsTheRequestThatGoesOut(t *testing.T) {
	tap := &wiretap{TB: t}
	w := newWorldOver(t, tap.before)
	w.web.patience = 0
	tap.acts(w, w.unknown("acme", "run-0", 90_050), model.Reconcile, "create-payout") // by our reference
	for _, operation := range []string{"payouts", "messages", "disputes", "credits"} {
		w.fault(map[string]string{"operation": operation}, "reject_curable", 1)
	}
	payout := w.payout("acme", "run-1", 90_050)
	w.pass()
	tap.acts(w, payout, model.RetryUnfinished, "create-payout")
	tap.acts(w, payout, model.RetryUnfinished, "send-remittance")
	dispute := w.dispute("dp_31")
	tap.acts(w, dispute, model.RetryUnfinished, "submit-response")
	tap.acts(w, dispute, model.RetryUnfinished, "credit-balance")
	for id, steps := range map[string][]string{payout: {"create-payout", "send-remittance"}, dispute: {"submit-response", "credit-balance", "notify-parties"}} {
		for _, step := range steps {
			tap.acts(w, id, model.Reconcile, step)
		}
	}
	for id, steps := range map[string][]string{payout: {"create-payout", "reverse-payout", "send-correction"}, dispute: {"credit-balance", "reverse-credit", "send-correction"}} {
		tap.acts(w, id, model.Compensate, steps[0])
		for _, step := range steps[1:] {
			tap.acts(w, w.undoOf(id), model.Reconcile, step)
		}
	}
}

// undoOf is the intent that undoes another.
func (w *world) undoOf(id string) string {
	w.Helper()
	return found(w, regexp.MustCompile(`href="/intents/(intent-[0-9a-z]+)"[^>]*>its compensation`), w.browse("Olga").get("/intents/"+id))
}
