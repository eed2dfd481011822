package api

import (
	"context"
	"net/http"
	"strconv"

	"countersign/internal/audit"
	"countersign/internal/authz"
	"countersign/internal/model"
	"countersign/internal/store"
)

func (a *api) auditRoutes() {
	route(a, operation("list-audit", http.MethodGet, "/audit", "Numbered entries of the log, in the order of their indexes. "+
		"next_cursor is the value of after for the next page."), a.listAudit)
	route(a, operation("get-audit-entry", http.MethodGet, "/audit/{index}", "One entry, by its index, or by its id also before it is numbered."), a.getAudit)
	route(a, a.exportOperation(), a.exportAudit)
	route(a, operation("get-audit-checkpoint", http.MethodGet, "/audit/checkpoint", "The newest checkpoint: the log's size and RFC 6962 root."), a.getCheckpoint)
	route(a, operation("prove-audit-inclusion", http.MethodGet, "/audit/inclusion", "The proof that an entry is in the log of a size."), a.proveInclusion)
	route(a, operation("prove-audit-consistency", http.MethodGet, "/audit/consistency", "The proof that an earlier log is the beginning of a later one."), a.proveConsistency)
}

type listAuditInput struct {
	After   int64  `query:"after" minimum:"-1" default:"-1" doc:"Only entries with a greater index."`
	Limit   int    `query:"limit" minimum:"1" maximum:"200" default:"50"`
	Event   string `query:"event" maxLength:"100" doc:"An event, or the beginning of one that ends in a dot."`
	Intent  string `query:"intent" maxLength:"100"`
	Actor   string `query:"actor" maxLength:"100" doc:"Id of a person or key."`
	Account string `query:"account"`
}

func (a *api) listAudit(ctx context.Context, in *listAuditInput) (*listAnswer[AuditItem], error) {
	accounts, err := accountsWith(actorOf(ctx), in.Account, authz.ReadAudit)
	if err != nil {
		return nil, err
	}
	f := audit.Filter{Accounts: audit.Of(accounts...), Event: in.Event, Intent: in.Intent, Actor: in.Actor}
	out := &listAnswer[AuditItem]{List[AuditItem]{Items: []AuditItem{}}}
	err = a.read(ctx, func(tx *store.Tx) error {
		n, err := a.Log.Count(tx, f, store.MaxCount+1)
		if err != nil {
			return err
		}
		out.Body.Count, out.Body.CountCapped = min(n, store.MaxCount), n > store.MaxCount
		f.After, f.Limit = &in.After, in.Limit+1 // one more tells whether there is a next page
		items, err := a.Log.List(tx, f)
		for _, item := range items[:min(len(items), in.Limit)] {
			out.Body.Items = append(out.Body.Items, auditItemOf(item))
		}
		if len(items) > in.Limit {
			out.Body.NextCursor = text(strconv.FormatInt(*items[in.Limit-1].Index, 10))
		}
		return err
	})
	return out, err
}

type auditAnswer struct{ Body AuditItem }

type getAuditInput struct {
	Index string `path:"index" maxLength:"100" doc:"An index, or an entry's id."`
}

func (a *api) getAudit(ctx context.Context, in *getAuditInput) (*auditAnswer, error) {
	who, err := readableLog(actorOf(ctx))
	if err != nil {
		return nil, err
	}
	out := &auditAnswer{}
	err = a.read(ctx, func(tx *store.Tx) error {
		item, err := a.entry(tx, who, in.Index)
		if err == nil {
			out.Body = auditItemOf(item)
		}
		return err
	})
	return out, err
}

// entry finds an entry by its index or id.
func (a *api) entry(tx *store.Tx, who audit.Accounts, name string) (audit.Item, error) {
	if index, err := strconv.ParseInt(name, 10, 64); err == nil {
		return a.Log.ByIndex(tx, who, index)
	}
	return a.Log.ByID(tx, who, name)
}

// readableLog is the part of the log that an actor may read.
func readableLog(actor authz.Actor) (audit.Accounts, error) {
	accounts, err := accountsWith(actor, "", authz.ReadAudit)
	return audit.Of(accounts...), err
}

// outOfRange places what the log has not in the query.
func outOfRange(err error, location string) error {
	if err == nil || model.KindOf(err) != model.Invalid {
		return err
	}
	return model.Errorf(model.Invalid, "invalid-params", "The log has no such part: %w", err).
		WithFields(model.Field{Location: location, Message: "is out of range"})
}
