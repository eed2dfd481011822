package bench

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/labstack/echo/v4"
	_ "github.com/mattn/go-sqlite3" // the baseline writes by the driver itself

	"countersign/internal/authz"
	"countersign/internal/model"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
	"countersign/internal/web/api"
)

const (
	clients   = 16
	rounds    = 5
	perRound  = 800
	bareBytes = 1024 // of a row of the baseline: about what one intent's request is
)

// BenchmarkIntake takes intents in over HTTP from sixteen clients at once, and
// beside it inserts one row per commit with the same settings into a file of
// its own. The two take turns, so that a slow moment of the disk meets both.
// The ratio is intents per second by bare rows per second.
func BenchmarkIntake(b *testing.B) {
	for b.Loop() {
		folder := b.TempDir()
		intake := newIntake(b, storetest.OpenAt(b, "sqlite:"+filepath.Join(folder, "intake.db"), store.Options{}))
		bare := newBare(b, filepath.Join(folder, "bare.db"))
		var taken, inserted time.Duration
		for round := range rounds {
			inserted += timed(func() { bare.insert(b, perRound) })
			taken += timed(func() { intake.post(b, round*perRound, perRound) })
		}
		perSecond := func(d time.Duration) float64 { return rounds * perRound / d.Seconds() }
		b.ReportMetric(perSecond(taken), "intents/s")
		b.ReportMetric(perSecond(inserted), "bare-rows/s")
		b.ReportMetric(perSecond(taken)/perSecond(inserted), "ratio")
		b.ReportMetric(0, "ns/op")
	}
}

func timed(fn func()) time.Duration {
	start := time.Now()
	fn()
	return time.Since(start)
}

// intake is the HTTP interface on a real socket.
type intake struct {
	url    string
	key    string
	client *http.Client
}

func newIntake(b testing.TB, db *store.DB) *intake {
	b.Helper()
	w := newWorld(b, db)
	e := echo.New()
	api.Register(e, api.Deps{DB: db, Runner: w.runner, Log: w.log, Timing: model.NormalPace(), Tiers: authz.DefaultTiers, Logger: quiet})
	server := httptest.NewServer(e)
	b.Cleanup(server.Close)
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: clients}}
	b.Cleanup(client.CloseIdleConnections)
	return &intake{url: server.URL + "/v1/intents", key: w.key, client: client}
}

// post takes in n payouts, numbered from first, and returns when the last is
// durable.
func (in *intake) post(b testing.TB, first, n int) {
	b.Helper()
	numbers := make(chan int)
	var group sync.WaitGroup
	for range clients {
		group.Go(func() {
			for number := range numbers {
				if err := in.postOne(number); err != nil {
					b.Error(err)
				}
			}
		})
	}
	for number := first; number < first+n; number++ {
		numbers <- number
	}
	close(numbers)
	group.Wait()
}

func (in *intake) postOne(number int) error {
	body := fmt.Appendf(nil, `{"kind":"payout","account":%q,"params":{"payee":{"reference":"rep-%[2]d","name":"Ada Rep %[2]d","destination":"acct_%[2]d","email":"rep%[2]d@example.com"},"amount":%[3]d,"currency":"USD","period":"2026-10","memo":"October"}}`,
		account, number, 1000+number)
	r, err := http.NewRequestWithContext(context.Background(), http.MethodPost, in.url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+in.key)
	r.Header.Set("Idempotency-Key", fmt.Sprintf("payroll-2026-10-rep-%d", number))
	answer, err := in.client.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	said, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode != http.StatusCreated {
		err = fmt.Errorf("status %d: %s", answer.StatusCode, said)
	}
	return err
}

// bare is the baseline: a table of one blob, one row per commit.
type bare struct{ db *sql.DB }

func newBare(b testing.TB, file string) bare {
	b.Helper()
	db, err := sql.Open("sqlite3", "file:"+file+"?_journal_mode=WAL&_synchronous=FULL&_txlock=immediate&_foreign_keys=on&_busy_timeout=5000")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { db.Close() })
	db.SetMaxOpenConns(1)
	if _, err := db.Exec("CREATE TABLE bare (id INTEGER PRIMARY KEY, body BLOB NOT NULL)"); err != nil {
		b.Fatal(err)
	}
	return bare{db}
}

func (d bare) insert(b testing.TB, n int) {
	b.Helper()
	body := make([]byte, bareBytes)
	for range n {
		if _, err := d.db.Exec("INSERT INTO bare (body) VALUES (?)", body); err != nil {
			b.Fatal(err)
		}
	}
}
