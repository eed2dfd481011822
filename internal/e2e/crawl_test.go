package e2e

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// mostAlike bounds how many addresses of one shape are followed: a page, its filters
// and its cursors would otherwise go on for ever.
const mostAlike = 12

// crawl follows every link that a person meets, from the start page on, and
// gives the answers by address. extra addresses are asked for too.
func crawl(t *testing.T, v *visitor, extra ...string) map[string]answer {
	t.Helper()
	seen := map[string]answer{}
	shapes := map[string]int{}
	waiting := append([]string{"/"}, extra...)
	for len(waiting) > 0 {
		path := waiting[0]
		waiting = waiting[1:]
		if _, known := seen[path]; known || shapes[shape(path)] >= mostAlike {
			continue
		}
		shapes[shape(path)]++
		a := v.get(t, path)
		seen[path] = a
		if to := a.header.Get("Location"); to != "" {
			waiting = append(waiting, local(v.base, path, to)...)
		}
		if a.isPage() {
			waiting = append(waiting, linksOf(t, v.base, path, a.body)...)
		}
	}
	return seen
}

// linksOf are the product's own addresses that a page leads to or loads.
func linksOf(t *testing.T, base, path, page string) (links []string) {
	t.Helper()
	tree, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	for _, kind := range []struct{ element, attribute string }{{"a", "href"}, {"link", "href"}, {"script", "src"}, {"img", "src"}} {
		for n := range elements(tree, kind.element) {
			links = append(links, local(base, path, attr(n, kind.attribute))...)
		}
	}
	return links
}

// local resolves a link; none if it leads away from the product.
func local(base, path, link string) []string {
	from, err := url.Parse(base + path)
	if err != nil || link == "" {
		return nil
	}
	to, err := from.Parse(link)
	if err != nil || to.Scheme+"://"+to.Host != base {
		return nil
	}
	return []string{to.RequestURI()}
}

var (
	idInPath  = regexp.MustCompile(`(intent-)?[0-9a-z]{26}|[a-z]+_[0-9A-Za-z]{20,}|\b[0-9]+\b|[0-9a-f]{40,}`)
	anIntent  = regexp.MustCompile(`^/intents/intent-[0-9a-z]{26}$`)
	stepQuery = regexp.MustCompile(`^step=`)
)

// shape is an address without what differs between things of a kind: ids and
// numbers in the path, values in the query.
func shape(path string) string {
	path, query, _ := strings.Cut(path, "?")
	values, err := url.ParseQuery(query)
	if err != nil || stepQuery.MatchString(query) {
		return idInPath.ReplaceAllString(path, "{}")
	}
	var names []string
	for name := range values {
		names = append(names, name)
	}
	slices.Sort(names)
	return idInPath.ReplaceAllString(path, "{}") + "?" + strings.Join(names, "&")
}
