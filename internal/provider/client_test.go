package provider

import (
	"context"
	"crypto/tls"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"countersign/internal/model"
)

var keyed = http.Header{"Idempotency-Key": {ours}, "X-Idempotency-Key": {ours}}

func send(t *testing.T, call Call) (model.Outcome, Reply) {
	t.Helper()
	reply := NewClient(nil).Send(t.Context(), call, keyed)
	return Classify(testContract, testForm{}, call, reply), reply
}

// hang keeps the connection open for longer than any deadline of these tests.
func hang(net.Conn) { time.Sleep(1200 * time.Millisecond) }

// behaviours are the ways in which a provider that has the request goes on.
var behaviours = []struct {
	name     string
	behave   func(net.Conn)
	deadline time.Duration
	result   model.Result
	code     string
	status   int
}{
	{"answers", answer(201, paid), 0, model.ResultConfirmed, "", 201},
	{"answers and closes", hangUp(answer(201, taken)), 0, model.ResultAccepted, "", 201},
	{"executes, then closes", hangUp(func(net.Conn) {}), 0, model.ResultUnknown, "closed", 0},
	{"executes, then resets", reset, 0, model.ResultUnknown, "reset", 0},
	{"hangs", hang, 500 * time.Millisecond, model.ResultUnknown, "timeout", 0},
	{"half a header, then closes", hangUp(say("HTTP/1.1 201 Cre")), 0, model.ResultUnknown, "closed", 0},
	{"half a header, then hangs", func(c net.Conn) { say("HTTP/1.1 201 Cre")(c); hang(c) }, 500 * time.Millisecond, model.ResultUnknown, "timeout", 0},
	{"half a body, then closes", hangUp(say("HTTP/1.1 201 X\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n%s", paid)), 0, model.ResultUnknown, "cut_short", 201},
	{"a chunk, then closes", hangUp(say("HTTP/1.1 201 X\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n", len(paid), paid)), 0, model.ResultUnknown, "cut_short", 201},
	{"no length and half a body", hangUp(say("HTTP/1.1 201 X\r\nContent-Type: application/json\r\n\r\n%s", paid[:40])), 0, model.ResultUnknown, "unreadable", 201},
	{"no length and no body", hangUp(say("HTTP/1.1 201 X\r\nContent-Type: application/json\r\n\r\n")), 0, model.ResultUnknown, "cut_short", 201},
	{"an empty body", say("HTTP/1.1 202 X\r\nContent-Length: 0\r\n\r\n"), 0, model.ResultAccepted, "no_body", 202},
	{"trickles", trickle, 500 * time.Millisecond, model.ResultUnknown, "cut_short", 201},
	{"301", say("HTTP/1.1 301 X\r\nLocation: /payouts\r\nContent-Length: 0\r\n\r\n"), 0, model.ResultUnknown, "redirect", 301},
	{"302", say("HTTP/1.1 302 X\r\nLocation: /payouts\r\nContent-Length: 0\r\n\r\n"), 0, model.ResultUnknown, "redirect", 302},
	{"303", say("HTTP/1.1 303 X\r\nLocation: /payouts\r\nContent-Length: 0\r\n\r\n"), 0, model.ResultUnknown, "redirect", 303},
	{"307", say("HTTP/1.1 307 X\r\nLocation: /payouts\r\nContent-Length: 0\r\n\r\n"), 0, model.ResultUnknown, "redirect", 307},
	{"308", say("HTTP/1.1 308 X\r\nLocation: /payouts\r\nContent-Length: 0\r\n\r\n"), 0, model.ResultUnknown, "redirect", 308},
	{"answers for another key", answer(201, strings.Replace(paid, "intent-1", "intent-2", 1)), 0, model.ResultUnknown, "other_key", 201},
	{"answers for another amount", answer(201, strings.Replace(paid, "1200", "1300", 1)), 0, model.ResultUnknown, "other_amount", 201},
	{"answers in another currency", answer(201, strings.Replace(paid, "USD", "EUR", 1)), 0, model.ResultUnknown, "other_amount", 201},
	{"100, then resets", func(c net.Conn) { say("HTTP/1.1 100 Continue\r\n\r\n")(c); reset(c) }, 0, model.ResultUnknown, "reset", 0},
	{"1xx, then dies", hangUp(say("HTTP/1.1 103 Early Hints\r\n\r\n")), 0, model.ResultUnknown, "closed", 0},
	{"1xx, then answers", func(c net.Conn) { say("HTTP/1.1 103 Early Hints\r\n\r\n")(c); answer(201, paid)(c) }, 0, model.ResultConfirmed, "", 201},
	{"switches protocols", say("HTTP/1.1 101 X\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n"), 0, model.ResultUnknown, "http_101", 101},
	{"garbage", hangUp(say("220 mail.example ESMTP\r\n")), 0, model.ResultUnknown, "not_http", 0},
	{"too much", hangUp(say("HTTP/1.1 201 X\r\nContent-Type: application/json\r\n\r\n%s", strings.Repeat("x", maxBody+10))), 0, model.ResultUnknown, "too_long", 201},
	{"asks for another try", say("HTTP/1.1 503 X\r\nRetry-After: 0\r\nContent-Length: 0\r\n\r\n"), 0, model.ResultUnknown, "http_503", 503},
}

