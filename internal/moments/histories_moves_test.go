package moments

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"

	"countersign/internal/actions"
	"countersign/internal/model"
	"countersign/internal/store"
)

// faultNames are all faults that the provider knows.
var faultNames = []string{
	"refuse_connect", "drop_before_accept", "drop_after_accept", "hang_after_accept", "500_before", "500_after", "429",
	"truncated_body", "wrong_amount_echo", "other_key_echo", "reject_permanent", "reject_curable", "slow", "settle_late",
	"settle_never", "settle_failed", "settle_then_return", "webhook_twice", "webhook_late", "webhook_out_of_order", "not_found_for_a_while",
}

// lasts is how long a fault lasts. What is real time is kept short.
var lasts = map[string]time.Duration{
	"refuse_connect": 5 * time.Millisecond, "hang_after_accept": 20 * time.Millisecond, "slow": 20 * time.Millisecond,
	"429": 30 * time.Second, "settle_late": 10 * time.Minute, "settle_then_return": 3 * time.Hour,
	"webhook_late": 26 * time.Hour, "webhook_out_of_order": time.Minute, "not_found_for_a_while": 45 * time.Second,
}

// arm arms a fault for requests that act in one way, or, as GET, that look.
func (h *history) arm(fault, operation string, times int) {
	h.does("arm(%q, %q, %d)", fault, operation, times)
	match := map[string]any{"operation": operation, "method": "POST"}
	if operation == "GET" {
		match = looks()
	}
	h.fault(fault, times, match, int(lasts[fault].Milliseconds()))
	if fault == "refuse_connect" { // it shuts the door at once
		h.engine.Pass(context.Background())
		h.doorOpens()
	}
}

// doorOpens waits until the provider can be reached again.
func (h *history) doorOpens() {
	h.t.Helper()
	for until := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
		resp, err := http.Get(h.bank.URL() + "/faults")
		if err == nil {
			resp.Body.Close()
			return
		}
		if time.Now().After(until) {
			h.t.Fatal(err)
		}
	}
}

// lift ends all faults.
func (h *history) lift() {
	h.does("lift()")
	h.noFaults()
}

// paramsOfNumber are those of the n-th intent of a kind. The payouts are of
// sizes that a rule, one and two approvers sign.
func paramsOfNumber(kind string, n int) map[string]any {
	var p map[string]any
	if err := json.Unmarshal([]byte(paramsOf(kind)), &p); err != nil {
		panic(err)
	}
	switch kind {
	case model.KindPayout:
		p["amount"] = []int{95050, 500000, 6000000}[n%3]
	case model.KindDispute:
		p["dispute"] = fmt.Sprint("dp_", n)
		p["amount"] = []int{4200, 250000}[n%2]
		if n%3 == 2 {
			p["response"] = "accept"
		}
	case model.KindStatement:
		p["rep"].(map[string]any)["reference"] = fmt.Sprint("rep-", n/2) // two of them are of one rep and period
	}
	return p
}

// submit posts the n-th intent of a kind: as it is, with its members in another
// order and notes beside them, or with something else under the same key.
func (h *history) submit(kind string, n int, form, doubt string) {
	h.t.Helper()
	h.does("submit(%q, %d, %q, %q)", kind, n, form, doubt)
	p := paramsOfNumber(kind, n)
	name := fmt.Sprint(kind, " ", n)
	known := h.posted[name]
	switch form {
	case "reordered":
		p["trace_id"], p["memo"] = fmt.Sprint(len(h.moves)), "again"
	case "changed":
		p = maps.Clone(p)
		p["currency"] = "CHF"
		if known == "" {
			return // nothing stands under the key yet
		}
	}
	raw := must(json.Marshal(p))(h.t)
	var a actions.Accepted
	err := h.doubtful(doubt, 1, func() (err error) {
		a, err = h.act.Accept(context.Background(), h.people.payroll, actions.Submission{Key: fmt.Sprint("k-", n), Kind: kind, Account: account, Params: raw})
		return err
	})
	switch {
	case form == "changed":
		if model.KindOf(err) != model.Unknown {
			refused(h.t, err, "idempotency-key-reused")
		}
	case err != nil && (doubt == "" || model.KindOf(err) != model.Unknown):
		h.t.Fatalf("%s is answered with %v", name, err)
	case err == nil && known != "" && (a.Case.ID != known || !a.Replayed):
		h.t.Errorf("%s is %s, and was %s", name, a.Case.ID, known)
	case err == nil:
		h.promise(a.Case)
		h.posted[name] = a.Case.ID
	}
}

// doubtful does something while the n-th commit reports an error, lost or kept.
func (h *history) doubtful(doubt string, n int, do func() error) error {
	if doubt != "" {
		fails(int64(n), doubt == "kept")(h.world, "")
		defer h.set(nil, nil)
	}
	return do()
}

// catchUp settles and delivers what is due at the provider, and tells what is
// next there. Webhooks come at no other time, so that a history can be repeated.
func (h *history) catchUp() time.Time {
	h.t.Helper()
	if err := h.bank.SetWebhook(h.hooks.URL, webhookSecret); err != nil {
		h.t.Fatal(err)
	}
	next := must(h.bank.CatchUp(context.Background()))(h.t)
	if err := h.bank.SetWebhook("", ""); err != nil {
		h.t.Fatal(err)
	}
	return next
}

