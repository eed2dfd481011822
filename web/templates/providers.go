package templates

// ProvidersView is the contracts as the engine holds them.
type ProvidersView struct {
	Page      Page
	Providers []ProviderView
	Failed    *FailedView
}

// ProviderView is one configured provider.
type ProviderView struct {
	Name      string
	Anchor    string // id of its heading
	Summary   Text   // type, address, which accounts use it for what
	Contracts []ContractView
}

// ContractView is what a provider promises for one operation.
type ContractView struct {
	Operation string
	Facts     []Fact // carrier, retention, what is stored, repeat, look-up, undo …
	Source    string
	Checked   string // date: 2026-11-12
	Warning   Text   // "accepted only for steps that may go to review", or nil
}
