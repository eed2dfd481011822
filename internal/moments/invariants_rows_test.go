package moments

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"

	"countersign/internal/audit"
	"countersign/internal/model"
	"countersign/internal/store"
	"countersign/internal/workflow"
)

// invariant01 computes every identity and fingerprint anew, and compares the
// params with those that were seen first.
func (tr *truth) invariant01() (broken []string) {
	seen := map[string]string{}
	for _, c := range tr.cases {
		identity := c.Account + " " + c.Kind + " " + c.Key
		if other := seen[identity]; other != "" {
			broken = append(broken, c.ID+" and "+other+" are both "+identity)
		}
		seen[identity] = c.ID
		broken = append(broken, differ("the id of "+identity, c.ID, model.IntentID(tr.w.db.Installation, c.Account, c.Kind, c.Key))...)
		if print, err := fingerprint(c); err != nil || !bytes.Equal(print, c.Fingerprint) {
			broken = append(broken, fmt.Sprintf("the fingerprint of %s is not that of its params (%v)", c.ID, err))
		}
		broken = append(broken, tr.unchanged("params "+c.ID, string(c.Params))...)
	}
	return broken
}

func fingerprint(c *model.Case) ([]byte, error) {
	if c.Kind == model.KindCompensation {
		sum, err := model.Fingerprint(c.Params)
		return sum[:], err
	}
	kind, ok := workflow.Lookup(c.Kind)
	if !ok {
		return nil, fmt.Errorf("unknown kind %s", c.Kind)
	}
	d, err := kind.Accept(c.Params)
	return d.Fingerprint[:], err
}

// unchanged compares a row with what it was when it was seen first.
func (tr *truth) unchanged(name, row string) []string {
	sum := sha256.Sum256([]byte(row))
	now := hex.EncodeToString(sum[:])
	first, known := tr.w.memory.rows[name]
	if !known {
		tr.w.memory.rows[name] = now
		return nil
	}
	if first != now {
		return []string{name + " is not what it was"}
	}
	return nil
}

// invariant09 compares all that is finished with what it was, and tries to
// change it.
func (tr *truth) invariant09() (broken []string) {
	found := map[string]bool{}
	keep := func(name string, row any) {
		raw, err := json.Marshal(row)
		if err != nil {
			tr.t.Fatal(err)
		}
		found[name] = true
		broken = append(broken, tr.unchanged(name, string(raw))...)
	}
	tr.each(func(c *model.Case, s *model.Step) []string {
		for _, a := range s.Attempts {
			if a.FinishedAt != 0 {
				keep(fmt.Sprintf("attempt %s:%s/%d", c.ID, s.Name, a.Number), a)
			}
		}
		for _, e := range s.Evidence {
			keep("evidence "+e.ID, e)
		}
		for _, g := range s.Generations {
			keep(fmt.Sprintf("generation %s:%s/%d", c.ID, s.Name, g.Number), g)
		}
		return nil
	})
	for _, e := range tr.entries {
		keep("entry "+e.ID, [2]any{e.Index, e.Canonical})
	}
	for name := range tr.w.memory.rows {
		if !found[name] && !strings.HasPrefix(name, "params ") {
			broken = append(broken, name+" is gone")
		}
	}
	return append(broken, tr.changeable()...)
}

// appendOnly are the tables whose finished rows never change, each with a change.
var appendOnly = map[string]string{
	"attempts":         "UPDATE attempts SET reason = 'other' WHERE finished_at <> 0",
	"evidence":         "UPDATE evidence SET detail = 'other'",
	"generations":      "UPDATE generations SET url = 'other'",
	"audit_entries":    "UPDATE audit_entries SET event = 'other'",
	"audit_log":        "UPDATE audit_log SET event = 'other'",
	"audit_nodes":      "UPDATE audit_nodes SET hash = hash",
	"webhooks":         "UPDATE webhooks SET type = 'other'",
	"ledger_transfers": "UPDATE ledger_transfers SET amount = amount + 1",
}

// changeable tells what the database lets anybody change, in transactions that
// are rolled back.
func (tr *truth) changeable() (broken []string) {
	for table, update := range appendOnly {
		for _, statement := range []string{update, "DELETE FROM " + table} {
			tr.w.db.Rehearse(context.Background(), func(tx *store.Tx) error {
				if n, err := tx.Changed(statement); err == nil && n > 0 {
					broken = append(broken, fmt.Sprintf("%q changed %d rows", statement, n))
				}
				return nil
			})
		}
	}
	return broken
}

// invariant10 follows every state from the first to the present through the log.
func (tr *truth) invariant10() (broken []string) {
	for _, c := range tr.cases {
		last := ""
		for _, e := range tr.about(c.ID, "intent.") {
			if e.Event == "intent.accepted" {
				last = e.Result
				continue
			}
			broken = append(broken, differ("where "+e.ID+" of "+c.ID+" begins", detail(e, "from"), last)...)
			last = e.Result
		}
		broken = append(broken, differ("the last state in the log of "+c.ID, last, string(c.State))...)
	}
	return append(broken, tr.each(tr.stepChain)...)
}

