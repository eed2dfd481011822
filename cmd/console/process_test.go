package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// binary is the program, built once for all tests of processes.
var binary string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "console-test-")
	if err != nil {
		panic(err)
	}
	binary = filepath.Join(dir, "console")
	if out, err := exec.Command("go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build: %v\n%s", err, out)
		os.Exit(1)
	}
	flag.Parse()
	if err := flag.Set("test.parallel", "4"); err != nil { // they wait for processes, not for a core
		panic(err)
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// process is a running program.
type process struct {
	t     *testing.T
	cmd   *exec.Cmd
	out   *bufio.Reader
	err   *safeBuffer
	ended chan error
}

// safeBuffer may be read while the program still writes to it.
type safeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *safeBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *safeBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// launch starts the program; it is killed at the end of the test.
func launch(t *testing.T, args ...string) *process {
	t.Helper()
	p := &process{t: t, cmd: exec.Command(binary, args...), err: &safeBuffer{}, ended: make(chan error, 1)}
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	p.cmd.Stdout, p.cmd.Stderr, p.out = write, p.err, bufio.NewReader(read)
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	write.Close()
	go func() { p.ended <- p.cmd.Wait() }()
	t.Cleanup(func() {
		p.cmd.Process.Kill()
		read.Close()
		if t.Failed() {
			t.Logf("standard error of %v:\n%s", args, tail(p.err.String()))
		}
	})
	return p
}

func tail(text string) string {
	if len(text) > 4000 {
		return "…" + text[len(text)-4000:]
	}
	return text
}

// ready waits for the ready line.
func (p *process) ready() (line readyLine) {
	p.t.Helper()
	read := make(chan error, 1)
	go func() {
		text, err := p.out.ReadBytes('\n')
		if err == nil {
			err = json.Unmarshal(text, &line)
		}
		read <- err
	}()
	select {
	case err := <-read:
		if err != nil {
			p.t.Fatalf("ready line: %v\n%s", err, tail(p.err.String()))
		}
	case <-time.After(2 * time.Minute): // a machine may be busy while sample work is made
		p.t.Fatalf("not ready after 2 min\n%s", tail(p.err.String()))
	}
	return line
}

// end waits for the program's end and gives its exit code; -1 is a signal.
func (p *process) end() int {
	p.t.Helper()
	select {
	case <-p.ended:
	case <-time.After(30 * time.Second):
		p.t.Fatalf("still running after 30 s\n%s", tail(p.err.String()))
	}
	return p.cmd.ProcessState.ExitCode()
}

// stop asks the program to end, and wants it to end well.
func (p *process) stop() {
	p.t.Helper()
	p.cmd.Process.Signal(syscall.SIGTERM)
	if code := p.end(); code != 0 {
		p.t.Errorf("exit %d after SIGTERM, want 0", code)
	}
}

// kill ends the program without its knowing.
func (p *process) kill() {
	p.t.Helper()
	p.cmd.Process.Kill()
	p.end()
}

// fetch gets a page or calls the API, and wants 2xx.
func fetch(t *testing.T, method, url, key, body string, into any, headers ...string) {
	t.Helper()
	r, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+key)
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	if answer.StatusCode > 299 {
		t.Fatalf("%s %s: %s %s", method, url, answer.Status, text)
	}
	if into == nil {
		return
	}
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatalf("%s %s: %v in %s", method, url, err, text)
	}
}

func demoArgs(dir string, more ...string) []string {
	return append([]string{"demo", "--json", "--addr", "127.0.0.1:0", "--data", dir}, more...)
}

func TestDemoSaysWhenItIsReady(t *testing.T) {
	dir := t.TempDir()
	p := launch(t, demoArgs(dir, "--empty")...)
	first := p.ready()
	if len(first.People) != len(samplePeople) || first.APIKey == "" || first.Sandbox == "" {
		t.Errorf("ready line lacks members: %+v", first)
	}
	for _, person := range first.People {
		if person.SigninURL == "" || person.APIKey == "" || person.Role == "" || person.Email == "" {
			t.Errorf("person lacks members: %+v", person)
		}
		fetch(t, "GET", person.SigninURL, "", "", nil)
	}
	fetch(t, "GET", first.Address+"/readyz", "", "", nil)
	fetch(t, "GET", first.Sandbox+"/books", "", "", nil)
	p.stop()

	p = launch(t, demoArgs(dir)...)
	second := p.ready()
	if second.Sandbox != first.Sandbox {
		t.Errorf("the sandbox moved from %s to %s", first.Sandbox, second.Sandbox)
	}
	if second.APIKey != first.APIKey || second.People[0].APIKey != first.People[0].APIKey {
		t.Error("a second start gave other API keys")
	}
	if second.People[0].SigninURL == first.People[0].SigninURL {
		t.Error("a second start gave the same sign-in link")
	}
	var list struct {
		Count int `json:"count"`
	}
	fetch(t, "GET", second.Address+"/v1/intents", second.APIKey, "", &list)
	if list.Count != 0 {
		t.Errorf("a directory that began empty has %d intents", list.Count)
	}
	p.stop()
}

