package soak

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"countersign/internal/store/storetest"
)

const (
	account = "acme"
	secret  = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
)

// site is a whole installation of many processes.
type site struct {
	t        *testing.T
	dir      string
	pg       *storetest.Server
	dsn      string
	bank     *program
	bankURL  string
	programs []*program // those that drive the database
	pages    []string   // addresses of those that serve
	service  string     // a service key
	person   string     // an operator's

	mu       sync.Mutex
	answered map[string]string // intents that were answered, by kind and key
	figures  map[string]int    // what happened, by its name
}

// newSite starts everything.
func newSite(t *testing.T) *site {
	t.Helper()
	s := &site{t: t, dir: t.TempDir(), pg: storetest.StartServer(t), answered: map[string]string{}, figures: map[string]int{}}
	s.dsn = s.pg.Database(t)
	s.console("user", "add", "eleni@example.com", "--role", "administrator", "--account", account)
	s.console("user", "add", "priya@example.com", "--role", "operator", "--account", account)
	s.service = s.key("payroll", "--account", account, "--can", "intents:read,intents:write")
	s.person = s.key("priya", "--person", "priya@example.com")
	s.startBank(freePort(t), freePort(t), freePort(t))
	for _, address := range s.pages {
		s.drive("serve", "--addr", strings.TrimPrefix(address, "http://"))
	}
	s.drive("worker")
	s.drive("worker")
	return s
}

// startBank starts the provider, whose events go to the first of those that serve.
func (s *site) startBank(bank string, pages ...string) {
	for _, p := range pages {
		s.pages = append(s.pages, "http://"+p)
	}
	s.bankURL = "http://" + bank
	s.bank = s.program("sandbox", "--addr", bank, "--data", filepath.Join(s.dir, "bank"), "--pace", "fast",
		"--webhook", s.pages[0]+"/webhooks/bank", "--webhook-secret", secret)
	providers := fmt.Sprintf("[provider.bank]\ntype = \"sandbox\"\nurl = %q\nsecret = \"file:%s\"\n[account.%s]\npayouts = \"bank\"\ncredits = \"bank\"\ndisputes = \"bank\"\nmessages = \"bank\"\n",
		s.bankURL, s.write("secret", secret), account)
	s.write("providers.toml", providers)
}

func (s *site) write(name, text string) (path string) {
	s.t.Helper()
	path = filepath.Join(s.dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
	return path
}

func (s *site) keyFile() string { return filepath.Join(s.dir, "countersign.key") }

// drive starts one more process on the database.
func (s *site) drive(command string, more ...string) {
	args := append([]string{command, "--db", s.dsn, "--key-file", s.keyFile(), "--state-dir", filepath.Join(s.dir, "state"),
		"--providers", filepath.Join(s.dir, "providers.toml"), "--pace", "fast", "--workers", "4"}, more...)
	s.programs = append(s.programs, s.program(args...))
}

// program starts a command that runs on.
func (s *site) program(args ...string) *program {
	s.t.Helper()
	p := &program{t: s.t, name: args[0], args: append(args, "--json")}
	p.start()
	s.t.Cleanup(func() {
		p.cmd.Process.Kill()
		if s.t.Failed() {
			s.t.Logf("the end of the log of %s:\n%s", p.name, p.log.String())
		}
	})
	return p
}

// count notes that something happened.
func (s *site) count(what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.figures[what]++
}

// disturbances are what can happen to a site, the likelier ones more than once.
var disturbances = []struct {
	what string
	do   func(*site, *rand.Rand)
}{
	{"killed", (*site).killOne}, {"killed", (*site).killOne}, {"killed", (*site).killOne},
	{"stopped", (*site).stopOne}, {"stopped", (*site).stopOne},
	{"provider faults", (*site).fault}, {"provider faults", (*site).fault}, {"provider faults", (*site).fault},
	{"provider killed", (*site).killBank},
	{"PostgreSQL killed", (*site).killDatabase},
}

func (s *site) any(r *rand.Rand) *program { return s.programs[r.IntN(len(s.programs))] }

func (s *site) killOne(r *rand.Rand) {
	p := s.any(r)
	p.kill()
	time.Sleep(upTo(r, time.Second))
	p.start()
}

// stopOne stops a process for longer or shorter than its leases last.
func (s *site) stopOne(r *rand.Rand) { s.any(r).pause(upTo(r, 6*time.Second)) }

func (s *site) killBank(r *rand.Rand) {
	s.bank.kill()
	time.Sleep(upTo(r, time.Second))
	s.bank.start()
}

func (s *site) killDatabase(r *rand.Rand) {
	s.pg.Kill()
	time.Sleep(upTo(r, time.Second))
	if err := s.pg.Start(); err != nil {
		s.t.Fatal(err)
	}
}

// fault lets some of the next requests of the provider go wrong.
func (s *site) fault(r *rand.Rand) {
	faults := []string{"drop_before_accept", "drop_after_accept", "hang_after_accept", "500_before", "500_after", "429", "truncated_body", "slow", "webhook_twice", "webhook_late"}
	body := fmt.Sprintf(`{"match":{"method":"POST"},"fault":%q,"times":%d,"ms":%d}`, faults[r.IntN(len(faults))], 1+r.IntN(5), 100+r.IntN(2500))
	answer, err := http.Post(s.bankURL+"/faults", "application/json", strings.NewReader(body))
	if err == nil {
		answer.Body.Close()
	}
}

func upTo(r *rand.Rand, most time.Duration) time.Duration {
	return time.Duration(r.Int64N(int64(most)))
}