func TestSendReachesTheProviderOnce(t *testing.T) {
	for _, test := range behaviours {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			bank := openBank(t, test.behave)
			call := payoutCall(bank.url)
			if test.deadline > 0 {
				call.Deadline = test.deadline
			}
			got, reply := send(t, call)
			if got.Result != test.result || got.Code != test.code || got.HTTPStatus != test.status {
				t.Errorf("got %s %q %d, want %s %q %d", got.Result, got.Code, got.HTTPStatus, test.result, test.code, test.status)
			}
			if n := bank.requests.Load(); n != 1 {
				t.Errorf("the provider read %d requests", n)
			}
			if got.Connections != 1 || bank.conns.Load() != 1 {
				t.Errorf("connections: recorded %d, real %d", got.Connections, bank.conns.Load())
			}
			if got.BytesOut <= int64(len(call.Body)) || got.BytesOut != bank.bytes.Load() || reply.Untouched {
				t.Errorf("bytes out: recorded %d, real %d, untouched %v", got.BytesOut, bank.bytes.Load(), reply.Untouched)
			}
		})
	}
}

// trickle answers one byte at a time, too slowly for the call's deadline.
func trickle(conn net.Conn) {
	say("HTTP/1.1 201 X\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", len(paid))(conn)
	for i := range 12 {
		if _, err := io.WriteString(conn, paid[i:i+1]); err != nil {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
}

func TestSendCarriesTheFrozenBytes(t *testing.T) {
	bank := openBank(t, answer(201, paid))
	call := payoutCall(bank.url)
	_, reply := send(t, call)
	request := bank.last.Load()
	if *bank.body.Load() != string(call.Body) || request.ContentLength != int64(len(call.Body)) {
		t.Errorf("body %q", *bank.body.Load())
	}
	for name, want := range map[string]string{
		"Idempotency-Key": ours, "Content-Type": "application/json", "X-Request-Id": "req-1", "Connection": "close",
	} {
		if got := request.Header.Get(name); got != want && !(name == "Connection" && request.Close) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if keyed.Get("X-Request-Id") != "" {
		t.Error("the caller's header was changed")
	}
	if reply.BytesOut < int64(len(call.Body)) || reply.Received.IsZero() {
		t.Errorf("reply %+v", reply)
	}
}

func TestEveryEffectHasItsOwnConnection(t *testing.T) {
	bank := openBank(t, answer(201, paid))
	client := NewClient(nil)
	for range 3 {
		client.Send(t.Context(), payoutCall(bank.url), keyed)
	}
	if bank.conns.Load() != 3 || bank.requests.Load() != 3 {
		t.Errorf("%d connections for %d requests", bank.conns.Load(), bank.requests.Load())
	}
}

// An idle connection that the provider closes after reading the next request is
// where Go's own client sends a keyed POST a second time.
func TestAClosedConnectionIsNotTriedAgain(t *testing.T) {
	var served atomic.Int64
	bank := openBank(t, func(conn net.Conn) {
		if served.Add(1) == 1 {
			answer(201, paid)(conn)
			return
		}
		conn.Close()
	})
	client := NewClient(nil)
	client.Get(t.Context(), bank.url, nil) // leaves an idle connection behind
	call := payoutCall(bank.url)
	got := Classify(testContract, testForm{}, call, client.Send(t.Context(), call, keyed))
	if got.Result != model.ResultUnknown || bank.requests.Load() != 2 {
		t.Errorf("%s after %d requests", got.Result, bank.requests.Load())
	}
}

func TestNotSent(t *testing.T) {
	bank := openBank(t, answer(201, paid))
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	plain := openBank(t, answer(201, paid))
	tests := []struct {
		name        string
		change      func(*Call)
		code        string
		connections int
	}{
		{"refused", func(c *Call) { c.URL = "http://" + closed.Addr().String() }, "not_connected", 0},
		{"no such name", func(c *Call) { c.URL = "http://bank.invalid/" }, "", 0},
		{"TLS with a server that has none", func(c *Call) { c.URL = strings.Replace(plain.url, "http", "https", 1) }, "tls_failed", 0},
		{"too late", func(c *Call) { c.FirstByteBefore = func() bool { return false } }, "too_late", 1},
		{"nothing left of the deadline", func(c *Call) { c.Deadline = 0 }, "too_late", 0},
		{"no address", func(c *Call) { c.URL = "http://%zz" }, "bad_request", 0},
		{"no scheme that we speak", func(c *Call) { c.URL = "gopher://bank" }, "bad_request", 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			call := payoutCall(bank.url)
			test.change(&call)
			got, _ := send(t, call)
			if got.Result != model.ResultNotSent || test.code != "" && got.Code != test.code {
				t.Errorf("%s %q, want not_sent %q", got.Result, got.Code, test.code)
			}
			if got.BytesOut != 0 || got.Connections != test.connections {
				t.Errorf("%d bytes over %d connections", got.BytesOut, got.Connections)
			}
		})
	}
	if bank.requests.Load() != 0 || plain.requests.Load() != 0 {
		t.Error("a request arrived that was not sent")
	}
}

func TestCancelledBeforeAndAfterTheConnection(t *testing.T) {
	bank := openBank(t, func(conn net.Conn) { time.Sleep(time.Second) })
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	call := payoutCall(bank.url)
	before := Classify(testContract, testForm{}, call, NewClient(nil).Send(ctx, call, keyed))
	if before.Result != model.ResultNotSent || before.Code != "cancelled" {
		t.Errorf("before: %s %q", before.Result, before.Code)
	}
	ctx, cancel = context.WithCancel(t.Context())
	call.FirstByteBefore = func() bool {
		time.AfterFunc(100*time.Millisecond, cancel)
		return true
	}
	after := Classify(testContract, testForm{}, call, NewClient(nil).Send(ctx, call, keyed))
	if after.Result != model.ResultUnknown || after.Code != "cancelled" || after.Connections != 1 {
		t.Errorf("after: %+v", after)
	}
}

// A call that is given up resets its connection, so that what the kernel still
// holds is not delivered later.
func TestGivingUpResets(t *testing.T) {
	seen := make(chan error, 1)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	go func() {
		conn, err := listener.Accept()
		if err != nil {
			seen <- err
			return
		}
		defer conn.Close()
		time.Sleep(1500 * time.Millisecond) // the caller has left by then
		_, err = io.Copy(io.Discard, conn)
		seen <- err
	}()
	call := payoutCall("http://" + listener.Addr().String())
	call.Body = make([]byte, 16<<20) // more than the kernel takes
	call.Deadline = time.Second
	got, _ := send(t, call)
	listener.Close() // nobody comes any more
	if got.Result != model.ResultUnknown || got.BytesOut >= int64(len(call.Body)) {
		t.Errorf("%s after %d bytes", got.Result, got.BytesOut)
	}
	if err := <-seen; err == nil {
		t.Error("the provider saw an orderly end, so all bytes were delivered")
	}
}

func TestFirstByteIsAskedOnceAndAfterTheConnection(t *testing.T) {
	bank := openBank(t, answer(201, paid))
	var asked atomic.Int64
	call := payoutCall(bank.url)
	call.Body = []byte(`{"pad":"` + strings.Repeat("x", 100_000) + `"}`) // many writes
	call.FirstByteBefore = func() bool {
		asked.Add(1)
		return true
	}
	got, _ := send(t, call)
	if got.Result != model.ResultConfirmed || asked.Load() != 1 || bank.requests.Load() != 1 {
		t.Errorf("%s, asked %d times, %d requests", got.Result, asked.Load(), bank.requests.Load())
	}
}

func TestTLSCountsTheRequestItself(t *testing.T) {
	var requests atomic.Int64
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		if r.ProtoMajor != 1 {
			t.Errorf("spoke %s", r.Proto)
		}
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, paid) //nolint:errcheck // the test sees it
	}))
	server.EnableHTTP2 = true
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // it complains of the call that does not trust it
	server.StartTLS()
	defer server.Close()
	config := &tls.Config{RootCAs: server.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs}
	call := payoutCall(server.URL)
	reply := NewClient(config).Send(t.Context(), call, keyed)
	got := Classify(testContract, testForm{}, call, reply)
	if got.Result != model.ResultConfirmed || got.Connections != 1 || requests.Load() != 1 {
		t.Errorf("%+v after %d requests", got, requests.Load())
	}
	if got.BytesOut < 200 || got.BytesOut > 600 {
		t.Errorf("%d bytes are not those of the request", got.BytesOut)
	}
	untrusted, _ := send(t, call)
	if untrusted.Result != model.ResultNotSent || untrusted.Code != "tls_failed" || requests.Load() != 1 {
		t.Errorf("a certificate nobody vouches for: %+v", untrusted)
	}
}

