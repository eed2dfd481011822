package main

import (
	"bytes"
	"context"
	"fmt"

	"countersign/internal/audit"
	"countersign/internal/model"
	"countersign/internal/store"
)

// hold tells whether nothing is sent because the database was restored.
func (c *doctorCommand) hold(ctx context.Context, db *store.DB) finding {
	var h *model.Hold
	var marked bool
	err := db.View(ctx, func(tx *store.Tx) (err error) {
		if _, marked, err = tx.Mark(); err != nil {
			return err
		}
		h, err = tx.Hold()
		return err
	})
	const page = "open /admin/hold of the console: it says what is missing, and two administrators lift it"
	switch {
	case err != nil:
		return sound("restore hold", "", err, "see that the database can be read")
	case marked:
		return finding{"restore hold", "the database is a copy made by console backup; a console started on it sends nothing at first", "start console serve on it, then " + page}
	case h.On():
		return finding{"restore hold", fmt.Sprintf("held since %s, restored from %s: nothing is sent", h.Since, h.RestoredFrom), page}
	}
	return finding{"restore hold", "none is on", ""}
}

// outsideCheck compares the log with the checkpoint that is kept outside.
func (c *doctorCommand) outsideCheck(ctx context.Context, db *store.DB) finding {
	const check = "checkpoint outside"
	outside := c.outside(db.Installation)
	kept, ok, err := outside.Read(db.Installation)
	if err != nil {
		return sound(check, "", err, "put the file back from your backup, or move it away and keep it as evidence")
	}
	if !ok {
		return finding{check, outside.Path() + " is not there yet; it is made once the console runs", ""}
	}
	log := audit.New(db, nil)
	var differs string
	err = db.View(ctx, func(tx *store.Tx) error {
		present, err := log.Present(tx)
		if err != nil || kept.Size > present.Size {
			differs = fmt.Sprintf("it knows of %d entries, and the log has %d: the database is older than it", kept.Size, present.Size)
			return err
		}
		root, err := log.Root(tx, kept.Size)
		if !bytes.Equal(root, kept.Root) {
			differs = fmt.Sprintf("at %d entries the log is another than it says", kept.Size)
		}
		return err
	})
	if err == nil && differs != "" {
		return finding{check, differs, "a console started on it is held: if this is no restored backup, keep both as evidence and find out which was changed"}
	}
	return sound(check, fmt.Sprintf("%s agrees with the log at %d entries", outside.Path(), kept.Size), err, "see that the database can be read")
}
