package moments

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"countersign/internal/provider/sandbox/server"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
)

// backup copies the living database as console backup does.
func (w *world) backup() (file string) {
	w.t.Helper()
	file = filepath.Join(w.t.TempDir(), "copy")
	if _, err := store.Backup(context.Background(), w.place, file, nil); err != nil {
		w.t.Fatal(err)
	}
	return file
}

// restore ends the process, puts a copy in place of the database, and starts. On
// a server no lock tells that older processes are ended: a person says so.
func (w *world) restore(file string, from time.Time) {
	w.t.Helper()
	w.restoreWith(file, from, nil)
}

// restoreWith is restore, with something done to the copy before the start.
func (w *world) restoreWith(file string, from time.Time, change func(*store.Tx) error) {
	w.t.Helper()
	w.set(nil, nil)
	w.logHolds() // the last entries get their numbers
	if err := w.log.KeepNow(context.Background()); err != nil {
		w.t.Fatal(err)
	}
	w.db.Close()
	w.replace(file)
	if change != nil {
		raw := must(store.Open(context.Background(), w.place, store.Options{Clock: w.clock.Now}))(w.t)
		if err := errors.Join(raw.Update(context.Background(), change), raw.Close()); err != nil {
			w.t.Fatal(err)
		}
	}
	w.restoredFrom(from)
	w.start(server.Config{})
	if storetest.Postgres() {
		w.declareEnded()
	}
}

// declareEnded is an administrator's word that no older process lives; without
// it nothing is lifted.
func (w *world) declareEnded() {
	w.t.Helper()
	if missing := w.hold().Hold.DeadAt; missing != 0 {
		w.t.Errorf("every older process counts as ended since %s, and nobody knows", missing)
	}
	if err := w.act.DeclareEnded(context.Background(), w.people.administrator, "the old machine is gone"); err != nil {
		w.t.Fatal(err)
	}
}

// replace puts a copy in place of the database: a file under its name, a script
// into a new database.
func (w *world) replace(file string) {
	w.t.Helper()
	if storetest.Postgres() {
		w.place = storetest.Shared(w.t).Restore(w.t, file)
		return
	}
	raw := must(os.ReadFile(file))(w.t)
	into := strings.TrimPrefix(w.place, "sqlite:")
	for _, tail := range []string{"-wal", "-shm"} {
		os.Remove(into + tail)
	}
	if err := os.WriteFile(into, raw, 0o600); err != nil {
		w.t.Fatal(err)
	}
}
