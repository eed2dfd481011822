package actions

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"countersign/internal/authz"
	"countersign/internal/model"
)

func TestMarkHappenedGoesOnAndIsChecked(t *testing.T) {
	w := newWorld(t)
	id := w.payout("k", 500)
	sent(unknown)(w, id)
	p := w.preview(w.ada, id, model.MarkExternalResult, pay, happenedInput)
	if p.People != 1 {
		t.Errorf("%d people", p.People)
	}
	fence := w.load(id).Fence
	w.confirm(w.ada, p)
	c := w.load(id)
	s := c.Step(pay)
	if s.State != model.Confirmed || s.ExternalRef != "po_1" || s.Moved != 500 || s.NextCheckAt == 0 || c.Fence != fence+1 || c.State != model.Processing {
		t.Errorf("%s %s moved %d, next look %v; intent %s", s.State, s.ExternalRef, s.Moved, s.NextCheckAt, c.State)
	}
	e := s.Evidence[len(s.Evidence)-1]
	if e.Source != model.FromOperator || e.By != "Ada" || e.Document != "https://bank.example/1" || e.Detail != reason || e.Dated == 0 {
		t.Errorf("evidence %+v", e)
	}
}

func TestMarkPeople(t *testing.T) {
	for _, test := range []struct {
		name   string
		amount int64
		input  string
		people int
	}{
		{"as asked, by rule", 500, happenedInput, 1},
		{"another amount", 600, happenedInput, 2},
		{"above the first tier", 200_000, strings.Replace(happenedInput, "500", "200000", 1), 2},
		{"no amount is as asked", 500, strings.Replace(happenedInput, `"amount":500,`, "", 1), 1},
	} {
		w := newWorld(t)
		id := w.payout("k", test.amount)
		w.pass(id, "approve-payout")
		w.send(id, unknown)
		if p := w.preview(w.ada, id, model.MarkExternalResult, pay, test.input); p.People != test.people {
			t.Errorf("%s: %d people, want %d", test.name, p.People, test.people)
		}
	}
}

func TestMarkNothingByTwoOpensARetryByAPerson(t *testing.T) {
	w := newWorld(t)
	id := w.post("mute", "k", 500).ID
	then(sent(unknown), later(time.Hour))(w, id)
	p := w.preview(w.ada, id, model.MarkExternalResult, pay, nothingInput("2026-11-29T12:30:00Z"))
	r := w.confirm(w.ada, p)
	if p.People != 2 || r.Outcome != AwaitingApproval || w.load(id).Step(pay).State != model.OutcomeUnknown {
		t.Fatalf("%d people, %s", p.People, r.Outcome)
	}
	if _, err := w.run.Approve(t.Context(), w.cleo, *r.Approval, say(p.Digest)); err != nil {
		t.Fatal(err)
	}
	if s := w.load(id).Step(pay); s.State != model.FailedSafely || !s.PersonOnly || s.NextTryAt != 0 {
		t.Errorf("%s, person only %v, next try %v", s.State, s.PersonOnly, s.NextTryAt)
	}
	w.preview(w.ada, id, model.RetryUnfinished, "", "")
}

func TestMarkInputIsCheckedAllAtOnce(t *testing.T) {
	w := newWorld(t)
	id := w.payout("k", 500)
	sent(unknown)(w, id)
	_, err := w.run.Preview(t.Context(), w.ada, PreviewRequest{Intent: id, Action: model.MarkExternalResult, Step: pay, Input: json.RawMessage(
		`{"result":"maybe","external_ref":"a\u0001","amount":-1,"currency":"EUR","date":"2027-01-01","document":{"url":"ftp://x","sha256":"12"}}`)})
	for _, location := range []string{"result", "external_ref", "amount", "currency", "date", "document/url", "document/sha256"} {
		if err == nil || !strings.Contains(err.Error(), "/input/"+location) {
			t.Errorf("%s is not at fault in %v", location, err)
		}
	}
	_, err = w.run.Preview(t.Context(), w.ada, PreviewRequest{Intent: id, Action: model.MarkExternalResult, Step: pay, Input: json.RawMessage(`{"result":"happened","extra":1}`)})
	wantCode(t, err, "invalid-params")
}

func TestAMarkClosesAConflict(t *testing.T) {
	w := newWorld(t)
	id := w.payout("k", 500)
	then(confirmed, found(pay, cameBack))(w, id)
	w.confirm(w.ada, w.preview(w.ada, id, model.MarkExternalResult, pay, happenedInput))
	c := w.load(id)
	if c.OpenConflict() != nil || c.Step(pay).Returned != 500 || c.Exposure() != 0 {
		t.Errorf("conflict %+v, returned %d, exposure %d", c.OpenConflict(), c.Step(pay).Returned, c.Exposure())
	}
}