func TestTwoProcessesNeverShareADatabase(t *testing.T) {
	dir := t.TempDir()
	first := launch(t, demoArgs(dir, "--empty")...)
	first.ready()
	holder := fmt.Sprintf("process %d", first.cmd.Process.Pid)
	db := "sqlite:" + filepath.Join(dir, "countersign.db")
	for _, args := range [][]string{demoArgs(dir), {"serve", "--db", db, "--addr", "127.0.0.1:0"}, {"migrate", "--db", db}} {
		second := launch(t, args...)
		if code := second.end(); code != exitUsage {
			t.Errorf("%v: exit %d, want %d", args, code, exitUsage)
		}
		if said := second.err.String(); !strings.Contains(said, holder) || strings.Count(said, "\n") != 1 {
			t.Errorf("%v: said %q, want one line naming %s", args, said, holder)
		}
	}
	beside := launch(t, "user", "list", "--db", db)
	if code := beside.end(); code != 0 {
		t.Errorf("user list beside a running process: exit %d", code)
	}
}

func TestServeStopsWell(t *testing.T) {
	db := "sqlite:" + filepath.Join(t.TempDir(), "c.db")
	p := launch(t, "serve", "--json", "--addr", "127.0.0.1:0", "--db", db)
	line := p.ready()
	if line.Address == "" || line.People != nil || line.APIKey != "" {
		t.Errorf("ready line of serve: %+v", line)
	}
	fetch(t, "GET", line.Address+"/healthz", "", "", nil)
	p.stop()
}

// A database, a provider and a key made by hand, as in production.
func TestServeBesideASandbox(t *testing.T) {
	dir := t.TempDir()
	db := "sqlite:" + filepath.Join(dir, "c.db")
	sandbox := launch(t, "sandbox", "--json", "--addr", "127.0.0.1:0", "--data", filepath.Join(dir, "bank"), "--pace", "fast")
	bankAddress := sandbox.ready().Address
	providers := filepath.Join(dir, "providers.toml")
	write(t, providers, "[provider.bank]\ntype = \"sandbox\"\nurl = \""+bankAddress+"\"\n[account.acme]\npayouts = \"bank\"\nmessages = \"bank\"\n")
	var key struct{ Key string }
	out := good(t, "", "apikey", "add", "payroll", "--account", "acme", "--can", "intents:read,intents:write", "--json", "--db", db)
	if err := json.Unmarshal([]byte(out), &key); err != nil {
		t.Fatal(err)
	}
	serve := launch(t, "serve", "--json", "--addr", "127.0.0.1:0", "--db", db, "--providers", providers, "--pace", "fast")
	line := serve.ready()
	line.APIKey = key.Key
	fetch(t, "POST", line.Address+"/v1/intent-batches", line.APIKey, payouts(3), nil)
	eventually(t, "all intents completed", func() bool {
		states := intents(t, line)
		return len(states) == 3 && states["k-0"] == "completed" && states["k-1"] == "completed" && states["k-2"] == "completed"
	})
	if out := good(t, "", "doctor", "--db", db, "--providers", providers, "--pace", "fast"); strings.Contains(out, "FAULT") {
		t.Errorf("doctor beside a running process said\n%s", out)
	}
	for _, want := range []string{"msg=attempt", "intent=intent-", "step=intent-", "attempt=1"} {
		if !strings.Contains(serve.err.String(), want) {
			t.Errorf("no %s in the log", want)
		}
	}
	serve.stop()
	sandbox.stop()
}

func TestDemoStopsWhileSamplesAreMade(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := launch(t, demoArgs(dir)...)
	eventually(t, "the sandbox's port", func() bool {
		_, err := os.Stat(filepath.Join(dir, "sandbox.port"))
		return err == nil
	})
	p.stop()
	d, _, _ := startDemo(t, dir, false)
	checkStanding(t, d)
}
