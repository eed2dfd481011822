package provider

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"countersign/internal/model"
)

// Phase is where an object stands, in our words.
type Phase string

// The phases of an object. The zero Phase is a state word that nobody knows.
const (
	Settling Phase = "settling" // taken, final later
	Taken    Phase = "taken"    // done, as far as asked; its state word may still change
	Happened Phase = "happened" // final, and done
	Failed   Phase = "failed"   // final, and not done
	CameBack Phase = "returned" // done, and the money came back by itself
)

// Object is what a provider's answer says about one of its objects.
type Object struct {
	ID          string
	Reference   string // our reference, as the provider has it
	Amount      int64  // minor units
	Currency    string
	Destination string
	Status      string // the provider's own word
	Phase       Phase
	Returned    int64 // minor units that came back by themselves
}

// Meaning is what a refusal says about earlier requests.
type Meaning string

// The meanings. A Plain one says nothing about them: it refuses this request.
const (
	Plain       Meaning = ""
	KeyReused   Meaning = "key_reused"   // the key belongs to a request with other params
	InFlight    Meaning = "in_flight"    // the first one is still at work
	AlreadyMade Meaning = "already_made" // the object is there
	Conflicting Meaning = "conflicting"  // a decided "no" that the provider sends as 409
)

// Refusal is an error in the provider's own form.
type Refusal struct {
	Code     string
	Message  string
	ObjectID string // the object that a request under this key made, or ""
	Meaning  Meaning
}

// Form reads the bodies of one provider. What it cannot read for sure it says
// no to: then the answer counts as nobody's.
type Form interface {
	ReadObject(operation string, body []byte) (Object, bool)
	ReadError(status int, header http.Header, body []byte) (Refusal, bool)
}

// Classify is the one judge of what a call came back as. It is pure. Whatever
// no rule names is model.ResultUnknown.
func Classify(contract model.Contract, form Form, call Call, reply Reply) model.Outcome {
	o := judge(contract, form, call, reply)
	o.HTTPStatus = reply.Status
	o.Connections = reply.Connections
	o.BytesOut = reply.BytesOut
	o.RequestID = call.RequestID
	o.Skew = reply.Skew()
	o.Replayed = contract.ReplayMarker != "" && reply.Header.Get(contract.ReplayMarker) == "true"
	return o
}

func judge(contract model.Contract, form Form, call Call, reply Reply) model.Outcome {
	switch {
	case reply.Status == 0:
		return judgeSilence(reply)
	case reply.Status >= 200 && reply.Status < 300:
		return judgeSuccess(form, call, reply)
	case reply.Status >= 300 && reply.Status < 400:
		return unknown("redirect", "The provider's address answers with a redirect, which is never followed: correct the configured address.")
	case throttles(contract, reply.Status):
		return model.Outcome{Result: model.ResultThrottled, Code: strconv.Itoa(reply.Status),
			Detail: "The provider asks to wait.", RetryAfter: reply.RetryAfter()}
	}
	return judgeError(contract, form, reply)
}

// throttles reports whether the contract promises that this status means "not
// executed".
func throttles(contract model.Contract, status int) bool {
	return slices.Contains(contract.ThrottleCodes, strconv.Itoa(status))
}

// judgeSilence is for calls without an answer. Only what provably never left is
// not sent.
func judgeSilence(reply Reply) model.Outcome {
	notSent := false
	switch reply.Fault {
	case FaultRequest, FaultName, FaultConnect, FaultHandshake, FaultCancelled:
		notSent = reply.Untouched && reply.Connections == 0
	case FaultLate, FaultWrite:
		notSent = reply.Untouched
	}
	if notSent {
		return model.Outcome{Result: model.ResultNotSent, Code: string(reply.Fault), Detail: silence[reply.Fault]}
	}
	return unknown(string(reply.Fault), silence[reply.Fault])
}

// Words says in a sentence what went wrong with a call.
func (f Fault) Words() string { return silence[f] }

// silence says the faults in sentences.
var silence = map[Fault]string{
	FaultRequest:   "The request could not be written down.",
	FaultName:      "The provider's host name was not found.",
	FaultConnect:   "No connection to the provider was had.",
	FaultHandshake: "The TLS handshake with the provider failed.",
	FaultLate:      "The time to send had passed before the first byte.",
	FaultWrite:     "The connection broke before the first byte.",
	FaultAgain:     "The client was about to send a second time, which was stopped: the first request may have been carried out.",
	FaultCancelled: "The call was cancelled.",
	FaultTimeout:   "The provider did not answer in time.",
	FaultReset:     "The connection was reset before an answer.",
	FaultClosed:    "The connection was closed before an answer.",
	FaultGarbled:   "The answer is not HTTP.",
	FaultCut:       "The answer is cut short.",
	FaultLong:      "The answer is longer than 1 MiB.",
}

