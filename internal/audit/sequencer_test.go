package audit_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"countersign/internal/audit"
	"countersign/internal/model"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
)

// steadyClock is moved by hand, so that lease and checkpoint waits take no time.
type steadyClock struct{ micros atomic.Int64 }

func newClock() *steadyClock {
	c := &steadyClock{}
	c.micros.Store(time.Date(2026, 11, 2, 9, 0, 0, 0, time.UTC).UnixMicro())
	return c
}

func (c *steadyClock) now() time.Time          { return time.UnixMicro(c.micros.Load()) }
func (c *steadyClock) advance(d time.Duration) { c.micros.Add(d.Microseconds()) }

func checkpoints(t *testing.T, db *store.DB) (n int) {
	t.Helper()
	view(t, db, func(tx *store.Tx) error {
		_, err := tx.Get(&n, "SELECT count(*) FROM audit_checkpoints")
		return err
	})
	return n
}

func TestAtMostOneCheckpointASecond(t *testing.T) {
	clock := newClock()
	db := storetest.Open(t, store.Options{Clock: clock.now})
	l := audit.New(db, key)
	for range 3 {
		record(t, db, l, "acme", 2)
		sequence(t, l)
	}
	if n := checkpoints(t, db); n != 1 {
		t.Errorf("%d checkpoints within a second", n)
	}
	clock.advance(time.Second + time.Millisecond)
	for range 2 { // the second has nothing to add
		if err := l.Seal(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if n := checkpoints(t, db); n != 2 {
		t.Errorf("%d checkpoints after a second", n)
	}
	view(t, db, func(tx *store.Tx) error {
		last, ok, err := audit.LatestCheckpoint(tx)
		root, rootErr := l.Root(tx, 6)
		if !ok || last.Size != 6 || !bytes.Equal(last.Root, root) {
			t.Errorf("last checkpoint %+v, root %x", last, root)
		}
		return errors.Join(err, rootErr)
	})
}

func TestLeaseKeepsOthersOutUntilItEnds(t *testing.T) {
	clock := newClock()
	db := storetest.Open(t, store.Options{Clock: clock.now})
	first, second := audit.New(db, key), audit.New(db, key)
	record(t, db, first, "acme", 1)
	sequence(t, first)
	record(t, db, first, "acme", 1)
	if n := sequence(t, second); n != 0 {
		t.Errorf("the second numbered %d under the first one's lease", n)
	}
	clock.advance(3 * time.Second) // the first is dead
	if n := sequence(t, second); n != 1 {
		t.Errorf("the second numbered %d after the lease", n)
	}
	view(t, db, func(tx *store.Tx) error {
		var fence int64
		_, err := tx.Get(&fence, "SELECT fence FROM leases WHERE name = 'audit-sequencer'")
		if fence != 2 {
			t.Errorf("fence %d, want one per holder", fence)
		}
		return err
	})
}

func TestRunNumbersSoonAndFreesItsLease(t *testing.T) {
	db, l := open(t)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- l.Run(ctx) }()
	record(t, db, l, "acme", 3)
	record(t, db, audit.New(db, key), "acme", 1) // as another process would: no signal
	for size := int64(0); size < 4; time.Sleep(5 * time.Millisecond) {
		var err error
		if size, err = l.Size(ctx); err != nil {
			t.Fatal(err)
		}
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("Run ended with %v", err)
	}
	other := audit.New(db, key)
	record(t, db, other, "acme", 1)
	if n := sequence(t, other); n != 1 {
		t.Error("the lease was not freed")
	}
}

func TestTwoSequencersGiveContiguousUniqueNumbers(t *testing.T) {
	place := storetest.Place(t)
	one := storetest.OpenAt(t, place, store.Options{})
	two := storetest.OpenAt(t, place, store.Options{})
	logs := []*audit.Log{audit.New(one, key), audit.New(two, key)}
	const each = 60
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	ended := make(chan error, 2)
	for _, l := range logs {
		go func() { ended <- l.Run(ctx) }()
	}
	done := make(chan struct{})
	for i, db := range []*store.DB{one, two} {
		go func() {
			record(t, db, logs[i], "acme", each)
			done <- struct{}{}
		}()
	}
	<-done
	<-done
	for size := int64(0); size < 2*each; {
		var err error
		if size, err = logs[0].Size(ctx); err != nil {
			t.Fatal(err)
		}
		time.Sleep(20 * time.Millisecond)
	}
	cancel()
	for range logs {
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("Run ended with %v", err)
		}
	}
	seen := map[string]bool{}
	items := list(t, one, logs[0], audit.Filter{Accounts: audit.Everything(), Limit: 1000})
	for i, item := range items {
		if *item.Index != int64(i) || seen[item.ID] {
			t.Fatalf("entry %d: %+v", i, item)
		}
		seen[item.ID] = true
	}
	if len(items) != 2*each || logs[0].Trouble().Err() != nil || logs[1].Trouble().Err() != nil {
		t.Errorf("%d entries, trouble %v, %v", len(items), logs[0].Trouble(), logs[1].Trouble())
	}
}

