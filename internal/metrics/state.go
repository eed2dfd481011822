package metrics

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"countersign/internal/alert"
	"countersign/internal/audit"
	"countersign/internal/model"
	"countersign/internal/store"
)

// state shows the whole installation as it stands. It reads the database at most
// every fresh, and shows what it read last where a reading fails.
type state struct {
	db  *store.DB
	log *audit.Log

	mu   sync.Mutex
	read time.Time
	last reading
	ok   bool
}

// reading is what one look at the database gave.
type reading struct {
	store.Gauges
	now     model.Time
	waiting audit.Backlog
	size    int64
}

const (
	fresh     = 15 * time.Second
	readLimit = 10 * time.Second
)

func newState(db *store.DB, log *audit.Log) *state { return &state{db: db, log: log} }

func desc(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc(namespace+"_"+name, help, labels, nil)
}

const capped = " At most 10,000 are counted."

var (
	intentsDesc       = desc("intents", "Intents by state."+capped, "state")
	reviewsDesc       = desc("reviews_open", "Intents that wait for a decision."+capped)
	reviewAgeDesc     = desc("review_oldest_seconds", "Age of the oldest open review; 0 where there is none.")
	overdueDesc       = desc("reviews_overdue", "Reviews that nobody decided in time."+capped)
	unknownDesc       = desc("unknown_steps", "Steps with an unknown outcome by provider."+capped, "provider")
	unknownAgeDesc    = desc("unknown_oldest_seconds", "Age of the oldest unknown outcome by provider.", "provider")
	standingDesc      = desc("alerts_standing", "Alerts whose cause stands by kind."+capped, "kind")
	deliveriesDesc    = desc("alert_deliveries_waiting", "Deliveries of alerts that are due or planned."+capped)
	givenUpDesc       = desc("alert_deliveries_given_up", "Deliveries of alerts that were given up."+capped)
	inboxDesc         = desc("webhooks_waiting", "Received events that are not applied yet."+capped)
	inboxLateDesc     = desc("webhooks_late_seconds", "By how much the work on a received event is late; 0 where none is.")
	holdDesc          = desc("restore_hold", "1 while a restore hold is on and nothing is sent.")
	auditSizeDesc     = desc("audit_entries", "Numbered entries of the audit log.")
	auditWaitingDesc  = desc("audit_waiting", "Audit entries without a number yet."+capped)
	auditAgeDesc      = desc("audit_waiting_oldest_seconds", "Age of the oldest audit entry without a number; 0 where there is none.")
	auditRefusedDesc  = desc("audit_refused", "Rows that the sequencer of this process refuses as not ours.")
	stateReadableDesc = desc("state_readable", "1 where the numbers of the installation were read, 0 where they are old because the database failed.")
)

// Describe implements prometheus.Collector.
func (s *state) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{intentsDesc, reviewsDesc, reviewAgeDesc, overdueDesc, unknownDesc, unknownAgeDesc, standingDesc, deliveriesDesc,
		givenUpDesc, inboxDesc, inboxLateDesc, holdDesc, auditSizeDesc, auditWaitingDesc, auditAgeDesc, auditRefusedDesc, stateReadableDesc} {
		out <- d
	}
}

// Collect implements prometheus.Collector.
func (s *state) Collect(out chan<- prometheus.Metric) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if time.Since(s.read) >= fresh {
		s.refresh()
	}
	gauge := func(d *prometheus.Desc, value float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, labels...)
	}
	gauge(stateReadableDesc, flag(s.ok))
	gauge(auditRefusedDesc, float64(len(s.log.Trouble().Refused)))
	if s.last.now == 0 {
		return // nothing was ever read: no number is better than a wrong one
	}
	s.last.showWork(gauge)
	s.last.showAlerts(gauge)
	gauge(auditSizeDesc, float64(s.last.size))
	gauge(auditWaitingDesc, float64(s.last.waiting.Count))
	gauge(auditAgeDesc, s.last.age(s.last.waiting.Oldest))
}

// refresh reads the database; s.mu is held.
func (s *state) refresh() {
	ctx, cancel := context.WithTimeout(context.Background(), readLimit)
	defer cancel()
	s.read = time.Now()
	r := reading{now: s.db.Now()}
	err := s.db.View(ctx, func(tx *store.Tx) (err error) {
		r.Gauges, err = tx.Gauges()
		return err
	})
	if err == nil {
		r.waiting, err = s.log.Waiting(ctx)
	}
	if err == nil {
		r.size, err = s.log.Size(ctx)
	}
	if s.ok = err == nil; !s.ok {
		slog.Warn("the metrics could not be read; the last ones are shown", "err", err)
		return
	}
	s.last = r
}

// show writes one number.
type show func(d *prometheus.Desc, value float64, labels ...string)

func (r *reading) showWork(gauge show) {
	for _, st := range model.IntentStates {
		gauge(intentsDesc, float64(r.Intents[st]), string(st))
	}
	gauge(reviewsDesc, float64(r.Intents[model.NeedsReview]))
	for _, u := range r.Unknown {
		gauge(unknownDesc, float64(u.Steps), u.Provider)
		gauge(unknownAgeDesc, r.age(u.Oldest), u.Provider)
	}
	gauge(inboxDesc, float64(r.Webhooks.N))
	gauge(inboxLateDesc, max(0, r.age(r.Webhooks.Next)))
}

func (r *reading) showAlerts(gauge show) {
	standing := map[alert.Kind]store.KindStanding{}
	for _, k := range r.Alerts {
		standing[alert.Kind(k.Kind)] = k
	}
	for _, kind := range alert.Kinds { // zero too: a rule on what never was would be silent
		gauge(standingDesc, float64(standing[kind].N), string(kind))
	}
	oldest := max(r.age(standing[alert.Review].Oldest), r.age(standing[alert.Conflict].Oldest))
	gauge(reviewAgeDesc, oldest)
	gauge(overdueDesc, float64(standing[alert.ReviewOverdue].N))
	gauge(holdDesc, flag(standing[alert.Hold].N > 0))
	gauge(deliveriesDesc, float64(r.Deliveries.N))
	gauge(givenUpDesc, float64(r.GivenUp))
}

// age is how long ago a moment was, in seconds; 0 for none.
func (r *reading) age(at model.Time) float64 {
	if at == 0 {
		return 0
	}
	return r.now.Sub(at).Seconds()
}

func flag(on bool) float64 {
	if on {
		return 1
	}
	return 0
}
