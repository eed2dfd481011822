package web

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"countersign/internal/actions"
	"countersign/internal/model"
)

// dispute posts a response with a credit if the dispute is won, and lets the engine work.
func (w *world) dispute(id string) string {
	w.Helper()
	accepted, err := w.run.Accept(w.Context(), w.actor("Olga"), actions.Submission{Key: id, Kind: model.KindDispute, Account: "acme", Params: json.RawMessage(fmt.Sprintf(
		`{"dispute":"%s","charge":"ch_8","amount":4200,"currency":"EUR","reason":"fraudulent","response":"contest","due_by":"2026-12-10T00:00:00Z","notify":["a@example.com"],
		"credit":{"payee":{"reference":"rep-1","name":"Ada","destination":"acct_9"},"amount":4200},"evidence":[{"type":"shipping","text":"Sent."}]}`, id))})
	w.must(err)
	w.work()
	w.pass()
	return accepted.Case.ID
}

// TestWhatIsProposedIsAllowed: a credit that is refused for good after the dispute was
// won leaves a response that nothing undoes. It is left as it is, by a button.
func TestWhatIsProposedIsAllowed(t *testing.T) {
	w := newWorld(t)
	w.fault(map[string]string{"operation": "credits"}, "reject_permanent", 1)
	id := w.dispute("dp_31")
	olga := w.browse("Olga")
	p := olga.get("/intents/" + id)
	olga.wants(p, 200, "Leave it as it is: abandon.", "Fill in: abandon", "Refused for good after earlier effects")
	olga.wants(olga.get("/"), 200, "Leave it as it is: abandon")
	if strings.Contains(p.text(), "Compensate, or leave it as it is") {
		t.Error("what is refused is proposed")
	}
	form := found(t, regexp.MustCompile(`href="([^"]+/actions/abandon)"[^>]*>Fill in: abandon`), p)
	olga.wants(olga.get(form), 200, "Abandon")
}

// TestAResponsePaysNobody: a response to a dispute that is refused for good has no
// destination, and nothing of it is paid anew.
func TestAResponsePaysNobody(t *testing.T) {
	w := newWorld(t)
	w.fault(map[string]string{"operation": "disputes"}, "reject_permanent", 1)
	id := w.dispute("dp_31")
	olga := w.browse("Olga")
	p := olga.get("/intents/" + id)
	olga.wants(p, 200, "responding anew is a new intent", "The dispute is closed and takes no response any more.")
	for _, words := range []string{"paying", "destination is closed"} {
		if strings.Contains(p.text(), words) {
			t.Errorf("%q is said of a response: %s", words, p.text())
		}
	}
}
