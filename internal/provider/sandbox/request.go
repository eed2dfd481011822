package sandbox

import (
	"bytes"
	"encoding/json"
	"net/http"
	"regexp"

	"countersign/internal/model"
	"countersign/internal/provider"
)

// transferBody is the body of transfers and reversals. Members stand in the
// order of the fields and metadata in the order of its names, so that the same
// order gives the same bytes.
type transferBody struct {
	Reference   string            `json:"reference"`
	Destination string            `json:"destination,omitempty"`
	Amount      int64             `json:"amount"`
	Currency    string            `json:"currency"`
	Metadata    map[string]string `json:"metadata,omitempty"`
}

type responseBody struct {
	Reference string          `json:"reference"`
	Type      string          `json:"type"`
	Evidence  []provider.Item `json:"evidence"`
}

type messageBody struct {
	MessageID string `json:"message_id"`
	To        string `json:"to"`
	Template  string `json:"template"`
	Subject   string `json:"subject"`
	HTML      string `json:"html"`
	Text      string `json:"text"`
}

// pathWord is what may stand in a path as the id of an object: no separator, no
// leading dot.
var pathWord = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.:-]*$`)

// Request gives the bytes of an order. The error is of kind Invalid.
func (a *Adapter) Request(o provider.Order) (provider.Request, error) {
	if o.StepKey == "" {
		return provider.Request{}, incomplete(o, "its step key")
	}
	path, body, missing := write(o)
	if missing != "" {
		return provider.Request{}, incomplete(o, missing)
	}
	raw, err := encode(body)
	return provider.Request{Method: http.MethodPost, URL: a.cfg.URL + path, ContentType: "application/json", Body: raw}, err
}

// write gives path and body of an order, or names what it lacks.
func write(o provider.Order) (path string, body any, missing string) {
	switch o.Operation {
	case model.PayoutCreate:
		return "/payouts", transfer(o), lacksMoney(o, o.Destination != "")
	case model.CreditCreate:
		return "/credits", transfer(o), lacksMoney(o, o.Destination != "")
	case model.PayoutReverse:
		return "/payouts/" + o.Object + "/reversals", transfer(o), lacksMoney(o, pathWord.MatchString(o.Object))
	case model.CreditReverse:
		return "/credits/" + o.Object + "/reversals", transfer(o), lacksMoney(o, pathWord.MatchString(o.Object))
	case model.DisputeRespond:
		return writeResponse(o)
	case model.MessageSend:
		return writeMessage(o)
	}
	return "", nil, "an operation that the sandbox serves"
}

func transfer(o provider.Order) transferBody {
	return transferBody{Reference: o.StepKey, Destination: o.Destination, Amount: o.Amount, Currency: o.Currency, Metadata: o.Metadata}
}

// lacksMoney names what a transfer lacks; counterpart says whether the other
// side of it is known: the destination, or the object to reverse.
func lacksMoney(o provider.Order, counterpart bool) string {
	switch {
	case o.Amount <= 0 || o.Currency == "":
		return "a positive amount with its currency"
	case !counterpart:
		return "a usable destination or object"
	}
	return ""
}

func writeResponse(o provider.Order) (path string, body any, missing string) {
	switch {
	case !pathWord.MatchString(o.Object):
		return "", nil, "a usable dispute"
	case o.Response != "contest" && o.Response != "accept":
		return "", nil, "a response: contest or accept"
	}
	evidence := o.Evidence
	if evidence == nil {
		evidence = []provider.Item{} // an empty list, not null
	}
	return "/disputes/" + o.Object + "/responses", responseBody{Reference: o.StepKey, Type: o.Response, Evidence: evidence}, ""
}

func writeMessage(o provider.Order) (path string, body any, missing string) {
	m := o.Message
	if m == nil || m.To == "" || m.HTML == "" && m.Text == "" {
		return "", nil, "a message with an address and a text"
	}
	return "/messages", messageBody{MessageID: provider.MessageID(o.StepKey), To: m.To, Template: m.Template,
		Subject: m.Subject, HTML: m.HTML, Text: m.Text}, ""
}

// encode leaves <, > and & as they are: people read these bytes in previews.
func encode(body any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(body)
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), err
}

func incomplete(o provider.Order, lacks string) error {
	return model.Errorf(model.Invalid, "invalid-params", "the order %s lacks %s", o.Operation, lacks)
}
