package sandbox

import (
	"time"

	"countersign/internal/model"
	"countersign/internal/provider"
)

// The sandbox's waits at pace 1.
const (
	settleDelay  = 5 * time.Second  // from the last byte to the visible effect
	longestCall  = 30 * time.Second // until it has answered or given up
	messageDelay = 30 * time.Second // until a message can be looked up
	// disputeLimit is the longest that a card network takes to decide. It is not
	// one of the sandbox's own waits, so the pace leaves it alone.
	disputeLimit = 75 * 24 * time.Hour
)

var (
	// curable are the refusals whose cause a person can take away.
	curable = []string{"insufficient_funds", "payee_on_hold"}
	// stored are the refusals that only an executed request gets, and that are
	// therefore kept under its key. Refusals before executing are not: the
	// missing key, a body that cannot be read, too many requests.
	stored = append([]string{"account_closed", "already_reversed", "amount_too_large", "currency_mismatch",
		"destination_mismatch", "not_reversible"}, curable...)
)

// contracts gives the sandbox's promises by operation, sealed.
func contracts(cfg Config) map[string]model.Contract {
	all := map[string]model.Contract{
		provider.PayoutCreate:   settling(keyed(cfg), cfg.SettleLimit/time.Duration(cfg.Pace), provider.PayoutReverse),
		provider.PayoutReverse:  keyed(cfg),
		provider.CreditCreate:   settling(keyed(cfg), cfg.SettleLimit/time.Duration(cfg.Pace), provider.CreditReverse),
		provider.CreditReverse:  keyed(cfg),
		provider.DisputeRespond: settling(unkeyed(cfg), disputeLimit, ""),
		provider.MessageSend:    message(cfg),
	}
	for operation, c := range all {
		c.Operation = operation
		all[operation] = provider.Seal(c)
	}
	return all
}

// unkeyed is what all operations have in common.
func unkeyed(cfg Config) model.Contract {
	pace := time.Duration(cfg.Pace)
	return model.Contract{
		Provider:      cfg.Name,
		Type:          "sandbox",
		Source:        "Countersign API, The sandbox provider",
		Checked:       "2026-11-29",
		Stored:        model.StoredNothing,
		OnRepeat:      "It takes no key: a repeat does it once more.",
		ThrottleCodes: []string{"429"},
		CurableCodes:  curable,
		Lookup:        model.LookupReference,
		SettleDelay:   settleDelay / pace,
		LongestCall:   longestCall / pace,
	}
}

// keyed is for transfers and reversals.
func keyed(cfg Config) model.Contract {
	c := unkeyed(cfg)
	c.Carrier = "header " + keyHeader
	c.KeyRule = model.WireKeyRule{MinLen: 1, MaxLen: 255}
	c.Scope = "all of one sandbox"
	c.Retention = cfg.Retention
	c.Stored = cfg.Stores
	c.ReplayMarker = "Idempotent-Replayed"
	c.OnRepeat = "A key that succeeded is answered with its first result; after anything else it acts again."
	if cfg.Stores == model.StoredAll {
		c.ActsAreStored = true
		c.StoredCodes = stored
		c.OnRepeat = "A key that it knows is answered with its first result, and nothing more is done. A key that it does not know acts now."
	}
	return c
}

// settling is for what is accepted first and final later.
func settling(c model.Contract, limit time.Duration, undo string) model.Contract {
	c.Settles = true
	c.SettleLimit = limit
	c.Undo = undo
	c.UndoBefore = undo != ""
	return c
}

func message(cfg Config) model.Contract {
	c := unkeyed(cfg)
	c.LookupDelay = messageDelay / time.Duration(cfg.Pace)
	c.SettleDelay = c.LookupDelay // until then it may be there and not be found
	return c
}
