package web

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestASlowBodyIsNotWaitedFor: a caller who says that a form comes, and sends it
// byte by byte, holds nothing for long.
func TestASlowBodyIsNotWaitedFor(t *testing.T) {
	w := newWorld(t)
	w.web.bodyWithin = 100 * time.Millisecond
	conn, err := net.Dial("tcp", strings.TrimPrefix(w.url, "http://"))
	w.must(err)
	defer conn.Close()
	w.must(conn.SetDeadline(time.Now().Add(10 * time.Second)))
	_, err = fmt.Fprintf(conn, "POST /signin HTTP/1.1\r\nHost: %s\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\n\r\ne",
		strings.TrimPrefix(w.url, "http://"))
	w.must(err)
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	w.must(err)
	defer res.Body.Close()
	if res.StatusCode != http.StatusBadRequest {
		text, _ := io.ReadAll(res.Body)
		t.Errorf("status %d, want 400: %s", res.StatusCode, tags.ReplaceAllString(string(text), " "))
	}
}

// TestALongAddressIsNotRepeated: whatever stands behind the ? is bounded, and so is
// what a page can be made to say.
func TestALongAddressIsNotRepeated(t *testing.T) {
	w := newWorld(t)
	olga := w.browse("Olga")
	p := olga.get("/?" + strings.Repeat("a=b&", 5000))
	olga.wants(p, http.StatusRequestEntityTooLarge, "more behind its ? than is taken here")
	if len(p.body) > 20_000 {
		t.Errorf("the answer has %d bytes", len(p.body))
	}
	if p := olga.get("/?" + strings.Repeat("a=b&", 4000)); p.status != http.StatusOK || len(p.body) > 100_000 {
		t.Errorf("unknown parameters: status %d, %d bytes", p.status, len(p.body))
	}
	olga.wants(olga.get("/?q="+strings.Repeat("%D0%B0", 255)), http.StatusOK, "Nothing")
}
