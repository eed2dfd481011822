package e2e

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// state is a circumstance in which a page is shown.
type state string

const (
	withData state = "with data" // what is there to be shown
	empty    state = "empty"     // nothing is there yet
	faulty   state = "error"     // something is wrong: with the address, the input, the right to it or the server
	refused  state = "refused"   // what was asked for is not done, and why
	stale    state = "stale"     // it moved since it was shown
	expired  state = "expired"   // it was shown too long ago
)

// states are all of them, in the order of the table.
var states = []state{withData, empty, faulty, refused, stale, expired}

// viewers are who looks, by the letters that the table uses: nobody, the roles
// of the account acme, and an operator of globex.
var viewers = map[rune]string{'-': "", 'o': "priya@example.com", 'a': "ingrid@example.com", 'u': "lin@example.com",
	'd': "eleni@example.com", 'g': "mohammed@example.com"}

// view is one page in one state, as some of the people get it.
type view struct {
	route  string // as internal/web names it
	state  state
	who    string     // letters of viewers
	at     string     // the address; what stands in braces is a place of the scene
	form   url.Values // what is sent, of a POST
	status int
}

// Answers that many rows share.
const (
	ok        = http.StatusOK
	forbidden = http.StatusForbidden
	missing   = http.StatusNotFound
	conflict  = http.StatusConflict
	invalid   = http.StatusUnprocessableEntity
)

// notShown are routes that no person looks at, and why.
var notShown = map[string]string{
	"GET /healthz":             "for programs",
	"GET /readyz":              "for programs",
	"GET /metrics":             "for programs",
	"GET /static/*":            "loaded by every page",
	"POST /webhooks/:provider": "for providers",
	"GET /audit/export/file":   "a file",
	"GET /uncertain/file":      "a file",
	"GET /guide/statement.xml": "a file",
	"GET /documents/:stepkey":  "a file",
	"GET /uploads/:id":         "a file",
	"GET /live":                "a stream of changes, read by scripts",
}

// TestEveryRouteIsCovered compares the sweep's table with the routes of
// internal/web, and prints what is covered.
func TestEveryRouteIsCovered(t *testing.T) {
	routes := routesInSource(t)
	covered := map[string]map[state]string{}
	for _, v := range views {
		if !slices.Contains(routes, v.route) {
			t.Errorf("%s is in the table and is no route", v.route)
		}
		if covered[v.route] == nil {
			covered[v.route] = map[state]string{}
		}
		covered[v.route][v.state] += v.who
	}
	for _, route := range routes {
		if _, hidden := notShown[route]; hidden {
			continue
		}
		if covered[route] == nil {
			t.Errorf("%s is in no row of the sweep's table", route)
			continue
		}
		line := route + ":"
		for _, s := range states {
			if who := covered[route][s]; who != "" {
				line += " " + string(s) + " (" + letters(who) + ")"
			}
		}
		t.Log(line)
	}
	for _, s := range states {
		if !slices.ContainsFunc(views, func(v view) bool { return v.state == s }) {
			t.Errorf("no page is opened in the state %q", s)
		}
	}
}

// letters are the different letters of a text, in order.
func letters(text string) string {
	set := map[rune]bool{}
	for _, r := range text {
		set[r] = true
	}
	return string(slices.Sorted(maps.Keys(set)))
}

// routesInSource reads the addresses that internal/web serves, "GET /me", from
// the literals of its type route.
func routesInSource(t *testing.T) (routes []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, "internal/web/*.go"))
	if err != nil {
		t.Fatal(err)
	}
	var trees []*ast.File
	names := map[string]string{}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		tree, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		trees = append(trees, tree)
		constantsOf(tree, names)
	}
	for _, tree := range trees {
		ast.Inspect(tree, func(n ast.Node) bool {
			if literal, ok := n.(*ast.CompositeLit); ok {
				if route := routeOf(literal, names); route != "" {
					routes = append(routes, route)
				}
			}
			return true
		})
	}
	if len(routes) < 30 {
		t.Fatalf("only %d routes were found in the source", len(routes))
	}
	return routes
}

// constantsOf adds a file's string constants by their names.
func constantsOf(tree *ast.File, names map[string]string) {
	for _, declared := range tree.Decls {
		group, ok := declared.(*ast.GenDecl)
		if !ok || group.Tok != token.CONST {
			continue
		}
		for _, spec := range group.Specs {
			value, ok := spec.(*ast.ValueSpec)
			if ok && len(value.Values) == 1 {
				names[value.Names[0].Name] = textOf(value.Values[0], names)
			}
		}
	}
}

// routeOf reads {method: get, path: "/me"}; "" is another literal.
func routeOf(literal *ast.CompositeLit, names map[string]string) string {
	var method, path string
	for _, element := range literal.Elts {
		pair, ok := element.(*ast.KeyValueExpr)
		if !ok {
			continue
		}
		name, _ := pair.Key.(*ast.Ident)
		switch {
		case name == nil:
		case name.Name == "method":
			if value, ok := pair.Value.(*ast.Ident); ok {
				method = strings.ToUpper(value.Name)
			}
		case name.Name == "path":
			path = textOf(pair.Value, names)
		}
	}
	if method == "" || path == "" {
		return ""
	}
	return method + " " + path
}

// textOf is the value of a string's literal, constant or sum; a constant of
// another package is the folder of the static files.
func textOf(e ast.Expr, names map[string]string) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, _ := strconv.Unquote(e.Value)
		return text
	case *ast.Ident:
		return names[e.Name]
	case *ast.SelectorExpr:
		return "/static/"
	case *ast.BinaryExpr:
		return textOf(e.X, names) + textOf(e.Y, names)
	}
	return ""
}
