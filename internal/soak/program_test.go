package soak

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"countersign/internal/store/storetest"
)

// binary is the program, built once for all tests.
var binary string

// TestMain runs nothing where there is no PostgreSQL, which go test shows as
// "[no tests to run]".
func TestMain(m *testing.M) {
	flag.Parse()
	if err := storetest.Installed(); err != nil {
		fmt.Fprintln(os.Stderr, "soak: no process was killed:", err)
		if err := flag.Set("test.run", "^$"); err != nil {
			panic(err)
		}
		os.Exit(m.Run())
	}
	dir, err := os.MkdirTemp("", "soak-")
	if err != nil {
		panic(err)
	}
	binary = filepath.Join(dir, "console")
	if out, err := exec.Command("go", "build", "-o", binary, "countersign/cmd/console").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build: %v\n%s", err, out)
		os.Exit(1)
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// program is one command line that is started again however it ends.
type program struct {
	t    *testing.T
	name string
	args []string
	log  lastLines

	cmd   *exec.Cmd
	ended chan error // how the present run ended, once it has
}

// lastLines keeps the end of what the runs of a program wrote.
type lastLines struct {
	mu   sync.Mutex
	text []byte
}

func (l *lastLines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text = append(l.text, p...)
	l.text = l.text[max(0, len(l.text)-16_000):]
	return len(p), nil
}

func (l *lastLines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return string(l.text)
}

// startWithin is how long a program may take to be ready: the machine is busy.
const startWithin = 90 * time.Second

// start starts the program and waits until it says that it is ready. One that
// ends before, as the database is not there, is started again.
func (p *program) start() {
	p.t.Helper()
	for until := time.Now().Add(startWithin); ; time.Sleep(200 * time.Millisecond) {
		err := p.try()
		if err == nil {
			return
		}
		if time.Now().After(until) {
			p.t.Fatalf("%s does not start: %v\n%s", p.name, err, p.log.String())
		}
	}
}

func (p *program) try() error {
	p.cmd = exec.Command(binary, p.args...)
	p.cmd.Stderr = &p.log
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := p.cmd.Start(); err != nil {
		return err
	}
	ready, cmd, ended := make(chan error, 1), p.cmd, make(chan error, 1)
	p.ended = ended
	go func() {
		_, err := bufio.NewReader(out).ReadBytes('\n')
		ready <- err
		ended <- cmd.Wait()
	}()
	select {
	case err = <-ready:
	case <-time.After(startWithin):
		err = fmt.Errorf("not ready after %s", startWithin)
	}
	if err != nil {
		p.cmd.Process.Kill()
		<-ended
	}
	return err
}

// kill ends the program without its knowing. One that ended by itself should not
// have, whatever happened to the database or the provider.
func (p *program) kill() {
	p.t.Helper()
	select {
	case err := <-p.ended:
		p.t.Errorf("%s ended by itself: %v\n%s", p.name, err, p.log.String())
	default:
		p.cmd.Process.Kill()
		<-p.ended
	}
}

// pause stops the program for a while in the middle of whatever it does.
func (p *program) pause(d time.Duration) {
	p.cmd.Process.Signal(syscall.SIGSTOP)
	time.Sleep(d)
	p.cmd.Process.Signal(syscall.SIGCONT)
}

// stop asks the program to end, and wants it to end well.
func (p *program) stop() {
	p.t.Helper()
	p.cmd.Process.Signal(syscall.SIGTERM)
	if err := <-p.ended; err != nil {
		p.t.Errorf("%s, told to stop: %v\n%s", p.name, err, p.log.String())
	}
}

// console runs a command to its end, and gives what it printed.
func (s *site) console(args ...string) []byte {
	s.t.Helper()
	cmd := exec.Command(binary, args...)
	cmd.Env = append(os.Environ(), "COUNTERSIGN_DB="+s.dsn, "COUNTERSIGN_KEY_FILE="+s.keyFile(), "COUNTERSIGN_INSECURE_PERSON_KEYS=1")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		s.t.Fatalf("console %s: %v\n%s", strings.Join(args, " "), err, &stderr)
	}
	return out
}

// key makes an API key.
func (s *site) key(args ...string) string {
	s.t.Helper()
	var made struct{ Key string }
	if err := json.Unmarshal(s.console(append([]string{"apikey", "add", "--json"}, args...)...), &made); err != nil {
		s.t.Fatal(err)
	}
	return made.Key
}

// freePort is a loopback address that nobody listens on.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}
