package api

import (
	"encoding/hex"
	"encoding/json"

	"countersign/internal/model"
)

// Intent is one requested outcome as callers see it.
type Intent struct {
	ID          string          `json:"id"`
	Key         string          `json:"key" doc:"The caller's idempotency key."`
	Kind        string          `json:"kind" enum:"payout,statement,dispute,compensation"`
	Account     string          `json:"account"`
	State       string          `json:"state" enum:"received,processing,awaiting_approval,needs_review,retryable_failure,terminal_failure,completed,compensating,compensated,abandoned"`
	Reason      string          `json:"reason" doc:"The sentence that goes with the state."`
	Amount      *int64          `json:"amount" doc:"Minor units."`
	Currency    *string         `json:"currency" doc:"ISO 4217."`
	Exposure    int64           `json:"exposure" doc:"Money confirmed, less what came back, plus money uncertain; minor units."`
	Version     int64           `json:"version" doc:"Also the ETag."`
	CreatedAt   *string         `json:"created_at" format:"date-time"`
	Fingerprint string          `json:"fingerprint" doc:"SHA-256 of the meaningful params, hex."`
	Params      json.RawMessage `json:"params" doc:"As accepted."`
	Owner       *string         `json:"owner" doc:"Id of the person who took it; null is the account's operators."`
	Parent      *string         `json:"parent" doc:"The intent that a compensation undoes."`
	LookAlikes  int             `json:"look_alikes" doc:"How many others have the same payee, amount and period; at most 10000 are counted."`
	Steps       []Step          `json:"steps" nullable:"false"`
	Actions     []Verdict       `json:"actions" nullable:"false" doc:"All five actions, allowed or refused, with the reason."`
}

// Step is one piece of an intent.
type Step struct {
	Name            string     `json:"name"`
	Key             string     `json:"key" doc:"The durable step key of the present generation."`
	WireKey         *string    `json:"wire_key" doc:"The step key as the provider takes it."`
	Generation      int        `json:"generation"`
	Class           string     `json:"class" enum:"pure,local,keyed,unkeyed,message"`
	State           string     `json:"state" enum:"pending,in_progress,confirmed,failed_safely,outcome_unknown,not_needed"`
	Settling        bool       `json:"settling" doc:"Accepted by the provider, not final."`
	Provider        *string    `json:"provider"`
	ExternalRef     *string    `json:"external_ref" doc:"The provider's object."`
	Amount          *int64     `json:"amount" doc:"Minor units at stake, in the intent's currency."`
	Attempts        []Attempt  `json:"attempts" nullable:"false"`
	Evidence        []Evidence `json:"evidence" nullable:"false"`
	SafeUntil       *string    `json:"safe_until" format:"date-time" doc:"Until when the same request may be sent again while the outcome is unknown."`
	NextTryAt       *string    `json:"next_try_at" format:"date-time"`
	NotFoundFinalAt *string    `json:"not_found_final_at" format:"date-time" doc:"From when a look-up that finds nothing proves that nothing happened."`
	CompensatedBy   *string    `json:"compensated_by" doc:"The intent that undoes this step."`
}

// Attempt is one try of one step.
type Attempt struct {
	Number      int     `json:"number"`
	Generation  int     `json:"generation"`
	WireKey     *string `json:"wire_key"`
	Trigger     string  `json:"trigger" enum:"engine,retry,operator,recovery"`
	Worker      string  `json:"worker"`
	StartedAt   *string `json:"started_at" format:"date-time"`
	FinishedAt  *string `json:"finished_at" format:"date-time"`
	Result      *string `json:"result" enum:"done,confirmed,accepted,not_sent,throttled,rejected_permanent,rejected_curable,failed_after_accepted,unknown,did_not_happen" doc:"Null while the attempt is open."`
	Reason      *string `json:"reason"`
	RequestID   *string `json:"request_id" doc:"The provider's id of the request."`
	Connections int     `json:"connections"`
	BytesOut    int64   `json:"bytes_out"`
	Status      *int    `json:"status" doc:"The HTTP status that came back."`
	Replayed    bool    `json:"replayed" doc:"The provider replayed an earlier answer."`
}

// Evidence is one observation about a step.
type Evidence struct {
	Source   string    `json:"source" enum:"response,query,webhook,bank_file,operator,rule,late"`
	Says     string    `json:"says" enum:"happened,did_not_happen,inconclusive,conflict,returned"`
	At       *string   `json:"at" format:"date-time"`
	By       *string   `json:"by"`
	Ref      *string   `json:"ref" doc:"The provider's object."`
	WireKey  *string   `json:"wire_key"`
	Amount   *int64    `json:"amount"`
	Currency *string   `json:"currency"`
	Detail   *string   `json:"detail"`
	Document *Document `json:"document"`
}