func TestAbandonAcknowledgesEveryEffect(t *testing.T) {
	w := newWorld(t)
	id := w.payout("k", 500)
	sent(unknown)(w, id)
	_, err := w.run.Preview(t.Context(), w.ada, PreviewRequest{Intent: id, Action: model.Abandon})
	if extra(err, "rule") != "abandon.acknowledge" || !strings.Contains(err.Error(), id+":create-payout") {
		t.Errorf("%v", err)
	}
	p := w.preview(w.ada, id, model.Abandon, "", acknowledged(w, id))
	r := w.confirm(w.ada, p)
	if p.People != 2 || w.load(id).Abandonment != nil {
		t.Fatalf("%d people", p.People)
	}
	if _, err := w.run.Approve(t.Context(), w.cleo, *r.Approval, say(p.Digest)); err != nil {
		t.Fatal(err)
	}
	c := w.load(id)
	if c.State != model.Abandoned || c.Abandonment.By != "Ada" || c.Step(pay).State != model.OutcomeUnknown || c.Uncertain != 500 {
		t.Errorf("%s by %+v, %s, uncertain %d", c.State, c.Abandonment, c.Step(pay).State, c.Uncertain)
	}
}

func TestAbandonTakesAnOrderBack(t *testing.T) {
	w, id := failed(t)
	w.confirm(w.ada, w.preview(w.ada, id, model.RetryUnfinished, "", ""))
	w.confirm(w.ada, w.preview(w.ada, id, model.Abandon, "", `{"acknowledge":[]}`))
	if s := w.load(id).Step(pay); s.Ordered != "" || s.NextTryAt != 0 {
		t.Errorf("ordered %q", s.Ordered)
	}
}

