package web

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"testing"

	"countersign/internal/actions"
	"countersign/internal/authz"
	"countersign/internal/model"
	"countersign/internal/store"
	"countersign/web/static"
)

// viewers are the columns of the matrix: nobody, each role of the account that
// everything below belongs to, an operator of another one, and somebody signed
// in without any role.
var viewers = []string{"", "Olga", "Ann", "Audrey", "Ada", "Gus", "Nemo"}

// statuses are the answers to one route, by viewer.
type statuses [7]int

// rows of the matrix that many routes share.
var (
	everybody  = statuses{200, 200, 200, 200, 200, 200, 200}
	refusedAll = statuses{401, 401, 401, 401, 401, 401, 401}
	signedIn   = statuses{303, 200, 200, 200, 200, 200, 200}
	ofAccount  = statuses{303, 200, 200, 200, 200, 404, 404}
	acts       = statuses{401, 303, 403, 403, 403, 404, 404}
	exports    = statuses{303, 403, 403, 200, 200, 403, 403}
)

// matrix says what every route answers to everybody. A route that is not in it
// fails the test. A POST carries the viewer's token and the fields.
var matrix = map[string]struct {
	query  string
	fields url.Values
	want   statuses
}{
	"GET /healthz":                      {"", nil, everybody},
	"GET /readyz":                       {"", nil, everybody},
	"GET /metrics":                      {"", nil, everybody},
	"POST /webhooks/:provider":          {"", nil, refusedAll},
	"GET /static/*":                     {"", nil, everybody},
	"GET /signin":                       {"", nil, everybody},
	"POST /signin":                      {"", url.Values{"email": {"olga@example.com"}, "password": {"wrong"}}, refusedAll},
	"POST /kept":                        {"", url.Values{"next": {"/"}}, statuses{401, 403, 403, 403, 403, 403, 403}},
	"GET /signin/link":                  {"?token=unknown", nil, refusedAll},
	"POST /signin/link":                 {"", url.Values{"token": {"unknown"}}, refusedAll},
	"POST /signout":                     {"", nil, statuses{401, 303, 303, 303, 303, 303, 303}},
	"GET /stepup":                       {"", nil, signedIn},
	"POST /stepup":                      {"", url.Values{"password": {"wrong"}}, statuses{401, 403, 403, 403, 403, 403, 403}},
	"GET /":                             {"", nil, signedIn},
	"POST /views":                       {"", url.Values{"query": {"kind=payout"}, "name": {"Payouts"}}, statuses{401, 303, 303, 303, 303, 303, 404}},
	"GET /views/:id":                    {"", nil, ofAccount},
	"POST /views/:id":                   {"", url.Values{"do": {"change"}, "name": {"Payouts of acme"}}, statuses{401, 303, 403, 403, 303, 404, 404}},
	"GET /live":                         {"", nil, statuses{303, 406, 406, 406, 406, 406, 406}},
	"GET /intents/:id":                  {"", nil, ofAccount},
	"POST /intents/:id/owner":           {"", url.Values{"do": {"release"}}, acts},
	"GET /intents/:id/actions/:action":  {"?step=create-payout", nil, statuses{303, 200, 403, 403, 403, 404, 404}},
	"POST /intents/:id/notes":           {"", url.Values{"text": {"called the rep"}}, statuses{401, 303, 303, 403, 303, 404, 404}},
	"POST /intents/:id/actions/:action": {"", url.Values{"step": {"create-payout"}}, acts},
	"GET /previews/:id":                 {"", nil, statuses{303, 200, 404, 404, 404, 404, 404}},
	"POST /previews/:id/confirm":        {"", url.Values{"reason": {"short"}}, statuses{401, 422, 404, 404, 404, 404, 404}},
	"GET /previews/:id/result":          {"", nil, statuses{303, 303, 404, 404, 404, 404, 404}},
	"GET /approvals":                    {"", nil, signedIn},
	"GET /approvals/:id":                {"", nil, ofAccount},
	"POST /approvals/:id/approve":       {"", url.Values{"reason": {because}, "digest": {"00"}}, statuses{401, 403, 409, 403, 403, 404, 404}},
	"POST /approvals/:id/reject":        {"", url.Values{"reason": {because}, "digest": {"00"}}, statuses{401, 403, 409, 403, 403, 404, 404}},
	"POST /approvals/:id/withdraw":      {"", url.Values{"reason": {because}, "digest": {"00"}}, statuses{401, 403, 403, 403, 403, 404, 404}},
	"POST /selections":                  {"", url.Values{"here": {"/"}}, statuses{401, 303, 403, 403, 403, 303, 403}},
	"GET /selections/:id":               {"", nil, statuses{303, 200, 404, 404, 404, 404, 404}},
	"POST /bulk":                        {"", url.Values{"action": {"explode"}, "intent": {"intent-x"}}, statuses{401, 422, 422, 422, 422, 422, 422}},
	"GET /bulk/:id":                     {"", nil, statuses{303, 200, 404, 404, 404, 404, 404}},
	"POST /bulk/:id/confirm":            {"", url.Values{"reason": {"short"}}, statuses{401, 422, 404, 404, 404, 404, 404}},
	"POST /bulk/:id/approve":            {"", url.Values{"reason": {because}}, statuses{401, 403, 404, 404, 404, 404, 404}},
	"POST /bulk/:id/reject":             {"", url.Values{"reason": {because}}, statuses{401, 409, 404, 404, 404, 404, 404}},
	"POST /bulk/:id/withdraw":           {"", url.Values{"reason": {because}}, statuses{401, 409, 404, 404, 404, 404, 404}},
	"POST /bulk/:id/go-on":              {"", nil, statuses{401, 303, 404, 404, 404, 404, 404}},
	"GET /uncertain":                    {"", nil, signedIn},
	"GET /uncertain/file":               {"?format=csv", nil, signedIn},
	"GET /reconcile":                    {"", nil, signedIn},
	"POST /reconcile":                   {"", url.Values{"account": {"acme"}}, statuses{401, 422, 403, 403, 403, 404, 404}},
	"GET /reconcile/:id":                {"", nil, ofAccount},
	"POST /reconcile/:id/mapping":       {"", url.Values{"separator": {"comma"}}, statuses{401, 409, 403, 403, 403, 404, 404}},
	"POST /reconcile/:id/contradiction": {"", url.Values{"line": {"1"}, "reason-1": {because}}, statuses{401, 409, 403, 403, 403, 404, 404}},
	"POST /reconcile/:id/preview":       {"", url.Values{"shown": {"1"}, "line": {"1"}}, acts},
	"GET /orphans":                      {"", nil, signedIn},
	"GET /orphans/:id":                  {"", nil, ofAccount},
	"POST /orphans/:id/settle":          {"", url.Values{"reason": {because}}, statuses{401, 303, 403, 403, 409, 404, 404}},
	"GET /audit":                        {"", nil, statuses{303, 200, 200, 200, 200, 200, 403}},
	"GET /audit/export":                 {"", nil, exports},
	"GET /audit/export/file":            {"?format=jsonl&zone=UTC", nil, exports},
	"GET /audit/:index":                 {"", nil, ofAccount},
	"GET /documents/:stepkey":           {"", nil, ofAccount},
	"GET /uploads/:id":                  {"", nil, ofAccount},
	"GET /admin/alerts":                 {"", nil, exports},
	"GET /admin/people":                 {"", nil, statuses{303, 403, 403, 403, 200, 403, 403}},
	"GET /admin/hold":                   {"", nil, signedIn},
	"POST /admin/hold/ended":            {"", url.Values{"reason": {because}}, statuses{401, 403, 403, 403, 409, 403, 403}},
	"POST /admin/hold/lift":             {"", url.Values{"reason": {because}}, statuses{401, 403, 403, 403, 409, 403, 403}},
	"GET /providers":                    {"", nil, signedIn},
	"GET /workers":                      {"", nil, signedIn},
	"GET /workers/:id/declare-dead":     {"", nil, statuses{303, 403, 403, 403, 200, 403, 403}},
	"POST /workers/:id/declare-dead":    {"", url.Values{"reason": {because}}, statuses{401, 403, 403, 403, 422, 403, 403}},
	"GET /help":                         {"", nil, signedIn},
	"GET /me":                           {"", nil, signedIn},
	"POST /me/settings":                 {"", url.Values{"zone": {"Europe/Berlin"}}, statuses{401, 303, 303, 303, 303, 303, 303}},
	"POST /me/keys":                     {"", url.Values{"name": {"laptop"}, "do": {"create"}}, statuses{401, 200, 200, 200, 200, 200, 200}},
	"POST /me/sessions/revoke":          {"", url.Values{"session": {"00"}}, statuses{401, 404, 404, 404, 404, 404, 404}},
	"GET /guide":                        {"", nil, signedIn},
	"GET /guide/statement.xml":          {"", nil, statuses{303, 200, 200, 200, 200, 404, 404}},
	"GET /lab":                          {"", nil, signedIn},
	"POST /lab":                         {"", labForm("a1b2c3d4e5f6a7b8"), statuses{401, 303, 403, 403, 403, 303, 403}},
	"POST /lab/disarm":                  {"", url.Values{"id": {"7"}}, statuses{401, 303, 403, 403, 403, 404, 403}},
}

