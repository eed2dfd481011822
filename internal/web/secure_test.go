package web

import (
	"bytes"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"countersign/internal/model"
	"countersign/internal/store"
)

func TestLocalPath(t *testing.T) {
	cases := map[string]string{
		"/": "/", "/intents/x?step=a#b": "/intents/x?step=a#b", "/approvals": "/approvals",
		"": "/", "intents": "/", "//evil.example": "/", "/\\evil.example": "/", "\\\\evil.example": "/", "https://evil.example/": "/",
		"http:/evil.example": "/", "javascript:alert(1)": "/", "///evil.example": "/", "/%2f/evil": "/", "/\t/evil.example": "/",
		" /x": "/", "/a\r\nSet-Cookie: x=y": "/", "/%zz": "/", "//evil.example/%2f..": "/",
	}
	for text, want := range cases {
		if got := localPath(text); got != want {
			t.Errorf("localPath(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestSignInLeadsOnlyInside(t *testing.T) {
	w := newWorld(t)
	for next, want := range map[string]string{"/approvals": "/approvals", "//evil.example": "/", "https://evil.example": "/", "/\\evil.example": "/"} {
		b := w.browse("")
		p := b.send("POST", "/signin", url.Values{"email": {"olga@example.com"}, "password": {password}, "next": {next}})
		if p.status != 303 || p.header.Get("Location") != want {
			t.Errorf("next=%q leads to %d %q", next, p.status, p.header.Get("Location"))
		}
	}
	b := w.browse("")
	if p := b.get("/intents/x?a=b"); p.header.Get("Location") != "/signin?next=%2Fintents%2Fx%3Fa%3Db" {
		t.Errorf("the way to sign-in is %q", p.header.Get("Location"))
	}
}

func TestSignInByPassword(t *testing.T) {
	w := newWorld(t)
	b := w.browse("")
	wrong := b.send("POST", "/signin", url.Values{"email": {"olga@example.com"}, "password": {"wrong"}})
	unknown := b.send("POST", "/signin", url.Values{"email": {"nobody@example.com"}, "password": {"wrong"}})
	b.wants(wrong, 401, "The address or the password is wrong.")
	b.wants(unknown, 401, "The address or the password is wrong.")
	for range 20 {
		wrong = b.send("POST", "/signin", url.Values{"email": {"olga@example.com"}, "password": {"wrong"}})
	}
	b.wants(wrong, 429, "Too many tries. Nobody was signed in, and no password was checked.", "The next try is taken from", "makes the wait no longer", "Request req_")
	w.work()
	audrey := w.browse("Audrey")
	w.work()
	p := audrey.get("/audit?event=signin")
	audrey.wants(p, 200, "signin.failed", "signin.ok", "somebody unknown", "Somebody unknown tried to sign in as olga@example.com.")
	if strings.Contains(p.text(), "Olga operator") {
		t.Error("the log names a person who was not there")
	}
	if n := strings.Count(p.text(), "signin.failed"); n != 10 { // ten tries are taken
		t.Errorf("%d entries of failed sign-ins", n)
	}
}

func TestLinkIsUsedByItsButtonOnly(t *testing.T) {
	w := newWorld(t)
	var token string
	w.update(func(tx *store.Tx) (err error) {
		token, err = tx.AddSignInLink(w.ids["Olga"], time.Hour)
		return err
	})
	b := w.browse("")
	for range 3 {
		b.wants(b.get(SignInPath(token)), 200, "Sign in as Olga", "Operator of acme", "not used up")
	}
	if p := b.send("POST", "/signin/link", url.Values{"token": {token}}); p.status != 303 {
		t.Fatalf("%d", p.status)
	}
	other := w.browse("")
	other.wants(other.send("POST", "/signin/link", url.Values{"token": {token}}), 401, "has been used")
	b.wants(b.get("/"), 200, "Olga")
	b.wants(b.follow(b.post("/signout")), 200, "Sign in to Countersign")
	if p := b.get("/"); p.status != 303 {
		t.Errorf("after sign-out: %d", p.status)
	}
}

func TestFormsNeedTheSessionsToken(t *testing.T) {
	w := newWorld(t)
	example := w.examples()
	olga, otto := w.browse("Olga"), w.browse("Otto")
	for _, r := range w.web.routes() {
		if r.method != post || r.page == nil {
			continue
		}
		for what, form := range map[string]url.Values{"no": {}, "another's": {"csrf": {otto.token()}}, "a wrong": {"csrf": {"x"}}} {
			if p := olga.send("POST", example(r.path), form); p.status != 403 || !strings.Contains(p.text(), "another sign-in") {
				t.Errorf("%s with %s token: %d %.200s", r.path, what, p.status, p.text())
			}
		}
	}
}

func TestFormsOfOtherSitesAreRefused(t *testing.T) {
	w := newWorld(t)
	olga := w.browse("Olga")
	for header, value := range map[string]string{"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"} {
		req, err := http.NewRequestWithContext(t.Context(), "POST", w.url+"/me/settings", strings.NewReader(url.Values{"csrf": {olga.token()}, "zone": {"UTC"}}.Encode()))
		w.must(err)
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.Header.Set(header, value)
		p := olga.do(req)
		olga.wants(p, 403, "another site")
		checkHeaders(t, "a foreign form", p)
	}
}

func TestHostileSearches(t *testing.T) {
	w := newWorld(t)
	w.unknown("acme", "run-1", 90_050)
	olga := w.browse("Olga")
	for _, text := range []string{"%", "_", "'", `" OR 1=1 --`, "\x00", "a\r\nb", "\xff\xfe", strings.Repeat("a", 10_000), "<script>alert(1)</script>", "../../etc/passwd"} {
		p := olga.get("/?q=" + url.QueryEscape(text))
		olga.wants(p, 200)
		if !strings.Contains(p.text(), "Nothing is found") && !strings.Contains(p.text(), "This cannot be searched for") || strings.Contains(p.text(), "1 match") {
			t.Errorf("%.40q: %s", text, p.text())
		}
		if len(p.body) > 40_000 {
			t.Errorf("%.40q makes a page of %d bytes", text, len(p.body))
		}
		if strings.Contains(p.body, "<script>alert") {
			t.Errorf("%q is in the page as it is", text)
		}
	}
	olga.wants(olga.get("/?q="+url.QueryEscape("run-1")), 200, "1 match", "Ελένη")
	olga.wants(olga.get("/?q="+url.QueryEscape("Ελένη")), 200, "1 match")
	gus := w.browse("Gus")
	gus.wants(gus.get("/?q=run-1"), 200, "Nothing is found")
}

func TestCursors(t *testing.T) {
	w := newWorld(t)
	w.update(func(tx *store.Tx) error { return manyStuck(tx, "acme", rowsPerPage*2+3) })
	olga := w.browse("Olga")
	next := regexp.MustCompile(`name="go" value="([^"]+)">Next rows`)
	prev := regexp.MustCompile(`name="go" value="([^"]+)">Previous rows`)
	link := func(re *regexp.Regexp, p page) string { return strings.ReplaceAll(found(t, re, p), "&amp;", "&") }
	first := olga.get("/")
	olga.wants(first, 200, "43 match", "Stuck 01")
	second := olga.get(link(next, first))
	third := olga.get(link(next, second))
	olga.wants(third, 200, "Stuck 43")
	if next.MatchString(third.body) || prev.MatchString(first.body) {
		t.Error("the list has pages beyond its ends")
	}
	olga.wants(olga.get(link(prev, third)), 200, "Stuck 21", "Stuck 40")
	back := olga.get(link(prev, second))
	olga.wants(back, 200, "Stuck 01", "Stuck 20")
	if prev.MatchString(back.body) {
		t.Error("there is a page before the first")
	}
	at, err := url.Parse(link(next, first))
	w.must(err)
	cursor := at.Query().Get("cursor")
	for _, bad := range []string{cursor + "0", "x" + cursor, strings.Replace(cursor, "0.", "0.9", 1), "0.1.x." + cursor[strings.LastIndexByte(cursor, '.')+1:], "...", "a"} {
		if p := olga.get("/?cursor=" + url.QueryEscape(bad)); p.status != 422 {
			t.Errorf("cursor %q: %d", bad, p.status)
		}
	}
	if p := olga.get("/?kind=payout&cursor=" + url.QueryEscape(cursor)); p.status != 422 {
		t.Errorf("a cursor of another list: %d", p.status)
	}
	gus := w.browse("Gus")
	if p := gus.get("/?cursor=" + url.QueryEscape(cursor)); strings.Contains(p.body, "Stuck 2") {
		t.Error("a cursor shows another account's rows")
	}
}

// manyStuck makes intents that wait for a person, behind one another.
func manyStuck(tx *store.Tx, account string, n int) error {
	if err := tx.EnsureAccount(account); err != nil {
		return err
	}
	for i := 1; i <= n; i++ {
		key := fmt.Sprintf("stuck-%02d", i)
		id := model.IntentID(tx.Installation(), account, model.KindPayout, key)
		c := &model.Case{Intent: model.Intent{ID: id, Account: account, Kind: model.KindPayout, Key: key, Fingerprint: []byte{1}, Params: []byte("{}"), Version: 1,
			Amount: int64(100 * i), Currency: "EUR", Payee: fmt.Sprintf("Stuck %02d", i), State: model.NeedsReview, CreatedAt: tx.Now(), UpdatedAt: tx.Now(),
			StuckSince: model.Time(i), SortOpen: int64(i), CreatedBy: "a test"}}
		if _, err := tx.InsertCase(c); err != nil {
			return err
		}
	}
	return nil
}

func TestFiltersKeepWrongValues(t *testing.T) {
	w := newWorld(t)
	w.unknown("acme", "run-1", 90_050)
	olga := w.browse("Olga")
	olga.wants(olga.get("/?min=12,5&currency=EUR&before=never"), 200, "The list is not filtered by what could not be read", "This is no date")
	olga.wants(olga.get("/?min=12"), 200, "Choose the currency of the amount")
	olga.wants(olga.get("/?currency=EUR&min=900.50"), 200, "1 match")
	olga.wants(olga.get("/?currency=EUR&min=900.51"), 200, "Nothing matches this filter")
	olga.wants(olga.get("/?before=2026-11-27"), 200, "1 match")
	olga.wants(olga.get("/?before=2026-11-26"), 200, "Nothing matches this filter")
	olga.wants(olga.get("/?state=all&sort=amount"), 200, "newest")
	for _, bad := range []string{"kind=x", "state=x", "currency=XXX", "sort=x"} {
		olga.wants(olga.get("/?"+bad), 422, "The list has no such filter")
	}
	olga.wants(olga.get("/?account=globex"), 404)
}

func TestForeignIdsAreNotFound(t *testing.T) {
	w := newWorld(t)
	id := w.unknown("globex", "run-1", 90_050)
	olga := w.browse("Olga")
	for _, path := range []string{"/intents/" + id, "/intents/nothing", "/previews/x", "/approvals/x", "/audit/999999", "/audit/0", "/audit/audit-x", "/audit/-1",
		"/documents/x", "/documents/" + url.PathEscape(id+":issue-statement"), "/uploads/x", "/intents/" + id + "/actions/reconcile", "/intents/x/actions/nothing"} {
		olga.wants(olga.get(path), 404)
	}
}

func TestBodiesAreLimited(t *testing.T) {
	w := newWorld(t)
	olga := w.browse("Olga")
	big := strings.Repeat("a", formLimit)
	olga.wants(olga.post("/me/settings", "zone", big), 413, "That is too large")
	if p := olga.send("POST", "/webhooks/bank", url.Values{"x": {strings.Repeat("a", webhookLimit)}}); p.status != 413 || !strings.Contains(p.body, "too-large") {
		t.Errorf("a large webhook: %d %s", p.status, p.body)
	}
	id := w.unknown("acme", "run-1", 90_050)
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	form.WriteField("csrf", olga.token())
	form.WriteField("step", "create-payout")
	file, err := form.CreateFormFile("document", "letter.html")
	w.must(err)
	file.Write([]byte("%PDF-1.4 a letter"))
	w.must(form.Close())
	req, err := http.NewRequestWithContext(t.Context(), "POST", w.url+"/intents/"+id+"/actions/mark_external_result", &body)
	w.must(err)
	req.Header.Set("Content-Type", form.FormDataContentType())
	p := olga.do(req)
	olga.wants(p, 422, "Your file is kept")
	upload := found(t, regexp.MustCompile(`name="upload" value="([^"]+)"`), p)
	got := olga.get("/uploads/" + upload)
	if got.status != 200 || got.header.Get("Content-Disposition") != `attachment; filename=letter.pdf` || got.header.Get("Content-Type") != "application/pdf" {
		t.Errorf("the file: %d %v", got.status, got.header)
	}
}

func TestAPanicIsAnInternalError(t *testing.T) {
	w := newWorld(t)
	w.web.Runner = nil // whatever uses it panics
	olga := w.browse("Olga")
	p := olga.get("/approvals")
	olga.wants(p, 500, "Internal error", p.header.Get(RequestIDHeader))
	if strings.Contains(p.body, "runtime") || strings.Contains(p.body, "goroutine") {
		t.Errorf("the page tells of our inside: %s", p.text())
	}
}

func TestRightsChangeAtOnce(t *testing.T) {
	w := newWorld(t)
	id := w.unknown("acme", "run-1", 90_050)
	olga := w.browse("Olga")
	olga.wants(olga.get("/intents/"+id), 200)
	w.update(func(tx *store.Tx) error { return tx.Withdraw(w.ids["Olga"], "acme", model.RoleOperator) })
	olga.wants(olga.get("/intents/"+id), 404)
	w.update(func(tx *store.Tx) error { return tx.Disable(w.ids["Olga"]) })
	if p := olga.get("/"); p.status != 303 {
		t.Errorf("a disabled person: %d", p.status)
	}
}

func TestMe(t *testing.T) {
	w := newWorld(t)
	olga := w.browse("Olga")
	olga.wants(olga.follow(olga.post("/me/settings", "zone", "Asia/Tokyo", "theme", "dark", "density", "compact", "keys", "off")), 200, "Your settings are saved", "Asia/Tokyo")
	olga.wants(olga.post("/me/settings", "zone", "Nowhere"), 422, "not known")
	made := olga.post("/me/keys", "do", "create", "name", "laptop")
	olga.wants(made, 200, "The key laptop is made.")
	key := found(t, regexp.MustCompile(`(csp_[0-9A-Za-z_-]{20,})`), made)
	if strings.Contains(olga.get("/me").body, key) {
		t.Error("the key is shown twice")
	}
	id := found(t, regexp.MustCompile(`name="key" value="([^"]+)"`), olga.get("/me"))
	otto := w.browse("Otto")
	otto.wants(otto.post("/me/keys", "do", "revoke", "key", id), 404)
	olga.wants(olga.follow(olga.post("/me/keys", "do", "revoke", "key", id)), 200, "The key is revoked")
	w.wait(16 * time.Minute)
	olga.wants(olga.post("/me/keys", "do", "create", "name", "second"), 403, "Confirm that it is you")
	olga.wants(olga.get("/stepup"), 200, "or gives rights away, as a new key does")
	if p := olga.get("/me"); strings.Contains(p.text(), "Make a key") || !strings.Contains(p.text(), "making one needs a sign-in or your password of the last 15 min") {
		t.Errorf("a key is offered without a fresh sign-in: %s", p.text())
	}
	second := w.browse("Olga")
	session := found(t, regexp.MustCompile(`name="session" value="([^"]+)"`), olga.get("/me"))
	otto.wants(otto.post("/me/sessions/revoke", "session", session), 404)
	olga.wants(olga.follow(olga.post("/me/sessions/revoke", "session", session)), 200, "That session has ended")
	if p := second.get("/"); p.status != 303 {
		t.Errorf("the ended session: %d", p.status)
	}
}
