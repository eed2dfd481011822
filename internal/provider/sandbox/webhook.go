package sandbox

import (
	"net/http"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"countersign/internal/model"
	"countersign/internal/provider"
)

// Webhook verifies a notice and reads it.
func (a *Adapter) Webhook(header http.Header, raw []byte, now time.Time) (provider.Event, error) {
	id, signed, err := provider.VerifyWebhook(a.cfg.Secret, header, raw, now)
	if err != nil {
		return provider.Event{}, err
	}
	var notice struct {
		Type      string    `json:"type"`
		Timestamp time.Time `json:"timestamp"`
		Data      object    `json:"data"`
	}
	if err := json.Unmarshal(raw, &notice); err != nil || notice.Type == "" || notice.Data.ID == "" {
		return provider.Event{}, model.Errorf(model.Invalid, "invalid-body", "the webhook is not in the sandbox's form")
	}
	event := provider.Event{ID: id, Type: notice.Type, Operation: operationOf(notice.Data), Ref: notice.Data.ID,
		Reference: notice.Data.Reference, At: notice.Timestamp}
	if event.At.IsZero() {
		event.At = signed
	}
	if key, ok := provider.StepKeyOf(event.Reference); ok {
		event.Reference = key
	}
	return event, nil
}

// operationOf tells which operation made an object; "" for kinds that we do not
// make.
func operationOf(o object) string {
	switch o.Object {
	case "payout":
		return model.PayoutCreate
	case "credit":
		return model.CreditCreate
	case "dispute_response":
		return model.DisputeRespond
	case "message":
		return model.MessageSend
	case "reversal":
		if strings.HasPrefix(o.Source, "cr_") {
			return model.CreditReverse
		}
		return model.PayoutReverse
	}
	return ""
}
