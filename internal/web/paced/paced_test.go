package paced_test

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"countersign/internal/web/paced"
)

// long is more than the buffers of a connection hold.
var long = strings.Repeat("0123456789abcdef", 1<<20)

// serve answers one request by a writer with little time for each piece, and tells
// how writing ended.
func serve(t *testing.T, piece time.Duration) (address string, ended <-chan error) {
	t.Helper()
	end := make(chan error, 1)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, err := io.WriteString(paced.Within(w, piece), long)
		end <- err
	}))
	t.Cleanup(s.Close)
	return s.Listener.Addr().String(), end
}

// TestAReaderThatTakesNothingIsLetGo: it holds nothing here for longer than a piece's
// time.
func TestAReaderThatTakesNothingIsLetGo(t *testing.T) {
	address, ended := serve(t, 100*time.Millisecond)
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := io.WriteString(c, "GET / HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-ended:
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("ended with %v", err)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("a reader that takes nothing is waited for")
	}
}

// TestASlowReaderGetsAll: the time is each piece's, not the answer's.
func TestASlowReaderGetsAll(t *testing.T) {
	const piece = 200 * time.Millisecond
	address, ended := serve(t, piece)
	answer, err := http.Get("http://" + address)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	began, got, part := time.Now(), 0, make([]byte, 1<<20)
	for err == nil {
		var n int
		n, err = io.ReadFull(answer.Body, part)
		got += n
		time.Sleep(piece / 8)
	}
	if took := time.Since(began); got != len(long) || took < 2*piece {
		t.Errorf("%d of %d bytes in %s (%v)", got, len(long), took, err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// TestARecorderNeedsNoTime: what has no deadlines is written to as it is.
func TestARecorderNeedsNoTime(t *testing.T) {
	r := httptest.NewRecorder()
	if n, err := io.WriteString(paced.New(r), long); err != nil || n != len(long) || r.Body.String() != long {
		t.Errorf("%d bytes (%v)", n, err)
	}
}
