package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"countersign/internal/audit"
	"countersign/internal/model"
	"countersign/internal/provider"
	"countersign/internal/store"
	"countersign/internal/workflow"
)

// doctorCommand checks what can be checked, each with what to do.
type doctorCommand struct {
	storage
	alerting
	Providers string      `type:"path" placeholder:"FILE" help:"The providers file (TOML); default none, so that no provider is checked."`
	Pace      paceSetting `default:"normal" help:"As given to serve: normal or fast."`
}

// finding is what one check came to. An empty cure is healthy.
type finding struct {
	check, said, cure string
}

func (f finding) String() string {
	if f.cure == "" {
		return fmt.Sprintf("ok    %s: %s", f.check, f.said)
	}
	return fmt.Sprintf("FAULT %s: %s. What to do: %s.", f.check, f.said, f.cure)
}

// sound makes a finding of an error: none is healthy.
func sound(check, said string, err error, cure string) finding {
	if err != nil {
		return finding{check, strings.Join(faultLines(err), "; "), cure}
	}
	return finding{check, said, ""}
}

// Run implements the command. It writes nothing into a database that is not
// there, and fails when a check found a fault.
func (c *doctorCommand) Run(ctx context.Context, t terminal) error {
	list := c.providers(ctx)
	list = append(list, c.alerts(ctx)...)
	list = append(list, c.database(ctx)...)
	faults := 0
	for _, f := range list {
		if f.cure != "" {
			faults++
		}
		if err := t.line("%s", f); err != nil {
			return err
		}
	}
	if faults > 0 {
		return fmt.Errorf("%d of %d checks found a fault", faults, len(list))
	}
	return nil
}

// providers checks the file, and asks each provider about an effect that never was.
func (c *doctorCommand) providers(ctx context.Context) []finding {
	if c.Providers == "" {
		return []finding{{"providers", "no file is named, so no provider is checked", ""}}
	}
	reg, err := loadProviders(c.Providers, c.Pace.Value)
	list := []finding{sound("providers file", "every route leads to a provider, and every contract holds for the steps bound to it", err, "correct the file "+c.Providers+", or the contracts that it names")}
	if err != nil {
		return list
	}
	for _, name := range reg.Names() {
		adapter, _ := reg.Adapter(name)
		list = append(list, askProvider(ctx, name, adapter))
	}
	for _, contract := range reg.Contracts() {
		list = append(list, promise(contract, c.Pace.Value.timing().Call))
	}
	return list
}

// promise tells what a contract rests on, and what follows from it.
func promise(c model.Contract, call time.Duration) finding {
	return finding{"contract " + c.Provider + ", " + c.Operation,
		fmt.Sprintf("%s; checked %s. %s", c.Source, c.Checked, strings.Join(workflow.Follows(c, call), " ")), ""}
}

// maxSkew is beyond which the engine sends nothing unknown again.
const maxSkew = time.Minute

func askProvider(ctx context.Context, name string, adapter provider.Adapter) finding {
	check := "provider " + name
	for _, operation := range provider.Operations() {
		contract, ok := adapter.Contract(operation)
		if !ok || !contract.Queryable() {
			continue
		}
		seen := adapter.Query(ctx, provider.Lookup{Operation: operation, WireKey: "doctor", StepKey: "doctor"})
		switch {
		case seen.Finding == model.FoundNothing:
			return finding{check, "does not answer a look-up: " + seen.Detail, "see that it runs at the url of the providers file, and that the secret is right"}
		case seen.Skew.Abs() > maxSkew:
			return finding{check, fmt.Sprintf("its clock is %s from ours", seen.Skew), "set the clock of this machine by NTP"}
		}
		return finding{check, "answers look-ups, and its clock agrees with ours", ""}
	}
	return finding{check, "cannot be asked about effects; what becomes unknown there goes to people", ""}
}

// database checks the file, its key, its clock, its log and who drives it.
func (c *doctorCommand) database(ctx context.Context) []finding {
	if err := c.DB.Value.mustExist(); err != nil {
		return []finding{{"database", c.DB.Value.file() + " is not there", "name another with --db, or make one with console serve"}}
	}
	db, err := store.Open(ctx, c.DB.Value.dsn(), store.Options{})
	list := []finding{sound("database", c.DB.Value.place()+" is whole and its schema is up to date", err, cureOf(err))}
	if err != nil {
		return list
	}
	defer db.Close()
	list = append(list, c.driver(ctx, db), clock(db), c.keyMode(ctx, db), c.hold(ctx, db), c.outsideCheck(ctx, db))
	return append(list, c.log(ctx, db)...)
}

