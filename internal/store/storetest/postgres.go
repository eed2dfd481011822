package storetest

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"

	"countersign/internal/store"
)

// Server is a PostgreSQL server of the tests' own, on loopback and a free port.
// Its methods may be called from one test at a time.
type Server struct {
	dir, port string
	settings  []string // besides those of all, as the server's command line has them
	guard     *exec.Cmd
	leash     *os.File // held by this process: its end is the server's end
	databases atomic.Int64
}

// shared is the server of this test process, started when it is first needed.
var shared = sync.OnceValues(func() (*Server, error) {
	s, err := newServer(quick...)
	if err != nil {
		return nil, err
	}
	return s, s.makeTemplate()
})

// quick is a server whose commits survive its processes, not the machine; durable
// one as production has it.
var (
	quick   = []string{"-c", "shared_buffers=64MB", "-c", "fsync=off"}
	durable = []string{"-c", "shared_buffers=512MB", "-c", "fsync=on", "-c", "synchronous_commit=on"}
)

// StartServer gives a server of the test's own, which it may Kill; it ends with
// the test. What it committed survives its processes, not the machine.
func StartServer(t testing.TB) *Server {
	t.Helper()
	return startServer(t, quick)
}

// StartDurableServer gives a server of the test's own that answers a commit only
// when it is on disk, to measure against; it ends with the test.
func StartDurableServer(t testing.TB) *Server {
	t.Helper()
	return startServer(t, durable)
}

func startServer(t testing.TB, settings []string) *Server {
	t.Helper()
	s, err := newServer(settings...)
	if err != nil {
		t.Fatalf("start PostgreSQL: %v", err)
	}
	t.Cleanup(func() {
		s.Kill()
		os.RemoveAll(s.dir)
	})
	return s
}

func newServer(settings ...string) (*Server, error) {
	dir, err := os.MkdirTemp("", "countersign-pg-")
	if err != nil {
		return nil, err
	}
	s := &Server{dir: dir, settings: settings}
	if err := s.own(); err != nil {
		return nil, err
	}
	if out, err := s.as("initdb", "-D", filepath.Join(dir, "data"), "-U", "app", "--auth=trust", "--no-sync", "--locale=C.UTF-8", "-E", "UTF8").CombinedOutput(); err != nil {
		return nil, fmt.Errorf("initdb: %w: %s", err, out)
	}
	return s, s.Start()
}

// account is whom the server runs as: PostgreSQL refuses root.
func account() (*user.User, error) {
	if os.Getuid() != 0 {
		return nil, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		if u, err := user.Lookup(name); err == nil {
			return u, nil
		}
	}
	return nil, fmt.Errorf("no account but root to run PostgreSQL as")
}

// own gives the folder to the account that the server runs as.
func (s *Server) own() error {
	u, err := account()
	if err != nil || u == nil {
		return err
	}
	uid, _ := strconv.Atoi(u.Uid)
	return os.Chown(s.dir, uid, -1)
}

// as prepares a command of PostgreSQL under its account.
func (s *Server) as(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(binary(name), args...)
	cmd.Dir = s.dir
	if u, _ := account(); u != nil {
		uid, _ := strconv.Atoi(u.Uid)
		gid, _ := strconv.Atoi(u.Gid)
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
	}
	return cmd
}

// binary finds a program of PostgreSQL; starting one that is missing fails by its name.
func binary(name string) string {
	path, err := store.PostgresProgram(name)
	if err != nil {
		return name
	}
	return path
}

// Installed tells what is missing where no PostgreSQL server can be started.
func Installed() error {
	if _, err := exec.LookPath(binary("initdb")); err != nil {
		return fmt.Errorf("PostgreSQL is missing: %w", err)
	}
	return nil
}

// guardScript runs the server and ends it, and its folder, when the process
// that started it ends, however that ends: its standard input closes then.
const guardScript = `"$0" "$@" >log 2>&1 & pid=$!
cat >/dev/null
kill -QUIT $pid 2>/dev/null; wait $pid; rm -rf "$PWD"`

// Start starts the server again after Kill, on the same port, and waits until
// it answers.
func (s *Server) Start() error {
	if s.port == "" {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		_, s.port, _ = net.SplitHostPort(l.Addr().String())
		if err := l.Close(); err != nil {
			return err
		}
	}
	read, write, err := os.Pipe()
	if err != nil {
		return err
	}
	server := append([]string{binary("postgres"), "-D", filepath.Join(s.dir, "data"), "-p", s.port, "-c", "listen_addresses=127.0.0.1",
		"-c", "unix_socket_directories=", "-c", "max_connections=200"}, s.settings...)
	s.guard = s.as("/bin/sh", append([]string{"-c", guardScript}, server...)...)
	s.guard.SysProcAttr = group(s.guard.SysProcAttr)
	s.guard.Stdin, s.leash = read, write
	if err := s.guard.Start(); err != nil {
		return err
	}
	if err := read.Close(); err != nil {
		return err
	}
	return s.await()
}

// group puts the server's processes into a group of their own.
func group(a *syscall.SysProcAttr) *syscall.SysProcAttr {
	if a == nil {
		a = &syscall.SysProcAttr{}
	}
	a.Setpgid = true
	return a
}

func (s *Server) await() error {
	for until := time.Now().Add(30 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		db, err := sql.Open("pgx", s.DSN("postgres"))
		if err != nil {
			return err
		}
		err = db.Ping()
		db.Close()
		if err == nil {
			return nil
		}
		if time.Now().After(until) {
			text, _ := os.ReadFile(filepath.Join(s.dir, "log"))
			return fmt.Errorf("PostgreSQL does not answer: %w: %s", err, bytes.TrimSpace(text))
		}
	}
}

