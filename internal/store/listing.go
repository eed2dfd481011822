package store

import "countersign/internal/model"

// AddParams completes cases that Cases loaded: their fingerprints, and their
// params as accepted, in one query.
func (t *Tx) AddParams(list []*model.Case) error {
	if len(list) == 0 {
		return nil
	}
	ids, byID := make([]string, len(list)), map[string]*model.Case{}
	for i, c := range list {
		ids[i], byID[c.ID] = c.ID, c
	}
	var rows []model.Intent
	err := t.Select(&rows, "SELECT id, fingerprint, params FROM intents WHERE id IN ("+marks(padded(len(ids)))+")", pad(ids)...)
	for _, row := range rows {
		byID[row.ID].Fingerprint, byID[row.ID].Params = row.Fingerprint, row.Params
	}
	return err
}

// LookAlikes counts the other intents of the account with the same digest of
// kind, payee, amount and period, up to MaxCount.
func (t *Tx) LookAlikes(account, digest, except string) (Counted, error) {
	if digest == "" {
		return Counted{}, nil
	}
	return t.counted(`SELECT count(*) FROM (SELECT 1 FROM intents WHERE account = ? AND look_alike = ? AND look_alike <> ''
		AND id <> ? LIMIT ?) AS alike`, account, digest, except, MaxCount+1)
}
