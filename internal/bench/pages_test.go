package bench

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"testing"
	"time"

	"countersign/internal/authz"
	"countersign/internal/model"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
	"countersign/internal/web"
	"countersign/internal/web/session"
)

// The sizes of BenchmarkPages, in intents: a million have five million steps, ten
// million attempts and three million audit entries. COUNTERSIGN_BENCH_INTENTS and
// COUNTERSIGN_BENCH_LOOKS set others.
const (
	small = 10_000
	large = 1_000_000
	looks = 300 // at each page
)

// looked is a page that is measured.
type looked struct {
	name string
	path func(reader) string
}

func always(path string) func(reader) string { return func(reader) string { return path } }

// pages are those that people work on, from where they begin and from deep
// inside.
var pages = []looked{
	{"queue", always("/")},
	{"queue-filtered", always("/?kind=payout&state=outcome_unknown")},
	{"queue-mine", always("/?owner=me")},
	{"queue-amount", always("/?currency=EUR&sort=amount")},
	{"queue-all", func(r reader) string { return r.deep("/?state=all", r.intents/2) }},
	{"queue-completed", func(r reader) string { return r.deep("/?kind=payout&state=completed", r.intents/3) }},
	{"search-payee", func(r reader) string { return fmt.Sprintf("/?q=%07d", r.intents/40) }},
	{"search-words", func(r reader) string { return fmt.Sprintf("/?q=%07d+rep", r.intents/40) }},
	{"search-key", func(r reader) string { return fmt.Sprintf("/?q=key-%d", r.intents/2) }},
	{"search-id", func(r reader) string { return "/?q=" + r.id(r.intents/2) }},
	{"intent-unknown", func(r reader) string { return "/intents/" + r.id(r.intents-openWork) }},
	{"intent-completed", func(r reader) string { return "/intents/" + r.id(r.intents/2) }},
	{"intent-5000-attempts", func(r reader) string { return "/intents/" + r.id(r.intents-4) }},
	{"approvals", always("/approvals")},
	{"approvals-executed", always("/approvals?state=executed")},
	{"approval", func(r reader) string { return "/approvals/approval-" + r.id(r.intents-3) }},
	{"audit", always("/audit")},
	{"audit-event", func(r reader) string { return fmt.Sprintf("/audit?event=intent.completed&before=%d", r.entries/2) }},
	{"audit-intent", func(r reader) string { return "/audit?intent=" + r.id(r.intents/2) }},
	{"audit-actor", func(r reader) string { return fmt.Sprintf("/audit?actor=%s&before=%d", r.person, r.entries/2) }},
	{"audit-entry", func(r reader) string { return fmt.Sprintf("/audit/%d", r.entries/2) }},
	{"uncertain", always("/uncertain")},
}

// BenchmarkPages measures how long the server takes for pages with few and with
// many intents in the tables. The two databases take turns, so that whatever else
// the machine does meets both. The ratios are many by few.
func BenchmarkPages(b *testing.B) {
	for b.Loop() {
		few, many := newReader(b, small), newReader(b, size("COUNTERSIGN_BENCH_INTENTS", large))
		times := size("COUNTERSIGN_BENCH_LOOKS", looks)
		for _, page := range pages {
			var of [2][]time.Duration
			for i := range times + times/10 {
				for n, r := range []reader{few, many} {
					took := timed(func() { r.look(b, page.path(r)) })
					if i >= times/10 { // the first are to warm up
						of[n] = append(of[n], took)
					}
				}
			}
			report(b, page.name, of)
		}
		b.ReportMetric(0, "ns/op")
	}
}

// report prints the medians and the slowest of a hundred, and how many times as
// long the large database took.
func report(b *testing.B, page string, of [2][]time.Duration) {
	b.Helper()
	p50 := [2]time.Duration{percentile(of[0], 50), percentile(of[1], 50)}
	p99 := [2]time.Duration{percentile(of[0], 99), percentile(of[1], 99)}
	b.Logf("%-22s p50 %7.2f ms, of many %7.2f, ratio %.2f   p99 %7.2f ms, of many %7.2f, ratio %.2f", page,
		milliseconds(p50[0]), milliseconds(p50[1]), float64(p50[1])/float64(p50[0]), milliseconds(p99[0]), milliseconds(p99[1]), float64(p99[1])/float64(p99[0]))
	b.ReportMetric(milliseconds(p99[1]), page+"-p99-ms")
	b.ReportMetric(float64(p99[1])/float64(p99[0]), page+"-p99-ratio")
}

func percentile(of []time.Duration, n int) time.Duration {
	slices.Sort(of)
	return of[min(len(of)*n/100, len(of)-1)]
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// reader is a signed-in operator before a grown database.
type reader struct {
	grown
	pages  http.Handler
	cookie *http.Cookie
}

func newReader(b testing.TB, intents int) reader {
	b.Helper()
	r := reader{grown: grow(b, intents)}
	r.pages = web.New(web.Config{DB: r.db, Log: r.log, Runner: r.runner, Timing: model.NormalPace(), Tiers: authz.DefaultTiers, Plain: true, Logger: quiet}).Handler()
	answer := httptest.NewRecorder()
	err := session.New(r.db, session.Options{Plain: true}).SignIn(answer, httptest.NewRequest(http.MethodPost, "/signin", nil),
		func(*store.Tx) (string, error) { return r.person, nil })
	if err != nil {
		b.Fatal(err)
	}
	r.cookie = answer.Result().Cookies()[0]
	return r
}

// look asks for a page once.
func (r reader) look(b testing.TB, path string) { r.lookIn(context.Background(), b, path) }

func (r reader) lookIn(ctx context.Context, b testing.TB, path string) {
	request := httptest.NewRequestWithContext(ctx, http.MethodGet, "http://127.0.0.1"+path, nil)
	request.AddCookie(r.cookie)
	answer := httptest.NewRecorder()
	r.pages.ServeHTTP(answer, request)
	if answer.Code != http.StatusOK {
		b.Fatalf("%s: status %d\n%.2000s", path, answer.Code, answer.Body)
	}
}

// deep is a page far into a list that is newest first: the place of the nth
// intent in it, as the pages' own cursors name it.
func (r reader) deep(list string, n int) string {
	var at model.Time
	err := r.db.View(context.Background(), func(tx *store.Tx) error {
		row, err := tx.Intent(r.id(n), []string{account})
		at = row.CreatedAt
		return err
	})
	if err != nil {
		panic(err)
	}
	place := fmt.Sprintf("0.%d.%s", at, r.id(n))
	sum := sha256.Sum256([]byte(r.db.Installation + "\n" + list + "\n" + place))
	return list + "&cursor=" + url.QueryEscape(place+"."+hex.EncodeToString(sum[:8]))
}

// TestGrownRowsAreRead: what SQL made can be read as if the engine had left it;
// and with the statistics that opening takes of it, no page reads a table whole.
func TestGrownRowsAreRead(t *testing.T) {
	r := newReader(t, small)
	for _, page := range pages {
		ctx, asked := store.Asked(t.Context())
		r.lookIn(ctx, t, page.path(r))
		err := r.db.View(t.Context(), func(tx *store.Tx) error {
			for _, s := range asked.Sent() {
				for _, line := range storetest.Scans(t, tx, s, "orphans_open", "sqlite_autoindex_audit_checkpoints_1", "sqlite_autoindex_audit_waiting_1") {
					t.Errorf("%s: %s", page.name, line)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
