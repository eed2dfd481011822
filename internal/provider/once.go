package provider

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"sync"
)

var (
	errTooLate    = errors.New("the time for the first byte is over")
	errSealed     = errors.New("the call is over")
	errSecondDial = errors.New("a call has one connection")
	errSecondSend = errors.New("a call has one request")
)

// once gives one call its one connection and counts what leaves over it. After
// seal nothing can leave any more.
type once struct {
	tls     *tls.Config
	first   func() bool // asked right before the first byte
	givenUp func() bool // whether the call was cancelled or ran out of time
	// room is how many bytes may leave: those of one request and less than those
	// of two, so that no second one fits, whatever the transport has in mind.
	room int64

	mu          sync.Mutex
	dialled     bool
	stage       Fault // how far the connection came: what it fails as
	connections int
	begun       bool // a write was handed to the connection
	late        bool
	again       bool // a second send was begun, and stopped
	sealed      bool
	written     int64
}

// dial opens the one connection. secure says whether to speak TLS on it; the
// handshake belongs to having a connection.
func (o *once) dial(ctx context.Context, network, address string, secure bool) (net.Conn, error) {
	o.mu.Lock()
	again := o.dialled
	if again {
		o.again = true
	} else {
		o.dialled, o.stage = true, FaultConnect
	}
	o.mu.Unlock()
	if again {
		return nil, errSecondDial
	}
	raw, err := (&net.Dialer{}).DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	conn := net.Conn(raw)
	if secure {
		o.at(FaultHandshake)
		if conn, err = o.handshake(ctx, raw, address); err != nil {
			raw.Close()
			return nil, err
		}
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.sealed {
		conn.Close()
		return nil, errSealed
	}
	o.connections, o.stage = 1, NoFault
	return &countedConn{Conn: conn, raw: raw, once: o}, nil
}

func (o *once) at(stage Fault) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.stage = stage
}

func (o *once) handshake(ctx context.Context, raw net.Conn, address string) (net.Conn, error) {
	config := &tls.Config{}
	if o.tls != nil {
		config = o.tls.Clone()
	}
	config.NextProtos = []string{"http/1.1"}
	if config.ServerName == "" {
		host, _, err := net.SplitHostPort(address)
		if err != nil {
			return nil, err
		}
		config.ServerName = host
	}
	conn := tls.Client(raw, config)
	return conn, conn.HandshakeContext(ctx)
}

// begin asks whether n bytes may go, for the first ones by the caller's clock.
// They count as sent from here on: the answer can be there before the write has
// returned.
func (o *once) begin(n int) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case o.sealed:
		return errSealed
	case o.late:
		return errTooLate
	case !o.begun && !o.mayBegin():
		o.late = true
		return errTooLate
	case o.written+int64(n) > o.room:
		o.again = true
		return errSecondSend
	}
	o.begun = true
	o.written += int64(n)
	return nil
}

// mayBegin asks the caller's clock, and then whether the call was given up
// while that was asked.
func (o *once) mayBegin() bool { return (o.first == nil || o.first()) && !o.givenUp() }

// unsent takes back the bytes that a failed write did not get rid of.
func (o *once) unsent(n int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.written -= int64(n)
}

// count is what is known about a call once it is sealed.
type count struct {
	stage       Fault
	connections int
	written     int64
	late        bool
	again       bool
}

// seal ends the call: a write that has not begun never will. One that is still
// with the kernel counts as sent.
func (o *once) seal() count {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.sealed = true
	return count{stage: o.stage, connections: o.connections, written: o.written, late: o.late, again: o.again}
}

// countedConn is the connection of one call. It counts above TLS, where the
// bytes are the request's own.
type countedConn struct {
	net.Conn
	raw  net.Conn // the same below TLS
	once *once
}

// Write asks for leave and counts.
func (c *countedConn) Write(b []byte) (int, error) {
	if err := c.once.begin(len(b)); err != nil {
		return 0, err
	}
	n, err := c.Conn.Write(b)
	c.once.unsent(len(b) - n)
	return n, err
}

// Close resets the connection of a call that was given up: what the kernel
// still holds is dropped instead of being sent later.
func (c *countedConn) Close() error {
	if !c.once.givenUp() {
		return c.Conn.Close()
	}
	if tcp, ok := c.raw.(*net.TCPConn); ok {
		if err := tcp.SetLinger(0); err != nil {
			return err // only where it is closed already
		}
	}
	return c.raw.Close()
}