// stepChain follows one step's states.
func (tr *truth) stepChain(c *model.Case, s *model.Step) (broken []string) {
	last := ""
	for _, e := range slices.Concat(tr.about(c.ID, "step."), tr.about(c.ID, "conflict.")) {
		if base, _, _ := strings.Cut(e.StepKey, "#"); base != c.ID+":"+s.Name {
			continue
		}
		if cause := detail(e, "cause"); !known(c, s, cause) {
			broken = append(broken, fmt.Sprintf("%s of %s has the cause %q, which is nothing on record", e.Event, e.StepKey, cause))
		}
		if strings.HasPrefix(e.Event, "conflict.") {
			continue
		}
		from := detail(e, "from")
		if last == "" {
			last = string(model.Pending)
		}
		broken = append(broken, differ("where "+e.Event+" of "+e.StepKey+" begins", from, last)...)
		if !model.Allowed(model.StepState(from), model.StepState(e.Result), model.Who(detail(e, "by"))) {
			broken = append(broken, fmt.Sprintf("%s went from %s to %s by %s, which is not in the table", e.StepKey, from, e.Result, detail(e, "by")))
		}
		last = e.Result
	}
	if last == "" && len(s.Attempts)+len(s.Evidence) == 0 {
		return broken // never touched
	}
	return append(broken, differ("the last state in the log of "+s.Key(), last, string(s.State))...)
}

// known reports whether a cause is on record: a piece of evidence, a request, an
// attempt, or a rule that the engine follows by itself.
func known(c *model.Case, s *model.Step, cause string) bool {
	evidence := slices.ContainsFunc(s.Evidence, func(e model.Evidence) bool { return e.ID == cause })
	attempt := cause == "attempt" && len(s.Attempts) > 0
	return evidence || attempt || cause == "moot" || cause == "settles_by" || c.Request(cause) != nil
}

// invariant12 looks for everything that was answered, and that nothing has come
// to rest which somebody still waits for.
func (tr *truth) invariant12() (broken []string) {
	for id, key := range tr.w.memory.promised {
		if c := tr.byID[id]; c == nil || c.Key != key {
			broken = append(broken, "the intent "+id+" was answered and is not there")
		}
	}
	receipts := map[string][]byte{}
	for _, p := range tr.previews {
		receipts[p.ID] = p.Receipt
	}
	for preview, entry := range tr.w.memory.receipts {
		if !bytes.Contains(receipts[preview], []byte(entry)) {
			broken = append(broken, "the confirmation of "+preview+" was answered and is not there")
		}
	}
	for _, c := range tr.cases {
		waits := c.State == model.Received || c.State == model.Processing || c.State == model.RetryableFailure
		if _, open := c.OpenAttempt(); c.WakeAt == 0 && (waits && !c.Held || open != nil) { // lifting a hold wakes what it held
			broken = append(broken, fmt.Sprintf("%s is %s, and nothing will wake it", c.ID, c.State))
		}
	}
	return append(broken, tr.unread()...)
}

// unread: a webhook that was answered is worked on, or was.
func (tr *truth) unread() (broken []string) {
	var lost []string
	err := tr.w.db.View(context.Background(), func(tx *store.Tx) error {
		return tx.Select(&lost, `SELECT event_id FROM webhooks WHERE NOT EXISTS (SELECT 1 FROM webhook_work k
			WHERE k.provider = webhooks.provider AND k.event_id = webhooks.event_id AND (k.due_at > 0 OR k.settled_at > 0))`)
	})
	if err != nil {
		tr.t.Fatal(err)
	}
	for _, id := range lost {
		broken = append(broken, "the event "+id+" was taken and nobody will look at it")
	}
	return broken
}

// invariant13 looks at every unknown outcome in the rows, the sums, the lists,
// the interface and the export.
func (tr *truth) invariant13() (broken []string) {
	unknown := map[string]int64{} // what steps in doubt have open, by currency
	effects := map[string]int{}
	for _, c := range tr.cases {
		uncertain, open := int64(0), int64(0)
		for _, s := range c.Steps {
			open += s.Open
			broken = append(broken, differ("the account of "+s.Key(), s.Account, c.Account)...)
			broken = append(broken, tr.deniedTooSoon(s)...)
			broken = append(broken, tr.hidden(c, s)...)
			if !s.InDoubt() {
				continue
			}
			currency := s.Currency
			if s.Open == 0 {
				currency = ""
			}
			unknown[currency] += s.Open
			effects[currency]++
			if s.State != model.OutcomeUnknown {
				continue
			}
			uncertain += s.Amount
			if s.Failure != "" || slices.Contains([]model.IntentState{model.TerminalFailure, model.RetryableFailure, model.Completed}, c.State) {
				broken = append(broken, fmt.Sprintf("%s is unknown, and stored as %s of an intent that is %s", s.Key(), s.Failure, c.State))
			}
		}
		broken = append(broken, differ("what the steps of "+c.ID+" have open together", open, c.Uncertain)...)
		if c.Uncertain < uncertain {
			broken = append(broken, fmt.Sprintf("%d of %s are unknown, and %d are counted as uncertain", uncertain, c.ID, c.Uncertain))
		}
	}
	broken = append(broken, tr.sums(unknown, effects)...)
	return append(broken, tr.shown()...)
}

