package sandbox

import (
	_ "embed"
	"time"

	"countersign/internal/model"
	"countersign/internal/provider"
)

var (
	//go:embed contracts.toml
	promises []byte
	//go:embed successes.toml
	successes []byte
)

// contracts gives the sandbox's promises by operation, sealed: what the files
// say, as it is configured. The error is of kind Invalid and has all faults.
func contracts(cfg Config) (map[string]model.Contract, error) {
	files := []provider.ContractFile{{Name: "sandbox/contracts.toml", Text: promises}}
	if cfg.Stores == model.StoredSuccesses {
		files = append(files, provider.ContractFile{Name: "sandbox/successes.toml", Text: successes})
	}
	all, err := provider.Contracts(append(files, cfg.Contracts...)...)
	if err != nil {
		return nil, err
	}
	for operation, c := range all {
		c.Provider, c.Type = cfg.Name, "sandbox"
		all[operation] = provider.Seal(configured(c, cfg))
	}
	return all, nil
}

// configured puts the settings over the files' facts, and says so in the source.
func configured(c model.Contract, cfg Config) model.Contract {
	if cfg.Retention > 0 && c.Keyed() && c.Retention != cfg.Retention {
		c.Retention = cfg.Retention
		c.Source += "; retention as configured"
	}
	if settlesMoney(c.Operation) && cfg.SettleLimit > 0 && c.SettleLimit != cfg.SettleLimit {
		c.SettleLimit = cfg.SettleLimit
		c.Source += "; settle_limit as configured"
	}
	return paced(c, time.Duration(cfg.Pace))
}

// paced divides the sandbox's own waits. How long a card network takes to decide
// a dispute, or a key is remembered, is none of them.
func paced(c model.Contract, pace time.Duration) model.Contract {
	c.LongestCall /= pace
	c.LookupDelay /= pace
	if c.SettleDelay > 0 { // -1 is unknown
		c.SettleDelay /= pace
	}
	if settlesMoney(c.Operation) {
		c.SettleLimit /= pace
	}
	return c
}

// settlesMoney reports whether the operation moves money and settles later.
func settlesMoney(operation string) bool {
	return operation == model.PayoutCreate || operation == model.CreditCreate
}
