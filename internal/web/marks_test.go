package web

import (
	"bytes"
	"mime/multipart"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"countersign/internal/model"
	"countersign/internal/store"
)

// sendFile posts a mark of create-payout with a file.
func (b *browser) sendFile(intent, name, content string, fields map[string]string) page {
	b.Helper()
	fields["step"] = "create-payout"
	return b.postFile("/intents/"+intent+"/actions/"+model.MarkExternalResult, "document", name, content, fields)
}

// postFile posts a form with a file in one of its fields.
func (b *browser) postFile(path, field, name, content string, fields map[string]string) page {
	b.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	fields["csrf"] = b.token()
	for field, value := range fields {
		b.must(form.WriteField(field, value))
	}
	file, err := form.CreateFormFile(field, name)
	b.must(err)
	_, err = file.Write([]byte(content))
	b.must(err)
	b.must(form.Close())
	req, err := http.NewRequestWithContext(b.Context(), http.MethodPost, b.url+path, &body)
	b.must(err)
	req.Header.Set("Content-Type", form.FormDataContentType())
	return b.do(req)
}

func TestMarkNamesEveryFaultAtOnce(t *testing.T) {
	w := newWorld(t)
	id := w.unknown("acme", "run-1", 90_050)
	olga := w.browse("Olga")
	path := "/intents/" + id + "/actions/" + model.MarkExternalResult
	olga.wants(olga.post(path, "step", "create-payout"), 422, "The result is missing: choose what the document shows",
		"The date is missing: give the day of the document", "The document is missing: give a file, or a link")
	p := olga.post(path, "step", "create-payout", "result", "happened", "amount", "12,x", "currency", "USD", "date", "2099-01-01",
		"document_url", "ftp://x", "document_sha256", "12")
	olga.wants(p, 422, "The reference is missing", "The amount is not a plain decimal number", "The currency must be that of the step, EUR",
		"The date lies in the future", "The link must be an address", "The SHA-256 of what is linked must be 64 hexadecimal digits")
	if strings.Contains(p.text(), "minor units") || strings.Contains(p.text(), "/input/") {
		t.Errorf("machine talk: %s", p.text())
	}
}

func TestMarkWithAFile(t *testing.T) {
	w := newWorld(t)
	id := w.unknown("acme", "run-1", 90_050)
	olga := w.browse("Olga")
	fields := map[string]string{"result": "happened", "external_ref": "po_9", "date": w.now().Format("2006-01-02")}
	olga.wants(olga.sendFile(id, "empty.txt", "", fields), 422, "The file is empty: it has 0 bytes")
	large := olga.sendFile(id, "scan.pdf", "%PDF-1.4 "+strings.Repeat("x", 7<<20), fields)
	olga.wants(large, 422, "The file is larger than the 5 MiB that are taken")
	if !strings.Contains(large.body, `value="po_9"`) || !strings.Contains(large.body, `value="happened" required checked`) {
		t.Errorf("what was typed is lost: %s", large.text())
	}
	huge := olga.sendFile(id, "film.pdf", "%PDF-1.4 "+strings.Repeat("x", uploadLimit), fields)
	olga.wants(huge, 422, "The file is larger than the 5 MiB that are taken")
	if !strings.Contains(huge.body, `value="po_9"`) {
		t.Errorf("what was typed is lost: %s", huge.text())
	}
	p := olga.follow(olga.sendFile(id, "letter.txt", "paid once", fields))
	olga.wants(p, 200, "letter.txt", "Its SHA-256", "4eb6a9aa", "happened, 900.50 EUR", "Nine hundred euros and fifty cents")
	olga.wants(olga.follow(olga.sendFile(id, "letter.html", "paid once", fields)), 200, "letter.html", "saved as letter.csv")
}

// TestMarkOfWhatCameBack holds that a return can only be recorded as one.
func TestMarkOfWhatCameBack(t *testing.T) {
	n := told(func(_ *model.Case, s *model.Step) {
		s.State, s.Moved, s.Returned = model.Confirmed, 4_820_000, 4_820_000
	})
	v := &visit{}
	form := v.markForm(actionPage{action: model.MarkExternalResult, c: n.c, step: n.c.Steps[1]})
	if hint := plain(t, form.HappenedHint); !form.CameBack || !strings.Contains(hint, "came back by itself") {
		t.Errorf("came back %v: %s", form.CameBack, hint)
	}
}

// TestADayIsNoMoment: the day of a document is the one that was written, wherever it
// is read; a moment is the reader's.
func TestADayIsNoMoment(t *testing.T) {
	w := newWorld(t)
	w.web.patience = 0
	olga := w.browse("Olga")
	olga.post("/me/settings", "zone", "America/New_York")
	for date, shown := range map[string]string{"2026-11-27": "27 Nov 2026", "2026-11-27T08:00:00Z": "27 Nov 2026 03:00:00 -05:00"} {
		id := w.unknown("acme", "run-"+date, 90_050)
		path, preview := olga.preview(id, model.MarkExternalResult, "step", "create-payout", "result", "happened", "external_ref", "po_"+date[10:],
			"date", date, "document_url", "https://bank.example/letter.pdf")
		olga.wants(preview, 200, "Dated "+shown+" ", "by https://bank.example/letter.pdf of "+shown+" .")
		olga.follow(olga.post(path+"/confirm", "digest", found(t, digestField, preview), "reason", because, "plan_code", found(t, planCode, preview)))
		p := olga.get("/intents/" + id)
		olga.wants(p, 200, "Document of "+shown+" .")
		if strings.Contains(p.text(), "26 Nov 2026") {
			t.Errorf("%s: the page shows the day before", date)
		}
	}
}