// examples are what the parameters of paths name in the tests.
func (w *world) examples() func(path string) string {
	w.Helper()
	id := w.unknown("acme", "run-1", 90_050)
	waiting := w.payout("acme", "run-2", 420_000)
	document := w.statement()
	olga := w.browse("Olga")
	preview, _ := olga.preview(id, "reconcile", "step", "create-payout")
	var approval string
	w.must(w.db.View(w.Context(), func(tx *store.Tx) error {
		c, err := tx.Case(waiting)
		if err == nil {
			approval = c.OpenRequest().ID
		}
		return err
	}))
	actor := w.actor("Olga")
	orphan := w.missingObject(id)
	many, _, err := w.run.PreviewBulk(w.Context(), actor, actions.BulkRequest{Action: model.Reconcile, Intents: []string{id}})
	w.must(err)
	selected, err := w.run.Tick(w.Context(), actor, actions.Ticks{Page: id, Shown: []string{id}, Ticked: []string{id}})
	w.must(err)
	uploaded, err := w.run.Upload(w.Context(), actor, "acme", "letter.pdf", []byte("%PDF-1.4 a letter"))
	w.must(err)
	bank := w.bankFile(bankLine{"-900.50", id + ":create-payout"})
	view, err := w.run.SaveView(w.Context(), actor, store.View{Account: "acme", Name: "Stuck payouts", Query: "kind=payout"})
	w.must(err)
	return func(path string) string {
		byPath := map[string]string{"/intents/": id, "/previews/": strings.TrimPrefix(preview, "/previews/"), "/approvals/": approval, "/uploads/": uploaded.ID, "/reconcile/": bank, "/bulk/": many.ID, "/orphans/": orphan, "/workers/": w.elsewhere("boot-b"), "/views/": view.ID, "/selections/": selected.ID}
		for prefix, example := range byPath {
			if strings.HasPrefix(path, prefix) {
				path = strings.Replace(path, ":id", example, 1)
			}
		}
		return strings.NewReplacer(":action", "reconcile", ":provider", "bank", ":index", "0", ":stepkey", url.PathEscape(document),
			"/static/*", static.Path("console.css")).Replace(path)
	}
}

