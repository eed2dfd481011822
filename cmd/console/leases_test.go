package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"countersign/internal/model"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
)

// fleet is a process with pages and two workers on a PostgreSQL database of its
// own, and a bank. Whichever worker takes an intent, the tests find it.
type fleet struct {
	t       *testing.T
	bank    string
	line    readyLine
	storage []string
	db      *store.DB // the test's own view
	workers []*process
}

// newFleet starts one; each worker keeps its locks in a directory named in
// hosts: the same one is the same machine, another is another.
func newFleet(t *testing.T, hosts ...string) *fleet {
	t.Helper()
	return newFleetOn(t, storetest.Shared(t), hosts...)
}

// newFleetOn starts one on a server.
func newFleetOn(t *testing.T, server *storetest.Server, hosts ...string) *fleet {
	t.Helper()
	dir, db := t.TempDir(), server.Database(t)
	f := &fleet{t: t, storage: []string{"--db", db, "--key-file", filepath.Join(dir, "key")}}
	var key struct{ Key string }
	out := good(t, "", append([]string{"apikey", "add", "payroll", "--account", "acme", "--can", "intents:read,intents:write", "--json"}, f.storage...)...)
	if err := json.Unmarshal([]byte(out), &key); err != nil {
		t.Fatal(err)
	}
	f.bank = launch(t, "sandbox", "--json", "--addr", "127.0.0.1:0", "--data", filepath.Join(dir, "bank"), "--pace", "fast").ready().Address
	providers := filepath.Join(dir, "providers.toml")
	write(t, providers, "[provider.bank]\ntype = \"sandbox\"\nurl = \""+f.bank+"\"\n[account.acme]\npayouts = \"bank\"\nmessages = \"bank\"\n")
	common := append([]string{"--json", "--providers", providers, "--pace", "fast"}, f.storage...)
	f.line = launch(t, append([]string{"serve", "--addr", "127.0.0.1:0", "--workers", "0", "--state-dir", filepath.Join(dir, "pages")}, common...)...).ready()
	f.line.APIKey = key.Key
	for _, host := range hosts {
		f.workers = append(f.workers, launch(t, append([]string{"worker", "--state-dir", filepath.Join(dir, host)}, common...)...))
	}
	for _, w := range f.workers {
		w.ready()
	}
	f.db = storetest.OpenAt(t, db, store.Options{})
	return f
}

// fault arms a fault of the bank.
func (f *fleet) fault(match, name string, times int, d time.Duration) {
	f.t.Helper()
	fetch(f.t, "POST", f.bank+"/faults", "", fmt.Sprintf(`{"match":{%s},"fault":%q,"times":%d,"ms":%d}`, match, name, times, d.Milliseconds()), nil)
}

// noFaults lifts every fault of the bank.
func (f *fleet) noFaults() {
	f.t.Helper()
	request, err := http.NewRequest(http.MethodDelete, f.bank+"/faults", nil)
	if err != nil {
		f.t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		f.t.Fatal(err)
	}
	answer.Body.Close()
}

// view reads the database.
func (f *fleet) view(fn func(*store.Tx) error) {
	f.t.Helper()
	if err := f.db.View(context.Background(), fn); err != nil {
		f.t.Fatal(err)
	}
}

// first is the intent that was posted first, with its payout's step.
func (f *fleet) first() (c *model.Case, payout *model.Step) {
	f.t.Helper()
	f.view(func(tx *store.Tx) (err error) {
		var id string
		if _, err = tx.Get(&id, "SELECT id FROM intents WHERE key = 'k-0'"); err == nil {
			c, err = tx.Case(id)
		}
		return err
	})
	return c, c.Step("create-payout")
}

// calls posts one payout, and gives the worker that is in the middle of its call,
// once the effect has happened.
func (f *fleet) calls() *process {
	f.t.Helper()
	fetch(f.t, "POST", f.line.Address+"/v1/intent-batches", f.line.APIKey, payouts(1), nil)
	eventually(f.t, "the effect in the books", func() bool { return effects(books(f.t, f.bank)) == 1 })
	_, s := f.first()
	a := s.OpenAttempt()
	if a == nil {
		f.t.Fatal("no call is under way")
	}
	return f.holder(a.Boot)
}

// holder is the process of a boot.
func (f *fleet) holder(boot string) (p *process) {
	f.t.Helper()
	f.view(func(tx *store.Tx) error {
		b, _, err := tx.Boot(boot)
		for _, w := range f.workers {
			if w.cmd.Process.Pid == b.PID {
				p = w
			}
		}
		return err
	})
	if p == nil {
		f.t.Fatalf("boot %s is none of the workers", boot)
	}
	return p
}

// completed waits until the payout's intent is at its end, paid once.
func (f *fleet) completed() {
	f.t.Helper()
	eventually(f.t, "the intent completed", func() bool { return intents(f.t, f.line)["k-0"] == "completed" })
	f.once()
}

// once sees that the books show one effect.
func (f *fleet) once() {
	f.t.Helper()
	text := books(f.t, f.bank)
	checkOnce(f.t, text)
	if n := effects(text); n != 1 {
		f.t.Errorf("%d effects in the books, want 1", n)
	}
}

