package alert

import (
	"context"

	"countersign/internal/store"
)

// Condition is something wrong with the installation that comes and goes. Check
// says what is wrong, "" while nothing is.
type Condition struct {
	Kind  Kind
	Check func(ctx context.Context) string
}

// look raises and ends the conditions of the installation, now and then.
func (s *Sender) look(ctx context.Context) error {
	if now := s.Clock(); now.Before(s.lookAfter) {
		return nil
	} else {
		s.lookAfter = now.Add(lookEvery)
	}
	found := make([]string, len(s.Conditions))
	for i, c := range s.Conditions {
		found[i] = c.Check(ctx)
	}
	changed, err := s.changed(ctx, found)
	if err != nil || !changed {
		return err
	}
	return s.DB.Update(ctx, func(tx *store.Tx) error {
		mine, err := tx.TakeLease(leaseName, s.holder, leaseLength)
		if err != nil || !mine {
			return err // whoever works on alerts looks by itself
		}
		for i, c := range s.Conditions {
			if err := c.follow(tx, found[i]); err != nil {
				return err
			}
		}
		return nil
	})
}

// key names the condition's standing alert.
func (c Condition) key() string { return "condition:" + string(c.Kind) }

// follow brings the condition's alert in line with what was found.
func (c Condition) follow(tx *store.Tx, found string) error {
	if found == "" {
		_, err := tx.RenewCause(c.key(), "It is well again.")
		return err
	}
	return Raise(tx, Cause{Key: c.key(), Kind: c.Kind, Text: found})
}

// changed reports whether a condition came or went since its alert was written:
// looking alone writes nothing.
func (s *Sender) changed(ctx context.Context, found []string) (changed bool, err error) {
	err = s.DB.View(ctx, func(tx *store.Tx) error {
		for i, c := range s.Conditions {
			stands, err := tx.AlertStands(c.key())
			if err != nil {
				return err
			}
			changed = changed || stands != (found[i] != "")
		}
		return nil
	})
	return changed, err
}
