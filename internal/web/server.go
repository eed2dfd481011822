package web

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"countersign/internal/actions"
	"countersign/internal/audit"
	"countersign/internal/authz"
	"countersign/internal/model"
	"countersign/internal/store"
	"countersign/internal/web/session"
)

// Receiver takes the webhooks of providers. Its errors are of kind NotFound for
// a provider that is not configured and Unauthenticated for a bad signature.
type Receiver interface {
	Receive(ctx context.Context, provider string, header http.Header, raw []byte) error
}

// Config is what a Server needs.
type Config struct {
	DB     *store.DB
	Log    *audit.Log
	Runner *actions.Runner
	Timing model.Timing // as the engine's and the runner's
	Tiers  authz.Tiers
	Logger *slog.Logger // nil discards
	// Plain is for plain HTTP on a loopback address only: cookies then go
	// without Secure.
	Plain    bool
	Demo     *Demo        // nil outside the demo
	Webhooks Receiver     // nil: there are none
	Wake     func()       // tells the engine that there is something to do; nil is nobody
	Health   func() error // why the process is not ready, or nil; nil is always ready
	API      func(*echo.Echo)
	Metrics  http.Handler                                       // of /metrics; nil: there is none
	Observe  func(route string, status int, took time.Duration) // is told of every answer; nil is nobody
	// Probes serves /healthz, /readyz and /metrics only: a process without pages.
	Probes bool
	// AlertChannels names the ways in which people are told; none tells nobody.
	AlertChannels []string
	// Follows says what follows from a contract for the steps bound to it; nil
	// says what follows from it by itself.
	Follows func(model.Contract) []string
}

// Server answers requests. It is safe for concurrent use.
type Server struct {
	Config
	sessions *session.Store
	patience time.Duration   // how long a confirmation waits for its result
	known    map[string]bool // patterns of the routes
	handler  http.Handler
	news     *news
	beat     time.Duration // between two signs of life of a stream
	// bodyWithin is how long a body may take.
	bodyWithin time.Duration
}

// New makes a server. It starts nothing.
func New(cfg Config) *Server {
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	s := &Server{Config: cfg, patience: resultPatience, sessions: session.New(cfg.DB, session.Options{Plain: cfg.Plain, Unattended: unattended}),
		news: newNews(cfg.DB, cfg.Log, cfg.Logger), beat: beatEvery, bodyWithin: bodyWithin}
	e := echo.New()
	e.HideBanner, e.HidePort = true, true
	e.IPExtractor = echo.ExtractIPDirect()
	e.HTTPErrorHandler = s.fail
	e.Use(s.guard)
	for _, r := range s.routes() {
		e.Add(r.method, r.path, s.serve(r))
	}
	if cfg.API != nil {
		cfg.API(e)
	}
	s.known = map[string]bool{}
	for _, r := range e.Routes() {
		s.known[r.Path] = true
	}
	foreign := http.NewCrossOriginProtection()
	foreign.SetDenyHandler(http.HandlerFunc(s.denyForeign))
	s.handler = s.frame(foreign.Handler(e))
	return s
}

// Handler answers every request of the console.
func (s *Server) Handler() http.Handler { return s.handler }

// Listening is a server with limits on how long a caller may take. An export
// gives each piece of it a limit of its own; the streams of open pages end when it shuts down.
func Listening(handler http.Handler, logger *slog.Logger) *http.Server {
	server := &http.Server{
		Handler: handler, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute, WriteTimeout: time.Minute,
		IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
		ErrorLog: slog.NewLogLogger(logger.Handler(), slog.LevelDebug),
	}
	endStreams(server)
	return server
}

// wake tells the engine that there is something to do.
func (s *Server) wake() {
	if s.Wake != nil {
		s.Wake()
	}
}