func TestEnvironmentProxyIsIgnored(t *testing.T) {
	proxy := openBank(t, answer(201, paid))
	t.Setenv("HTTP_PROXY", proxy.url)
	t.Setenv("http_proxy", proxy.url)
	call := payoutCall("http://bank.invalid")
	if got, _ := send(t, call); got.Result != model.ResultNotSent || proxy.requests.Load() != 0 {
		t.Errorf("%s, %d requests through the proxy", got.Result, proxy.requests.Load())
	}
}

func TestGet(t *testing.T) {
	bank := openBank(t, answer(200, paid))
	client := NewClient(nil)
	defer client.Close()
	for range 2 {
		if reply := client.Get(t.Context(), bank.url+"/payouts/po_1", nil); reply.Status != 200 || string(reply.Body) != paid {
			t.Errorf("%+v", reply)
		}
	}
	if bank.conns.Load() != 1 {
		t.Errorf("look-ups share a connection, not %d", bank.conns.Load())
	}
	redirect := openBank(t, say("HTTP/1.1 302 X\r\nLocation: %s\r\nContent-Length: 0\r\n\r\n", bank.url))
	if reply := client.Get(t.Context(), redirect.url, nil); reply.Status != 302 {
		t.Errorf("the redirect was followed: %+v", reply)
	}
	if reply := client.Get(t.Context(), "http://%zz", nil); reply.Fault != FaultRequest {
		t.Errorf("%+v", reply)
	}
}
