package e2e

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// overdue is the payee of the demo's story of a settlement that never comes: a
// payout whose outcome stays unknown whatever is asked. spent is that of the
// story whose tries are used up.
const (
	overdue = "Σοφία Καραγιάννη"
	spent   = "Олена Ковальчук"
)

// scene is the shared demo with one page in every state, all made by people's
// own calls, and the passage of time by moving back what is stored.
type scene struct {
	t      *testing.T
	demo   *product
	places map[string]string // ids and digests by the names that addresses have in braces
}

var (
	sceneOnce sync.Once
	thePlaces map[string]string
)

// theScene prepares the scene, once.
func theScene(t *testing.T) *scene {
	t.Helper()
	s := &scene{t: t, demo: startDemo(t), places: map[string]string{}}
	sceneOnce.Do(func() {
		s.intents()
		s.previews()
		s.bulk()
		s.approvals()
		s.elsewhere()
		s.entries()
		s.words()
		s.bankFiles()
		s.places["link"] = strings.TrimPrefix(s.person('g').SigninURL, s.demo.Address)
		thePlaces = s.places
	})
	if thePlaces == nil {
		t.Fatal("the scene could not be prepared")
	}
	s.places = thePlaces
	return s
}

// fill puts the places into a text.
func (s *scene) fill(text string) string {
	for strings.Contains(text, "{") {
		name, _, _ := strings.Cut(text[strings.Index(text, "{")+1:], "}")
		place, known := s.places[name]
		if !known {
			s.t.Fatalf("%s: the scene has no %q", text, name)
		}
		text = strings.ReplaceAll(text, "{"+name+"}", place)
	}
	return text
}

// person is a viewer by their letter.
func (s *scene) person(letter rune) person {
	s.t.Helper()
	for _, p := range s.demo.People {
		if p.Email == viewers[letter] {
			return p
		}
	}
	s.t.Fatalf("the demo has no %q", viewers[letter])
	return person{}
}

