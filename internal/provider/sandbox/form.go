package sandbox

import (
	"net/http"

	"github.com/go-json-experiment/json"

	"countersign/internal/model"
	"countersign/internal/provider"
)

// collections are the lists of the operations' objects.
var collections = map[string]string{
	model.PayoutCreate:   "/payouts",
	model.PayoutReverse:  "/reversals",
	model.CreditCreate:   "/credits",
	model.CreditReverse:  "/reversals",
	model.DisputeRespond: "/disputes/responses",
	model.MessageSend:    "/messages",
}

// kinds are the words of the member "object".
var kinds = map[string]string{
	model.PayoutCreate:   "payout",
	model.PayoutReverse:  "reversal",
	model.CreditCreate:   "credit",
	model.CreditReverse:  "reversal",
	model.DisputeRespond: "dispute_response",
	model.MessageSend:    "message",
}

// phases are the state words by the member "object". A lost dispute is one that
// was answered: the answer happened.
var phases = map[string]map[string]provider.Phase{
	"payout":           transferPhases,
	"credit":           transferPhases,
	"reversal":         {"succeeded": provider.Happened},
	"dispute_response": {"submitted": provider.Settling, "won": provider.Happened, "lost": provider.Happened, "accepted": provider.Happened},
	"message":          {"queued": provider.Taken, "delivered": provider.Happened, "bounced": provider.Failed},
}

var transferPhases = map[string]provider.Phase{
	"pending": provider.Settling, "paid": provider.Happened, "failed": provider.Failed, "returned": provider.CameBack,
}

// object is what we read of the sandbox's objects.
type object struct {
	ID             string `json:"id"`
	Object         string `json:"object"`
	Reference      string `json:"reference"`
	Amount         int64  `json:"amount"`
	AmountReversed int64  `json:"amount_reversed"`
	Currency       string `json:"currency"`
	Destination    string `json:"destination"`
	Source         string `json:"source"` // what a reversal undoes
	Status         string `json:"status"`
}

// form reads the sandbox's bodies.
type form struct{}

// ReadObject accepts an object of the operation's own kind only.
func (form) ReadObject(operation string, body []byte) (provider.Object, bool) {
	var o object
	if json.Unmarshal(body, &o) != nil || o.ID == "" || o.Object == "" || o.Object != kinds[operation] {
		return provider.Object{}, false
	}
	read := provider.Object{ID: o.ID, Reference: o.Reference, Amount: o.Amount, Currency: o.Currency,
		Destination: o.Destination, Status: o.Status, Phase: phases[o.Object][o.Status]}
	if read.Phase == provider.CameBack {
		read.Returned = o.Amount - o.AmountReversed
	}
	return read, true
}

// meanings are the codes that say something about an earlier request, or that
// are a decided "no" although they come as 409.
var meanings = map[string]provider.Meaning{
	"key_reused":       provider.KeyReused,
	"key_in_use":       provider.InFlight,
	"already_reversed": provider.Conflicting,
	"not_reversible":   provider.Conflicting,
}

// ReadError reads {"error":{"code","message"}}. The member object_id names what
// was to be reversed, never an object that the refused request made.
func (form) ReadError(_ int, _ http.Header, body []byte) (provider.Refusal, bool) {
	var envelope struct {
		Error struct {
			Code    string `json:"code"`
			Message string `json:"message"`
		} `json:"error"`
	}
	if json.Unmarshal(body, &envelope) != nil || envelope.Error.Code == "" {
		return provider.Refusal{}, false
	}
	code := envelope.Error.Code
	return provider.Refusal{Code: code, Message: envelope.Error.Message, Meaning: meanings[code]}, true
}
