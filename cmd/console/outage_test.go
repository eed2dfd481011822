package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"countersign/internal/store"
	"countersign/internal/store/storetest"
)

// callers post payouts while the database comes and goes.
type callers struct {
	t        *testing.T
	line     readyLine
	stop     chan struct{}
	mu       sync.Mutex
	answered map[string]string // intent ids by key, as they were answered
	told     map[string]int    // what else was answered, by the problem's name
}

// run posts one payout after the other, each until it is answered as there.
func (c *callers) run(n int) {
	for i := 0; ; i++ {
		select {
		case <-c.stop:
			return
		case <-time.After(50 * time.Millisecond):
		}
		key := fmt.Sprintf("o-%d-%d", n, i)
		for !c.post(key) && !c.t.Failed() {
			time.Sleep(100 * time.Millisecond)
		}
	}
}

// post posts one payout, and reports whether it was answered as there.
func (c *callers) post(key string) bool {
	body := fmt.Sprintf(`{"kind":"payout","account":"acme","params":{"payee":{"reference":%q,"name":"Rep","destination":"acct_9"},"amount":1000,"currency":"EUR"}}`, key)
	request, err := http.NewRequest(http.MethodPost, c.line.Address+"/v1/intents", strings.NewReader(body))
	if err != nil {
		c.t.Error(err)
		return false
	}
	request.Header.Set("Authorization", "Bearer "+c.line.APIKey)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Idempotency-Key", key)
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		c.t.Errorf("%s is not answered: %v", key, err)
		return false
	}
	defer answer.Body.Close()
	var said struct{ ID, Type, Detail string }
	if err := json.NewDecoder(answer.Body).Decode(&said); err != nil {
		c.t.Errorf("%s is answered %s without a body that can be read: %v", key, answer.Status, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if answer.StatusCode == http.StatusCreated || answer.StatusCode == http.StatusOK {
		c.answered[key] = said.ID
		return true
	}
	problem := said.Type[strings.LastIndexByte(said.Type, '/')+1:]
	wait, err := strconv.Atoi(answer.Header.Get("Retry-After"))
	if answer.StatusCode != http.StatusServiceUnavailable || problem != "busy" && problem != "outcome-unknown" || err != nil || wait < 1 {
		c.t.Errorf("%s is answered %s, %s, Retry-After %q: %s", key, answer.Status, said.Type, answer.Header.Get("Retry-After"), said.Detail)
	}
	c.told[problem]++
	return false
}

// PostgreSQL is killed while callers post. Each of them hears that it is there,
// or that the server is busy, or that nobody knows, and when to ask again; what
// was answered as there is there, and is paid once.
func TestMoment15PostgresKilledUnderLoad(t *testing.T) {
	t.Parallel()
	server := storetest.StartServer(t)
	f := newFleetOn(t, server, "here", "there")
	c := &callers{t: t, line: f.line, stop: make(chan struct{}), answered: map[string]string{}, told: map[string]int{}}
	var group sync.WaitGroup
	for n := range 4 {
		group.Go(func() { c.run(n) })
	}
	for range 2 {
		time.Sleep(time.Second)
		server.Kill()
		time.Sleep(500 * time.Millisecond)
		if err := server.Start(); err != nil {
			t.Error(err)
		}
	}
	time.Sleep(time.Second)
	close(c.stop)
	group.Wait()
	if c.told["busy"]+c.told["outcome-unknown"] == 0 {
		t.Error("no caller heard of the outage")
	}
	states := map[string]string{}
	eventually(t, "all intents completed", func() bool {
		var rows []struct{ ID, Key, State string }
		err := f.db.View(t.Context(), func(tx *store.Tx) error { return tx.Select(&rows, "SELECT id, key, state FROM intents") })
		open := len(rows) != len(c.answered) || err != nil
		for _, r := range rows {
			states[r.ID] = r.Key
			open = open || r.State != "completed"
		}
		return !open
	})
	for key, id := range c.answered {
		if states[id] != key {
			t.Errorf("%s was answered as %s, which has the key %q", key, id, states[id])
		}
	}
	text := books(t, f.bank)
	checkOnce(t, text)
	if n := effects(text); n != len(c.answered) {
		t.Errorf("%d effects in the books, and %d intents were answered", n, len(c.answered))
	}
	t.Logf("%d intents answered; otherwise %v", len(c.answered), c.told)
}
