package provider

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"countersign/internal/model"
)

// Routes says which configured provider serves which group of operations of one
// account. An empty name means that the account has none for the group.
type Routes struct {
	Payouts  string `toml:"payouts"`
	Credits  string `toml:"credits"`
	Disputes string `toml:"disputes"`
	Messages string `toml:"messages"`
}

// AnyAccount names the routes of accounts that have none of their own.
const AnyAccount = "*"

// group gives the provider's name for an operation: the part before the dot
// decides, so an undo always goes where its effect went.
func (r Routes) group(operation string) string {
	noun, _, _ := strings.Cut(operation, ".")
	switch noun {
	case "payout":
		return r.Payouts
	case "credit":
		return r.Credits
	case "dispute":
		return r.Disputes
	case "message":
		return r.Messages
	}
	return ""
}

func (r Routes) names() map[string]string {
	return map[string]string{"payouts": r.Payouts, "credits": r.Credits, "disputes": r.Disputes, "messages": r.Messages}
}

// Registry holds the configured providers and which of them serves whom. It
// never changes once made, and may be used by many goroutines.
type Registry struct {
	adapters map[string]Adapter
	routes   map[string]Routes
}

// NewRegistry makes a registry from adapters by configured name and routes by
// account. The error is of kind Invalid and names every route that leads
// nowhere.
func NewRegistry(adapters map[string]Adapter, routes map[string]Routes) (*Registry, error) {
	r := &Registry{adapters: maps.Clone(adapters), routes: maps.Clone(routes)}
	if faults := r.deadRoutes(); len(faults) > 0 {
		return nil, configError(faults)
	}
	return r, nil
}

// deadRoutes lists routes to providers that are not configured.
func (r *Registry) deadRoutes() []model.Field {
	var faults []model.Field
	for _, account := range slices.Sorted(maps.Keys(r.routes)) {
		names := r.routes[account].names()
		for _, group := range slices.Sorted(maps.Keys(names)) {
			if _, ok := r.adapters[names[group]]; !ok && names[group] != "" {
				faults = append(faults, model.Field{
					Location: "account." + account + "." + group,
					Message:  "names a provider that is not configured",
				})
			}
		}
	}
	return faults
}

// Adapter gives a provider by its configured name.
func (r *Registry) Adapter(name string) (Adapter, bool) {
	a, ok := r.adapters[name]
	return a, ok
}

// Names lists the configured names in order.
func (r *Registry) Names() []string { return slices.Sorted(maps.Keys(r.adapters)) }

// For gives the provider that serves an operation of an account. The error is
// of kind Invalid where none is configured, or the configured one does not do
// that.
func (r *Registry) For(account, operation string) (name string, a Adapter, err error) {
	routes, ok := r.routes[account]
	if !ok {
		routes = r.routes[AnyAccount]
	}
	name = routes.group(operation)
	a, ok = r.adapters[name]
	if !ok {
		return "", nil, model.Errorf(model.Invalid, "invalid-params",
			"no provider is configured for %s of account %s", operation, account)
	}
	if _, ok := a.Contract(operation); !ok {
		return "", nil, model.Errorf(model.Invalid, "invalid-params",
			"the provider %s does not serve %s", name, operation)
	}
	return name, a, nil
}

// Contracts lists the contracts of all configured providers, by provider and
// operation.
func (r *Registry) Contracts() []model.Contract {
	var all []model.Contract
	for _, a := range r.adapters {
		for _, operation := range Operations() {
			if c, ok := a.Contract(operation); ok {
				all = append(all, c)
			}
		}
	}
	slices.SortFunc(all, func(a, b model.Contract) int {
		return cmp.Or(cmp.Compare(a.Provider, b.Provider), cmp.Compare(a.Operation, b.Operation))
	})
	return all
}

func configError(faults []model.Field) error {
	return model.Errorf(model.Invalid, "invalid-params", "the configuration of providers is wrong").WithFields(faults...)
}