// pass lets the provider and the engine do once what is due.
func (h *history) pass(doubt string, commit int) {
	h.does("pass(%q, %d)", doubt, commit)
	h.catchUp()
	_ = h.doubtful(doubt, commit+1, func() error { h.engine.Pass(context.Background()); return nil })
}

// run lets both work for a span, the clock jumping from one due thing to the next.
func (h *history) run(span time.Duration) {
	h.t.Helper()
	h.does("run(%s)", inGo(span))
	end := h.clock.Now().Add(span)
	for range 20_000 {
		next := h.catchUp()
		if h.engine.Pass(context.Background()) > 0 {
			continue
		}
		wait := end.Sub(h.clock.Now())
		if wait <= 0 {
			return
		}
		if wake := h.nextWake(); !wake.IsZero() {
			wait = min(wait, wake.Sub(h.ours()))
		}
		if !next.IsZero() {
			wait = min(wait, next.Sub(h.clock.Now()))
		}
		h.advance(max(wait, time.Millisecond))
	}
	h.t.Fatal("the engine does not come to rest")
}

// inGo writes a span as it stands in a test.
func inGo(d time.Duration) string { return fmt.Sprintf("%d*time.Second", int(d.Seconds())) }

// advance moves the clock. A worker that stalls between its last check and the
// first byte wakes before the margin of the key's window is over: that, and no
// more, is assumed of every process.
func (h *history) advance(d time.Duration) {
	if s := h.stalled; s != nil && s.where == atTheFirstByte && h.clock.Now().Add(d).Sub(s.since) > longestSleep {
		h.wake()
	}
	h.clock.Add(d)
}

const longestSleep = 4 * time.Minute

// jump lets time pass in which nothing works.
func (h *history) jump(d time.Duration) {
	h.does("jump(%s)", inGo(d))
	h.advance(d)
}

// setBack sets our clock back by an hour, or right again.
func (h *history) setBack() {
	h.does("setBack()")
	if h.behind.Load() == 0 {
		h.behind.Store(int64(time.Hour))
	} else {
		h.behind.Store(0)
	}
}

// crash kills the process at its n-th commit from now, lost or kept, or with
// nothing under way, and starts another one.
func (h *history) crash(n int, kept bool) {
	h.t.Helper()
	h.does("crash(%d, %v)", n, kept)
	if n > 0 {
		h.dieAt(n, kept)
		for range 3 {
			ctx, cancel := context.WithCancel(context.Background())
			done := make(chan int, 1)
			go func() { done <- h.engine.Pass(ctx) }()
			if h.await(done, cancel) == 0 || h.dead.Load() {
				break
			}
		}
	}
	h.restart()
}

// restart is a death of all processes and the start of one. A person declares
// dead what no lock tells of.
func (h *history) restart() {
	h.t.Helper()
	h.die()
	before := h.alive()
	h.world.restart()
	h.update(func(tx *store.Tx) error {
		// The dead one's turn at numbering the log runs out by a clock that stands still.
		if _, err := tx.Exec("DELETE FROM leases"); err != nil {
			return err
		}
		for _, boot := range before {
			if _, err := tx.Bury(boot, h.people.administrator.Name); err != nil {
				return err
			}
		}
		return nil
	})
}

func (h *history) alive() (boots []string) {
	h.t.Helper()
	h.set(nil, nil)
	if err := h.db.View(context.Background(), func(tx *store.Tx) error {
		return tx.Select(&boots, "SELECT id FROM boots WHERE dead_at = 0")
	}); err != nil {
		h.t.Fatal(err)
	}
	return boots
}

// say lets the bank's event about a payout come in, true or not, once or twice.
func (h *history) say(intent int, kind string, times int) {
	h.t.Helper()
	h.does("say(%d, %q, %d)", intent, kind, times)
	c := h.nth(intent)
	if c == nil || c.Step("create-payout") == nil || c.Step("create-payout").ExternalRef == "" {
		return
	}
	s := c.Step("create-payout")
	header, raw := h.event(fmt.Sprint("msg_", len(h.moves)), kind, s.ExternalRef, s.Key())
	for range times {
		err := h.engine.Receive(context.Background(), "bank", header, raw)
		if h.behind.Load() != 0 && errors.Is(err, model.Unauthenticated) {
			return // by our clock it was signed in the future
		}
		if err != nil {
			h.t.Fatal(err)
		}
	}
}

// nth is the n-th intent from the newest, and nil where there is none.
func (h *history) nth(n int) *model.Case {
	h.t.Helper()
	ids := h.intents()
	if len(ids) == 0 {
		return nil
	}
	slices.Reverse(ids)
	return h.load(ids[n%len(ids)])
}

// sweepNow compares the provider's objects of the last two days with ours. A
// provider that fails meanwhile is swept another time.
func (h *history) sweepNow() {
	h.t.Helper()
	h.does("sweepNow()")
	if err := h.engine.Sweep(context.Background(), h.ours().Add(-48*time.Hour)); err != nil && model.KindOf(err) != model.Busy {
		h.t.Fatal(err)
	}
}
