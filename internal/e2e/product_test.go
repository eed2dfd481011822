package e2e

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"
)

// startTime is how long the demo may take until it is ready: the first makes its
// sample work, with the race detector and on a machine that may be busy.
const startTime = 4 * time.Minute

// product is the demo as a process of its own.
type product struct {
	Address string   `json:"address"`
	Sandbox string   `json:"sandbox"`
	People  []person `json:"people"`
	APIKey  string   `json:"api_key"`

	data string // its folder
	log  *lockedBuffer
}

// person is one sample person, as the ready line names them.
type person struct {
	Email     string `json:"email"`
	Role      string `json:"role"`
	SigninURL string `json:"signin_url"`
	APIKey    string `json:"api_key"`
}

// database is the file of the demo's database.
func (p *product) database() string { return filepath.Join(p.data, "countersign.db") }

// of gives the first sample person with a role.
func (p *product) of(t *testing.T, role string) person {
	t.Helper()
	for _, one := range p.People {
		if one.Role == role {
			return one
		}
	}
	t.Fatalf("the demo has no %s", role)
	return person{}
}

// seeded is a folder with the demo's sample work, made once for all tests by the
// binary itself, which has ended since.
var seeded = sync.OnceValues(func() (string, error) {
	binary, err := console()
	if err != nil {
		return "", err
	}
	folder := filepath.Join(have.folder, "seeded")
	ctx, cancel := context.WithTimeout(context.Background(), startTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, "demo", "--addr", "127.0.0.1:0", "--data", folder, "--json")
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return "", err
	}
	if _, err := bufio.NewReader(out).ReadBytes('\n'); err != nil {
		return "", fmt.Errorf("the ready line of the first demo: %w", err)
	}
	return folder, errors.Join(cmd.Process.Signal(syscall.SIGTERM), cmd.Wait())
})

// copied is a copy of the seeded folder for one test. The sandbox's port goes with
// it, as the frozen requests name it: two demos of copies cannot run at once.
func copied(t *testing.T) string {
	t.Helper()
	from, err := seeded()
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(t.TempDir(), "demo")
	files, err := os.ReadDir(from)
	if err = errors.Join(err, os.Mkdir(folder, 0o700)); err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(filepath.Join(from, file.Name()))
		if err = errors.Join(err, os.WriteFile(filepath.Join(folder, file.Name()), text, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// startDemo starts the binary as a person would, in a folder with its sample
// work, and waits for its ready line. At the end of the test it is told to stop,
// and must do so with exit code 0.
func startDemo(t *testing.T) *product {
	t.Helper()
	binary, err := console()
	if err != nil {
		t.Fatal(err)
	}
	p := &product{data: copied(t), log: &lockedBuffer{}}
	cmd := exec.Command(binary, "demo", "--addr", "127.0.0.1:0", "--data", p.data, "--json")
	cmd.Stderr = p.log
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.stop(t, cmd) })
	ready := make(chan error, 1)
	go func() {
		line, err := bufio.NewReader(out).ReadBytes('\n')
		ready <- errors.Join(err, json.Unmarshal(line, p))
	}()
	select {
	case err := <-ready:
		if err != nil {
			t.Fatalf("the ready line: %v\n%s", err, p.log)
		}
	case <-time.After(startTime):
		t.Fatalf("the demo is not ready after %s\n%s", startTime, p.log)
	}
	return p
}

func (p *product) stop(t *testing.T, cmd *exec.Cmd) {
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Errorf("stopping the demo: %v", err)
	}
	kill := time.AfterFunc(time.Minute, func() { cmd.Process.Kill() })
	defer kill.Stop()
	if err := cmd.Wait(); err != nil {
		t.Errorf("the demo ended with %v\n%s", err, p.log)
	}
	if bytes.Contains(p.log.Bytes(), []byte("DATA RACE")) {
		t.Errorf("the demo had a data race:\n%s", p.log)
	}
	if t.Failed() {
		t.Logf("the demo said:\n%s", p.log)
	}
}

// lockedBuffer collects what a process writes.
type lockedBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

// Bytes is a copy of what came so far.
func (b *lockedBuffer) Bytes() []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	return bytes.Clone(b.buf.Bytes())
}

func (b *lockedBuffer) String() string { return string(b.Bytes()) }
