package bench

import (
	"database/sql"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the baseline writes by the driver itself

	"countersign/internal/store"
	"countersign/internal/store/storetest"
)

// size reads a size from the environment: smaller ones are quicker and say less.
func size(name string, usual int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil && n > 0 {
		return n
	}
	return usual
}

// place is a database that is measured.
type place struct {
	name  string
	crews []crew
	open  func(testing.TB) opened
	bare  func(b testing.TB, connections int) bareRows
}

// opened is a new database, with what it has used so far.
type opened struct {
	db      *store.DB
	dsn     string
	cpu     func() time.Duration // of this process and of the server
	commits func() int64         // that wrote
	options store.Options
}

// again opens the database as another process would.
func (o opened) again(b testing.TB) *store.DB { return storetest.OpenAt(b, o.dsn, o.options) }

func openPlace(b testing.TB, dsn string, server func() time.Duration) opened {
	b.Helper()
	var commits atomic.Int64
	options := store.Options{AfterCommit: func() error { commits.Add(1); return nil }}
	return opened{db: storetest.OpenAt(b, dsn, options), dsn: dsn, options: options, commits: commits.Load,
		cpu: func() time.Duration { return ownCPU() + server() }}
}

// ownCPU is how much processor time this process has used.
func ownCPU() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// places are both databases, as durable as production has them.
func places() []place {
	alone := []crew{{1, 1}, {1, 16}, {1, 64}}
	server := map[testing.TB]*storetest.Server{}
	serve := func(b testing.TB) *storetest.Server {
		if server[b] == nil {
			server[b] = storetest.StartDurableServer(b)
		}
		return server[b]
	}
	return []place{
		{name: "sqlite", crews: alone,
			open: func(b testing.TB) opened {
				return openPlace(b, "sqlite:"+filepath.Join(b.TempDir(), "engine.db"), func() time.Duration { return 0 })
			},
			bare: func(b testing.TB, _ int) bareRows {
				bare := newBare(b, filepath.Join(b.TempDir(), "bare.db"))
				return bareRows{bare.db, "INSERT INTO bare (body) VALUES (?)", 1} // it has one writer
			}},
		{name: "postgres", crews: append(slices.Clone(alone), crew{2, 32}),
			open: func(b testing.TB) opened {
				s := serve(b)
				return openPlace(b, s.Database(b), s.CPU)
			},
			bare: func(b testing.TB, connections int) bareRows { return barePostgres(b, serve(b), connections) }},
	}
}

// bareRows is the baseline: one row per commit, from several connections.
type bareRows struct {
	db          *sql.DB
	insert      string
	connections int
}

func barePostgres(b testing.TB, server *storetest.Server, connections int) bareRows {
	b.Helper()
	db, err := sql.Open("pgx", server.Database(b))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { db.Close() })
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	if _, err := db.Exec("CREATE TABLE bare (id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, body BYTEA NOT NULL)"); err != nil {
		b.Fatal(err)
	}
	return bareRows{db, "INSERT INTO bare (body) VALUES ($1)", connections}
}

// rate inserts n rows and gives how many became durable a second.
func (r bareRows) rate(b testing.TB, n int) float64 {
	b.Helper()
	body := make([]byte, bareBytes)
	took := timed(func() {
		var group sync.WaitGroup
		for range r.connections {
			group.Go(func() {
				for range n / r.connections {
					if _, err := r.db.Exec(r.insert, body); err != nil {
						b.Error(err)
						return
					}
				}
			})
		}
		group.Wait()
	})
	return float64(n/r.connections*r.connections) / took.Seconds()
}

func sorted(of []time.Duration) []time.Duration {
	slices.Sort(of)
	return of
}
