package provider

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Fault says at which point a call broke, and is the attempt's code.
type Fault string

// The faults, in the order in which a call can meet them.
const (
	NoFault        Fault = ""
	FaultRequest   Fault = "bad_request"    // our own request cannot be written down
	FaultName      Fault = "name_not_found" // the host has no address
	FaultConnect   Fault = "not_connected"  // refused, unreachable or timed out
	FaultHandshake Fault = "tls_failed"     // before a byte of the request
	FaultLate      Fault = "too_late"       // FirstByteBefore said no
	FaultWrite     Fault = "write_failed"   // on a connection that was had
	FaultAgain     Fault = "second_send"    // our own client was about to send once more, and was stopped
	FaultCancelled Fault = "cancelled"
	FaultTimeout   Fault = "timeout"
	FaultReset     Fault = "reset"
	FaultClosed    Fault = "closed"    // the other side hung up
	FaultGarbled   Fault = "not_http"  // the answer is not HTTP
	FaultCut       Fault = "cut_short" // the answer began and did not end
	FaultLong      Fault = "too_long"  // the answer is over the limit
)

// Reply is everything that one call came back as, before anyone judges it. It
// is a plain value, so that every judgement can be tested without a network.
type Reply struct {
	Fault       Fault
	Connections int   // that were had, TLS included
	BytesOut    int64 // of this request, before TLS
	Untouched   bool  // provably no byte left, and none can leave any more
	Status      int   // 0: no answer
	Header      http.Header
	Body        []byte
	Received    time.Time // our clock when the answer began; zero without one
}

// Skew is the provider's clock less ours, in whole seconds as the Date header
// has them; 0 without one.
func (r Reply) Skew() time.Duration {
	date, err := http.ParseTime(r.Header.Get("Date"))
	if err != nil || r.Received.IsZero() {
		return 0
	}
	return date.Sub(r.Received).Truncate(time.Second)
}

// RetryAfter reads the header of that name in both of its forms; 0 without one.
func (r Reply) RetryAfter() time.Duration {
	value := strings.TrimSpace(r.Header.Get("Retry-After"))
	if seconds, err := strconv.Atoi(value); err == nil {
		return time.Duration(min(max(seconds, 0), maxRetryAfter)) * time.Second
	}
	at, err := http.ParseTime(value)
	if err != nil || r.Received.IsZero() {
		return 0
	}
	return min(max(at.Sub(r.Received), 0), maxRetryAfter*time.Second)
}

// maxRetryAfter is a day in seconds: what asks for more is not believed.
const maxRetryAfter = 24 * 60 * 60
