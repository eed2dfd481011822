package engine

import (
	"context"
	"fmt"
	"os"
	"time"

	"countersign/internal/model"
	"countersign/internal/store"
)

// How the engine itself knows that a start is dead.
const (
	fileLockFree = "the file's lock was free"
	hostLockFree = "its machine's lock was free"
)

// Start records this start, if it is to drive intents, and the contracts in
// force, opens a restore hold where the database is older than the world, and
// recovers at once what starts held that are surely dead: on a database of its
// own all others of the same place, else those whose lock on this machine is free.
func (e *Engine) Start(ctx context.Context) error {
	name, err := os.Hostname()
	if err != nil {
		return fmt.Errorf("name of this host: %w", err)
	}
	boot := store.Boot{ID: e.boot, Host: name, PID: os.Getpid(), Workers: e.Workers, Place: e.Place}
	outside, kept, err := e.Log.Outside().Read(e.DB.Installation)
	if err != nil {
		return err
	}
	e.holding.Store(true)
	e.turning.Store(true) // until tend knows better
	if e.Host != nil && e.Workers > 0 {
		boot.HostID = e.Host.ID
		if e.lock, err = e.Host.Hold(e.boot); err != nil {
			return err
		}
	}
	err = e.DB.Update(ctx, func(tx *store.Tx) error {
		if err := tx.RecordContracts(e.Providers.Contracts()); err != nil {
			return err
		}
		if err := e.enrolSweeps(tx); err != nil {
			return err
		}
		if !e.DB.Shared() { // its holders are dead, and a clock set back would keep their leases alive
			if err := tx.FreeLeases(); err != nil {
				return err
			}
		}
		if err := e.openHold(tx, outside, kept); err != nil {
			return fmt.Errorf("open a restore hold: %w", err)
		}
		if e.Workers == 0 {
			return nil
		}
		boot.StartedAt, boot.SeenAt = tx.Now(), tx.Now()
		return tx.InsertBoot(boot)
	})
	if err != nil {
		return err
	}
	return e.buryDead(ctx)
}

// buryDead looks for starts that are surely dead, and says so.
func (e *Engine) buryDead(ctx context.Context) error {
	hostID, how := "", fileLockFree
	if e.Host != nil {
		hostID, how = e.Host.ID, hostLockFree
	} else if e.DB.Shared() {
		return nil // without a lock nothing is known of others
	}
	var alive []store.Boot
	err := e.DB.View(ctx, func(tx *store.Tx) (err error) {
		if e.Host == nil {
			alive, err = tx.FreedWith(e.Place)
			return err
		}
		alive, err = tx.Alive(hostID)
		return err
	})
	for _, b := range alive {
		if err != nil || b.ID == e.boot || e.Host != nil && !e.Host.Died(b.ID) {
			continue
		}
		err = e.bury(ctx, b, how)
	}
	return err
}

func (e *Engine) bury(ctx context.Context, b store.Boot, how string) error {
	err := e.DB.Update(ctx, func(tx *store.Tx) error {
		_, err := tx.Bury(b.ID, how)
		return err
	})
	if err != nil {
		return fmt.Errorf("take over from start %s: %w", b.ID, err)
	}
	e.Logger.Warn("a start has ended without saying so; what it held is recovered", "boot", b.ID, "host", b.Host, "pid", b.PID)
	if e.Host != nil {
		e.Host.Forget(b.ID)
	}
	return nil
}

// beat does, as often as leases are renewed, what others wait for: it records
// that this start is alive, renews the leases of what is under way, and looks
// for starts that died. An error means that this start was declared dead.
func (e *Engine) beat(ctx context.Context) error {
	now := e.Clock()
	if now.Sub(e.beaten) < e.Timing.Renew {
		return nil
	}
	e.beaten = now
	var by string
	err := e.DB.Update(ctx, func(tx *store.Tx) (err error) {
		if by, err = tx.SeeBoot(e.boot); err != nil || by != "" {
			return err
		}
		return tx.RenewLeases(e.boot, e.underWay(), tx.Now().Add(e.Timing.Lease))
	})
	if err == nil && by == "" {
		err = e.buryDead(ctx)
	}
	switch {
	case by != "":
		return declaredDead(by)
	case err != nil && ctx.Err() == nil:
		e.Logger.Error("leases could not be renewed; what runs out is recovered by others", "err", err)
	}
	return nil
}

func declaredDead(by string) error {
	return model.Errorf(model.Conflict, "declared-dead",
		"this start was declared dead by %s: it sends nothing any more and ends; start it again to go on", by)
}

// mayClaim keeps a start that was declared dead from claiming anything, for the
// length of the transaction.
func (e *Engine) mayClaim(tx *store.Tx) error {
	by, err := tx.HoldBoot(e.boot)
	if err == nil && by != "" {
		err = declaredDead(by)
	}
	return err
}

// end records that this start is over: all that it began is settled.
func (e *Engine) end(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, endWithin)
	defer cancel()
	err := e.DB.Update(ctx, func(tx *store.Tx) error { return tx.EndBoot(e.boot) })
	if err == nil && e.lock != nil {
		err = e.lock.Release()
		e.Host.Forget(e.boot)
	}
	return err
}

// endWithin bounds the last write: where the database is gone, the free lock
// says the same to whoever starts next.
const endWithin = 5 * time.Second
