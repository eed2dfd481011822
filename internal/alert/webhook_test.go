package alert_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"countersign/internal/alert"
	"countersign/internal/store"
)

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

// receiver is a real HTTP server that checks signatures and answers as it is told.
type receiver struct {
	*httptest.Server
	mu     sync.Mutex
	status int // answered; 200 when 0
	ids    []string
	bodies []map[string]any
}

func newReceiver(t *testing.T) *receiver {
	verifier, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		t.Fatal(err)
	}
	r := &receiver{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, req *http.Request) {
		r.mu.Lock()
		defer r.mu.Unlock()
		raw, _ := io.ReadAll(req.Body)
		if err := verifier.VerifyIgnoringTimestamp(raw, req.Header); err != nil {
			t.Errorf("signature: %v", err)
		}
		var body map[string]any
		if err := json.Unmarshal(raw, &body); err != nil {
			t.Errorf("body %s: %v", raw, err)
		}
		r.ids, r.bodies = append(r.ids, req.Header.Get("webhook-id")), append(r.bodies, body)
		if r.status == http.StatusFound {
			rw.Header().Set("Location", "/elsewhere")
		}
		if r.status != 0 {
			rw.WriteHeader(r.status)
		}
	}))
	t.Cleanup(r.Close)
	return r
}

// answer sets the status of what is answered from now on.
func (r *receiver) answer(status int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.status = status
}

// got are the ids received so far.
func (r *receiver) got() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]string(nil), r.ids...)
}

func (w *world) webhook(r *receiver) *alert.Webhook {
	w.Helper()
	hook, err := alert.NewWebhook(r.URL, secret, w.clock.Now)
	if err != nil {
		w.Fatal(err)
	}
	return hook
}