// recovered waits until another worker has closed the first attempt, and gives
// the moment by the database's clock.
func (f *fleet) recovered() (at model.Time) {
	f.t.Helper()
	eventually(f.t, "the attempt closed", func() bool {
		_, s := f.first()
		at = s.Attempts[0].FinishedAt
		return at != 0
	})
	if _, s := f.first(); !s.Attempts[0].Lost {
		f.t.Errorf("the first attempt is %+v, want it lost", s.Attempts[0])
	}
	return at
}

// A worker is killed in the middle of a call. One on the same machine sees its
// lock free and recovers at once; one elsewhere cannot know, and waits for the
// lease to run out.
func TestMoment07KilledOnThisMachine(t *testing.T) {
	t.Parallel()
	hang := `"operation":"payouts"`
	t.Run("another worker on this machine", func(t *testing.T) {
		t.Parallel()
		f := newFleet(t, "here", "here")
		f.fault(hang, "hang_after_accept", 1, time.Minute)
		p := f.calls()
		c, _ := f.first()
		p.kill()
		if at := f.recovered(); at >= c.LeaseUntil.Add(-time.Second) {
			t.Errorf("recovered at %s, want it well before the lease's end at %s", at, c.LeaseUntil)
		}
		f.completed()
	})
	t.Run("another worker on another machine", func(t *testing.T) {
		t.Parallel()
		f := newFleet(t, "here", "there")
		f.fault(hang, "hang_after_accept", 1, time.Minute)
		f.calls().kill()
		c, _ := f.first()
		if at := f.recovered(); at < c.LeaseUntil || c.LeaseUntil == 0 {
			t.Errorf("recovered at %s, before the lease's end at %s", at, c.LeaseUntil)
		}
		f.completed()
	})
}

// A worker is stopped in the middle of a call, past its lease; another one sends
// again under the same key. What the first one has to say when it goes on is
// kept, and changes nothing.
func TestMoment07StoppedAndBack(t *testing.T) {
	t.Parallel()
	f := newFleet(t, "here", "there")
	f.fault(`"operation":"payouts"`, "hang_after_accept", 1, time.Minute)
	f.fault(`"method":"GET"`, "500_before", 1000, 0) // nobody can be asked: it must send again
	p := f.calls()
	p.cmd.Process.Signal(syscall.SIGSTOP)
	defer p.cmd.Process.Signal(syscall.SIGCONT)
	c, _ := f.first()
	if at := f.recovered(); at < c.LeaseUntil {
		t.Errorf("recovered at %s, before the lease's end at %s", at, c.LeaseUntil)
	}
	eventually(t, "it sent again", func() bool { _, s := f.first(); return len(s.Attempts) > 1 && s.Attempts[1].FinishedAt != 0 })
	f.noFaults()
	f.completed()
	before, s := f.first()
	sends := len(s.Attempts) // it may send more than once before the faults are gone
	for _, b := range s.Attempts[1:] {
		if a := s.Attempts[0]; a.WireKey != b.WireKey || a.WireKey == "" || a.Boot == b.Boot {
			t.Errorf("sent by %s under %q, and again by %s under %q", a.Boot, a.WireKey, b.Boot, b.WireKey)
		}
	}
	p.cmd.Process.Signal(syscall.SIGCONT)
	late := func(s *model.Step) (n int) {
		for _, e := range s.Evidence {
			if e.Source == model.FromLate && strings.HasPrefix(e.Detail, "Late: ") {
				n++
			}
		}
		return n
	}
	eventually(t, "its late result", func() bool { _, s := f.first(); return late(s) == 1 })
	after, s := f.first()
	if after.State != before.State || s.State != model.Confirmed || len(s.Attempts) != sends {
		t.Errorf("the late result made it %s, the step %s with %d attempts, not %d", after.State, s.State, len(s.Attempts), sends)
	}
	f.once()
	p.stop()
}

// A worker that is asked to end finishes its call, takes nothing more, and says
// that its start is over.
func TestDrainAtSIGTERM(t *testing.T) {
	t.Parallel()
	f := newFleet(t, "here")
	f.fault(`"operation":"payouts"`, "slow", 1, 2500*time.Millisecond)
	p := f.calls()
	_, s := f.first()
	boot := s.OpenAttempt().Boot
	p.cmd.Process.Signal(syscall.SIGTERM)
	eventually(t, "the end of its claims in its log", func() bool { return strings.Contains(p.err.String(), "nothing more is claimed") })
	fetch(t, "POST", f.line.Address+"/v1/intent-batches", f.line.APIKey, payouts(5), nil)
	if code := p.end(); code != 0 {
		t.Errorf("exit %d after SIGTERM, want 0", code)
	}
	if _, s := f.first(); s.Attempts[0].Result != model.ResultAccepted || s.Attempts[0].Lost {
		t.Errorf("the call that was in flight is %+v, want it accepted", s.Attempts[0])
	}
	f.once() // nothing of what came after the signal
	f.view(func(tx *store.Tx) error {
		b, _, err := tx.Boot(boot)
		if b.DeclaredBy != "itself" || b.DeadAt == 0 {
			t.Errorf("its start is %+v, want it ended by itself", b)
		}
		return err
	})
	if out := good(t, "", append([]string{"doctor"}, f.storage...)...); !strings.Contains(out, "0 processes drive the database now") {
		t.Errorf("doctor after the end said\n%s", out)
	}
}
