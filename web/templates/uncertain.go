package templates

import "countersign/internal/model"

// UncertainPageView is all open uncertainty.
type UncertainPageView struct {
	Page     Page
	Heading  string // "Uncertain, all accounts"
	Sums     Sums
	Since    Text     // what changed since yesterday, or nil
	Ages     []string // column heads: "Under 1 h", …
	Rows     []UncertainRow
	Settling []SettlingRow
	Plain    string // the same as text, for a report
	Empty    *EmptyView
	Failed   *FailedView
}

// UncertainRow is the uncertainty at one provider in one currency.
type UncertainRow struct {
	Href     string
	Provider string
	Currency string          // "" where no money is at stake
	Cells    []UncertainCell // one per age
	Together UncertainCell
	Oldest   Time
}

// UncertainCell is a count and, where there is money, its sum.
type UncertainCell struct {
	Count int // 0: the cell is empty
	Money *model.Money
	Noun  string // "message", where there is no money
}

// SettlingRow is what is accepted and in transit at one provider.
type SettlingRow struct {
	Provider string
	Count    int
	Money    *model.Money
	FirstDue Time
}
