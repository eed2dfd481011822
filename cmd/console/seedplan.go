package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"countersign/internal/model"
)

// seedPlan is what a start that goes on with interrupted sample work must know.
// It is kept in the directory before the work begins.
type seedPlan struct {
	Anchor time.Time `json:"anchor"` // when the first start began
	// Machine is the machine's own start that the work is made in, "" where it has
	// no name. While it lasts, what was written is there, on the disk or not.
	Machine string `json:"machine"`
}

// begins is when the staged time begins: the history's first day.
func (p seedPlan) begins() time.Time {
	return p.Anchor.UTC().Truncate(24*time.Hour).AddDate(0, 0, -historyDays)
}

// seedPlanFile is where the plan of the sample work is, from before its first
// entry until it is made.
func (c *demoCommand) seedPlanFile() string { return filepath.Join(c.Data, "demo.seeding") }

// seedPlan reads the plan, or makes it. The error is of kind Invalid where the
// machine stopped while sample work was made: parts of it may be lost.
func (c *demoCommand) seedPlan() (plan seedPlan, err error) {
	machine := machineStart()
	text, err := os.ReadFile(c.seedPlanFile())
	if errors.Is(err, fs.ErrNotExist) {
		plan = seedPlan{time.Now().UTC(), machine}
		if text, err = json.Marshal(plan); err == nil {
			err = keepFile(c.seedPlanFile(), text)
		}
		return plan, err
	}
	if err == nil {
		err = json.Unmarshal(text, &plan)
	}
	if err != nil {
		return plan, fmt.Errorf("read the plan of the sample work: %w", err)
	}
	if plan.Machine != machine {
		return plan, model.Errorf(model.Invalid, "data", "this machine stopped while the sample work in %s was made, and parts of it may be lost; nothing was changed: remove that directory, or name another with --data", c.Data)
	}
	return plan, nil
}

// machineStart names the machine's own start; "" where that cannot be known.
func machineStart() string {
	text, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}

// keepFile writes a small file, whole and on the disk when it returns nil.
func keepFile(path string, text []byte) error {
	draft := path + ".new"
	file, err := os.OpenFile(draft, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(append(text, '\n'))
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return fmt.Errorf("keep %s: %w", path, err)
	}
	if err := os.Rename(draft, path); err != nil {
		return err
	}
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}
