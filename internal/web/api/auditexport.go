package api

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humaecho"

	"countersign/internal/audit"
	"countersign/internal/authz"
	"countersign/internal/model"
	"countersign/internal/store"
	"countersign/internal/web/paced"
	"countersign/internal/zone"
)

// exportOperation documents the streams that an export can be.
func (a *api) exportOperation() huma.Operation {
	op := operation("export-audit", http.MethodGet, "/audit/export", "A stream of the numbered entries. JSON Lines is the evidence: "+
		"its last line holds the checkpoint, so that a cut end is seen. CSV is the convenience.")
	file := &huma.Schema{Type: "string", Format: "binary"}
	op.Responses = map[string]*huma.Response{"200": {Description: "The entries.", Content: map[string]*huma.MediaType{
		"application/jsonl": {Schema: file}, "text/csv": {Schema: file}}}}
	return op
}

type exportInput struct {
	Format  string `query:"format" enum:"jsonl,csv" default:"jsonl"`
	From    string `query:"from" maxLength:"40" doc:"A day in the zone, or an RFC 3339 moment; included."`
	To      string `query:"to" maxLength:"40" doc:"A day in the zone, included; or an RFC 3339 moment, not included."`
	Zone    string `query:"zone" maxLength:"64" default:"UTC" doc:"IANA name, of days and of local times in CSV."`
	Account string `query:"account"`
}

// scope checks what is to be exported, and tells every fault.
func (in *exportInput) scope(accounts []string) (audit.Scope, error) {
	var faults []model.Field
	bad := func(location, message string) {
		faults = append(faults, model.Field{Location: "query." + location, Message: message})
	}
	where, known := zone.Find(in.Zone)
	if !known {
		bad("zone", zone.Unknown(in.Zone))
		where = time.UTC
	}
	from, err := audit.ParseFrom(in.From, where)
	if err != nil {
		bad("from", err.Error())
	}
	to, err := audit.ParseTo(in.To, where)
	if err != nil {
		bad("to", err.Error())
	}
	if from != 0 && to != 0 && to <= from {
		bad("to", "ends the span before it begins; a moment is not included, a day is")
	}
	if len(faults) > 0 {
		return audit.Scope{}, badQuery(faults...)
	}
	return audit.Scope{Accounts: audit.Of(accounts...), Format: audit.Format(in.Format), Zone: where, From: from, To: to}, nil
}

func badQuery(faults ...model.Field) error {
	return model.Errorf(model.Invalid, "invalid-params", "The query is not valid.").WithFields(faults...)
}

func (a *api) exportAudit(ctx context.Context, in *exportInput) (*huma.StreamResponse, error) {
	accounts, err := accountsWith(actorOf(ctx), in.Account, authz.ExportAudit)
	if err != nil {
		return nil, a.denyExport(ctx, in.Account, err)
	}
	scope, err := in.scope(accounts)
	if err != nil {
		return nil, err
	}
	if err := a.Log.Intact(ctx, scope); err != nil {
		return nil, err
	}
	if err := a.noteExport(ctx, accounts, scope); err != nil {
		return nil, err
	}
	return &huma.StreamResponse{Body: func(out huma.Context) { a.stream(out, scope) }}, nil
}

// denyExport records a denial in the account that was named, or in all of the
// actor's, and gives it back.
func (a *api) denyExport(ctx context.Context, account string, denial error) error {
	accounts := []string{account}
	if account == "" {
		accounts = actorOf(ctx).Accounts()
	}
	return a.Runner.NoteExportDenial(ctx, actorOf(ctx), accounts, denial)
}

// noteExport records the export, in the log of every account that it holds,
// before its first byte leaves.
func (a *api) noteExport(ctx context.Context, accounts []string, scope audit.Scope) error {
	actor := actorOf(ctx)
	return a.DB.Update(ctx, func(tx *store.Tx) error {
		for _, account := range accounts {
			_, err := a.Log.Append(tx, audit.Entry{Event: "audit.exported", Account: account, Result: "executed",
				Actor:  audit.Actor{Type: string(actor.Type), ID: actor.ID, Name: actor.Name, Roles: actor.RolesIn(account)},
				Detail: map[string]any{"format": string(scope.Format), "from": scope.From.String(), "to": scope.To.String(), "zone": scope.Zone.String()}})
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// stream writes the export. Where that fails half-way the connection is cut,
// so that nobody takes the part for the whole.
func (a *api) stream(out huma.Context, scope audit.Scope) {
	media := map[audit.Format]string{audit.JSONL: "application/jsonl", audit.CSV: "text/csv; charset=utf-8"}[scope.Format]
	out.SetHeader("Content-Type", media)
	out.SetHeader("Content-Disposition", `attachment; filename="audit.`+string(scope.Format)+`"`)
	c := humaecho.Unwrap(out)
	if err := a.Log.Export(out.Context(), paced.New(c.Response()), scope); err != nil {
		a.Logger.ErrorContext(out.Context(), "export broke off", "request", requestID(c), "error", err)
		panic(http.ErrAbortHandler)
	}
}
