package api

import (
	"context"
	"net/http"

	"countersign/internal/actions"
	"countersign/internal/authz"
)

func (a *api) workerRoutes() {
	route(a, operation("list-workers", http.MethodGet, "/workers", "The starts of processes that drive intents: those first that are not known to be dead, "+
		"then the newest. For people; a service key sees none."), a.listWorkers)
	route(a, operation("get-worker", http.MethodGet, "/workers/{id}", "One start of a process."), a.getWorker)
	route(a, operation("declare-worker-dead", http.MethodPost, "/workers/{id}/declare-dead", "Records, on the word of an administrator who ended it, that a process is dead. "+
		"What it held is recovered at once; when its deadlines have passed, “not found” can be final. First end it: a living one may still send.",
		http.StatusConflict), a.declareDead)
}

// Worker is one start of a process that drives intents of every account.
type Worker struct {
	ID         string  `json:"id"`
	Host       string  `json:"host"`
	PID        int     `json:"pid"`
	State      string  `json:"state" enum:"alive,silent,dead" doc:"Silent: not known to be dead, and not seen for longer than a lease."`
	Workers    int     `json:"workers" doc:"Effects and look-ups under way at most."`
	Leases     int     `json:"leases" doc:"Held now, on intents of your accounts."`
	StartedAt  *string `json:"started_at" format:"date-time"`
	SeenAt     *string `json:"seen_at" format:"date-time"`
	DeadAt     *string `json:"dead_at" format:"date-time" doc:"Since when it is known dead."`
	KnownBy    *string `json:"known_by" doc:"How that is known: itself, its machine's lock, or who declared it."`
	MayDeclare *bool   `json:"may_declare_dead" doc:"Whether the caller may declare it dead; null in lists."`
	MayBecause *string `json:"may_because"`
}

func workerOf(w actions.Worker) Worker {
	state := "alive"
	switch {
	case w.DeadAt != 0:
		state = "dead"
	case w.Silent:
		state = "silent"
	}
	return Worker{ID: w.ID, Host: w.Host, PID: w.PID, State: state, Workers: w.Boot.Workers, Leases: w.Leases, StartedAt: moment(w.StartedAt),
		SeenAt: moment(w.SeenAt), DeadAt: moment(w.DeadAt), KnownBy: text(w.DeclaredBy)}
}

type listWorkersInput struct {
	Cursor string `query:"cursor" maxLength:"512"`
	Limit  int    `query:"limit" minimum:"1" maximum:"200" default:"50"`
}

func (a *api) listWorkers(ctx context.Context, in *listWorkersInput) (*listAnswer[Worker], error) {
	if _, err := accountsWith(actorOf(ctx), "", authz.ReadIntents); err != nil {
		return nil, err
	}
	page, err := a.Runner.Workers(ctx, actorOf(ctx), in.Cursor, in.Limit)
	if err != nil {
		return nil, err
	}
	out := &listAnswer[Worker]{List[Worker]{Items: []Worker{}, NextCursor: page.NextCursor, Count: page.Count, CountCapped: page.CountCapped}}
	for _, w := range page.Items {
		out.Body.Items = append(out.Body.Items, workerOf(w))
	}
	return out, nil
}

type workerAnswer struct{ Body Worker }

func (a *api) getWorker(ctx context.Context, in *byID) (*workerAnswer, error) {
	w, may, err := a.Runner.Worker(ctx, actorOf(ctx), in.ID)
	if err != nil {
		return nil, err
	}
	out := &workerAnswer{workerOf(w)}
	out.Body.MayDeclare, out.Body.MayBecause = &may.Allowed, text(may.Because)
	return out, nil
}

// declaration is what a person says who declares a process dead.
type declaration struct {
	Reason  string  `json:"reason" minLength:"8" maxLength:"2000" doc:"How it is known: who ended it, when and how."`
	Confirm *string `json:"confirm" required:"false" doc:"The id once more; needed where it was seen within the length of a lease, and so is very likely alive."`
}

type declareDeadInput struct {
	ID   string `path:"id"`
	Body strict[declaration]
}

func (a *api) declareDead(ctx context.Context, in *declareDeadInput) (*workerAnswer, error) {
	said := actions.Declaration{Reason: in.Body.value.Reason}
	if in.Body.value.Confirm != nil {
		said.Confirm = *in.Body.value.Confirm
	}
	w, err := a.Runner.DeclareDead(ctx, actorOf(ctx), in.ID, said)
	if err != nil {
		return nil, err
	}
	a.Wake()
	return &workerAnswer{workerOf(w)}, nil
}
