package provider

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"time"
)

const (
	// maxBody is the longest answer that is read, in bytes.
	maxBody = 1 << 20
	// maxHeader is the same for its header.
	maxHeader = 64 << 10
	// lookupTimeout bounds a look-up.
	lookupTimeout = 20 * time.Second
	// requestIDHeader carries our id of the request.
	requestIDHeader = "X-Request-Id"
)

// Client carries the calls of one provider. An effect is sent once, on a
// connection of its own that is dialled for it: HTTP/1.1, no redirects, no
// proxy, no way back to a request that was begun. It may be used by many
// goroutines.
type Client struct {
	tls     *tls.Config
	lookups *http.Transport
	// Clock is what a provider's Date is compared with; time.Now by default.
	Clock func() time.Time
}

// NewClient makes a client. The TLS configuration may be nil.
func NewClient(config *tls.Config) *Client {
	lookups := transport()
	lookups.TLSClientConfig = config.Clone()
	lookups.MaxIdleConnsPerHost = 4
	lookups.IdleConnTimeout = 30 * time.Second
	lookups.DialContext = (&net.Dialer{}).DialContext
	return &Client{tls: config, lookups: lookups, Clock: time.Now}
}

// transport is what effects and look-ups have in common. Proxy is nil: the
// environment does not decide whom money is sent through.
func transport() *http.Transport {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	return &http.Transport{Protocols: protocols, DisableCompression: true, MaxResponseHeaderBytes: maxHeader}
}

// Close ends the idle connections of look-ups.
func (c *Client) Close() { c.lookups.CloseIdleConnections() }

// Send carries one effect, at most once. The header is the adapter's own (the
// key, who we are); Content-Type and the request id are added.
func (c *Client) Send(ctx context.Context, call Call, header http.Header) Reply {
	if call.Deadline <= 0 {
		return Reply{Fault: FaultLate, Untouched: true}
	}
	ctx, cancel := context.WithTimeout(ctx, call.Deadline)
	defer cancel()
	o := &once{tls: c.tls, first: call.FirstByteBefore, givenUp: func() bool { return ctx.Err() != nil }}
	request, size, err := newRequest(ctx, call, header)
	if err != nil {
		o.seal()
		return Reply{Fault: FaultRequest, Untouched: true}
	}
	o.room = size + size/2
	effect := transport()
	effect.DisableKeepAlives = true
	// The transport would let a dial go on after the call; ours ends with it.
	effect.DialContext = func(_ context.Context, network, address string) (net.Conn, error) {
		return o.dial(ctx, network, address, false)
	}
	effect.DialTLSContext = func(_ context.Context, network, address string) (net.Conn, error) {
		return o.dial(ctx, network, address, true)
	}
	reply := c.exchange(effect, request)
	n := o.seal()
	reply.Connections, reply.BytesOut, reply.Untouched = n.connections, n.written, n.written == 0
	if reply.Fault != NoFault && reply.Status == 0 {
		reply.Fault = n.fault(reply.Fault)
	}
	return reply
}

// Get carries one look-up. Look-ups change nothing, so they share connections.
func (c *Client) Get(ctx context.Context, address string, header http.Header) Reply {
	ctx, cancel := context.WithTimeout(ctx, lookupTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return Reply{Fault: FaultRequest}
	}
	for name, values := range header {
		request.Header[name] = values
	}
	return c.exchange(c.lookups, request)
}

// newRequest writes the frozen bytes down, and measures what the request takes
// on the wire, in bytes.
func newRequest(ctx context.Context, call Call, header http.Header) (*http.Request, int64, error) {
	measured, err := compose(ctx, call, header)
	if err != nil {
		return nil, 0, err
	}
	var size tally
	if err := measured.Write(&size); err != nil {
		return nil, 0, err
	}
	request, err := compose(ctx, call, header)
	return request, int64(size), err
}

// tally counts what is written to it.
type tally int64

func (t *tally) Write(b []byte) (int, error) {
	*t += tally(len(b))
	return len(b), nil
}

// compose makes the request. The body is a plain reader, so that GetBody stays
// nil and nobody can read it a second time.
func compose(ctx context.Context, call Call, header http.Header) (*http.Request, error) {
	body := struct{ io.Reader }{bytes.NewReader(call.Body)}
	request, err := http.NewRequestWithContext(ctx, call.Method, call.URL, body)
	if err != nil {
		return nil, err
	}
	request.ContentLength = int64(len(call.Body))
	if len(call.Body) == 0 {
		request.Body = http.NoBody
	}
	request.Close = true // one request, one connection
	request.Header = header.Clone()
	if request.Header == nil {
		request.Header = http.Header{}
	}
	request.Header.Set("Content-Type", call.ContentType)
	if call.RequestID != "" {
		request.Header.Set(requestIDHeader, call.RequestID)
	}
	return request, nil
}

// exchange does one round trip. It goes below http.Client, which would follow
// redirects and repeat.
func (c *Client) exchange(t *http.Transport, request *http.Request) Reply {
	response, err := t.RoundTrip(request)
	if err != nil {
		return Reply{Fault: faultOf(err)}
	}
	defer response.Body.Close()
	reply := Reply{Status: response.StatusCode, Header: response.Header, Received: c.Clock()}
	if response.StatusCode == http.StatusSwitchingProtocols {
		return reply // what follows is no HTTP
	}
	reply.Body, err = io.ReadAll(io.LimitReader(response.Body, maxBody+1))
	switch {
	case err != nil:
		reply.Fault = FaultCut
	case len(reply.Body) > maxBody:
		reply.Fault, reply.Body = FaultLong, reply.Body[:maxBody]
	case len(reply.Body) == 0 && endless(response):
		reply.Fault = FaultCut
	}
	return reply
}

// endless reports whether the answer ends only with its connection: then an
// empty body cannot be told from one that was cut off.
func endless(r *http.Response) bool {
	return r.ContentLength < 0 && len(r.TransferEncoding) == 0
}

// faultOf names the error of a round trip that had no answer.
func faultOf(err error) Fault {
	var name *net.DNSError
	var network *net.OpError
	switch {
	case errors.Is(err, context.Canceled):
		return FaultCancelled
	case errors.As(err, &name) && name.IsNotFound:
		return FaultName
	case timedOut(err):
		return FaultTimeout
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return FaultClosed
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE), errors.As(err, &network):
		return FaultReset
	}
	return FaultGarbled
}

func timedOut(err error) bool {
	var network net.Error
	return errors.Is(err, context.DeadlineExceeded) || errors.As(err, &network) && network.Timeout()
}

// fault corrects the name of a failure by what the connection knows: how far it
// came says more than the error that came back.
func (n count) fault(seen Fault) Fault {
	switch {
	case n.late:
		return FaultLate
	case n.again && n.written > 0:
		return FaultAgain
	case n.connections == 0 && (seen == FaultCancelled || seen == FaultName):
		return seen
	case n.connections == 0 && n.stage != NoFault:
		return n.stage
	case n.connections == 0 && seen == FaultTimeout:
		return FaultLate
	case n.connections == 0:
		return FaultRequest
	case n.written == 0 && seen != FaultCancelled && seen != FaultTimeout:
		return FaultWrite
	}
	return seen
}

// isJSON reports whether the answer says that it is JSON of any kind.
func isJSON(h http.Header) bool {
	media, _, _ := strings.Cut(h.Get("Content-Type"), ";")
	media = strings.ToLower(strings.TrimSpace(media))
	return media == "application/json" || strings.HasPrefix(media, "application/") && strings.HasSuffix(media, "+json")
}
