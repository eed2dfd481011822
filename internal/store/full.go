package store

import (
	"context"
	"time"

	"countersign/internal/model"
)

// probeEvery is how often a full disk is tried again while nobody else writes.
const probeEvery = 2 * time.Second

// Full tells since when the disk has been full; 0 is not. It ends with the first
// commit that finds room, which is tried by itself now and then.
func (db *DB) Full() model.Time { return model.Time(db.full.Load()) }

// sawFull notes that there was no room, and begins to look for it.
func (db *DB) sawFull() {
	if db.full.CompareAndSwap(0, int64(db.Now())) {
		time.AfterFunc(probeEvery, db.probe)
	}
}

// probe writes as little as can be, until there is room again or the database
// is closed.
func (db *DB) probe() {
	ctx, cancel := context.WithTimeout(context.Background(), probeEvery)
	defer cancel()
	_ = db.Update(ctx, func(tx *Tx) error {
		_, err := tx.Exec("UPDATE installation SET latest = latest")
		return err
	})
	if db.Full() != 0 && !db.closed.Load() {
		time.AfterFunc(probeEvery, db.probe)
	}
}
