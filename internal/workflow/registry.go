package workflow

import (
	"maps"
	"slices"

	"countersign/internal/model"
	"countersign/internal/provider"
)

var kinds = map[string]Kind{
	model.KindPayout:       payout{},
	model.KindStatement:    statement{},
	model.KindDispute:      dispute{},
	model.KindCompensation: compensation{},
}

// Kinds gives every kind by its name.
func Kinds() map[string]Kind { return maps.Clone(kinds) }

// Lookup finds a kind by its name.
func Lookup(name string) (Kind, bool) {
	k, ok := kinds[name]
	return k, ok
}

// Bind gives every step of the draft that a provider carries out its provider
// and contract, for good. A keyed step becomes unkeyed where the contract takes
// no key; a message stays one. A provider that a step names already is kept, so
// that an undo goes where its effect went. Moot steps are left alone. The error
// is of kind Invalid and names every operation without a provider.
func Bind(d *Draft, account string, reg *provider.Registry) error {
	var f faults
	for i := range d.Steps {
		s := &d.Steps[i]
		if s.State == model.NotNeeded || !slices.Contains(provider.Operations(), s.Operation) {
			continue
		}
		if err := bind(s, account, reg); err != nil {
			f.add("/account", "%s", err.Error())
		}
	}
	return f.err()
}

func bind(s *model.Step, account string, reg *provider.Registry) error {
	name, adapter, err := serving(s, account, reg)
	if err != nil {
		return err
	}
	contract, ok := adapter.Contract(s.Operation)
	if !ok {
		return model.Errorf(model.Invalid, "invalid-params", "the provider %s does not serve %s", name, s.Operation)
	}
	s.Provider, s.Contract, s.ContractID = name, contract, contract.ID
	if s.Class == model.Keyed && !contract.Keyed() {
		s.Class = model.Unkeyed
	}
	return nil
}

// serving is the provider that the step names, else the account's.
func serving(s *model.Step, account string, reg *provider.Registry) (string, provider.Adapter, error) {
	if s.Provider == "" {
		return reg.For(account, s.Operation)
	}
	adapter, ok := reg.Adapter(s.Provider)
	if !ok {
		return "", nil, model.Errorf(model.Invalid, "invalid-params",
			"the provider %s, which must carry out %s, is not configured", s.Provider, s.Operation)
	}
	return s.Provider, adapter, nil
}

// Request gives the bytes of an effect at the provider that its step is bound
// to. It is pure. Errors are of kind Invalid for an order that the provider's
// form cannot hold, Conflict where the provider is not configured any more.
func Request(k Kind, c *model.Case, s *model.Step, reg *provider.Registry) (provider.Request, error) {
	adapter, ok := reg.Adapter(s.Provider)
	if !ok {
		return provider.Request{}, model.Errorf(model.Conflict, "action-refused",
			"the provider %s of the step %s is not configured", s.Provider, s.Name)
	}
	o, err := k.Order(c, s)
	if err != nil {
		return provider.Request{}, err
	}
	return adapter.Request(o)
}
