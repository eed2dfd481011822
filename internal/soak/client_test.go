package soak

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"
)

// bodies are what clients post, by kind; %d is a number of their own. A rule
// approves each.
var bodies = map[string]string{
	"payout":    `{"kind":"payout","account":"acme","params":{"payee":{"reference":"rep-%[1]d","name":"Ada Rep","destination":"acct_9","email":"ada@example.com"},"amount":95050,"currency":"USD","period":"2026-10"}}`,
	"statement": `{"kind":"statement","account":"acme","params":{"rep":{"reference":"rep-%[1]d","name":"Ada Rep","email":"ada@example.com"},"period":{"from":"2026-10-01","to":"2026-11-01","zone":"America/New_York"},"currency":"USD","lines":[{"reference":"s-1","description":"Sale 1","amount":90000}]}}`,
	"dispute":   `{"kind":"dispute","account":"acme","params":{"dispute":"dp_%[1]d","charge":"ch_8","amount":4200,"currency":"EUR","reason":"product_not_received","response":"contest","credit":{"payee":{"reference":"rep-118","name":"Ada Rep","destination":"acct_9"},"amount":4200},"due_by":"2099-12-10T00:00:00Z","notify":["ada@example.com"],"evidence":[{"type":"shipping","text":"Delivered."}]}}`,
}

// client posts intents until ctx ends, each until it is answered, some twice.
func (s *site) client(ctx context.Context, n int, r *rand.Rand) {
	kinds := []string{"payout", "payout", "statement", "dispute"}
	for i := n; ctx.Err() == nil; i += 1000 {
		kind := kinds[r.IntN(len(kinds))]
		s.post(r, kind, i)
		if r.IntN(5) == 0 {
			s.post(r, kind, i)
			s.count("posted again")
		}
		time.Sleep(upTo(r, 600*time.Millisecond))
	}
}

// giveUp is how long a client asks for one answer.
const giveUp = 2 * time.Minute

// post posts one intent to any process until one answers that it is there.
func (s *site) post(r *rand.Rand, kind string, n int) {
	key := fmt.Sprintf("%s-%d", kind, n)
	for until := time.Now().Add(giveUp); time.Now().Before(until); time.Sleep(upTo(r, 400*time.Millisecond)) {
		var intent struct{ ID, Key string }
		status, text := s.call(r, "POST", "/v1/intents", s.service, fmt.Sprintf(bodies[kind], n), &intent, "Idempotency-Key", key)
		switch {
		case status == http.StatusCreated || status == http.StatusOK:
			s.promise(key, intent.ID, intent.Key)
			return
		case status != 0 && status < 500:
			s.t.Errorf("%s is answered %d: %s", key, status, text)
			return
		}
		s.count("asked again")
	}
	s.t.Errorf("%s is not answered for %s", key, giveUp)
}

// promise remembers an answer. It is the same one whenever it is asked for.
func (s *site) promise(key, id, stored string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if first, known := s.answered[key]; known && first != id || stored != key || id == "" {
		s.t.Errorf("%s is intent %s with key %s, and was %s", key, id, stored, first)
	}
	s.answered[key] = id
}

// caller waits so long for an answer before the client asks again.
var caller = &http.Client{Timeout: 5 * time.Second}

// call asks any process that serves; status 0 is no answer.
func (s *site) call(r *rand.Rand, method, path, key, body string, into any, header ...string) (status int, text string) {
	request, err := http.NewRequest(method, s.pages[r.IntN(len(s.pages))]+path, strings.NewReader(body))
	if err != nil {
		return 0, err.Error()
	}
	request.Header.Set("Authorization", "Bearer "+key)
	request.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	answer, err := caller.Do(request)
	if err != nil {
		return 0, err.Error()
	}
	defer answer.Body.Close()
	raw, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode < 300 {
		err = json.Unmarshal(raw, into)
	}
	if err != nil {
		return 0, err.Error()
	}
	return answer.StatusCode, string(raw)
}

// operator clears what waits for a person until ctx ends: looks, and where
// nothing is known to have happened, tries again.
func (s *site) operator(ctx context.Context, r *rand.Rand) {
	for ctx.Err() == nil {
		var list struct{ Items []struct{ ID string } }
		if status, _ := s.call(r, "GET", "/v1/intents?state=needs_review&limit=20", s.person, "", &list); status == http.StatusOK {
			for _, item := range list.Items {
				s.clear(r, item.ID)
			}
		}
		time.Sleep(upTo(r, time.Second))
	}
}

// clear takes the first action that is offered of the two.
func (s *site) clear(r *rand.Rand, id string) {
	var intent struct {
		Actions []struct {
			Action  string
			Step    *string
			Allowed bool
		}
	}
	if status, _ := s.call(r, "GET", "/v1/intents/"+id, s.person, "", &intent); status != http.StatusOK {
		return
	}
	for _, want := range []string{"reconcile", "retry_unfinished"} {
		for _, a := range intent.Actions {
			if a.Action != want || !a.Allowed || r.IntN(2) == 0 {
				continue
			}
			step := "null"
			if a.Step != nil && want == "reconcile" {
				step = fmt.Sprintf("%q", *a.Step)
			}
			s.act(r, id, fmt.Sprintf(`{"action":%q,"step":%s}`, want, step))
			return
		}
	}
}

// act previews and confirms, and confirms again where no answer comes.
func (s *site) act(r *rand.Rand, id, action string) {
	var preview struct{ ID, Digest string }
	if status, _ := s.call(r, "POST", "/v1/intents/"+id+"/previews", s.person, action, &preview); status != http.StatusCreated {
		return
	}
	for range 5 {
		var receipt struct{ Outcome string }
		status, _ := s.call(r, "POST", "/v1/previews/"+preview.ID+"/confirm", s.person, fmt.Sprintf(`{"reason":"looked at it in the soak","digest":%q}`, preview.Digest), &receipt)
		if status == http.StatusOK {
			s.count("actions of people")
		}
		if status != 0 && status < 500 {
			return
		}
	}
}
