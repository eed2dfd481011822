// Package metrics shows what the product does as Prometheus metrics: counters of
// what this process did, and gauges of the whole installation, read from indexes
// at most every 15 seconds however often they are asked for.
//
// Labels are words of the product, names of the configuration and patterns of
// routes; never an id, a key, an account or anything that a caller chooses.
package metrics

import (
	"net/http"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"countersign/internal/audit"
	"countersign/internal/model"
	"countersign/internal/store"
)

const namespace = "countersign"

// Metrics counts. It is safe for concurrent use.
type Metrics struct {
	registry *prometheus.Registry

	attempts, looks, heldBack        *prometheus.CounterVec
	callSeconds                      *prometheus.HistogramVec
	leases, workersLost, lateResults prometheus.Counter
	requests                         *prometheus.CounterVec
	requestSeconds                   *prometheus.HistogramVec
}

// New makes metrics in a registry of their own.
func New(db *store.DB, log *audit.Log) *Metrics {
	m := &Metrics{registry: prometheus.NewRegistry()}
	m.countEngine()
	m.countRequests()
	m.countDatabase(db)
	m.registry.MustRegister(newState(db, log), collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	version, revision := build()
	info := prometheus.NewGauge(prometheus.GaugeOpts{Namespace: namespace, Name: "build_info", Help: "1, with what this process was built from.",
		ConstLabels: prometheus.Labels{"version": version, "revision": revision}})
	info.Set(1)
	m.registry.MustRegister(info)
	return m
}

// build tells the version and revision of this program, "unknown" where it was
// built without.
func build() (version, revision string) {
	version, revision = "unknown", "unknown"
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return version, revision
	}
	if info.Main.Version != "" {
		version = info.Main.Version
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			revision = s.Value
		}
	}
	return version, revision
}

// seconds are the bounds of calls and answers: from a millisecond to the longest call.
var seconds = []float64{.001, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 35}

func (m *Metrics) counter(name, help string) prometheus.Counter {
	c := prometheus.NewCounter(prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help})
	m.registry.MustRegister(c)
	return c
}

func (m *Metrics) counters(name, help string, labels ...string) *prometheus.CounterVec {
	c := prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help}, labels)
	m.registry.MustRegister(c)
	return c
}

func (m *Metrics) histograms(name, help string, labels ...string) *prometheus.HistogramVec {
	h := prometheus.NewHistogramVec(prometheus.HistogramOpts{Namespace: namespace, Name: name, Help: help, Buckets: seconds}, labels)
	m.registry.MustRegister(h)
	return h
}

func (m *Metrics) countEngine() {
	m.attempts = m.counters("attempts_total", "Attempts of effects by what they came back as.", "provider", "operation", "result")
	m.looks = m.counters("lookups_total", "Look-ups at providers by what they found.", "provider", "operation", "finding")
	m.heldBack = m.counters("sends_held_back_total", "Sends that a rule refused at the last moment.", "rule")
	m.callSeconds = m.histograms("provider_call_seconds", "How long attempts took.", "provider", "operation")
	m.leases = m.counter("leases_granted_total", "Intents that this process took to work on.")
	m.workersLost = m.counter("workers_lost_total", "Attempts closed whose worker never came back.")
	m.lateResults = m.counter("late_results_total", "Results that came after their lease was taken over.")
}

func (m *Metrics) countRequests() {
	m.requests = m.counters("http_requests_total", "Answers by route and status.", "route", "status")
	m.requestSeconds = m.histograms("http_request_seconds", "How long answers took.", "route")
}

func (m *Metrics) countDatabase(db *store.DB) {
	count := func(name, help string, read func() int64) {
		m.registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help},
			func() float64 { return float64(read()) }))
	}
	count("database_repeats_total", "Transactions run once more after a passing refusal.", func() int64 { n, _ := db.Repeats(); return n })
	count("database_failures_total", "Transactions that failed for good.", func() int64 { _, n := db.Repeats(); return n })
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Namespace: namespace, Name: "clock_behind_seconds",
		Help: "How far the clock is behind the latest stored time; 0 or less is healthy."}, func() float64 { return db.Behind().Seconds() }))
}

// Called implements the engine's observer.
func (m *Metrics) Called(provider, operation string, result model.Result, took time.Duration) {
	m.attempts.WithLabelValues(provider, operation, string(result)).Inc()
	m.callSeconds.WithLabelValues(provider, operation).Observe(took.Seconds())
}

// Looked implements the engine's observer.
func (m *Metrics) Looked(provider, operation string, finding model.Finding, _ time.Duration) {
	m.looks.WithLabelValues(provider, operation, string(finding)).Inc()
}

// Leased implements the engine's observer.
func (m *Metrics) Leased() { m.leases.Inc() }

// WorkerLost implements the engine's observer.
func (m *Metrics) WorkerLost() { m.workersLost.Inc() }

// LateResult implements the engine's observer.
func (m *Metrics) LateResult() { m.lateResults.Inc() }

// HeldBack implements the engine's observer.
func (m *Metrics) HeldBack(rule string) { m.heldBack.WithLabelValues(rule).Inc() }

// Answered counts one answer of the pages or the API. route is the pattern of a
// route, never an address that somebody asked for.
func (m *Metrics) Answered(route string, status int, took time.Duration) {
	m.requests.WithLabelValues(route, strconv.Itoa(status)).Inc()
	m.requestSeconds.WithLabelValues(route).Observe(took.Seconds())
}

// Handler answers with all metrics.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{ErrorHandling: promhttp.ContinueOnError, MaxRequestsInFlight: 4, Timeout: 20 * time.Second})
}

// Registry is where the metrics are, for tests and for other ways of showing them.
func (m *Metrics) Registry() *prometheus.Registry { return m.registry }