// cureOf is what to do about a database that cannot be opened.
func cureOf(err error) string {
	if model.KindOf(err) == model.Busy {
		return "see that its server runs and can be reached from here; nothing is wrong with what it stores"
	}
	return "do as it says; a database is never mended by starting on another one"
}

// driver tells whether a process drives the database; both are healthy.
func (c *doctorCommand) driver(ctx context.Context, db *store.DB) finding {
	if db.Shared() {
		return drivers(ctx, db)
	}
	path := store.LockPath(c.DB.Value.dsn())
	cure := "see that " + path + " can be written"
	lock, err := store.AcquireLock(c.DB.Value.dsn())
	if err == nil {
		return sound("driver", "no process drives the database now", lock.Release(), cure)
	}
	holder, unread := os.ReadFile(path)
	if who := strings.TrimSpace(string(holder)); unread == nil && who != "" {
		return finding{"driver", who + " drives the database now", ""}
	}
	return sound("driver", "", err, cure)
}

// drivers tells which processes drive a shared database, and which of them have
// not been heard of for so long that somebody must look.
func drivers(ctx context.Context, db *store.DB) finding {
	var silent []string
	alive := 0
	err := db.View(ctx, func(tx *store.Tx) error {
		list, err := tx.Boots("", 1000)
		for _, b := range list {
			if b.DeadAt != 0 {
				continue
			}
			if alive++; tx.Now().Sub(b.SeenAt) > model.NormalPace().Lease {
				silent = append(silent, fmt.Sprintf("%s (process %d on %s)", b.ID, b.PID, b.Host))
			}
		}
		return err
	})
	if err == nil && len(silent) > 0 {
		return finding{"workers", "not heard of for more than a lease: " + strings.Join(silent, ", "),
			"see whether they run; end them, and declare them dead on the workers page"}
	}
	return sound("workers", fmt.Sprintf("%d processes drive the database now", alive), err, "see that the database answers")
}

// maxBehind is how far the clock may be behind what is stored.
const maxBehind = 5 * time.Second

func clock(db *store.DB) finding {
	if behind := db.Behind(); behind > maxBehind {
		return finding{"clock", fmt.Sprintf("it is %s behind the latest stored time", behind.Round(time.Second)), "set the clock of this machine by NTP"}
	}
	return finding{"clock", "it is not behind the latest stored time", ""}
}

func (c *doctorCommand) keyMode(ctx context.Context, db *store.DB) finding {
	path := c.keyPath()
	info, err := os.Stat(path)
	noted, unread := db.NotedKey(ctx)
	key, _ := readKey(path)
	switch {
	case unread == nil && len(noted) > 0 && !bytes.Equal(noted, keyDigest(key)):
		return finding{"key file", path + " is not the key of this database, or is missing", "copy the key file of the process that made the database here, or name it with --key-file"}
	case errors.Is(err, fs.ErrNotExist):
		return finding{"key file", path + " is not there yet", "it is made at the first start; if there was one, put it back from your backup"}
	case err == nil && info.Mode().Perm()&0o077 != 0:
		return finding{"key file", fmt.Sprintf("%s can be read by others (%s)", path, info.Mode().Perm()), "chmod 600 " + path}
	}
	return sound("key file", path+" is readable by its owner only", err, "see that "+path+" can be read")
}

// log recomputes the whole audit log of the database.
func (c *doctorCommand) log(ctx context.Context, db *store.DB) []finding {
	key, err := readKey(c.keyPath())
	if noted, unread := db.NotedKey(ctx); err != nil || unread != nil || len(noted) > 0 && !bytes.Equal(noted, keyDigest(key)) {
		return nil // told by keyMode
	}
	log := audit.New(db, key)
	checked, err := log.Check(ctx)
	list := []finding{sound("audit log", fmt.Sprintf("%d entries recomputed, root %x", checked.Size, checked.Root), err,
		"stop the console, keep the database file as evidence, and compare an earlier export with console audit verify")}
	waiting, err := log.Waiting(ctx)
	if err == nil && waiting.Count > 0 && db.Now().Sub(waiting.Oldest) > time.Minute {
		err = fmt.Errorf("%d entries wait for a number since %s", waiting.Count, waiting.Oldest)
	}
	return append(list, sound("audit sequencer", "no entry waits for a number for long", err, "start console serve, which numbers them; if they stay, see its log"))
}