// call uses the API with a key, and fails unless the status is one of success.
func (p *product) call(t *testing.T, key, method, path string, body, into any) {
	t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(t.Context(), method, p.Address+"/v1"+path, bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+key)
	if method == http.MethodPost {
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Idempotency-Key", fmt.Sprint(time.Now().UnixNano()))
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode >= 300 {
		t.Fatalf("%s %s: status %d, %v: %s", method, path, response.StatusCode, err, answer)
	}
	if err := json.Unmarshal(answer, into); err != nil {
		t.Fatalf("%s %s: %v: %s", method, path, err, answer)
	}
}

// listed is an intent in a list of the API.
type listed struct {
	ID    string       `json:"id"`
	Kind  string       `json:"kind"`
	State string       `json:"state"`
	Steps []listedStep `json:"steps"`
}

// listedStep is one of its steps.
type listedStep struct {
	Name string `json:"name"`
	Ref  string `json:"external_ref"`
}

// answered reports whether the provider has shown its own object of the payout:
// one that only a document proves cannot be undone.
func (i listed) answered() bool {
	return slices.ContainsFunc(i.Steps, func(s listedStep) bool { return s.Name == "create-payout" && strings.HasPrefix(s.Ref, "po_") })
}

// list gives the first intents that a query of the API finds for a viewer.
func (s *scene) list(letter rune, query string) []listed {
	s.t.Helper()
	var found struct {
		Items []listed `json:"items"`
	}
	s.demo.call(s.t, s.person(letter).APIKey, http.MethodGet, "/intents?"+query, nil, &found)
	if len(found.Items) == 0 {
		s.t.Fatalf("the demo has no intent with %s", query)
	}
	return found.Items
}

// intents finds one of each state and kind. One with an unknown outcome is the
// story that no other test ends.
func (s *scene) intents() {
	s.places["unknown"] = s.list('o', "q="+url.QueryEscape(overdue))[0].ID
	s.places["cut"] = s.list('o', "q="+url.QueryEscape(cutOff))[0].ID
	s.places["spent"] = s.list('o', "q="+url.QueryEscape(spent))[0].ID
	for _, state := range []string{"awaiting_approval", "needs_review", "terminal_failure", "abandoned"} {
		s.places[state] = s.list('o', "kind=payout&state="+state)[0].ID
	}
	for _, kind := range []string{"statement", "dispute"} {
		s.places[kind] = s.list('o', "kind="+kind)[0].ID
	}
	s.places["foreign"] = s.list('g', "")[0].ID
}

// preview is a plan as the API tells it.
type preview struct {
	ID     string `json:"id"`
	Digest string `json:"digest"`
}

// preview lets a person ask for a plan.
func (s *scene) preview(who person, intent, action string, step any) (p preview) {
	s.t.Helper()
	s.demo.call(s.t, who.APIKey, http.MethodPost, "/intents/"+intent+"/previews", map[string]any{"action": action, "step": step, "input": map[string]any{}}, &p)
	return p
}

// outcome is what a confirmation came to.
type outcome struct {
	Outcome  string `json:"outcome"`
	Approval any    `json:"approval"`
}

// confirm lets a person carry out a plan.
func (s *scene) confirm(who person, p preview) (o outcome) {
	s.t.Helper()
	s.demo.call(s.t, who.APIKey, http.MethodPost, "/previews/"+p.ID+"/confirm", map[string]any{"reason": because, "digest": p.Digest}, &o)
	return o
}

// previews makes plans that are confirmed, fresh, grave, awaiting another's
// signature, overtaken and too old. All but the last stay as they are for as long
// as the tests take.
func (s *scene) previews() {
	priya := s.person('o')
	tomas := secondOperator(s.t, s.demo)
	completed := slices.DeleteFunc(s.list('o', "kind=payout&state=completed"), func(i listed) bool { return !i.answered() })
	if len(completed) < 4 {
		s.t.Fatalf("the demo has %d completed payouts", len(completed))
	}
	s.places["completed"] = completed[3].ID
	s.keep("used", s.preview(priya, s.places["unknown"], "reconcile", "create-payout"))
	s.confirm(priya, preview{s.places["used"], s.places["used digest"]})
	s.reconciled()
	s.keep("fresh", s.preview(priya, s.places["unknown"], "reconcile", "create-payout"))
	s.keep("expired", s.preview(priya, s.places["unknown"], "reconcile", "create-payout"))
	s.keep("grave", s.preview(priya, s.places["completed"], "compensate", "create-payout"))

	s.keep("stale", s.preview(priya, completed[0].ID, "compensate", "create-payout"))
	overtaking := s.preview(tomas, completed[0].ID, "compensate", "create-payout")
	s.confirm(tomas, overtaking)

	s.keep("waiting", s.preview(priya, completed[1].ID, "compensate", "create-payout"))
	s.confirm(priya, preview{s.places["waiting"], s.places["waiting digest"]})
	s.places["withdrawing"] = completed[2].ID
	s.write("UPDATE previews SET expires_at = expires_at + ?", time.Hour.Microseconds())
	s.write("UPDATE previews SET expires_at = created_at + 1 WHERE id = ?", s.places["expired"])
}

// reconciled waits until what was ordered about the unknown payout is done.
func (s *scene) reconciled() {
	s.t.Helper()
	db, err := sql.Open("sqlite3", "file:"+s.demo.database()+"?mode=ro&_busy_timeout=10000")
	if err != nil {
		s.t.Fatal(err)
	}
	defer db.Close()
	for range 300 {
		var ordered string
		if err := db.QueryRow("SELECT ordered FROM steps WHERE intent_id = ? AND name = 'create-payout'", s.places["unknown"]).Scan(&ordered); err != nil {
			s.t.Fatal(err)
		}
		if ordered == "" {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	s.t.Fatal("the ordered look-up does not end")
}

// bulk freezes a list of which some are excluded.
func (s *scene) bulk() {
	var list struct {
		ID string `json:"id"`
	}
	s.demo.call(s.t, s.person('o').APIKey, http.MethodPost, "/bulk-previews", map[string]any{"action": "reconcile",
		"intents": []string{s.places["unknown"], s.places["needs_review"], s.places["completed"], s.places["abandoned"]}}, &list)
	s.places["bulk"] = list.ID
}

// keep remembers a plan under a name.
func (s *scene) keep(name string, p preview) {
	s.places[name], s.places[name+" digest"] = p.ID, p.Digest
}

// request is one for approval, as the API tells it.
type request struct {
	ID     string `json:"id"`
	Digest string `json:"digest"`
	Intent string `json:"intent"`
	State  string `json:"state"`
}

// approvals makes requests that are open, too old, and closed in every way.
func (s *scene) approvals() {
	ingrid, priya := s.person('a'), s.person('o')
	requests := map[string]request{}
	for _, name := range []string{"open", "late", "rejected", "executed"} {
		requests[name] = s.requestOf(s.post(420_000))
	}
	s.confirm(priya, s.preview(priya, s.places["withdrawing"], "compensate", "create-payout"))
	requests["withdrawn"] = s.requestOf(s.places["withdrawing"])
	for name, r := range requests {
		s.keep(name, preview{r.ID, r.Digest})
	}
	decide := func(name, how string, who person) {
		s.demo.call(s.t, who.APIKey, http.MethodPost, "/approvals/"+s.places[name]+"/"+how, map[string]any{"reason": because, "digest": s.places[name+" digest"]}, new(any))
	}
	decide("rejected", "reject", ingrid)
	decide("executed", "approve", ingrid)
	decide("withdrawn", "withdraw", priya)
	s.write("UPDATE approvals SET expires_at = created_at + 1 WHERE id = ?", s.places["late"])
}

// post accepts a payout of so many cents, and gives its id.
func (s *scene) post(cents int) string {
	s.t.Helper()
	return s.postOf(cents, "USD")
}

// postOf accepts a payout of so many minor units of a currency.
func (s *scene) postOf(amount int, currency string) string {
	s.t.Helper()
	var made struct {
		ID string `json:"id"`
	}
	s.demo.call(s.t, s.demo.APIKey, http.MethodPost, "/intents", map[string]any{"kind": "payout", "account": "acme", "params": map[string]any{
		"payee":  map[string]any{"reference": "rep-900", "name": "Ọlá Adébáyọ̀", "destination": "acct_900"},
		"amount": amount, "currency": currency}}, &made)
	return made.ID
}

// requestOf waits for the open request about an intent.
func (s *scene) requestOf(intent string) request {
	s.t.Helper()
	for range 100 {
		var found struct {
			Items []request `json:"items"`
		}
		s.demo.call(s.t, s.person('a').APIKey, http.MethodGet, "/approvals?state=open", nil, &found)
		for _, r := range found.Items {
			if r.Intent == intent {
				return r
			}
		}
		time.Sleep(100 * time.Millisecond)
	}
	s.t.Fatalf("nobody is asked to approve %s", intent)
	return request{}
}

// elsewhere adds what a demo of one healthy process and one bank never has: a
// worker of another machine, and an object that the bank does not know.
func (s *scene) elsewhere() {
	now := time.Now().UnixMicro()
	s.places["worker"], s.places["orphan"] = "boot-elsewhere", "orphan-of-the-sweep"
	s.write("INSERT INTO boots (id, host, pid, started_at, seen_at, host_id, workers) VALUES (?, 'finance-2', 4711, ?, ?, 'host-b', 8)",
		s.places["worker"], now, now)
	s.write(`INSERT INTO orphans (id, sort, provider, operation, external_ref, reference, named_intent, intent_id, step, account, amount, currency, found_by, found_at)
		VALUES (?, 'missing_object', 'bank', 'payout.create', 'po_missing', ?, ?, ?, 'create-payout', 'acme', 73450, 'EUR', 'sweep', ?)`,
		s.places["orphan"], s.places["unknown"]+":create-payout", s.places["unknown"], s.places["unknown"], now)
}

// entries finds the numbers of two entries of the log.
func (s *scene) entries() {
	for name, query := range map[string]string{"act entry": "event=action.reconcile.executed&intent=" + s.places["unknown"], "intent entry": "intent=" + s.places["completed"]} {
		for range 100 {
			var found struct {
				Items []struct {
					Index *int64 `json:"index"`
				} `json:"items"`
			}
			s.demo.call(s.t, s.person('u').APIKey, http.MethodGet, "/audit?"+query, nil, &found)
			if len(found.Items) > 0 && found.Items[0].Index != nil {
				s.places[name] = fmt.Sprint(*found.Items[0].Index)
				break
			}
			time.Sleep(100 * time.Millisecond)
		}
	}
}

// words lets the operator write a note that no page may take for markup, keep a
// view for the account, and select what the list is made of.
func (s *scene) words() {
	v := signIn(s.t, s.demo.Address, s.person('o'))
	token := v.token(s.t)
	note := v.post(s.t, "/intents/"+s.places["unknown"]+"/notes", url.Values{"csrf": {token},
		"text": {"The rep called at nine. <script>alert(1)</script> & =1+1 \u2014 \u0627\u062a\u0635\u0644 \u0627\u0644\u0645\u0646\u062f\u0648\u0628"}})
	kept := v.post(s.t, "/views", url.Values{"csrf": {token}, "query": {"kind=payout&state=all"}, "name": {"Payouts of every state"}, "for": {"account"}})
	if note.status != http.StatusSeeOther || kept.status != http.StatusSeeOther {
		s.t.Fatalf("a note: status %d; a view: status %d: %s", note.status, kept.status, kept.body)
	}
	s.places["view"] = strings.TrimPrefix(kept.header.Get("Location"), "/views/")
	for name, ticked := range map[string][]string{"selection": {s.places["unknown"], s.places["needs_review"], s.places["completed"]}, "no selection": {}} {
		selected := v.post(s.t, "/selections", url.Values{"csrf": {token}, "here": {"/?state=all"}, "shown": {strings.Join(ticked, " ")}, "intent": ticked, "do": {"look"}})
		at, err := url.Parse(selected.header.Get("Location"))
		if err != nil || selected.status != http.StatusSeeOther {
			s.t.Fatalf("a selection: status %d, %v: %s", selected.status, err, selected.body)
		}
		s.places[name] = strings.TrimPrefix(at.Path, "/selections/")
	}
}

// write changes the database beside the running demo.
func (s *scene) write(statement string, args ...any) {
	s.t.Helper()
	change(s.t, s.demo.database(), statement, args...)
}

// change changes one of the files beside its running demo.
func change(t *testing.T, file, statement string, args ...any) {
	t.Helper()
	db, err := sql.Open("sqlite3", "file:"+file+"?_txlock=immediate&_busy_timeout=10000")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(statement, args...); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}
