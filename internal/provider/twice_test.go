package provider

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"countersign/internal/model"
)

// defaultClient is Go's own client as everybody has it, but for whom it trusts.
func defaultClient(t *testing.T, config *tls.Config) *http.Client {
	t.Helper()
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = config
	transport.ForceAttemptHTTP2 = true
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, Timeout: 10 * time.Second}
}

// post sends the call as everybody would: with a body that can be read again.
func post(t *testing.T, client *http.Client, call Call) (status int) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), call.Method, call.URL, bytes.NewReader(call.Body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header = keyed.Clone()
	response, err := client.Do(request)
	if err != nil {
		return 0
	}
	defer response.Body.Close()
	io.Copy(io.Discard, response.Body) //nolint:errcheck // only the status matters
	return response.StatusCode
}

// closesTheSecond answers a first request, executes the next one on the same
// connection and closes it, and answers all that follow.
func closesTheSecond() func(net.Conn) {
	var served atomic.Int64
	return func(conn net.Conn) {
		if served.Add(1) == 2 {
			conn.Close()
			return
		}
		answer(201, paid)(conn)
	}
}

// The servers of these tests can tell a client that sends twice: Go's own does,
// and its caller sees nothing of it.
func TestGosOwnClientSendsTwice(t *testing.T) {
	t.Run("over a connection that closes", func(t *testing.T) {
		bank := openBank(t, closesTheSecond())
		client := defaultClient(t, nil)
		call := payoutCall(bank.url)
		post(t, client, call)
		if status := post(t, client, call); status != 201 || bank.requests.Load() != 3 {
			t.Errorf("status %d, %d requests of 2 sends", status, bank.requests.Load())
		}
	})
	for _, status := range []string{"307", "308"} {
		t.Run("to where a "+status+" points", func(t *testing.T) {
			other := openBank(t, answer(201, paid))
			bank := openBank(t, say("HTTP/1.1 %s X\r\nLocation: %s/payouts\r\nContent-Length: 0\r\n\r\n", status, other.url))
			post(t, defaultClient(t, nil), payoutCall(bank.url))
			if other.requests.Load() != 1 || other.last.Load().Header.Get("Idempotency-Key") != ours {
				t.Errorf("%d requests at the other host", other.requests.Load())
			}
		})
	}
}

// Ours sends once where that one sends twice.
func TestOursSendsOnceWhereGosOwnSendsTwice(t *testing.T) {
	bank := openBank(t, closesTheSecond())
	client := NewClient(nil)
	call := payoutCall(bank.url)
	client.Send(t.Context(), call, keyed)
	got := Classify(testContract, testForm{}, call, client.Send(t.Context(), call, keyed))
	if got.Result != model.ResultUnknown || got.Code != "closed" || got.Connections != 1 || bank.requests.Load() != 2 {
		t.Errorf("%+v after %d requests of 2 sends", got, bank.requests.Load())
	}
	if got.BytesOut*2 != bank.bytes.Load() {
		t.Errorf("bytes out: %d of each send, %d arrived of two", got.BytesOut, bank.bytes.Load())
	}
}

func TestARedirectReachesNoOtherHost(t *testing.T) {
	other := openBank(t, answer(201, paid))
	for _, status := range []string{"301", "302", "303", "307", "308"} {
		bank := openBank(t, say("HTTP/1.1 %s X\r\nLocation: %s/payouts\r\nContent-Length: 0\r\n\r\n", status, other.url))
		got, _ := send(t, payoutCall(bank.url))
		if got.Result != model.ResultUnknown || bank.requests.Load() != 1 || other.conns.Load() != 0 {
			t.Errorf("%s: %s, %d requests, %d connections to the other host", status, got.Result, bank.requests.Load(), other.conns.Load())
		}
	}
}

// sending makes the transport of a call with the connection that Send gives it.
func sending(call Call) (*once, *http.Transport) {
	o := &once{givenUp: func() bool { return false }}
	_, size, err := newRequest(context.Background(), call, keyed)
	if err != nil {
		panic(err)
	}
	o.room = size + size/2
	careless := transport()
	careless.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		return o.dial(ctx, network, address, false)
	}
	return o, careless
}

// However a transport went about it, the connection of a call lets a second
// request out neither over itself nor over another one, and tells that it was tried.
func TestTheConnectionStopsASecondSend(t *testing.T) {
	for name, behave := range map[string]func(net.Conn){
		"over the same connection": answer(201, paid),
		"over another one":         hangUp(answer(201, paid)),
	} {
		t.Run(name, func(t *testing.T) {
			bank := openBank(t, behave)
			call := payoutCall(bank.url)
			o, careless := sending(call)
			defer careless.CloseIdleConnections()
			var failed error
			for range 2 {
				request, _, err := newRequest(t.Context(), call, keyed)
				if err != nil {
					t.Fatal(err)
				}
				request.Close = false // so that a transport may keep the connection
				failed = exchangeOnce(careless, request)
				time.Sleep(20 * time.Millisecond) // until a hang-up is noticed
			}
			if !errors.Is(failed, errSecondSend) && !errors.Is(failed, errSecondDial) {
				t.Errorf("the second send came to %v", failed)
			}
			n := o.seal()
			if bank.requests.Load() != 1 || !n.again || n.written > o.room {
				t.Errorf("%d requests, %+v", bank.requests.Load(), n)
			}
			if got := verdict(n, FaultGarbled); got.Result != model.ResultUnknown || got.Code != "second_send" {
				t.Errorf("%+v", got)
			}
		})
	}
}

func exchangeOnce(t *http.Transport, request *http.Request) error {
	response, err := t.RoundTrip(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	_, err = io.Copy(io.Discard, response.Body)
	return err
}

// The room of a call holds one request of any size and never two.
func TestRoomIsForOneRequest(t *testing.T) {
	for _, size := range []int{0, 2, 100, 5_000, 300_000} {
		bank := openBank(t, answer(201, paid))
		call := payoutCall(bank.url)
		call.Body = bytes.Repeat([]byte("x"), size)
		got, _ := send(t, call)
		_, planned, err := newRequest(t.Context(), call, keyed)
		if err != nil || got.Result != model.ResultConfirmed || got.BytesOut != planned || bank.bytes.Load() != planned {
			t.Errorf("%d bytes of body: %s, planned %d, counted %d, arrived %d, %v", size, got.Result, planned, got.BytesOut, bank.bytes.Load(), err)
		}
	}
}

// The time may be over while the caller's clock is being read.
func TestGivenUpWhileTheClockIsRead(t *testing.T) {
	bank := openBank(t, answer(201, paid))
	call := payoutCall(bank.url)
	call.Deadline = 50 * time.Millisecond
	call.FirstByteBefore = func() bool {
		time.Sleep(200 * time.Millisecond)
		return true
	}
	got, reply := send(t, call)
	if got.Result != model.ResultNotSent || got.Code != "too_late" || got.BytesOut != 0 || !reply.Untouched {
		t.Errorf("%+v", got)
	}
	if bank.bytes.Load() != 0 {
		t.Errorf("%d bytes arrived of a call that was not sent", bank.bytes.Load())
	}
}
