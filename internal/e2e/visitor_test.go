package e2e

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// visitor is a person's signed-in session without a browser.
type visitor struct {
	person
	base   string
	client *http.Client
}

// answer is what a page came back with.
type answer struct {
	status int
	header http.Header
	body   string
}

// isPage says whether a person sees it as a page, and does not keep it as a file.
func (a answer) isPage() bool {
	return strings.HasPrefix(a.header.Get("Content-Type"), "text/html") && a.header.Get("Content-Disposition") == ""
}

// signIn signs a person in by their password.
func signIn(t *testing.T, base string, p person) *visitor {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	v := &visitor{person: p, base: base, client: &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}}
	if a := v.post(t, "/signin", url.Values{"email": {p.Email}, "password": {p.password}}); a.status != http.StatusSeeOther {
		t.Fatalf("signing in %s: status %d", p.Email, a.status)
	}
	return v
}

// post sends a form.
func (v *visitor) post(t *testing.T, path string, form url.Values) answer {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, v.base+path, strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return v.do(t, request)
}

// get asks for a path with what is in the jar.
func (v *visitor) get(t *testing.T, path string) answer {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, v.base+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	return v.do(t, request)
}

func (v *visitor) do(t *testing.T, request *http.Request) answer {
	t.Helper()
	response, err := v.client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatalf("%s: %v", request.URL, err)
	}
	return answer{response.StatusCode, response.Header, string(body)}
}

// cookies are what a browser needs to go on with the session.
func (v *visitor) cookies(t *testing.T) []*http.Cookie {
	t.Helper()
	at, err := url.Parse(v.base)
	if err != nil {
		t.Fatal(err)
	}
	return v.client.Jar.Cookies(at)
}

// elements are the elements of a name below a node.
func elements(under *html.Node, name string) func(yield func(*html.Node) bool) {
	return func(yield func(*html.Node) bool) {
		for n := range under.Descendants() {
			if n.Type == html.ElementNode && n.Data == name && !yield(n) {
				return
			}
		}
	}
}

func attr(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}
