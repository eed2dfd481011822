package api

import (
	"encoding/json"
	"fmt"

	"countersign/internal/actions"
	"countersign/internal/model"
)

// Verdict says whether an action may be taken on a step, and why.
type Verdict struct {
	Action    string   `json:"action" enum:"retry_unfinished,reconcile,mark_external_result,compensate,abandon"`
	Step      *string  `json:"step" doc:"A step's name; null where the action is about none."`
	Allowed   bool     `json:"allowed"`
	Rule      string   `json:"rule"`
	Because   string   `json:"because"`
	People    int      `json:"people" enum:"1,2" doc:"How many people it takes."`
	Approvers []string `json:"approvers" nullable:"false" doc:"Names of those who may sign as the second."`
}

// Preview is a stored plan that waits for its own actor's confirmation.
type Preview struct {
	ID        string  `json:"id"`
	Intent    string  `json:"intent"`
	Action    string  `json:"action" enum:"retry_unfinished,reconcile,mark_external_result,compensate,abandon"`
	Step      *string `json:"step"`
	Digest    string  `json:"digest" doc:"Seals the plan; a confirmation names it."`
	Version   int64   `json:"version" doc:"The intent's, when it was planned."`
	Plan      Plan    `json:"plan"`
	People    int     `json:"people" enum:"1,2"`
	ExpiresAt *string `json:"expires_at" format:"date-time"`
}

// Plan says exactly what an action would do.
type Plan struct {
	Calls     []Call        `json:"calls" nullable:"false" doc:"What is sent or asked."`
	Untouched []PlannedStep `json:"untouched" nullable:"false" doc:"What is left as it is."`
	Then      []PlannedStep `json:"then" nullable:"false" doc:"What the engine goes on with afterwards."`
	Changes   []Change      `json:"changes" nullable:"false" doc:"What becomes another state by the action itself."`
}

// Call is one request as it would go out.
type Call struct {
	Step       string  `json:"step"`
	StepKey    string  `json:"step_key"`
	WireKey    *string `json:"wire_key"`
	Generation int     `json:"generation"`
	Class      string  `json:"class" enum:"pure,local,keyed,unkeyed,message"`
	Method     *string `json:"method" doc:"Null for work inside the database."`
	URL        *string `json:"url"`
	Body       *string `json:"body"`
	BodySHA256 *string `json:"body_sha256"`
	SentBefore int     `json:"sent_before" doc:"In this generation."`
	LastSentAt *string `json:"last_sent_at" format:"date-time"`
	OnRepeat   *string `json:"on_repeat" doc:"What the provider does with a repeat."`
	SafeUntil  *string `json:"safe_until" format:"date-time"`
}

// PlannedStep names a step that is not acted on.
type PlannedStep struct {
	Step    string `json:"step"`
	StepKey string `json:"step_key"`
	Class   string `json:"class" enum:"pure,local,keyed,unkeyed,message"`
	State   string `json:"state"`
}

// Change is one change of state.
type Change struct {
	Subject string `json:"subject" doc:"A step key, or an intent's id."`
	From    string `json:"from"`
	To      string `json:"to"`
	Because string `json:"because"`
}

// Receipt answers a confirmation or a decision.
type Receipt struct {
	Outcome      string  `json:"outcome" enum:"executed,awaiting_approval,recorded" doc:"recorded is a rejection or a withdrawal."`
	Intent       string  `json:"intent"`
	Attempt      *int    `json:"attempt" doc:"Number of the one attempt that was ordered."`
	Approval     *string `json:"approval"`
	Compensation *string `json:"compensation" doc:"The intent that undoes."`
	Audit        string  `json:"audit" doc:"Id of the audit entry."`
}

func verdictsOf(list []actions.Verdict) []Verdict {
	shapes := make([]Verdict, 0, len(list))
	for _, v := range list {
		shapes = append(shapes, Verdict(v))
	}
	return shapes
}

func previewOf(p actions.Preview) Preview {
	return Preview{ID: p.ID, Intent: p.Intent, Action: p.Action, Step: p.Step, Digest: p.Digest, Version: p.Version,
		Plan: planOf(p.Plan), People: p.People, ExpiresAt: moment(p.ExpiresAt)}
}

// storedPlan shapes a plan as it was stored.
func storedPlan(raw []byte) (Plan, error) {
	var p model.Plan
	if err := json.Unmarshal(raw, &p); err != nil {
		return Plan{}, fmt.Errorf("read a stored plan: %w", err)
	}
	return planOf(p), nil
}

func planOf(p model.Plan) Plan {
	shape := Plan{Calls: []Call{}, Untouched: plannedOf(p.Untouched), Then: plannedOf(p.Then), Changes: []Change{}}
	for _, c := range p.Calls {
		shape.Calls = append(shape.Calls, callOf(c))
	}
	for _, c := range p.Changes {
		shape.Changes = append(shape.Changes, Change(c))
	}
	return shape
}

func callOf(c model.PlannedCall) Call {
	return Call{Step: c.Step, StepKey: c.StepKey, WireKey: text(c.WireKey), Generation: c.Generation, Class: string(c.Class),
		Method: text(c.Method), URL: text(c.URL), Body: text(c.Body), BodySHA256: text(c.BodySHA256), SentBefore: c.SentBefore,
		LastSentAt: moment(c.LastSentAt), OnRepeat: text(c.OnRepeat), SafeUntil: moment(c.SafeUntil)}
}

func plannedOf(list []model.PlannedStep) []PlannedStep {
	shapes := make([]PlannedStep, 0, len(list))
	for _, s := range list {
		shapes = append(shapes, PlannedStep{Step: s.Step, StepKey: s.StepKey, Class: string(s.Class), State: string(s.State)})
	}
	return shapes
}
