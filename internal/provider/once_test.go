package provider

import (
	"errors"
	"net"
	"testing"

	"countersign/internal/model"
)

// stub is a connection that takes some bytes and then fails, if told to.
type stub struct {
	net.Conn
	takes  int
	err    error
	writes int
	closed bool
}

func (s *stub) Write(b []byte) (int, error) {
	s.writes++
	if s.err != nil {
		return s.takes, s.err
	}
	return len(b), nil
}

func (s *stub) Close() error {
	s.closed = true
	return nil
}

func countedStub(s *stub) (*once, *countedConn) {
	o := &once{givenUp: func() bool { return false }, connections: 1, room: 1000}
	return o, &countedConn{Conn: s, raw: s, once: o}
}

// verdict is what a call comes back as whose connection counted n.
func verdict(n count, seen Fault) model.Outcome {
	reply := Reply{Fault: n.fault(seen), Connections: n.connections, BytesOut: n.written, Untouched: n.written == 0}
	return Classify(testContract, testForm{}, payoutCall(""), reply)
}

func TestAFailedWriteIsNotSentOnlyAtZeroBytes(t *testing.T) {
	broken := errors.New("broken pipe")
	for takes, want := range map[int]model.Result{0: model.ResultNotSent, 1: model.ResultUnknown} {
		o, conn := countedStub(&stub{takes: takes, err: broken})
		if _, err := conn.Write([]byte("POST / HTTP/1.1")); !errors.Is(err, broken) {
			t.Fatal(err)
		}
		n := o.seal()
		if got := verdict(n, FaultReset); got.Result != want || got.BytesOut != int64(takes) {
			t.Errorf("%d bytes taken: %s, %d counted", takes, got.Result, got.BytesOut)
		}
	}
}

func TestNothingLeavesASealedCall(t *testing.T) {
	s := &stub{}
	o, conn := countedStub(s)
	if n := o.seal(); n.written != 0 {
		t.Fatalf("%+v", n)
	}
	if _, err := conn.Write([]byte("POST")); !errors.Is(err, errSealed) || s.writes != 0 {
		t.Errorf("%v after %d writes", err, s.writes)
	}
	bank := openBank(t, answer(200, paid))
	late := &once{sealed: true, givenUp: func() bool { return false }}
	if _, err := late.dial(t.Context(), "tcp", bank.url[len("http://"):], false); !errors.Is(err, errSealed) || late.connections != 0 {
		t.Errorf("a connection after the end: %v", err)
	}
}

func TestAWriteUnderWayCountsAsSent(t *testing.T) {
	o, _ := countedStub(&stub{})
	if err := o.begin(10); err != nil {
		t.Fatal(err)
	}
	if got := verdict(o.seal(), FaultClosed); got.Result != model.ResultUnknown || got.BytesOut != 10 {
		t.Errorf("%+v", got)
	}
}

func TestOneCallDialsOnce(t *testing.T) {
	bank := openBank(t, answer(200, paid))
	o := &once{givenUp: func() bool { return false }}
	conn, err := o.dial(t.Context(), "tcp", bank.url[len("http://"):], false)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := o.dial(t.Context(), "tcp", bank.url[len("http://"):], false); !errors.Is(err, errSecondDial) {
		t.Errorf("a second connection: %v", err)
	}
}

func TestAfterTooLateNothingIsAskedAgain(t *testing.T) {
	asked := 0
	o, conn := countedStub(&stub{})
	o.first = func() bool {
		asked++
		return asked > 1 // a clock that would allow the second try
	}
	for range 2 {
		if _, err := conn.Write([]byte("POST")); !errors.Is(err, errTooLate) {
			t.Errorf("%v", err)
		}
	}
	if got := verdict(o.seal(), FaultGarbled); got.Result != model.ResultNotSent || got.Code != "too_late" || asked != 1 {
		t.Errorf("%+v after %d questions", got, asked)
	}
}