// DSN is the address of one of the server's databases.
func (s *Server) DSN(database string) string {
	return "postgres://app@127.0.0.1:" + s.port + "/" + database + "?sslmode=disable"
}

// Kill ends every process of the server at once, as SIGKILL does: nothing is
// flushed, nobody is told. Killing one that is down does nothing.
func (s *Server) Kill() {
	if s.guard == nil {
		return
	}
	syscall.Kill(-s.guard.Process.Pid, syscall.SIGSTOP) // the shell must not see the server end
	pids := s.processes()
	for _, pid := range pids {
		syscall.Kill(pid, syscall.SIGKILL)
	}
	syscall.Kill(-s.guard.Process.Pid, syscall.SIGKILL) // the group that Start made
	s.leash.Close()
	s.guard.Wait()
	s.guard = nil
	s.bury(pids)
}

// bury waits for the end of killed processes, and takes away the file that names
// the first: a server does not start while that one is still listed, as it is
// until somebody asks how it ended.
func (s *Server) bury(pids []int) {
	for until := time.Now().Add(10 * time.Second); time.Now().Before(until) && slices.ContainsFunc(pids, running); {
		time.Sleep(5 * time.Millisecond)
	}
	if len(pids) > 0 && !slices.ContainsFunc(pids, running) {
		os.Remove(s.pidFile())
	}
}

// running reports whether a process has not ended: one that ended is still
// listed as Z until its end was asked for.
func running(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, state, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(state, "Z") && !strings.HasPrefix(state, "X")
}

func (s *Server) pidFile() string { return filepath.Join(s.dir, "data", "postmaster.pid") }

// processes are the server's own process and those that it started.
func (s *Server) processes() (pids []int) {
	text, err := os.ReadFile(s.pidFile())
	if err != nil {
		return nil
	}
	first, _, _ := strings.Cut(string(text), "\n")
	children, _ := os.ReadFile(fmt.Sprintf("/proc/%s/task/%s/children", first, first))
	for _, word := range append(strings.Fields(string(children)), first) {
		if pid, err := strconv.Atoi(word); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

// CPU is how much processor time the server's processes have used, those that
// ended included.
func (s *Server) CPU() (used time.Duration) {
	for _, pid := range s.processes() {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			continue // it ended: its parent has its time
		}
		_, rest, _ := strings.Cut(string(stat), ") ")
		for _, word := range strings.Fields(rest)[11:15] { // own and ended children's, user and system, in 1/100 s
			ticks, _ := strconv.Atoi(word)
			used += time.Duration(ticks) * 10 * time.Millisecond
		}
	}
	return used
}

// run executes statements in the server's own database.
func (s *Server) run(ctx context.Context, statements ...string) error {
	db, err := sql.Open("pgx", s.DSN("postgres"))
	if err != nil {
		return err
	}
	defer db.Close()
	for _, statement := range statements {
		if _, err := db.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	return nil
}

// makeTemplate makes the database that every test's own is a copy of: with the
// schema, and without an installation, which each copy makes for itself.
func (s *Server) makeTemplate() error {
	ctx := context.Background()
	if err := s.run(ctx, "CREATE DATABASE template_countersign"); err != nil {
		return err
	}
	db, err := store.Open(ctx, s.DSN("template_countersign"), store.Options{})
	if err != nil {
		return err
	}
	if err := db.Close(); err != nil {
		return err
	}
	raw, err := sql.Open("pgx", s.DSN("template_countersign"))
	if err != nil {
		return err
	}
	defer raw.Close()
	_, err = raw.Exec("DELETE FROM installation")
	return err
}

// Database makes a new, empty database and gives its address.
func (s *Server) Database(t testing.TB) string {
	t.Helper()
	name := fmt.Sprintf("empty_%d", s.databases.Add(1))
	if err := s.run(t.Context(), "CREATE DATABASE "+name); err != nil {
		t.Fatal(err)
	}
	return s.DSN(name)
}

// copyOfTemplate makes a database with the schema. It stays until the server
// ends: dropping one takes longer than making one.
func (s *Server) copyOfTemplate(t testing.TB) string {
	t.Helper()
	name := fmt.Sprintf("test_%d", s.databases.Add(1))
	if err := s.run(t.Context(), "CREATE DATABASE "+name+" TEMPLATE template_countersign"); err != nil {
		t.Fatal(err)
	}
	return s.DSN(name)
}

// Drop removes a database that Place gave, with whoever is still connected to
// it: long runs make more than a disk holds. An SQLite file ends with its test.
func Drop(t testing.TB, place string) {
	t.Helper()
	if !Postgres() {
		return
	}
	address, err := url.Parse(place)
	if err != nil {
		t.Fatal(err)
	}
	name := strings.TrimPrefix(address.Path, "/")
	if err := Shared(t).run(context.Background(), "DROP DATABASE "+name+" WITH (FORCE)"); err != nil {
		t.Error(err)
	}
}

// Restore restores what store.Backup made of a PostgreSQL database into a new
// one, as the README says, and gives its address.
func (s *Server) Restore(t testing.TB, file string) (dsn string) {
	t.Helper()
	dsn = s.Database(t)
	cmd := exec.Command(binary("psql"), "-X", "-q", "-d", dsn, "-v", "ON_ERROR_STOP=1", "-f", file)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("restore %s: %v: %s", file, err, out)
	}
	return dsn
}