// A batch whose commit fails, applied or not, is numbered once in the end.
func TestFailedCommitNumbersEachEntryOnce(t *testing.T) {
	for name, applied := range map[string]bool{"not applied": false, "applied but errored": true} {
		t.Run(name, func(t *testing.T) {
			var fail atomic.Bool
			hook := func() error {
				if fail.Swap(false) {
					return errors.New("the connection broke")
				}
				return nil
			}
			opts := store.Options{BeforeCommit: hook}
			if applied {
				opts = store.Options{AfterCommit: hook}
			}
			db := storetest.Open(t, opts)
			l := audit.New(db, key)
			record(t, db, l, "acme", 3)
			fail.Store(true)
			if _, err := l.Sequence(t.Context()); !errors.Is(err, model.Unknown) {
				t.Fatalf("got %v", err)
			}
			sequence(t, l)
			if c, err := l.Check(t.Context()); err != nil || c.Size != 3 {
				t.Errorf("size %d, %v", c.Size, err)
			}
		})
	}
}

func TestFailureIsToldAndRecoveredFrom(t *testing.T) {
	var broken atomic.Bool
	full := errors.New("no commit today")
	db := storetest.Open(t, store.Options{BeforeCommit: func() error {
		if broken.Load() {
			return full
		}
		return nil
	}})
	l := audit.New(db, key)
	record(t, db, l, "acme", 1)
	broken.Store(true)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- l.Run(ctx) }()
	waitFor(t, func() bool { return errors.Is(l.Trouble().Err(), full) })
	broken.Store(false)
	waitFor(t, func() bool {
		size, err := l.Size(t.Context())
		return err == nil && size == 1 && l.Trouble().Err() == nil
	})
	cancel()
	<-ended
}

func waitFor(t *testing.T, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !done(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("waited in vain")
		}
	}
}

// fill appends and numbers n entries, many to a transaction.
func fill(t testing.TB, db *store.DB, l *audit.Log, n int) {
	t.Helper()
	for n > 0 {
		part := min(n, 1000)
		update(t, db, func(tx *store.Tx) error { return appendMany(tx, l, part) })
		n -= part
	}
	sequence(t, l)
}

func appendMany(tx *store.Tx, l *audit.Log, n int) error {
	for i := range n {
		if _, err := l.Append(tx, entry("acme", i)); err != nil {
			return err
		}
	}
	return nil
}

// peak is a writer that notes the largest heap seen while it is written to.
type peak struct{ heap uint64 }

func (p *peak) Write(b []byte) (int, error) {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	p.heap = max(p.heap, m.HeapAlloc)
	return len(b), nil
}

func TestExportDoesNotGrowInMemory(t *testing.T) {
	db, l := open(t)
	heap := map[int]uint64{}
	for _, n := range []int{500, 3000} { // the second export has 5 MB
		fill(t, db, l, n)
		var p peak
		if err := l.Export(t.Context(), &p, audit.Scope{Accounts: audit.Of("acme"), Format: audit.JSONL}); err != nil {
			t.Fatal(err)
		}
		heap[n] = p.heap
	}
	if heap[3000] > heap[500]+5<<19 {
		t.Errorf("an export of 3,500 entries held %d bytes, one of 500 %d", heap[3000], heap[500])
	}
}

func BenchmarkSequence(b *testing.B) {
	db, l := open(b)
	for b.Loop() {
		b.StopTimer()
		update(b, db, func(tx *store.Tx) error { return appendMany(tx, l, 1000) })
		b.StartTimer()
		sequence(b, l)
	}
	b.ReportMetric(float64(1000*b.N)/b.Elapsed().Seconds(), "entries/s")
}

// BenchmarkInsert is the baseline of BenchmarkAppend: a bare row per commit.
func BenchmarkInsert(b *testing.B) {
	db, _ := open(b)
	for b.Loop() {
		update(b, db, func(tx *store.Tx) error {
			_, err := tx.Exec("INSERT INTO signin_tries (id, subject, at) VALUES (?, '', 0)", tx.NewID("try"))
			return err
		})
	}
}

func BenchmarkAppend(b *testing.B) {
	db, l := open(b)
	for b.Loop() {
		record(b, db, l, "acme", 1)
	}
}

func BenchmarkExport(b *testing.B) {
	db, l := open(b)
	fill(b, db, l, 5000)
	for name, who := range map[string]audit.Accounts{"complete": everything, "filtered": audit.Of("acme")} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if err := l.Export(b.Context(), io.Discard, audit.Scope{Accounts: who, Format: audit.JSONL}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(5000*b.N)/b.Elapsed().Seconds(), "entries/s")
		})
	}
}