// actor is a person as they are now, freshly signed in.
func (w *world) actor(name string) (a authz.Actor) {
	w.Helper()
	w.must(w.db.View(w.Context(), func(tx *store.Tx) error {
		stored, err := tx.PersonActor(w.ids[name])
		a = authz.Actor(stored)
		a.SteppedUpAt = tx.Now()
		return err
	}))
	return a
}

// statement issues a statement and gives the step key of its document.
func (w *world) statement() string {
	w.Helper()
	accepted, err := w.run.Accept(w.Context(), w.actor("Olga"), actions.Submission{Key: "stmt-1", Kind: model.KindStatement, Account: "acme",
		Params: json.RawMessage(`{"rep":{"reference":"rep-118","name":"Ada Rep"},"period":{"from":"2026-10-01","to":"2026-11-01","zone":"America/New_York"},
			"currency":"USD","lines":[{"reference":"s-1","description":"Sale 1","amount":90000}]}`)})
	w.must(err)
	w.work()
	return accepted.Case.ID + ":issue-statement"
}

func TestEveryRouteForEverybody(t *testing.T) {
	w := newWorld(t)
	w.web.patience = 0
	example := w.examples()
	browsers := map[string]*browser{}
	for _, name := range viewers {
		browsers[name] = w.browse(name)
	}
	seen := map[string]bool{}
	for _, r := range w.web.routes() {
		name := r.method + " " + r.path
		row, listed := matrix[name]
		if seen[name] = true; !listed {
			t.Errorf("%s is not in the matrix", name)
			continue
		}
		for i, viewer := range viewers {
			b := browsers[viewer]
			if r.path == "/signout" && viewer != "" {
				b = w.browse(viewer)
			}
			w.update(func(tx *store.Tx) error { _, err := tx.Exec("DELETE FROM signin_tries"); return err })
			p := b.ask(r.method, example(r.path)+row.query, row.fields)
			if p.status != row.want[i] {
				t.Errorf("%s by %q: %d, want %d: %.300s", name, viewer, p.status, row.want[i], p.text())
			}
			checkHeaders(t, name, p)
		}
	}
	for name := range matrix {
		if !seen[name] {
			t.Errorf("%s is in the matrix and is no route", name)
		}
	}
}