// hidden: money that a step has open is that of a doubt, with its beginning, or
// settles, or is in flight. There is no page on which any other would be seen.
func (tr *truth) hidden(c *model.Case, s *model.Step) []string {
	if s.InDoubt() && (s.UncertainSince == 0 || c.UncertainSince == 0 || c.UncertainSince > s.UncertainSince || c.SortOpen != int64(c.UncertainSince)) {
		return []string{fmt.Sprintf("%s is in doubt since %s, and its intent since %s", s.Key(), s.UncertainSince, c.UncertainSince)}
	}
	if s.Open > 0 && !s.InDoubt() && !s.Settling && s.OpenAttempt() == nil {
		return []string{fmt.Sprintf("%d of %s are uncertain and shown nowhere", s.Open, s.Key())}
	}
	return nil
}

// deniedTooSoon: a step is failed only where each of its attempts is known to
// have done nothing.
func (tr *truth) deniedTooSoon(s *model.Step) (broken []string) {
	if s.State != model.FailedSafely {
		return nil
	}
	for i := range s.Attempts {
		if a := &s.Attempts[i]; a.Result == model.ResultUnknown && !tr.nothing(s, i, tr.now) && !tr.replayed(s, a, tr.now) {
			broken = append(broken, fmt.Sprintf("%s is stored as failed, and attempt %d of it is unknown", s.Key(), a.Number))
		}
	}
	return broken
}

// sums compares our own sums with what the pages of uncertainty count.
func (tr *truth) sums(unknown map[string]int64, effects map[string]int) (broken []string) {
	var rows []store.Uncertain
	if err := tr.w.db.View(context.Background(), func(tx *store.Tx) (err error) {
		rows, _, err = tx.Uncertainty([]string{account})
		return err
	}); err != nil {
		tr.t.Fatal(err)
	}
	for _, row := range rows {
		broken = append(broken, differ("the number of unknown effects in "+row.Currency, row.Effects, effects[row.Currency])...)
		broken = append(broken, differ("what is unknown in "+row.Currency, row.Amount, unknown[row.Currency])...)
		delete(effects, row.Currency)
	}
	for currency, n := range effects {
		broken = append(broken, fmt.Sprintf("%d unknown effects in %q are counted nowhere", n, currency))
	}
	return broken
}

// shown reads what the interface and the export say about each step in doubt, and sees that reading writes no entry.
func (tr *truth) shown() (broken []string) {
	for _, c := range tr.cases {
		if !slices.ContainsFunc(c.Steps, (*model.Step).InDoubt) {
			continue
		}
		var shape struct {
			Steps []struct{ Name, State string }
		}
		raw := tr.w.get("/v1/intents/" + c.ID)
		if err := json.Unmarshal(raw, &shape); err != nil || len(shape.Steps) != len(c.Steps) {
			tr.t.Fatalf("the interface shows %s as %s", c.ID, raw)
		}
		for i, s := range c.Steps {
			broken = append(broken, differ("the state of "+s.Key()+" in the interface", shape.Steps[i].State, string(s.State))...)
		}
		if listed := tr.w.get("/v1/intents?state=outcome_unknown&limit=200"); !bytes.Contains(listed, []byte(c.ID)) {
			broken = append(broken, c.ID+" is not in the list of what is unknown")
		}
	}
	broken = append(broken, tr.exported()...)
	size, err := tr.w.log.Size(context.Background())
	if err != nil {
		tr.t.Fatal(err)
	}
	return append(broken, differ("the length of the log after reading", size, int64(len(tr.entries)))...)
}

// exported reads the export for spreadsheets: a change to unknown is one there too.
func (tr *truth) exported() (broken []string) {
	var export bytes.Buffer
	if err := tr.w.log.Export(context.Background(), &export, audit.Scope{Accounts: audit.Everything(), Format: audit.CSV}); err != nil {
		tr.t.Fatal(err)
	}
	rows, err := csv.NewReader(&export).ReadAll()
	if err != nil || len(rows) != len(tr.entries)+1 {
		tr.t.Fatalf("%d rows of %d entries are exported: %v", len(rows), len(tr.entries), err)
	}
	event, result := slices.Index(rows[0], "event"), slices.Index(rows[0], "result")
	for _, row := range rows[1:] {
		if row[event] == "step.outcome_unknown" {
			broken = append(broken, differ("the exported result of entry "+row[0], row[result], "outcome_unknown")...)
		}
	}
	return broken
}

// get reads from the interface as the service key.
func (w *world) get(path string) []byte {
	request := httptest.NewRequest(http.MethodGet, path, nil)
	request.Header.Set("Authorization", "Bearer "+w.people.secret)
	answer := httptest.NewRecorder()
	w.api.ServeHTTP(answer, request)
	return answer.Body.Bytes()
}
