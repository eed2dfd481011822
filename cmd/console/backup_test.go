package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"countersign/internal/store"
	"countersign/internal/store/storetest"
)

// oneLine wants a refusal of one line that says all of this.
func oneLine(t *testing.T, c called, wants ...string) {
	t.Helper()
	if c.code == 0 || c.out != "" || strings.Count(c.err, "\n") != 1 {
		t.Errorf("exit %d, said %q and %q, want one line", c.code, c.out, c.err)
	}
	for _, want := range wants {
		if !strings.Contains(c.err, want) {
			t.Errorf("no %q in %q", want, c.err)
		}
	}
}

// sameFile wants two files of the same bytes.
func sameFile(t *testing.T, one, two string) {
	t.Helper()
	a, err := os.ReadFile(one)
	if err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(two); err != nil || !bytes.Equal(a, b) {
		t.Errorf("%s and %s differ, %v", one, two, err)
	}
}

// noDrafts wants nothing in a folder but these files.
func noDrafts(t *testing.T, dir string, files ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	names := []string{}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if fmt.Sprint(names) != fmt.Sprint(files) {
		t.Errorf("%s has %v, want %v", dir, names, files)
	}
}

// startsHeld starts a console on a copy, and wants it to be held and to say so.
func startsHeld(t *testing.T, args ...string) {
	t.Helper()
	c := call(t, "", append([]string{"doctor"}, args...)...)
	if c.code != exitFailed || !strings.Contains(c.out, "FAULT restore hold: the database is a copy made by console backup") {
		t.Errorf("doctor on the copy: exit %d\n%s", c.code, c.out)
	}
	serve := append([]string{"serve", "--json", "--addr", "127.0.0.1:0", "--state-dir", filepath.Join(t.TempDir(), "state")}, args...)
	p := launch(t, serve...)
	res, err := http.Get(p.ready().Address + "/readyz")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusServiceUnavailable || !strings.Contains(string(text), "hold: held since ") {
		t.Errorf("readyz of the copy: %d, %v\n%s", res.StatusCode, err, text)
	}
	if c := call(t, "", append([]string{"doctor"}, args...)...); !strings.Contains(c.out, "FAULT restore hold: held since ") {
		t.Errorf("doctor beside the held console:\n%s", c.out)
	}
	p.stop()
}

func TestBackupOfAFile(t *testing.T) {
	db := newDatabase(t)
	original := filepath.Dir(strings.TrimPrefix(db, "sqlite:"))
	dir := t.TempDir()
	named := filepath.Join(dir, "named.db")
	out := good(t, "", "backup", named, "--db", db)
	if !strings.Contains(out, "sends nothing until two administrators") || !strings.Contains(out, filepath.Join(dir, "countersign.key")) {
		t.Errorf("said %q", out)
	}
	sameFile(t, filepath.Join(original, "countersign.key"), filepath.Join(dir, "countersign.key"))
	good(t, "", "backup", dir, "--db", db) // under its own name; the key is there already
	noDrafts(t, dir, "c.db", "countersign.key", "named.db")
	was, err := os.ReadFile(named)
	if err != nil {
		t.Fatal(err)
	}
	oneLine(t, call(t, "", "backup", named, "--db", db), named+" exists", "overwrites nothing")
	oneLine(t, call(t, "", "backup", dir, "--db", db), filepath.Join(dir, "c.db")+" exists")
	if is, err := os.ReadFile(named); err != nil || !bytes.Equal(is, was) {
		t.Errorf("a refused backup changed what was there, %v", err)
	}
	missing := filepath.Join(dir, "no-such-folder", "c.db")
	oneLine(t, call(t, "", "backup", missing, "--db", db), missing+" cannot be written: no such file or directory")
	oneLine(t, call(t, "", "backup", filepath.Join(dir, "of-none.db"), "--db", db+".none"), "is not there")
	other := t.TempDir()
	write(t, filepath.Join(other, "countersign.key"), strings.Repeat("ab", macKeyBytes)+"\n")
	oneLine(t, call(t, "", "backup", other, "--db", db), "is the key file of another database")
	noDrafts(t, other, "countersign.key")
	noDrafts(t, dir, "c.db", "countersign.key", "named.db")
	for place, want := range map[string]int{db: 2, "sqlite:" + named: 1} {
		if n := strings.Count(logged(t, place), "acme backup.begun"); n != want {
			t.Errorf("%s has %d entries of backups, want %d:\n%s", place, n, want, logged(t, place))
		}
	}
	startsHeld(t, "--db", "sqlite:"+named)
}

