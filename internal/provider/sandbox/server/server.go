package server

import (
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// Server is one sandbox provider. Its methods may be called concurrently.
type Server struct {
	cfg    Config
	log    *slog.Logger
	db     *sql.DB
	http   *http.Server
	client *http.Client
	target atomic.Pointer[target]

	// One settles and one delivers at a time, so that CatchUp returns only when
	// what a loop has begun is done too.
	settleTurn, deliverTurn sync.Mutex

	flights  flights
	settling bell
	hooks    bell

	// ctx ends when the server closes; running counts its goroutines.
	ctx     context.Context
	stop    context.CancelFunc
	running sync.WaitGroup

	door door
}

// Open checks the settings, every fault of them in the error, and opens the
// books. It does not listen yet.
func Open(cfg Config) (*Server, error) {
	cfg = cfg.withDefaults()
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	db, err := openBooks(cfg.Data)
	if err != nil {
		return nil, err
	}
	s := &Server{cfg: cfg, log: cfg.Logger, db: db, settling: newBell(), hooks: newBell()}
	s.ctx, s.stop = context.WithCancel(context.Background())
	s.http = &http.Server{Handler: s.routes(), ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute,
		ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelDebug)}
	s.client = &http.Client{
		Transport:     &http.Transport{MaxIdleConnsPerHost: hookBatch, IdleConnTimeout: time.Minute},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return s, s.SetWebhook(cfg.WebhookURL, cfg.WebhookSecret)
}

// Start listens and starts settlement and webhook delivery, which go on
// where an earlier run of the same books stopped.
func (s *Server) Start() error {
	listener, err := net.Listen("tcp", s.cfg.Addr)
	if err != nil {
		return err
	}
	s.open(listener)
	s.running.Go(func() { s.loop("settlement", s.settling, s.settleDue) })
	s.running.Go(func() { s.loop("webhooks", s.hooks, s.deliverDue) })
	return nil
}

// Addr is the host:port that the server listens on, "" before Start. It
// stays the same through refuse_connect.
func (s *Server) Addr() string { return s.door.address() }

// URL is the base address for requests.
func (s *Server) URL() string { return "http://" + s.Addr() }

// Close stops listening, cuts hanging answers, waits for the others until
// ctx ends, and closes the books. What has not settled or been delivered
// stays in the books.
func (s *Server) Close(ctx context.Context) error {
	s.stop()
	err := s.http.Shutdown(ctx)
	if err != nil {
		err = errors.Join(err, s.http.Close())
	}
	s.running.Wait()
	s.client.CloseIdleConnections()
	return errors.Join(err, s.db.Close())
}

// CatchUp settles and delivers all that is due now, and tells when the next is,
// zero where nothing is planned. It is for a clock that jumps (Config.Now).
func (s *Server) CatchUp(ctx context.Context) (next time.Time, err error) {
	settles, err := s.settleDue(ctx)
	if err != nil {
		return next, err
	}
	delivers, err := s.deliverDue(ctx)
	if settles.IsZero() || !delivers.IsZero() && delivers.Before(settles) {
		return delivers, err
	}
	return settles, err
}

// loopRest is how long a loop sleeps at most, so that a clock that jumps
// (Config.Now) is noticed.
const loopRest = 250 * time.Millisecond

// loop does what is due, again when the bell rings or the next is due.
func (s *Server) loop(name string, wake bell, due func(context.Context) (time.Time, error)) {
	for s.ctx.Err() == nil {
		next, err := due(s.ctx)
		if err != nil && s.ctx.Err() == nil {
			s.log.Error("sandbox: "+name+" failed, trying again", "error", err)
		}
		rest := loopRest
		if err == nil && !next.IsZero() {
			rest = min(loopRest, max(next.Sub(s.cfg.Now()), time.Millisecond))
		}
		timer := time.NewTimer(rest)
		select {
		case <-wake:
		case <-timer.C:
		case <-s.ctx.Done():
		}
		timer.Stop()
	}
}

// bell wakes a loop; ringing it twice before it is heard is ringing it once.
type bell chan struct{}

func newBell() bell { return make(bell, 1) }

func (b bell) ring() {
	select {
	case b <- struct{}{}:
	default:
	}
}

// flights are the keys of requests whose answers are not out yet.
type flights struct {
	mu   sync.Mutex
	keys map[string]bool
}

// begin reports false when the key is in flight already.
func (f *flights) begin(key string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.keys[key] {
		return false
	}
	if f.keys == nil {
		f.keys = map[string]bool{}
	}
	f.keys[key] = true
	return true
}

func (f *flights) end(key string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.keys, key)
}
