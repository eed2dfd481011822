package provider

import (
	"context"
	"maps"
	"slices"
	"time"
)

// Listed is one object as a provider's list shows it. A list only says where to
// look: the state of a step is always read from the object itself.
type Listed struct {
	Object
	StepKey string    // ours, where the reference is one in the provider's form; else ""
	Created time.Time // by the provider's clock; zero where it does not say
}

// Page is one part of a list.
type Page struct {
	Items []Listed
	Next  string        // the cursor of what follows; "" at the end
	Skew  time.Duration // the provider's clock less ours; 0 where it does not say
}

// Lister is what an adapter can do beside Adapter: list what the provider made,
// whoever asked for it. All methods may be called at once from many goroutines.
type Lister interface {
	// Lists reports whether the objects of an operation can be listed at all.
	Lists(operation string) bool
	// List gives the objects of an operation that were created since a moment,
	// from a cursor of the page before ("" begins). An object whose look-up is
	// delayed may be missing, so callers list again with an overlap. An error
	// means that nothing was learnt.
	List(ctx context.Context, operation string, since time.Time, cursor string) (Page, error)
}

// Swept is one operation of one provider, and whether it can be listed.
type Swept struct {
	Provider  string
	Operation string
	Lists     bool
}

// Swept names every operation of every configured provider, in order.
func (r *Registry) Swept() []Swept {
	var all []Swept
	for _, name := range r.Names() {
		a := r.adapters[name]
		lister, can := a.(Lister)
		for _, operation := range Operations() {
			if _, serves := a.Contract(operation); serves {
				all = append(all, Swept{Provider: name, Operation: operation, Lists: can && lister.Lists(operation)})
			}
		}
	}
	return all
}

// Serves names the accounts whose routes lead to a provider, in order; AnyAccount
// stands for all accounts without routes of their own.
func (r *Registry) Serves(name string) []string {
	var accounts []string
	for _, account := range slices.Sorted(maps.Keys(r.routes)) {
		for _, served := range r.routes[account].names() {
			if served == name && !slices.Contains(accounts, account) {
				accounts = append(accounts, account)
			}
		}
	}
	return accounts
}
