package static

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
)

func TestPathCarriesHash(t *testing.T) {
	if got := Path("console.css"); !regexp.MustCompile(`^/static/console\.[0-9a-f]{12}\.css$`).MatchString(got) {
		t.Errorf("Path = %q", got)
	}
	defer func() {
		if recover() == nil {
			t.Error("an unknown name did not panic")
		}
	}()
	Path("nothing.css")
}

func TestHandler(t *testing.T) {
	tests := []struct {
		name, path, match string
		status            int
		contentType       string
	}{
		{"stylesheet", Path("console.css"), "", http.StatusOK, "text/css; charset=utf-8"},
		{"script", Path("console.js"), "", http.StatusOK, "text/javascript; charset=utf-8"},
		{"icon", Path("icon.svg"), "", http.StatusOK, "image/svg+xml"},
		{"known already", Path("icon.svg"), served[strings.TrimPrefix(Path("icon.svg"), Prefix)].etag, http.StatusNotModified, ""},
		{"plain name", Prefix + "console.css", "", http.StatusNotFound, ""},
		{"source", Prefix + "embed.go", "", http.StatusNotFound, ""},
		{"folder", Prefix, "", http.StatusNotFound, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			request := httptest.NewRequest(http.MethodGet, test.path, nil)
			request.Header.Set("If-None-Match", test.match)
			answer := httptest.NewRecorder()
			Handler().ServeHTTP(answer, request)
			if answer.Code != test.status {
				t.Fatalf("status %d, want %d", answer.Code, test.status)
			}
			if test.contentType != "" && answer.Header().Get("Content-Type") != test.contentType {
				t.Errorf("type %q", answer.Header().Get("Content-Type"))
			}
			kept := strings.Contains(answer.Header().Get("Cache-Control"), "immutable")
			if kept != (test.status != http.StatusNotFound) {
				t.Errorf("kept by browsers: %v at status %d", kept, test.status)
			}
		})
	}
}

// A page weighs under 100 kB with everything; these two are most of it.
func TestWeight(t *testing.T) {
	total := 0
	for _, f := range served {
		total += len(f.content)
	}
	if total > 60_000 {
		t.Errorf("the static files weigh %d bytes", total)
	}
}

// A browser that takes gzip gets the same content, smaller, under a tag of its own.
func TestCompressed(t *testing.T) {
	for accept, zipped := range map[string]bool{"gzip, deflate, br": true, "br;q=1.0, gzip;q=0.8": true, "gzip;q=0": false, "identity": false, "": false} {
		request := httptest.NewRequest(http.MethodGet, Path("live.js"), nil)
		request.Header.Set("Accept-Encoding", accept)
		request.Header.Set("Range", "bytes=0-9")
		if !zipped {
			request.Header.Del("Range")
		}
		answer := httptest.NewRecorder()
		Handler().ServeHTTP(answer, request)
		body := answer.Body.Bytes()
		whole := served[strings.TrimPrefix(Path("live.js"), Prefix)]
		if got := answer.Header().Get("Content-Encoding") == "gzip"; got != zipped || answer.Code != http.StatusOK || answer.Header().Get("Vary") != "Accept-Encoding" {
			t.Errorf("%q: status %d, compressed %v", accept, answer.Code, got)
		}
		if zipped {
			reader, err := gzip.NewReader(bytes.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			if body, err = io.ReadAll(reader); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(body, whole.content) || (answer.Header().Get("ETag") == whole.etag) == zipped {
			t.Errorf("%q: %d bytes, tag %s", accept, len(body), answer.Header().Get("ETag"))
		}
	}
}

func TestSqueezedFilesSayTheSame(t *testing.T) {
	got := string(squeeze("a.js", []byte("// why\n(() => {\n\n  f(\"// not a comment\"); // kept\n})();\n")))
	if want := "(() => {\nf(\"// not a comment\"); // kept\n})();\n"; got != want {
		t.Errorf("squeezed: %q", got)
	}
	for name := range paths {
		source, err := files.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(source), "`\n") && strings.HasSuffix(name, ".js") {
			t.Errorf("%s has a text over several lines, whose indentation would be lost", name)
		}
	}
}