func TestWebhookIsTriedAgainUnderOneID(t *testing.T) {
	w, r := newWorld(t), newReceiver(t)
	cause := reviews(1)[0]
	cause.Deadline = w.deadline(24 * time.Hour)
	w.raise(cause)
	s := w.sender(w.webhook(r))
	r.answer(http.StatusServiceUnavailable)
	for try := range 3 {
		if n := w.round(s); n != 1 {
			t.Fatalf("round %d tried %d", try, n)
		}
		if n := w.round(s); n != 0 {
			t.Fatalf("after try %d it was tried again at once", try)
		}
		if d := w.deliveries()[0]; d.DeliveredAt != 0 || d.Tries != try+1 || !strings.Contains(d.LastError, "503") {
			t.Fatalf("after try %d: %+v", try, d)
		}
		w.clock.add(time.Minute)
	}
	r.answer(http.StatusNoContent)
	w.round(s)
	w.clock.add(time.Hour)
	if n := w.round(s); n != 0 {
		t.Errorf("told again after it was delivered")
	}
	ids := r.got()
	if len(ids) != 4 || ids[0] != ids[3] || ids[0] != w.alerts()[0].ID {
		t.Errorf("ids %v of alert %s", ids, w.alerts()[0].ID)
	}
	if d := w.deliveries()[0]; d.DeliveredAt == 0 || d.NextAt != 0 || d.LastError != "" || d.Tries != 4 {
		t.Errorf("delivery %+v", d)
	}
	data := r.bodies[3]["data"].(map[string]any)
	for name, want := range map[string]any{"account": "acme", "intent": "intent-0000", "amount": 125050.0, "currency": "USD", "owner": nil,
		"age_seconds": 180.0, "deadline": "2026-11-28T09:00:00.000000Z", "link": "https://console.example/intents/intent-0000", "ended_at": nil} {
		if got, there := data[name]; !there || got != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	if r.bodies[3]["type"] != "intent.needs_review" {
		t.Errorf("type %v", r.bodies[3]["type"])
	}
}

func TestDeliveryIsGivenUpAndStaysVisible(t *testing.T) {
	w, r := newWorld(t), newReceiver(t)
	w.raise(reviews(1)...)
	s := w.sender(w.webhook(r))
	r.answer(http.StatusInternalServerError)
	for range 200 {
		w.round(s)
		w.clock.add(10 * time.Minute)
	}
	d := w.deliveries()[0]
	if d.GivenUpAt == 0 || d.NextAt != 0 || d.DeliveredAt != 0 || !strings.Contains(d.LastError, "500") {
		t.Fatalf("after 33 h: %+v", d)
	}
	if since := d.GivenUpAt.Sub(w.alerts()[0].RaisedAt); since < 24*time.Hour || since > 26*time.Hour {
		t.Errorf("given up after %s", since)
	}
	if d.Tries > 40 {
		t.Errorf("%d tries in a day: the waits do not grow", d.Tries)
	}
}

// A clock that jumps past everything still allows one last try.
func TestAJumpOfTheClockCostsNoAlert(t *testing.T) {
	w, r := newWorld(t), newReceiver(t)
	w.raise(reviews(1)...)
	s := w.sender(w.webhook(r))
	r.answer(http.StatusInternalServerError)
	w.round(s)
	w.clock.add(72 * time.Hour)
	r.answer(0)
	w.round(s)
	if d := w.deliveries()[0]; d.DeliveredAt == 0 {
		t.Errorf("after the jump: %+v", d)
	}
}

func TestRedirectIsNotFollowed(t *testing.T) {
	w, r := newWorld(t), newReceiver(t)
	w.raise(reviews(1)...)
	r.answer(http.StatusFound)
	w.round(w.sender(w.webhook(r)))
	if d := w.deliveries()[0]; len(r.got()) != 1 || d.DeliveredAt != 0 || !strings.Contains(d.LastError, "302") {
		t.Errorf("%d requests, %+v", len(r.got()), d)
	}
}

// A sender that dies during a try leaves one that another one makes again, under the same id.
func TestAnotherSenderGoesOn(t *testing.T) {
	w, r := newWorld(t), newReceiver(t)
	w.raise(reviews(1)...)
	id := w.alerts()[0].ID
	w.update(func(tx *store.Tx) error { // what a dead process leaves: a reserved try, and its lease
		if _, err := tx.TakeLease("alert-sender", "dead", time.Minute); err != nil {
			return err
		}
		if _, err := tx.PlanDeliveries([]string{"webhook"}, 10); err != nil {
			return err
		}
		return tx.ReserveDeliveries("webhook", []string{id}, tx.Now().Add(time.Minute))
	})
	first := w.sender(w.webhook(r))
	if n := w.round(first); n != 0 {
		t.Fatalf("a second sender worked under the first one's lease: %d", n)
	}
	w.clock.add(2 * time.Minute)
	second := w.sender(w.webhook(r))
	w.round(second)
	if ids := r.got(); len(ids) != 1 || ids[0] != id {
		t.Errorf("received %v", ids)
	}
}

func TestOneSenderAtATime(t *testing.T) {
	w, r := newWorld(t), newReceiver(t)
	w.raise(reviews(40)...)
	a, b := w.sender(w.webhook(r)), w.sender(w.webhook(r))
	var all sync.WaitGroup
	for range 20 {
		for _, s := range []*alert.Sender{a, b} {
			all.Go(func() {
				if _, err := s.Round(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
	}
	seen := map[string]int{}
	for _, id := range r.got() {
		seen[id]++
	}
	if len(seen) != 40 || len(r.got()) != 40 {
		t.Errorf("40 alerts: %d ids in %d messages", len(seen), len(r.got()))
	}
}

func TestWebhookSettingsAreChecked(t *testing.T) {
	for _, c := range []struct{ url, secret, says string }{
		{"ftp://x/", secret, "http or https"}, {"/alerts", secret, "absolute"}, {"https://u:p@x/", secret, "without a user"},
		{"https://x/", "", "needs a secret"}, {"https://x/", "whsec_???", "not base64"},
	} {
		if _, err := alert.NewWebhook(c.url, c.secret, nil); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", c.url, err)
		}
	}
}
