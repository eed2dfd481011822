package authz

import (
	"fmt"

	"countersign/internal/model"
)

// Tiers say how many people must approve an amount. Both limits are in major
// units of whatever the currency is, and inclusive.
type Tiers struct {
	ByRule      int64 // up to here nobody need sign
	OneApprover int64 // up to here one
}

// DefaultTiers are those of the shipped policy.
var DefaultTiers = Tiers{ByRule: 1_000, OneApprover: 50_000}

// Names of the tiers, as rules.
const (
	TierByRule       = "tier-by-rule"
	TierOneApprover  = "tier-one-approver"
	TierTwoApprovers = "tier-two-approvers"
)

// People is how many people (0, 1 or 2) must approve an amount in minor units,
// and the name of the tier. What cannot be judged (a negative amount, a currency
// that is not known) needs two.
func (t Tiers) People(amount int64, currency string) (people int, rule string) {
	switch {
	case amount < 0:
		return 2, TierTwoApprovers
	case within(amount, t.ByRule, currency):
		return 0, TierByRule
	case within(amount, t.OneApprover, currency):
		return 1, TierOneApprover
	}
	return 2, TierTwoApprovers
}

// Because says in a sentence what the tier of an amount asks for.
func (t Tiers) Because(amount int64, currency string) string {
	switch people, _ := t.People(amount, currency); people {
	case 0:
		return fmt.Sprintf("Amounts up to %s %s are approved by rule.", thousands(t.ByRule), currency)
	case 1:
		return fmt.Sprintf("Amounts above %s and up to %s %s need one approver.", thousands(t.ByRule), thousands(t.OneApprover), currency)
	}
	return fmt.Sprintf("Amounts above %s %s need two approvers.", thousands(t.OneApprover), currency)
}

// within reports whether an amount is known to be at most so many major units.
func within(amount, major int64, currency string) bool {
	limit, err := model.MajorUnits(major, currency)
	return err == nil && amount <= limit
}

// thousands writes 50000 as "50,000".
func thousands(n int64) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", thousands(n/1000), n%1000)
}