// logged are the accounts and events of a log's entries, a line each.
func logged(t *testing.T, dsn string) string {
	t.Helper()
	db, err := store.Open(t.Context(), dsn, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var lines []string
	if err := db.View(t.Context(), func(tx *store.Tx) error {
		return tx.Select(&lines, "SELECT account || ' ' || event FROM audit_entries ORDER BY id")
	}); err != nil {
		t.Fatal(err)
	}
	return strings.Join(lines, "\n")
}

// TestExportsAreEntriesOfTheirAccounts: an account's auditor sees that its log was
// taken away from the command line, alone or with the whole.
func TestExportsAreEntriesOfTheirAccounts(t *testing.T) {
	db := newDatabase(t)
	good(t, "", "user", "add", "glo@example.com", "--role", "operator", "--account", "globex", "--db", db)
	good(t, "", "audit", "export", "--account", "acme", "--db", db)
	if got := logged(t, db); strings.Count(got, "acme audit.exported") != 1 || strings.Contains(got, "globex audit.exported") {
		t.Errorf("after an export of acme:\n%s", got)
	}
	good(t, "", "audit", "export", "--db", db)
	if got := logged(t, db); strings.Count(got, "acme audit.exported") != 2 || strings.Count(got, "globex audit.exported") != 1 {
		t.Errorf("after an export of everything:\n%s", got)
	}
	oneLine(t, call(t, "", "audit", "export", "--account", "nobody", "--db", db), "there is no account nobody")
}

func TestBackupOfPostgres(t *testing.T) {
	server := storetest.Shared(t)
	db, dir, keys := server.Database(t), t.TempDir(), t.TempDir()
	key := filepath.Join(keys, "console.key")
	file := filepath.Join(dir, "copy.sql")
	from := []string{"--db", db, "--key-file", key}
	oneLine(t, call(t, "", append([]string{"backup", file}, from...)...), "is no console's")
	good(t, "", append([]string{"user", "add", "ada@example.com", "--role", "administrator", "--account", "acme"}, from...)...)
	out := good(t, "", append([]string{"backup", file}, from...)...)
	if !strings.Contains(out, "Backup of empty_") || !strings.Contains(out, file) {
		t.Errorf("said %q", out)
	}
	sameFile(t, key, filepath.Join(dir, "console.key"))
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the copy is %v, %v", info.Mode(), err)
	}
	oneLine(t, call(t, "", append([]string{"backup", file}, from...)...), file+" exists")
	oneLine(t, call(t, "", append([]string{"backup", filepath.Join(dir, "none", "c.sql")}, from...)...), "cannot be written: no such file or directory")
	folder := t.TempDir()
	good(t, "", append([]string{"backup", folder, "--no-key"}, from...)...)
	if found, _ := filepath.Glob(filepath.Join(folder, "empty_*.sql")); len(found) != 1 {
		t.Errorf("the folder has %v", found)
	}
	noDrafts(t, dir, "console.key", "copy.sql")
	restored := server.Restore(t, file)
	if people := good(t, "", "user", "list", "--db", restored, "--key-file", key); !strings.Contains(people, "ada@example.com") {
		t.Errorf("the copy has the people\n%s", people)
	}
	if got := logged(t, restored); strings.Count(got, "acme backup.begun") != 1 {
		t.Errorf("the copy's log has\n%s", got)
	}
	startsHeld(t, "--db", restored, "--key-file", filepath.Join(dir, "console.key"))
}

// What pg_dump cannot do is said in one line, without the password, and nothing
// is left behind.
func TestBackupSaysWhatPgDumpSaid(t *testing.T) {
	db, dir, bin := storetest.Shared(t).Database(t), t.TempDir(), t.TempDir()
	key := filepath.Join(t.TempDir(), "console.key")
	good(t, "", "user", "add", "ada@example.com", "--role", "administrator", "--account", "acme", "--db", db, "--key-file", key)
	fake := "#!/bin/sh\necho \"$*\" > " + bin + "/arguments\necho \"$PGPASSWORD\" > " + bin + "/password\n" +
		"echo 'pg_dump: error: aborting because of server version mismatch' >&2\necho 'pg_dump: detail: server version: 15.1; pg_dump version: 9.6' >&2\nexit 1\n"
	if err := os.WriteFile(filepath.Join(bin, "pg_dump"), []byte(fake), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	secret := strings.Replace(db, "app@", "app:hunter2@", 1)
	c := call(t, "", "backup", filepath.Join(dir, "copy.sql"), "--db", secret, "--key-file", key)
	oneLine(t, c, "aborting because of server version mismatch; server version: 15.1; pg_dump version: 9.6; install the package postgresql-client")
	arguments, err := os.ReadFile(filepath.Join(bin, "arguments"))
	password, err2 := os.ReadFile(filepath.Join(bin, "password"))
	if err != nil || err2 != nil || strings.Contains(string(arguments)+c.err, "hunter2") || string(password) != "hunter2\n" {
		t.Errorf("arguments %q, password %q, said %q, %v, %v", arguments, password, c.err, err, err2)
	}
	noDrafts(t, dir)
}
