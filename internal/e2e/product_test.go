package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"sync"
	"syscall"
	"testing"
	"time"
)

// startTime is how long the demo may take until it is ready: it makes its sample
// work first, on a machine that may be busy.
const startTime = 4 * time.Minute

// The products that the tests share, each started when a test first asks for it
// and stopped after the last test: the demo with its sample work, one with people
// alone, and another such that a test may harm. Making the sample work takes
// longer than most tests, and all of them find their own in it.
var (
	full   = &running{folder: "full"}
	bare   = &running{folder: "bare", flags: []string{"--empty"}}
	harmed = &running{folder: "harmed", flags: []string{"--empty"}}
)

// startDemo gives the demo that all tests share.
func startDemo(t *testing.T) *product { return full.started(t) }

// startEmpty gives the demo without sample work that all tests share.
func startEmpty(t *testing.T) *product { return bare.started(t) }

// startHarmed gives a demo without sample work that no other test looks at.
func startHarmed(t *testing.T) *product { return harmed.started(t) }

// running is a product that several tests share.
type running struct {
	folder  string
	flags   []string
	once    sync.Once
	product *product
	err     error
}

func (r *running) started(t *testing.T) *product {
	t.Helper()
	r.once.Do(func() { r.product, r.err = start(r.folder, r.flags...) })
	if r.err != nil {
		t.Fatal(r.err)
	}
	return r.product
}

// stop ends the product, if a test has started it.
func (r *running) stop() error {
	if r.product == nil {
		return nil
	}
	return r.product.stop()
}

// product is the demo as a process of its own.
type product struct {
	Address string   `json:"address"`
	Sandbox string   `json:"sandbox"`
	People  []person `json:"people"`
	APIKey  string   `json:"api_key"`

	data    string // its folder
	log     *lockedBuffer
	command *exec.Cmd
}

// person is one sample person, as the ready line names them, and the password
// of all sample people.
type person struct {
	Email     string `json:"email"`
	Role      string `json:"role"`
	SigninURL string `json:"signin_url"`
	APIKey    string `json:"api_key"`
	password  string
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

// start starts the binary as a person would, in a new folder, and waits for its
// ready line.
func start(folder string, flags ...string) (*product, error) {
	binary, err := console()
	if err != nil {
		return nil, err
	}
	p := &product{data: filepath.Join(have.folder, folder), log: &lockedBuffer{}}
	p.command = exec.Command(binary, append([]string{"demo", "--addr", "127.0.0.1:0", "--data", p.data, "--json"}, flags...)...)
	p.command.Stderr = p.log
	out, err := p.command.StdoutPipe()
	if err == nil {
		err = p.command.Start()
	}
	if err != nil {
		return nil, err
	}
	ready := make(chan error, 1)
	go func() {
		line, err := bufio.NewReader(out).ReadBytes('\n')
		ready <- errors.Join(err, json.Unmarshal(line, p))
	}()
	select {
	case err = <-ready:
	case <-time.After(startTime):
		err = fmt.Errorf("not ready after %s", startTime)
	}
	if err == nil {
		err = p.learnPassword()
	}
	if err != nil {
		p.command.Process.Kill()
		return nil, fmt.Errorf("the demo: %w\n%s", err, p.log)
	}
	return p, nil
}

var saidPassword = regexp.MustCompile(`(?m)^The sample people's password.*: (\S+)$`)

// learnPassword takes the sample people's password from what the demo says when
// it starts.
func (p *product) learnPassword() error {
	for range 50 { // the log comes by another pipe than the ready line
		if said := saidPassword.FindSubmatch(p.log.Bytes()); said != nil {
			for i := range p.People {
				p.People[i].password = string(said[1])
			}
			return nil
		}
		time.Sleep(100 * time.Millisecond)
	}
	return errors.New("it does not say the sample people's password")
}

// stop tells the demo to stop, which it must do with exit code 0.
func (p *product) stop() error {
	if err := p.command.Process.Signal(syscall.SIGTERM); err != nil {
		return fmt.Errorf("stopping the demo: %w", err)
	}
	kill := time.AfterFunc(time.Minute, func() { p.command.Process.Kill() })
	defer kill.Stop()
	if err := p.command.Wait(); err != nil {
		return fmt.Errorf("the demo ended with %w\n%s", err, p.complaints())
	}
	return nil
}

// complaints are the lines of the log that are not about ordinary requests.
func (p *product) complaints() (lines []byte) {
	for line := range bytes.Lines(p.log.Bytes()) {
		if !bytes.Contains(line, []byte("level=INFO")) {
			lines = append(lines, line...)
		}
	}
	return lines
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
