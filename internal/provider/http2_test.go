package provider

import (
	"bytes"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"countersign/internal/model"
	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// bank2 is a provider made by hand that speaks HTTP/2 to whoever wants it. It
// reads whole requests, and what it does about the first one is the test's; the
// later ones it answers.
type bank2 struct {
	url      string
	trust    *tls.Config
	executed atomic.Int64 // whole requests, over all connections and streams
	conns    atomic.Int64
	streams  atomic.Int64 // of HTTP/2
	fault    func(f *http2.Framer, stream uint32) error
}

// openBank2 listens with TLS and offers the given protocols, in this order.
func openBank2(t *testing.T, fault func(*http2.Framer, uint32) error, protocols ...string) *bank2 {
	t.Helper()
	vouched := httptest.NewTLSServer(nil) // only for its certificate
	vouched.Close()
	b := &bank2{fault: fault, trust: &tls.Config{RootCAs: vouched.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs}}
	config := &tls.Config{Certificates: vouched.TLS.Certificates, NextProtos: protocols}
	if !slices.Contains(protocols, "http/1.1") {
		config.GetConfigForClient = refuseOthers
	}
	listener, err := tls.Listen("tcp", "127.0.0.1:0", config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	b.url = "https://" + listener.Addr().String()
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go b.talk(conn.(*tls.Conn))
		}
	}()
	return b
}

// refuseOthers ends a handshake that does not offer HTTP/2, as a strict server
// does. Go's own would let an HTTP/1.1 client in.
func refuseOthers(hello *tls.ClientHelloInfo) (*tls.Config, error) {
	if !slices.Contains(hello.SupportedProtos, http2.NextProtoTLS) {
		return nil, errors.New("no protocol in common")
	}
	return nil, nil // the listener's own
}

func (b *bank2) talk(conn *tls.Conn) {
	defer conn.Close()
	if conn.Handshake() != nil {
		return
	}
	b.conns.Add(1)
	if conn.ConnectionState().NegotiatedProtocol == http2.NextProtoTLS {
		b.frames(conn)
		return
	}
	(&bank{}).talk(conn, func(conn net.Conn) {
		if b.executed.Add(1) > 1 {
			answer(201, paid)(conn)
		}
		conn.Close()
	})
}

// frames speaks HTTP/2 until the connection breaks.
func (b *bank2) frames(conn net.Conn) {
	if _, err := io.ReadFull(conn, make([]byte, len(http2.ClientPreface))); err != nil {
		return
	}
	framer := http2.NewFramer(conn, conn)
	if framer.WriteSettings() != nil {
		return
	}
	for {
		frame, err := framer.ReadFrame()
		if err != nil {
			return
		}
		ends := frame.Header().Type == http2.FrameHeaders || frame.Header().Type == http2.FrameData
		if !ends || !frame.Header().Flags.Has(http2.FlagDataEndStream) {
			continue // END_STREAM is the same flag of both
		}
		b.streams.Add(1)
		if err := b.react(framer, frame.Header().StreamID); err != nil {
			return
		}
	}
}

func (b *bank2) react(framer *http2.Framer, stream uint32) error {
	if b.executed.Add(1) == 1 {
		return b.fault(framer, stream)
	}
	var block bytes.Buffer
	encoder := hpack.NewEncoder(&block)
	for _, field := range []hpack.HeaderField{{Name: ":status", Value: "201"}, {Name: "content-type", Value: "application/json"}} {
		if err := encoder.WriteField(field); err != nil {
			return err
		}
	}
	if err := framer.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: block.Bytes(), EndHeaders: true}); err != nil {
		return err
	}
	return framer.WriteData(stream, true, []byte(paid))
}

// faults2 are the ways of HTTP/2 to say no after the request was read whole.
var faults2 = map[string]func(*http2.Framer, uint32) error{
	"REFUSED_STREAM": func(f *http2.Framer, stream uint32) error {
		return f.WriteRSTStream(stream, http2.ErrCodeRefusedStream)
	},
	"PROTOCOL_ERROR": func(f *http2.Framer, stream uint32) error { return f.WriteRSTStream(stream, http2.ErrCodeProtocol) },
	"GOAWAY":         func(f *http2.Framer, _ uint32) error { return f.WriteGoAway(0, http2.ErrCodeNo, nil) },
}

// Over HTTP/2, Go's own client sends a second time whatever the method, and the
// server of the test sees it.
func TestGosOwnClientSendsTwiceOverHTTP2(t *testing.T) {
	for name, fault := range faults2 {
		t.Run(name, func(t *testing.T) {
			bank := openBank2(t, fault, "h2", "http/1.1")
			status := post(t, defaultClient(t, bank.trust), payoutCall(bank.url))
			if status != 201 || bank.executed.Load() != 2 || bank.streams.Load() != 2 {
				t.Errorf("status %d, executed %d times over %d streams", status, bank.executed.Load(), bank.streams.Load())
			}
		})
	}
}

// Ours never speaks HTTP/2, so none of its ways to send again exists: where
// both are offered it takes HTTP/1.1.
func TestHTTP2IsNotSpoken(t *testing.T) {
	for name, fault := range faults2 {
		t.Run(name, func(t *testing.T) {
			bank := openBank2(t, fault, "h2", "http/1.1")
			call := payoutCall(bank.url)
			client := NewClient(bank.trust)
			got := Classify(testContract, testForm{}, call, client.Send(t.Context(), call, keyed))
			if got.Result != model.ResultUnknown || got.Code != "closed" || got.Connections != 1 {
				t.Errorf("%+v", got)
			}
			if bank.executed.Load() != 1 || bank.streams.Load() != 0 || bank.conns.Load() != 1 {
				t.Errorf("executed %d times, %d streams, %d connections", bank.executed.Load(), bank.streams.Load(), bank.conns.Load())
			}
		})
	}
}

// A server that speaks nothing but HTTP/2 gets no request at all.
func TestAServerOfHTTP2AloneGetsNothing(t *testing.T) {
	bank := openBank2(t, faults2["GOAWAY"], "h2")
	call := payoutCall(bank.url)
	got := Classify(testContract, testForm{}, call, NewClient(bank.trust).Send(t.Context(), call, keyed))
	if got.Result != model.ResultNotSent || got.Code != "tls_failed" || got.BytesOut != 0 || bank.executed.Load() != 0 {
		t.Errorf("%+v, executed %d times", got, bank.executed.Load())
	}
}

// One that answers our HTTP/1.1 with frames of HTTP/2 has the request, and
// gets it once.
func TestFramesInsteadOfAnAnswerAreUnknown(t *testing.T) {
	for name, fault := range faults2 {
		t.Run(name, func(t *testing.T) {
			bank := openBank(t, hangUp(func(conn net.Conn) {
				framer := http2.NewFramer(conn, conn)
				if framer.WriteSettings() == nil {
					fault(framer, 1) //nolint:errcheck // the other side may be gone
				}
				time.Sleep(20 * time.Millisecond) // so that the frames are read before the end
			}))
			got, _ := send(t, payoutCall(bank.url))
			if got.Result != model.ResultUnknown || got.Code != "not_http" || got.Connections != 1 || got.BytesOut != bank.bytes.Load() {
				t.Errorf("%+v, %d bytes arrived", got, bank.bytes.Load())
			}
			if bank.requests.Load() != 1 || bank.conns.Load() != 1 {
				t.Errorf("%d requests over %d connections", bank.requests.Load(), bank.conns.Load())
			}
		})
	}
}
