package bench

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
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

const (
	small = 10_000
	large = 200_000
	looks = 60 // at each page
)

// BenchmarkPages measures how long the server takes for the queue and for the
// page of an unknown intent, with few and with many intents in the tables. The
// two databases take turns. The ratios are of medians, many by few.
func BenchmarkPages(b *testing.B) {
	for b.Loop() {
		few, many := newReader(b, small), newReader(b, large)
		for _, page := range []struct {
			name string
			path func(reader) string
		}{
			{"queue", func(reader) string { return "/" }},
			{"intent", func(r reader) string { return "/intents/" + r.unknown }},
		} {
			var of [2][]time.Duration
			for range looks {
				for i, r := range []reader{few, many} {
					of[i] = append(of[i], timed(func() { r.look(b, page.path(r)) }))
				}
			}
			atFew, atMany := median(of[0]), median(of[1])
			b.ReportMetric(milliseconds(atFew), page.name+"-10k-ms")
			b.ReportMetric(milliseconds(atMany), page.name+"-200k-ms")
			b.ReportMetric(float64(atMany)/float64(atFew), page.name+"-ratio")
		}
		b.ReportMetric(0, "ns/op")
	}
}

func median(of []time.Duration) time.Duration {
	slices.Sort(of)
	return of[len(of)/2]
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
	db := storetest.OpenAt(b, "sqlite:"+filepath.Join(b.TempDir(), "pages.db"), store.Options{})
	r := reader{grown: grow(b, db, intents)}
	r.pages = web.New(web.Config{DB: db, Log: r.log, Runner: r.runner, Timing: model.NormalPace(), Tiers: authz.DefaultTiers, Plain: true, Logger: quiet}).Handler()
	answer := httptest.NewRecorder()
	err := session.New(db, session.Options{Plain: true}).SignIn(answer, httptest.NewRequest(http.MethodPost, "/signin", nil),
		func(*store.Tx) (string, error) { return r.person, nil })
	if err != nil {
		b.Fatal(err)
	}
	r.cookie = answer.Result().Cookies()[0]
	return r
}

// look asks for a page once.
func (r reader) look(b testing.TB, path string) {
	request := httptest.NewRequest(http.MethodGet, "http://127.0.0.1"+path, nil)
	request.AddCookie(r.cookie)
	answer := httptest.NewRecorder()
	r.pages.ServeHTTP(answer, request)
	if answer.Code != http.StatusOK {
		b.Fatalf("%s: status %d\n%s", path, answer.Code, answer.Body)
	}
}

// TestGrownRowsAreRead: what SQL made can be read as if the engine had left it.
func TestGrownRowsAreRead(t *testing.T) {
	r := newReader(t, 2000)
	for _, path := range []string{"/", "/?state=all", "/?state=processing", "/uncertain", "/intents/" + r.unknown} {
		r.look(t, path)
	}
}
