package workflow

import (
	"countersign/internal/model"
	"countersign/internal/provider"
)

// Book is the kinds together with the configured providers: everything that is
// needed to draft an intent and to know its requests beforehand. It never
// changes once made, sends nothing, and may be used by many goroutines.
type Book struct {
	kinds map[string]Kind
	reg   *provider.Registry
}

// NewBook makes the book of all kinds over the configured providers.
func NewBook(reg *provider.Registry) *Book { return &Book{kinds: Kinds(), reg: reg} }

// Kind finds a kind by its name.
func (b *Book) Kind(name string) (Kind, bool) {
	k, ok := b.kinds[name]
	return k, ok
}

// Bind is Bind over the book's providers.
func (b *Book) Bind(d *Draft, account string) error { return Bind(d, account, b.reg) }

// Request is Request of the intent's own kind over the book's providers.
func (b *Book) Request(c *model.Case, s *model.Step) (provider.Request, error) {
	k, ok := b.Kind(c.Kind)
	if !ok {
		return provider.Request{}, model.Errorf(model.Internal, "", "intent %s is of the unknown kind %s", c.ID, c.Kind)
	}
	return Request(k, c, s, b.reg)
}

// Address is where a look-up about the step goes, "" where its provider is not
// configured any more.
func (b *Book) Address(s *model.Step) string {
	adapter, ok := b.reg.Adapter(s.Provider)
	if !ok {
		return ""
	}
	return adapter.Address(provider.Lookup{Operation: s.Operation, WireKey: s.WireKey, StepKey: s.Key(), ExternalRef: s.Known()})
}
