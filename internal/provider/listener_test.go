package provider

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"countersign/internal/model"
)

// bank is a provider made by hand: it reads whole requests from a listener, and
// what it does with the connection then is the test's.
type bank struct {
	url      string
	requests atomic.Int64 // whole requests read, over all connections
	conns    atomic.Int64
	bytes    atomic.Int64 // that arrived, over all connections
	last     atomic.Pointer[http.Request]
	body     atomic.Pointer[string]
}

// openBank answers every request by behave, which may leave the connection in
// any state. A connection that behave leaves open is read again.
func openBank(t *testing.T, behave func(net.Conn)) *bank {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	b := &bank{url: "http://" + listener.Addr().String()}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			b.conns.Add(1)
			go b.talk(conn, behave)
		}
	}()
	return b
}

func (b *bank) talk(conn net.Conn, behave func(net.Conn)) {
	defer conn.Close()
	reader := bufio.NewReader(countedReader{conn, &b.bytes})
	for {
		request, err := http.ReadRequest(reader)
		if err != nil {
			return
		}
		raw, err := io.ReadAll(request.Body)
		if err != nil {
			return
		}
		text := string(raw)
		b.last.Store(request)
		b.body.Store(&text)
		b.requests.Add(1)
		behave(conn)
	}
}

// countedReader counts what it reads.
type countedReader struct {
	io.Reader
	n *atomic.Int64
}

func (r countedReader) Read(b []byte) (int, error) {
	n, err := r.Reader.Read(b)
	r.n.Add(int64(n))
	return n, err
}

// say writes raw text and leaves the connection open.
func say(format string, args ...any) func(net.Conn) {
	text := fmt.Sprintf(format, args...)
	return func(conn net.Conn) { io.WriteString(conn, text) } //nolint:errcheck // the other side may be gone
}

// answer is a whole response with a JSON body.
func answer(status int, body string) func(net.Conn) {
	return say("HTTP/1.1 %d X\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", status, len(body), body)
}

// hangUp closes after what came before.
func hangUp(first func(net.Conn)) func(net.Conn) {
	return func(conn net.Conn) {
		first(conn)
		conn.Close()
	}
}

func reset(conn net.Conn) {
	conn.(*net.TCPConn).SetLinger(0) //nolint:errcheck // a plain close does as well
	conn.Close()
}

// testForm reads {"id","reference","amount","currency","destination","status"}
// and {"code","object"}.
type testForm struct{}

const (
	ours  = "intent-1:create-payout"
	paid  = `{"id":"po_1","reference":"intent-1:create-payout","amount":1200,"currency":"USD","destination":"acct_9","status":"paid"}`
	taken = `{"id":"po_1","reference":"intent-1:create-payout","amount":1200,"currency":"USD","destination":"acct_9","status":"pending"}`
)

func payoutCall(url string) Call {
	return Call{
		Request:   Request{Method: "POST", URL: url + "/payouts", ContentType: "application/json", Body: []byte(`{"amount":1200}`)},
		Operation: model.PayoutCreate, WireKey: ours, RequestID: "req-1", Deadline: 5 * time.Second,
		Expect: Expect{Reference: ours, Amount: 1200, Currency: "USD", Destination: "acct_9"},
	}
}