// Document is what a person's statement rests on: a link, or an upload.
type Document struct {
	_      struct{} `nullable:"true"`
	URL    *string  `json:"url"`
	Upload *string  `json:"upload" doc:"Id of an upload."`
	SHA256 *string  `json:"sha256"`
}

// intentOf shapes an intent. lookAlikes and verdicts are found out by the caller.
func intentOf(c *model.Case, lookAlikes int, verdicts []Verdict, t model.Timing) Intent {
	shape := Intent{ID: c.ID, Key: c.Key, Kind: c.Kind, Account: c.Account, State: string(c.State), Reason: c.Reason,
		Amount: amountIn(c.Amount, c.Currency), Currency: text(c.Currency), Exposure: c.Exposure(), Version: c.Version,
		CreatedAt: moment(c.CreatedAt), Fingerprint: hex.EncodeToString(c.Fingerprint), Params: json.RawMessage(c.Params),
		Owner: text(c.Owner), Parent: text(c.Parent), LookAlikes: lookAlikes, Steps: []Step{}, Actions: verdicts}
	for _, s := range c.Steps {
		shape.Steps = append(shape.Steps, stepOf(c, s, t))
	}
	return shape
}

// moved is the step's amount: what really moved once that is known, until then
// what was asked for.
func moved(s *model.Step) int64 {
	if s.State == model.Confirmed && s.Moved != 0 {
		return s.Moved
	}
	return s.Amount
}

func stepOf(c *model.Case, s *model.Step, t model.Timing) Step {
	shape := Step{Name: s.Name, Key: s.Key(), WireKey: text(s.WireKey), Generation: s.Generation, Class: string(s.Class),
		State: string(s.State), Settling: s.Settling, Provider: text(s.Provider), ExternalRef: text(s.ExternalRef),
		Amount: amountIn(moved(s), s.Currency), NextTryAt: moment(s.NextTryAt), CompensatedBy: text(undoneBy(c, s)),
		Attempts: []Attempt{}, Evidence: []Evidence{}}
	if until, ok := s.SafeUntil(t.Call); ok && !s.State.Done() {
		shape.SafeUntil = moment(until)
	}
	if at, ok := c.NotFoundFinalAt(s); ok && !s.State.Done() {
		shape.NotFoundFinalAt = moment(at)
	}
	for i := range s.Attempts {
		shape.Attempts = append(shape.Attempts, attemptOf(&s.Attempts[i]))
	}
	for i := range s.Evidence {
		shape.Evidence = append(shape.Evidence, evidenceOf(&s.Evidence[i]))
	}
	return shape
}

// undoneBy is the compensation that took the step back or is about to, or "":
// the one of this step, or of an earlier one, which takes every later confirmed
// effect with it.
func undoneBy(c *model.Case, s *model.Step) string {
	if done := c.UndoneBy(s); done != "" {
		return done
	}
	for _, k := range c.Compensations {
		from := c.Step(k.Step)
		later := from != nil && from.Position < s.Position && s.State == model.Confirmed && s.HasUndo()
		if k.UnderWay() && (from == s || later) {
			return k.ChildID
		}
	}
	return ""
}

func attemptOf(a *model.Attempt) Attempt {
	shape := Attempt{Number: a.Number, Generation: a.Generation, WireKey: text(a.WireKey), Trigger: string(a.Trigger), Worker: a.Worker,
		StartedAt: moment(a.StartedAt), FinishedAt: moment(a.FinishedAt), Result: text(string(a.Result)), Reason: text(a.Reason),
		RequestID: text(a.RequestID), Connections: a.Connections, BytesOut: a.BytesOut, Replayed: a.Replayed}
	if a.Status != 0 {
		shape.Status = &a.Status
	}
	return shape
}

func evidenceOf(e *model.Evidence) Evidence {
	return Evidence{Source: string(e.Source), Says: string(e.Says), At: moment(e.At), By: text(e.By), Ref: text(e.Ref),
		WireKey: text(e.WireKey), Amount: amountIn(e.Amount, e.Currency), Currency: text(e.Currency), Detail: text(e.Detail),
		Document: documentOf(e.Document, e.DocSHA256)}
}
