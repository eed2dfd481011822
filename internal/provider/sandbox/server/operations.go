package server

import (
	"errors"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// operation is one POST endpoint that has effects in the outside world.
type operation struct {
	// name is the word of the books and of a fault's match.
	name string
	// pattern is the path for http.ServeMux.
	pattern string
	// keyed operations require an Idempotency-Key; the others ignore it.
	keyed bool
	// status is that of a success.
	status int
	// prefix of the ids of its objects.
	prefix string
	// reverses is the kind that a reversal undoes, or "".
	reverses string
	// read turns a body (and the id in the path) into the object to make.
	read func(parent string, body []byte) (*object, error)
}

func (op *operation) money() bool   { return op.keyed }
func (op *operation) settles() bool { return op.reverses == "" }

// returns says that what settled can come back later.
func (op *operation) returns() bool { return op.money() && op.settles() }

var operations = []*operation{
	{name: "payouts", pattern: "/payouts", keyed: true, status: 201, prefix: "po", read: readTransfer(kindPayout)},
	{name: "payout_reversals", pattern: "/payouts/{id}/reversals", keyed: true, status: 201, prefix: "rv", reverses: kindPayout, read: readReversal},
	{name: "credits", pattern: "/credits", keyed: true, status: 201, prefix: "cr", read: readTransfer(kindCredit)},
	{name: "credit_reversals", pattern: "/credits/{id}/reversals", keyed: true, status: 201, prefix: "rv", reverses: kindCredit, read: readReversal},
	{name: "disputes", pattern: "/disputes/{id}/responses", status: 202, prefix: "dr", read: readResponse},
	{name: "messages", pattern: "/messages", status: 202, prefix: "em", read: readMessage},
}

// refusesForGood is the refusal that repeating cannot change: a response has no
// destination, and a message no account.
func (op *operation) refusesForGood() *problem {
	p := &problem{status: http.StatusUnprocessableEntity, code: "account_closed", message: "The destination is closed for good."}
	switch op.name {
	case "disputes":
		p.code, p.message = "dispute_closed", "The dispute is closed and takes no response any more."
	case "messages":
		p.code, p.message = "mailbox_closed", "The mailbox is closed for good."
	}
	return p
}

// refusesCurably is the refusal whose cause a person can take away.
func (op *operation) refusesCurably() *problem {
	p := &problem{status: http.StatusPaymentRequired, code: "insufficient_funds", message: "The balance does not cover this."}
	if !op.money() {
		p.message = "The balance does not cover the fee."
	}
	return p
}

// operationNames are the operations and the look-ups.
func operationNames() []string {
	var names []string
	for _, op := range operations {
		names = append(names, op.name)
	}
	for _, c := range collections {
		names = append(names, "get_"+c.name, "list_"+c.name)
	}
	return names
}

// operationName is the proper form of a name, which may also be given in the
// singular or with hyphens; "" where there is no such operation.
func operationName(given string) string {
	word := strings.ReplaceAll(strings.ToLower(given), "-", "_")
	for _, name := range operationNames() {
		if word == name || word+"s" == name {
			return name
		}
	}
	return ""
}

// maxAmount is the largest integer that every JSON reader keeps exactly.
const maxAmount = 1<<53 - 1

type transferBody struct {
	Reference   string         `json:"reference"`
	Destination *string        `json:"destination"`
	Amount      int64          `json:"amount"`
	Currency    string         `json:"currency"`
	Metadata    jsontext.Value `json:"metadata"`
}

func (b *transferBody) object(kind string) (*object, error) {
	if len(b.Metadata) == 0 || b.Metadata.Kind() == 'n' {
		b.Metadata = jsontext.Value("{}")
	}
	err := firstOf(
		checkWord("reference", b.Reference),
		check(b.Destination == nil || *b.Destination != "", "destination: must not be empty"),
		check(b.Amount > 0 && b.Amount <= maxAmount, "amount: must be a positive integer of minor units, at most 2^53-1"),
		check(isCurrency(b.Currency), "currency: must be three upper-case letters"),
		check(b.Metadata.Kind() == '{', "metadata: must be an object"),
	)
	return &object{Object: kind, Reference: b.Reference, Amount: &b.Amount, Currency: &b.Currency,
		Destination: b.Destination, Metadata: b.Metadata}, err
}

func readTransfer(kind string) func(string, []byte) (*object, error) {
	return func(_ string, body []byte) (*object, error) {
		var b transferBody
		if err := decode(body, &b); err != nil {
			return nil, err
		}
		o, err := b.object(kind)
		o.Status, o.AmountReversed = "pending", new(int64)
		return o, firstOf(err, check(b.Destination != nil, "destination: is missing"))
	}
}

func readReversal(source string, body []byte) (*object, error) {
	var b transferBody
	if err := decode(body, &b); err != nil {
		return nil, err
	}
	o, err := b.object(kindReversal)
	o.Status, o.Source = "succeeded", source
	return o, err
}

func readResponse(dispute string, body []byte) (*object, error) {
	var b struct {
		Reference string         `json:"reference"`
		Type      string         `json:"type"`
		Evidence  jsontext.Value `json:"evidence"`
	}
	if err := decode(body, &b); err != nil {
		return nil, err
	}
	return &object{Object: kindResponse, Reference: b.Reference, Type: b.Type, Dispute: dispute, Status: "submitted"}, firstOf(
		checkWord("reference", b.Reference),
		check(b.Type == "contest" || b.Type == "accept", "type: must be contest or accept"),
	)
}

func readMessage(_ string, body []byte) (*object, error) {
	var b struct {
		MessageID string `json:"message_id"`
		To        string `json:"to"`
		Template  string `json:"template"`
		Subject   string `json:"subject"`
		HTML      string `json:"html"`
		Text      string `json:"text"`
	}
	if err := decode(body, &b); err != nil {
		return nil, err
	}
	return &object{Object: kindMessage, Reference: b.MessageID, MessageID: b.MessageID, To: b.To,
			Template: b.Template, Subject: b.Subject, Status: "queued"}, firstOf(
			checkWord("message_id", b.MessageID),
			check(b.To != "", "to: is missing"),
			check(b.HTML != "" || b.Text != "", "html, text: one of them must hold the message"),
		)
}

// decode is strict: unknown and duplicate members, fractions and trailing
// text are refused.
func decode(body []byte, into any) error {
	err := json.Unmarshal(body, into, json.RejectUnknownMembers(true))
	if err == nil {
		return nil
	}
	if wrong, ok := errors.AsType[*json.SemanticError](err); ok {
		where := string(wrong.JSONPointer)
		if errors.Is(wrong.Err, json.ErrUnknownName) {
			return invalid(where + ": is not a member of this request")
		}
		return invalid(where + ": has the wrong type")
	}
	return &problem{status: http.StatusBadRequest, code: "invalid_body", message: "The body is not one JSON value without duplicate members."}
}

func check(ok bool, message string) error {
	if ok {
		return nil
	}
	return invalid(message)
}

// checkWord takes what references and keys may be: 1 to 255 printable ASCII.
func checkWord(name, word string) error {
	return check(isWord(word), name+": must be 1 to 255 characters of printable ASCII")
}

func isWord(word string) bool {
	for _, b := range []byte(word) {
		if b < ' ' || b > '~' {
			return false
		}
	}
	return word != "" && len(word) <= 255
}

func isCurrency(code string) bool {
	for _, b := range []byte(code) {
		if b < 'A' || b > 'Z' {
			return false
		}
	}
	return len(code) == 3
}

func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
