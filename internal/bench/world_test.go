package bench

import (
	"context"
	"log/slog"
	"testing"

	"countersign/internal/actions"
	"countersign/internal/audit"
	"countersign/internal/authz"
	"countersign/internal/model"
	"countersign/internal/provider"
	"countersign/internal/provider/sandbox"
	"countersign/internal/store"
	"countersign/internal/workflow"
)

// account is the one of all that is made here.
const account = "acme"

// world is an installation without an engine: what is taken in stays as it is.
type world struct {
	db     *store.DB
	log    *audit.Log
	runner *actions.Runner
	key    string      // a service key of the account
	person string      // id of its operator
	actor  authz.Actor // who the service key is
}

// wire gives the parts that answer people and callers. No provider is there; none
// is called.
func wire(b testing.TB, db *store.DB) (*world, *provider.Registry) {
	b.Helper()
	adapter := sandbox.New(sandbox.Config{Name: "bank", URL: "http://127.0.0.1:9"})
	registry, err := provider.NewRegistry(map[string]provider.Adapter{"bank": adapter},
		map[string]provider.Routes{provider.AnyAccount: {Payouts: "bank", Credits: "bank", Disputes: "bank", Messages: "bank"}})
	if err != nil {
		b.Fatal(err)
	}
	w := &world{db: db, log: audit.New(db, make([]byte, 32))}
	w.runner = actions.New(db, w.log, workflow.NewBook(registry), model.NormalPace(), authz.DefaultTiers)
	return w, registry
}

// operator is the address of the one person.
const operator = "operator@example.com"

// newWorld fills a new database with one operator and one service key.
func newWorld(b testing.TB, db *store.DB) *world {
	b.Helper()
	w, registry := wire(b, db)
	err := db.Update(context.Background(), func(tx *store.Tx) error {
		if err := tx.RecordContracts(registry.Contracts()); err != nil {
			return err
		}
		if err := tx.EnsureAccount(account); err != nil {
			return err
		}
		p, err := tx.AddPerson(operator, "Priya Raman")
		if err != nil {
			return err
		}
		w.person = p.ID
		for _, role := range []model.Role{model.RoleOperator, model.RoleApprover} {
			if err := tx.Grant(p.ID, account, role); err != nil {
				return err
			}
		}
		if _, w.key, err = tx.AddServiceKey(account, "bench", p.ID, []model.Ability{model.CanReadIntents, model.CanWriteIntents}); err != nil {
			return err
		}
		a, err := tx.ActorByKey(w.key)
		w.actor = authz.Actor(a)
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	return w
}

// quiet logs nothing.
var quiet = slog.New(slog.DiscardHandler)