func TestOwner(t *testing.T) {
	w := newWorld(t)
	id := w.payout("k", 500)
	version := w.load(id).Version
	for _, err := range []error{w.run.Take(t.Context(), w.ada, id), w.run.Take(t.Context(), w.ada, id)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if c := w.load(id); c.Owner != w.ada.ID || c.OwnerName != "Ada" || c.Version != version {
		t.Errorf("owner %q, version %d after %d", c.OwnerName, c.Version, version)
	}
	wantCode(t, w.run.Take(t.Context(), w.aud, id), "denied")
	wantCode(t, w.run.Release(t.Context(), w.glo, id), "not-found")
	if err := w.run.Release(t.Context(), w.ben, id); err != nil || w.load(id).Owner != "" {
		t.Errorf("release: %v", err)
	}
	if got := w.events(id); !reflect.DeepEqual(got, []string{"intent.accepted", "owner.taken", "owner.denied", "owner.released"}) {
		t.Errorf("events %v", got)
	}
}

func TestVerdictsNameRightsAndApprovers(t *testing.T) {
	w, id := failed(t)
	c := w.load(id)
	people := []model.Person{{ID: w.cleo.ID, Name: "Cleo", Roles: map[string][]model.Role{"acme": {model.RoleApprover}}},
		{ID: w.ben.ID, Name: "Ben", Roles: map[string][]model.Role{"acme": {model.RoleApprover}}}}
	at := func(actor authz.Actor, name string) Verdict {
		for _, v := range Verdicts(c, actor, people, w.run.timing, w.run.tiers, w.db.Now()) {
			if v.Action == name {
				return v
			}
		}
		t.Fatal(name)
		return Verdict{}
	}
	if v := at(w.aud, model.RetryUnfinished); v.Allowed || v.Rule != "rights.action.retry_unfinished" {
		t.Errorf("auditor: %+v", v)
	}
	if v := at(w.ada, model.RetryUnfinished); !v.Allowed || v.People != 1 || len(v.Approvers) != 0 || *v.Step != pay {
		t.Errorf("operator: %+v", v)
	}
	if v := at(w.ada, model.Compensate); v.People != 2 || !reflect.DeepEqual(v.Approvers, []string{"Cleo"}) {
		t.Errorf("compensate: %+v (Ben answers for the intent)", v)
	}
}

func TestUpload(t *testing.T) {
	w := newWorld(t)
	for _, test := range []struct {
		name, body, media string
	}{
		{"a.pdf", "%PDF-1.7\nx", "application/pdf"},
		{"a.png", "\x89PNG\r\n\x1a\nx", "image/png"},
		{"a.jpg", "\xff\xd8\xff\xe0x", "image/jpeg"},
		{"a.csv", "date,amount\n2026-11-29,5.00\n", "text/csv"},
		{"a.xml", "<?xml version=\"1.0\"?><Document><x/></Document>", "application/xml"},
		{"page.xml", "<html><script/></html>", ""},
		{"drawing.xml", "<svg xmlns=\"http://www.w3.org/2000/svg\"/>", ""},
		{"cut.xml", "<Document><x>", ""},
		{"program.csv", "MZ\x00\x01", ""},
		{"empty.csv", "", ""},
		{"", "a,b", ""},
	} {
		u, err := w.run.Upload(t.Context(), w.ada, "acme", test.name, []byte(test.body))
		if u.MediaType != test.media && err == nil || (err == nil) != (test.media != "") {
			t.Errorf("%s: %+v %v", test.name, u, err)
		}
	}
	_, err := w.run.Upload(t.Context(), w.ada, "acme", "a.csv", bytes.Repeat([]byte("a"), MaxUpload+1))
	wantCode(t, err, "too-large")
	_, err = w.run.Upload(t.Context(), w.aud, "acme", "a.csv", []byte("a,b"))
	wantCode(t, err, "denied")
	_, err = w.run.Upload(t.Context(), w.glo, "acme", "a.csv", []byte("a,b"))
	wantCode(t, err, "not-found")
}

func TestAMarkByAnUploadedDocument(t *testing.T) {
	w := newWorld(t)
	id := w.payout("k", 500)
	sent(unknown)(w, id)
	u, err := w.run.Upload(t.Context(), w.ada, "acme", "a.csv", []byte("a,b"))
	if err != nil {
		t.Fatal(err)
	}
	input := strings.Replace(happenedInput, `{"url":"https://bank.example/1"}`, `{"upload":"`+u.ID+`"}`, 1)
	w.confirm(w.ada, w.preview(w.ada, id, model.MarkExternalResult, pay, input))
	evidence := w.load(id).Step(pay).Evidence
	if e := evidence[len(evidence)-1]; e.Document != "upload:"+u.ID || e.DocSHA256 != u.SHA256 {
		t.Errorf("evidence %+v", e)
	}
	elsewhere := w.post("mute", "k", 500).ID
	sent(unknown)(w, elsewhere)
	_, err = w.run.Preview(t.Context(), w.ada, PreviewRequest{Intent: elsewhere, Action: model.MarkExternalResult, Step: pay, Input: json.RawMessage(input)})
	wantCode(t, err, "invalid-params")
}

func TestAConflictOnAStepThatNeverRanCanBeClosed(t *testing.T) {
	for _, test := range []struct {
		input string
		state model.StepState
	}{
		{nothingInput("2026-11-29T12:00:00Z"), model.NotNeeded},
		{happenedInput, model.Confirmed},
	} {
		w := newWorld(t)
		id := w.payout("k", 500)
		then(confirmed, func(w *world, id string) {
			p := w.preview(w.ada, id, model.Compensate, pay, "")
			r := w.confirm(w.ada, p)
			if _, err := w.run.Approve(t.Context(), w.cleo, *r.Approval, say(p.Digest)); err != nil {
				t.Fatal(err)
			}
		}, found("send-remittance", model.Observation{Finding: model.FoundHappened, ExternalRef: "m_1"}), later(time.Second))(w, id)
		if w.load(id).OpenConflict() == nil {
			t.Fatal("no conflict")
		}
		if test.state == model.NotNeeded { // the provider itself takes it back
			found("send-remittance", model.Observation{Finding: model.FoundFailed, ExternalRef: "m_1"})(w, id)
		}
		input := strings.Replace(test.input, `"amount":500,"currency":"USD",`, "", 1)
		w.confirm(w.ada, w.preview(w.ada, id, model.MarkExternalResult, "send-remittance", input))
		c := w.load(id)
		if s := c.Step("send-remittance"); s.State != test.state || c.OpenConflict() != nil {
			t.Errorf("%s, conflict %+v", s.State, c.OpenConflict())
		}
	}
}

func TestAnActionOnAStepNeedsItsName(t *testing.T) {
	w := newWorld(t)
	id := w.payout("k", 500)
	sent(unknown)(w, id)
	for _, action := range []string{model.Reconcile, model.MarkExternalResult, model.Compensate} {
		_, err := w.run.Preview(t.Context(), w.ada, PreviewRequest{Intent: id, Action: action})
		if codeOf(err) != "invalid-params" || !strings.Contains(err.Error(), "/step") {
			t.Errorf("%s: %v", action, err)
		}
	}
}