// TestAMarkNamesTheMoneyThatItRecords: where that is another sum than was asked for,
// it stands in the preview, its result, the list of requests and the request.
func TestAMarkNamesTheMoneyThatItRecords(t *testing.T) {
	w := newWorld(t)
	w.web.patience = 0
	id := w.unknown("acme", "run-1", 39_500)
	olga, ann := w.browse("Olga"), w.browse("Ann")
	path, preview := olga.preview(id, model.MarkExternalResult, "step", "create-payout", "result", "happened", "external_ref", "po_77", "amount", "396.00",
		"currency", "EUR", "date", "2026-11-26", "document_url", "https://bank.example/letter.pdf")
	olga.wants(preview, 200, "Preview: record create-payout as happened, 396.00 EUR")
	result := olga.follow(olga.post(path+"/confirm", "digest", found(t, digestField, preview), "reason", because, "plan_code", found(t, planCode, preview)))
	olga.wants(result, 200, "Money 396.00 EUR , 395.00 EUR asked")
	const title = "Record the outcome of the payout to Ελένη Παπαδοπούλου : 396.00 EUR , 395.00 EUR asked"
	list := ann.get("/approvals")
	ann.wants(list, 200, title)
	if n := strings.Count(list.text(), "396.00 EUR"); n != 2 {
		t.Errorf("the list shows the money that is signed %d times, want in the title and in its column: %s", n, list.text())
	}
	request := found(t, requestLink, list)
	p := ann.get(request)
	ann.wants(p, 200, title, "Approve: record create-payout as happened, 396.00 EUR")
	ann.wants(ann.get("/"), 200, title)
	ann.follow(ann.post(request+"/approve", "digest", found(t, digestField, p), "reason", because))
	w.work()
	// The bank's step and the ledger's both moved what the document shows.
	const moved = "396.00 EUR 1.00 EUR more than the 395.00 EUR asked for"
	if steps := regexp.MustCompile(`(?s)<h2 id="steps">.*?</section>`).FindString(olga.get("/intents/" + id).body); strings.Count(plainText(steps), moved) != 2 {
		t.Errorf("the table of steps: %s", plainText(steps))
	}
}

// TestNotHappenedIsSignedWithOpenEyes: the list, the request and its button say that
// nothing is to be recorded as happened, and who signs is warned like who asked.
func TestNotHappenedIsSignedWithOpenEyes(t *testing.T) {
	w := newWorld(t)
	id := w.unknown("acme", "run-1", 39_500)
	w.observed(id, model.Observation{Finding: model.FoundOther, ExternalRef: "po_9", Amount: 39_600, Currency: "EUR", Status: "failed", Failed: true, Detail: "another amount"})
	w.wait(48 * time.Hour)
	olga, ann := w.browse("Olga"), w.browse("Ann")
	path, preview := olga.preview(id, model.MarkExternalResult, "step", "create-payout", "result", "did_not_happen", "date", "2026-11-29", "document_url", "https://bank.example/letter.pdf")
	olga.wants(preview, 200, "Preview: record create-payout as not happened")
	olga.follow(olga.post(path+"/confirm", "digest", found(t, digestField, preview), "reason", because, "plan_code", found(t, planCode, preview)))
	const title = "Record the payout of 395.00 EUR to Ελένη Παπαδοπούλου as not happened"
	list := ann.get("/approvals")
	ann.wants(list, 200, title)
	ann.wants(ann.get(found(t, requestLink, list)), 200, title, "Approve: record create-payout as not happened", "This cannot be taken back.", "that would be a second payment")
	if p := olga.get(found(t, requestLink, list)); strings.Contains(p.text(), "second payment") {
		t.Error("who cannot sign is warned of signing")
	}
}

// observed makes a look at the provider's books that came to something.
func (w *world) observed(id string, o model.Observation) {
	w.Helper()
	w.update(func(tx *store.Tx) error {
		c, err := tx.LockCase(id)
		if err != nil {
			return err
		}
		look := model.Look{Observation: o, Source: model.FromQuery, By: "w1", EvidenceID: tx.NewID("ev"), Began: tx.Now()}
		if _, err := c.Observe(c.Step("create-payout"), look, model.NormalPace(), 0.5, tx.Now()); err != nil {
			return err
		}
		c.Derive(model.NormalPace(), tx.Now())
		return tx.SaveCase(c)
	})
}

// TestWhatCannotBeRecordedIsNotOffered: the form says why, and stores no file for it.
func TestWhatCannotBeRecordedIsNotOffered(t *testing.T) {
	w := newWorld(t)
	id := w.unknown("acme", "run-1", 39_500)
	olga := w.browse("Olga")
	form := olga.get("/intents/" + id + "/actions/" + model.MarkExternalResult + "?step=create-payout")
	olga.wants(form, 200, "its answer becomes final: reconcile says it")
	if !regexp.MustCompile(`value="did_not_happen"[^>]* disabled`).MatchString(form.body) {
		t.Error("it is offered")
	}
	p := olga.sendFile(id, "letter.txt", "never paid", map[string]string{"result": "did_not_happen", "date": "2026-11-27"})
	olga.wants(p, 422, "This result cannot be recorded as things are. Nothing was stored.")
	if strings.Contains(p.text(), "Your file is kept") {
		t.Error("the file was stored")
	}
}
