package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"
)

// seededIn is how long the start that made it took.
var seededIn time.Duration

// seededOnce is a directory with the demo's sample work, made once for all tests
// by the program itself, which has ended since.
var seededOnce = sync.OnceValues(func() (dir string, err error) {
	dir = filepath.Join(filepath.Dir(binary), "seeded")
	cmd := exec.Command(binary, demoArgs(dir)...)
	cmd.Stderr = os.Stderr
	began := time.Now()
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return "", err
	}
	line := make([]byte, 1)
	if _, err := out.Read(line); err != nil {
		return "", fmt.Errorf("the ready line of the demo: %w", err)
	}
	seededIn = time.Since(began)
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return "", err
	}
	return dir, cmd.Wait()
})

// seeded is a copy of it for one test. The sandbox's port goes with it, as the
// frozen requests name it: two demos of copies cannot run at once.
func seeded(t *testing.T) (dir string) {
	t.Helper()
	from, err := seededOnce()
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	files, err := os.ReadDir(from)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(filepath.Join(from, file.Name()))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, file.Name()), text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
