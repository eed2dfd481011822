package web

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"countersign/internal/audit"
	"countersign/internal/model"
	"countersign/internal/store"
)

// Bounds of the streams of news. A browser speaks HTTP/1.1 over six connections
// to one host at most, and each stream holds one of them. A person may sign in as
// often as they like, and takes no more than their part all the same.
const (
	streamsPerSession = 3
	streamsPerPerson  = 12
	streamsInAll      = 1000
)

// How the reader works.
const (
	newsEvery    = time.Second // at most one look per second, however many listen
	sessionEvery = 5           // looks between two checks of the listeners' sessions
	newsPerLook  = 1000        // entries read at once
	newsSlack    = 2 * time.Second
)

// stream is one open page that is told when something on it has changed. Its
// channels are written by the reader alone.
type stream struct {
	session  string     // public id
	person   string     // id
	accounts []string   // whose news it hears
	intent   string     // the only intent that it is about; "" is all of its accounts
	version  int64      // of that intent, as last seen; 0 is not known yet
	since    model.Time // entries from then on are news at the first look; 0 afterwards

	changed chan struct{} // has room for one: what changed twice is read once
	ended   chan struct{} // closed when the session is over
}

// hears reports whether an entry is about what the page shows.
func (s *stream) hears(n audit.News) bool {
	if s.intent != "" {
		return n.Intent == s.intent
	}
	return !ownAffair(n.Event) && (n.Account == "" || slices.Contains(s.accounts, n.Account))
}

// ownAffair reports whether an event concerns one person's sign-in, keys or
// reading, or a copy, and nothing that a page of several intents shows.
func ownAffair(event string) bool {
	for _, prefix := range []string{"signin.", "signout", "stepup.", "key.", "session.", "audit.", "backup."} {
		if strings.HasPrefix(event, prefix) {
			return true
		}
	}
	return false
}

// tell says that something has changed; it never waits.
func (s *stream) tell() {
	select {
	case s.changed <- struct{}{}:
	default:
	}
}

// news tells open pages that something they show has changed. While anybody
// listens one goroutine reads, once a second, what the log got and which version
// the watched intents have; while nobody does it reads nothing. It is safe for
// concurrent use.
type news struct {
	db     *store.DB
	log    *audit.Log
	logger *slog.Logger
	every  time.Duration

	mu      sync.Mutex
	streams map[*stream]bool
	stop    context.CancelFunc // of the reader; nil while nobody listens
}

func newNews(db *store.DB, log *audit.Log, logger *slog.Logger) *news {
	return &news{db: db, log: log, logger: logger, every: newsEvery, streams: map[*stream]bool{}}
}

// join adds a listener. The error is of kind Busy when the browser, the person or
// everybody together has as many as can be.
func (n *news) join(s *stream) error {
	s.changed, s.ended = make(chan struct{}, 1), make(chan struct{})
	n.mu.Lock()
	defer n.mu.Unlock()
	browser, person := 0, 0
	for other := range n.streams {
		if other.session == s.session {
			browser++
		}
		if other.person == s.person {
			person++
		}
	}
	if browser >= streamsPerSession || person >= streamsPerPerson || len(n.streams) >= streamsInAll {
		return model.Errorf(model.Busy, "busy", "As many pages as can be are told of changes at once; this one has to ask by itself.").With("retry_after", 60)
	}
	n.streams[s] = true
	if n.stop == nil {
		ctx, stop := context.WithCancel(context.Background())
		n.stop = stop
		go n.run(ctx)
	}
	return nil
}

// leave removes a listener; the last one takes the reader along.
func (n *news) leave(s *stream) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.streams, s)
	if len(n.streams) == 0 && n.stop != nil {
		n.stop()
		n.stop = nil
	}
}

// listeners is a copy of who listens now.
func (n *news) listeners() []*stream {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Collect(maps.Keys(n.streams))
}

// run looks again and again until ctx ends. A look that fails says nothing: the
// next one sees the same.
func (n *news) run(ctx context.Context) {
	r := newsReader{news: n, last: -1}
	for look := 0; ; look++ {
		if err := r.look(ctx, look%sessionEvery == 0); err != nil && ctx.Err() == nil {
			n.logger.Warn("open pages cannot be told of changes", "err", err)
		}
		select {
		case <-time.After(n.every):
		case <-ctx.Done():
			return
		}
	}
}
