package store

import "encoding/hex"

// Versions gives the version of each of the intents that exist.
func (t *Tx) Versions(ids []string) (map[string]int64, error) {
	versions := make(map[string]int64, len(ids))
	if len(ids) == 0 {
		return versions, nil
	}
	var row struct {
		ID      string `db:"id"`
		Version int64  `db:"version"`
	}
	err := t.Each(&row, func() error { versions[row.ID] = row.Version; return nil },
		"SELECT id, version FROM intents WHERE id IN ("+marks(padded(len(ids)))+")", pad(ids)...)
	return versions, err
}

// LiveSessions gives those of the sessions, by their public ids, that count at
// this moment and whose person may still sign in.
func (t *Tx) LiveSessions(ids []string) (map[string]bool, error) {
	alive := make(map[string]bool, len(ids))
	if len(ids) == 0 {
		return alive, nil
	}
	args := pad(ids)
	for i, id := range args {
		hash, err := hex.DecodeString(id.(string))
		if err != nil {
			hash = []byte{}
		}
		args[i] = hash
	}
	now, idle := t.liveAt()
	var row struct {
		IDHash []byte `db:"id_hash"`
	}
	err := t.Each(&row, func() error { alive[hex.EncodeToString(row.IDHash)] = true; return nil },
		"SELECT s.id_hash FROM sessions s JOIN people p ON p.id = s.person WHERE s.id_hash IN ("+marks(len(args))+") AND p.disabled_at = 0 AND "+live,
		append(args, now, idle)...)
	return alive, err
}
