package api

import (
	"context"
	"net/http"

	"countersign/internal/actions"
	"countersign/internal/store"
)

func (a *api) holdRoutes() {
	route(a, operation("get-hold", http.MethodGet, "/hold", "The newest restore hold: whether nothing is sent because the database was restored, "+
		"and what is missing before two administrators can lift it."), a.getHold)
	route(a, operation("end-older-processes", http.MethodPost, "/hold/processes-ended", "An administrator declares that every process which drove "+
		"this installation before the hold is ended.", http.StatusConflict), a.endProcesses)
	route(a, operation("lift-hold", http.MethodPost, "/hold/lift", "An administrator wants the hold lifted; the second one, another person, lifts it.",
		http.StatusConflict), a.liftHold)
}

// Hold is the newest restore hold.
type Hold struct {
	Held         bool         `json:"held"`
	ID           *string      `json:"id" doc:"Null where the database was never restored; so are the members below."`
	Cause        *string      `json:"cause" enum:"copy,older,differs"`
	Since        *string      `json:"since" format:"date-time"`
	RestoredFrom *string      `json:"restored_from" format:"date-time"`
	SearchFrom   *string      `json:"search_from" format:"date-time" doc:"Providers are searched from here on."`
	Phase        *string      `json:"phase" enum:"doubt,sweep,check,wait,wake,over"`
	KeptSize     *int64       `json:"kept_size" doc:"Entries of the audit log as it was found."`
	OldSize      *int64       `json:"old_size" doc:"Entries of the log that was lost, as far as known from outside."`
	Turned       int64        `json:"turned" doc:"Effects that were made unknown."`
	Unknown      int          `json:"unknown" doc:"Effects that are unknown at present, at most 10,000."`
	EndedAt      *string      `json:"older_processes_ended_at" format:"date-time"`
	QuietAt      *string      `json:"quiet_at" format:"date-time" doc:"When nothing that an older process sent can still act."`
	SearchedAt   *string      `json:"searched_at" format:"date-time"`
	MayLift      bool         `json:"may_lift"`
	Rule         *string      `json:"rule" doc:"Why it cannot be lifted yet."`
	Because      *string      `json:"because"`
	Lifters      []HoldLifter `json:"lifters"`
	LiftedAt     *string      `json:"lifted_at" format:"date-time"`
}

// HoldLifter is an administrator who wants the hold lifted.
type HoldLifter struct {
	By     string  `json:"by"`
	Reason string  `json:"reason"`
	At     *string `json:"at" format:"date-time"`
}

func holdOf(s actions.HoldState) Hold {
	shape := Hold{Lifters: []HoldLifter{}}
	h := s.Hold
	if h == nil {
		return shape
	}
	quiet, _ := h.QuietAt()
	if h.DeadAt == 0 {
		quiet = 0
	}
	shape = Hold{Held: h.On(), ID: text(h.ID), Cause: text(string(h.Cause)), Since: moment(h.Since), RestoredFrom: moment(h.RestoredFrom),
		SearchFrom: moment(h.SweepFrom), Phase: text(string(h.Phase)), KeptSize: &h.KeptSize, OldSize: &h.OldSize, Turned: h.Turned, Unknown: s.Open,
		EndedAt: moment(h.DeadAt), QuietAt: moment(quiet), SearchedAt: moment(h.SweptAt), MayLift: s.Missing == nil,
		LiftedAt: moment(h.LiftedAt), Lifters: shape.Lifters}
	if s.Missing != nil {
		shape.Rule, shape.Because = text(s.Missing.Rule), text(s.Missing.Because)
	}
	for _, l := range s.Lifters {
		shape.Lifters = append(shape.Lifters, HoldLifter{By: l.Name, Reason: l.Reason, At: moment(l.At)})
	}
	return shape
}

type holdAnswer struct{ Body Hold }

func (a *api) getHold(ctx context.Context, _ *struct{}) (*holdAnswer, error) {
	var state actions.HoldState
	err := a.read(ctx, func(tx *store.Tx) (err error) { state, err = actions.ReadHold(tx); return err })
	return &holdAnswer{holdOf(state)}, err
}

// holdReason is the body of an act on the hold.
type holdReason struct {
	Reason string `json:"reason" minLength:"8" doc:"Goes into the audit log."`
}

type holdInput struct{ Body strict[holdReason] }

func (a *api) endProcesses(ctx context.Context, in *holdInput) (*holdAnswer, error) {
	if err := a.Runner.DeclareEnded(ctx, actorOf(ctx), in.Body.value.Reason); err != nil {
		return nil, err
	}
	a.Wake() // the search can go on
	return a.getHold(ctx, nil)
}

func (a *api) liftHold(ctx context.Context, in *holdInput) (*holdAnswer, error) {
	if _, err := a.Runner.LiftHold(ctx, actorOf(ctx), in.Body.value.Reason); err != nil {
		return nil, err
	}
	a.Wake()
	return a.getHold(ctx, nil)
}
