package store

import (
	"encoding/json"
	"fmt"

	"countersign/internal/model"
)

// RecordContracts stores the contracts that the configured providers have now.
// Older ones stay: steps are bound to what they were accepted under.
func (t *Tx) RecordContracts(contracts []model.Contract) error {
	if _, err := t.Exec("UPDATE contracts SET current = FALSE WHERE current"); err != nil {
		return err
	}
	for _, c := range contracts {
		body, err := json.Marshal(c)
		if err != nil {
			return fmt.Errorf("contract %s: %w", c.ID, err)
		}
		if _, err := t.Exec(`INSERT INTO contracts (id, provider, operation, body, recorded_at, current) VALUES (?, ?, ?, ?, ?, TRUE)
			ON CONFLICT (id) DO UPDATE SET current = TRUE`, c.ID, c.Provider, c.Operation, body, t.now); err != nil {
			return err
		}
	}
	return nil
}

// Contracts lists the contracts in force, by provider and operation.
func (t *Tx) Contracts() ([]model.Contract, error) {
	return t.contractsBy("SELECT body FROM contracts WHERE current ORDER BY provider, operation")
}

// OlderContracts lists those that no new step is bound to any more, the newest
// first; steps that were accepted under one keep it.
func (t *Tx) OlderContracts() ([]model.Contract, error) {
	return t.contractsBy("SELECT body FROM contracts WHERE NOT current ORDER BY recorded_at DESC, provider, operation LIMIT 50")
}

func (t *Tx) contractsBy(query string) ([]model.Contract, error) {
	var bodies [][]byte
	if err := t.Select(&bodies, query); err != nil {
		return nil, err
	}
	list := make([]model.Contract, len(bodies))
	for i, body := range bodies {
		if err := json.Unmarshal(body, &list[i]); err != nil {
			return nil, fmt.Errorf("read a contract: %w", err)
		}
	}
	return list, nil
}

// contract gives a contract by id; contracts never change, so they are kept.
func (t *Tx) contract(id string) (c model.Contract, err error) {
	if id == "" {
		return c, nil
	}
	if known, ok := t.db.contracts.Load(id); ok {
		return known.(model.Contract), nil
	}
	var body []byte
	ok, err := t.Get(&body, "SELECT body FROM contracts WHERE id = ?", id)
	if err != nil {
		return c, err
	}
	if !ok {
		return c, fmt.Errorf("contract %s is not recorded", id)
	}
	if err := json.Unmarshal(body, &c); err != nil {
		return c, fmt.Errorf("read contract %s: %w", id, err)
	}
	t.db.contracts.Store(id, c)
	return c, nil
}
