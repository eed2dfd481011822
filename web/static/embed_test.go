package static

import (
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