// judgeSuccess is for 2xx: it counts only if it names what we asked for.
func judgeSuccess(form Form, call Call, reply Reply) model.Outcome {
	if reply.Fault != NoFault {
		return unknown(string(reply.Fault), silence[reply.Fault])
	}
	if len(reply.Body) == 0 {
		return model.Outcome{Result: model.ResultAccepted, Code: "no_body", Detail: "The provider took it and named no object."}
	}
	if !isJSON(reply.Header) {
		return unknown("unreadable", "The answer is not of the type that the provider sends.")
	}
	object, ok := form.ReadObject(call.Operation, reply.Body)
	if !ok || object.ID == "" {
		return unknown("unreadable", "The answer is not in the provider's form.")
	}
	return judgeObject(object, call.Expect)
}

// mismatch compares an object with what was asked for, and gives a code for the
// first difference: "other_key", "other_amount" or "other_destination".
func mismatch(object Object, expect Expect) string {
	switch {
	case expect.Reference == "" || object.Reference != expect.Reference:
		return "other_key"
	case object.Amount != expect.Amount || object.Currency != expect.Currency:
		return "other_amount"
	case expect.Destination != "" && object.Destination != "" && object.Destination != expect.Destination:
		return "other_destination"
	}
	return ""
}

// differs says in which way what was seen is not what was asked for.
func differs(what string, object Object, expect Expect) string {
	switch mismatch(object, expect) {
	case "other_key":
		return what + " names another key or reference."
	case "other_amount":
		seen, asked := model.Money{Amount: object.Amount, Currency: object.Currency}, model.Money{Amount: expect.Amount, Currency: expect.Currency}
		return fmt.Sprintf("%s shows %s where %s was asked for.", what, seen, asked)
	}
	return what + " names another destination."
}

// judgeObject lets the provider's own word decide, if the object is what we
// asked for. One under our reference that differs is kept for the look-up; one
// under another reference is nothing to us.
func judgeObject(object Object, expect Expect) model.Outcome {
	code := mismatch(object, expect)
	if code == "other_key" {
		return unknown(code, differs("The answer", object, expect))
	}
	o := model.Outcome{ExternalRef: object.ID, Amount: object.Amount, Currency: object.Currency, Status: object.Status}
	if code != "" {
		o.Result, o.Code, o.Detail = model.ResultUnknown, code, differs("The answer", object, expect)
		return o
	}
	o.Detail = fmt.Sprintf("The provider says %q.", object.Status)
	o.Final = object.Phase == Happened || object.Phase == CameBack || object.Phase == Failed
	switch object.Phase {
	case Happened, CameBack, Taken:
		o.Result = model.ResultConfirmed
	case Failed:
		o.Result, o.Code = model.ResultFailed, object.Status
	case Settling:
		o.Result = model.ResultAccepted
	default:
		o.Result, o.Code = model.ResultUnknown, "other_status"
	}
	return o
}

// refusals are the statuses that refuse, in the provider's own form. 402 is a
// decline by business rules.
var refusals = []int{400, 401, 402, 403, 404, 405, 410, 413, 415, 422}

// judgeError is for 1xx, 4xx and 5xx.
func judgeError(contract model.Contract, form Form, reply Reply) model.Outcome {
	strange := unknown(fmt.Sprintf("http_%d", reply.Status), "No rule says what this answer means.")
	if reply.Fault != NoFault || !isJSON(reply.Header) {
		return strange
	}
	refusal, ok := form.ReadError(reply.Status, reply.Header, reply.Body)
	if !ok {
		return strange
	}
	if slices.Contains(contract.ThrottleCodes, refusal.Code) {
		return model.Outcome{Result: model.ResultThrottled, Code: refusal.Code, Detail: refusal.Message, RetryAfter: reply.RetryAfter()}
	}
	if !slices.Contains(refusals, reply.Status) && reply.Status != http.StatusConflict {
		return strange
	}
	return judgeRefusal(contract, refusal, reply)
}

// judgeRefusal is for a definite answer in the provider's own form. One that
// speaks of an earlier request leaves the outcome open: that request decides.
func judgeRefusal(contract model.Contract, refusal Refusal, reply Reply) model.Outcome {
	o := model.Outcome{Code: refusal.Code, Detail: refusal.Message, ExternalRef: refusal.ObjectID}
	switch {
	case refusal.Meaning == KeyReused, refusal.Meaning == InFlight, refusal.Meaning == AlreadyMade:
		o.Result, o.Code = model.ResultUnknown, string(refusal.Meaning)
		o.RetryAfter = reply.RetryAfter()
	case reply.Status == http.StatusConflict && refusal.Meaning != Conflicting:
		o.Result = model.ResultUnknown
	case slices.Contains(contract.CurableCodes, refusal.Code):
		o.Result = model.ResultCurable
	default:
		o.Result = model.ResultPermanent
	}
	return o
}

func unknown(code, detail string) model.Outcome {
	return model.Outcome{Result: model.ResultUnknown, Code: code, Detail: detail}
}