// ask makes a request, a POST with the session's token.
func (b *browser) ask(method, path string, fields url.Values) page {
	b.Helper()
	if method == get {
		return b.get(path)
	}
	var pairs []string
	for name, values := range fields {
		for _, value := range values {
			pairs = append(pairs, name, value)
		}
	}
	return b.post(path, pairs...)
}

func checkHeaders(t *testing.T, name string, p page) {
	t.Helper()
	for header, value := range headers {
		got := p.header.Get(header)
		if header == "Cache-Control" && strings.Contains(name, "/static/") {
			value = "public, max-age=31536000, immutable"
		}
		if got != value {
			t.Errorf("%s: %s is %q, want %q", name, header, got, value)
		}
	}
	if !strings.HasPrefix(p.header.Get(RequestIDHeader), "req_") {
		t.Errorf("%s: request id %q", name, p.header.Get(RequestIDHeader))
	}
}

func TestHeadersOnErrorsToo(t *testing.T) {
	w := newWorld(t)
	b := w.browse("")
	for path, status := range map[string]int{"/nothing": 404, "/static/none.css": 404, "/v1/nothing": 404} {
		p := b.get(path)
		if p.status != status {
			t.Errorf("%s: %d", path, p.status)
		}
		checkHeaders(t, "GET "+strings.ReplaceAll(path, "/static/", ""), p)
	}
	if p := b.send("DELETE", "/approvals", nil); p.status != 405 {
		t.Errorf("DELETE /approvals: %d", p.status)
	}
	if p := b.send("HEAD", "/signin", nil); p.status != 200 || p.body != "" {
		t.Errorf("HEAD /signin: %d %q", p.status, p.body)
	}
}

func TestViewersAreColumns(t *testing.T) {
	for _, p := range cast {
		if p.name != "Otto" && p.name != "Abe" && !slices.Contains(viewers, p.name) {
			t.Errorf("%s is in no column", p.name)
		}
	}
}
