package house

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"
)

// reasons are the modules of others that we import ourselves, in code, tests
// or as tools, and what each is for. A new one needs a line here.
var reasons = map[string]string{
	"github.com/BurntSushi/toml":                               "reads the providers file",
	"github.com/a-h/templ":                                     "pages as typed, escaping templates",
	"github.com/alecthomas/kong":                               "commands, flags and environment of the binary",
	"github.com/bojanz/currency":                               "currency table and CLDR formatting",
	"github.com/chromedp/cdproto":                              "the browser's protocol, in tests",
	"github.com/chromedp/chromedp":                             "drives Chromium in tests",
	"github.com/danielgtaylor/huma/v2":                         "typed API operations and OpenAPI 3.1",
	"github.com/go-json-experiment/json":                       "strict JSON: refuses duplicate and unknown members",
	"github.com/gorilla/securecookie":                          "random session ids, as gorilla/sessions makes them",
	"github.com/gorilla/sessions":                              "the session store's interface",
	"github.com/gowebpki/jcs":                                  "canonical JSON of fingerprints and digests",
	"github.com/jackc/pgx/v5":                                  "the driver of PostgreSQL",
	"github.com/jmoiron/sqlx":                                  "rows into structs, on both databases",
	"github.com/labstack/echo/v4":                              "routes, middleware and body limits",
	"github.com/mattn/go-sqlite3":                              "the embedded database",
	"github.com/oklog/ulid/v2":                                 "identifiers that sort by time",
	"github.com/pressly/goose/v3":                              "numbered migrations",
	"github.com/prometheus/client_golang":                      "metrics in the form of Prometheus",
	"github.com/standard-webhooks/standard-webhooks/libraries": "signs and checks webhooks",
	"github.com/transparency-dev/merkle":                       "the audit log's RFC 6962 tree and proofs",
	"github.com/wneessen/go-mail":                              "alerts by mail, with STARTTLS and sign-in",
	"go.yaml.in/yaml/v3":                                       "reads the example rules for Prometheus, in a test",
	"golang.org/x/crypto":                                      "argon2id for passwords",
	"golang.org/x/net":                                         "an HTML tree of pages and frames of HTTP/2, in tests",
	"golang.org/x/sync":                                        "groups of goroutines that end together",
	"golang.org/x/sys":                                         "reads a password from a terminal without echo",
	"golang.org/x/text":                                        "names without their accents to search for, typed codes in any width",
	"honnef.co/go/tools":                                       "staticcheck, as a tool",
	"pgregory.net/rapid":                                       "property tests",
}

func TestModulesHaveAReason(t *testing.T) {
	used := directModules(t)
	for _, path := range slices.Sorted(maps.Keys(used)) {
		if reasons[path] == "" {
			t.Errorf("%s is used and has no reason in the list", path)
		}
	}
	for _, path := range slices.Sorted(maps.Keys(reasons)) {
		if !used[path] {
			t.Errorf("%s has a reason in the list and is not used", path)
		}
	}
	for _, path := range requiredDirectly(t) {
		if !used[path] {
			t.Errorf("go.mod requires %s, which nothing imports", path)
		}
	}
}

// requiredDirectly are the modules that go.mod names as our own requirements.
func requiredDirectly(t *testing.T) (paths []string) {
	t.Helper()
	var mod struct {
		Require []struct {
			Path     string
			Indirect bool
		}
	}
	if err := json.Unmarshal(goCommand(t, "mod", "edit", "-json"), &mod); err != nil {
		t.Fatal(err)
	}
	for _, r := range mod.Require {
		if !r.Indirect {
			paths = append(paths, r.Path)
		}
	}
	return paths
}

// directModules are the modules of others that one of our packages or its
// tests imports, and those of our tools.
func directModules(t *testing.T) map[string]bool {
	t.Helper()
	moduleOf := map[string]string{}
	var ours []goPackage
	for _, p := range goList(t, "-deps", "-test", "./...") {
		if p.Module == nil {
			continue
		}
		moduleOf[p.ImportPath] = p.Module.Path
		if p.Module.Path == module {
			ours = append(ours, p)
		}
	}
	direct := map[string]bool{}
	for _, p := range ours {
		for _, imported := range slices.Concat(p.Imports, p.TestImports, p.XTestImports) {
			if path := moduleOf[imported]; path != "" && path != module {
				direct[path] = true
			}
		}
	}
	for _, p := range goList(t, "tool") {
		direct[p.Module.Path] = true
	}
	return direct
}

func TestGoModNamesTheLanguageOnly(t *testing.T) {
	var mod struct {
		Go        string
		Toolchain string
		Replace   []struct{}
	}
	if err := json.Unmarshal(goCommand(t, "mod", "edit", "-json"), &mod); err != nil {
		t.Fatal(err)
	}
	if mod.Toolchain != "" {
		t.Errorf("go.mod pins toolchain %s: a newer one with fixes would not be used", mod.Toolchain)
	}
	if len(mod.Replace) > 0 {
		t.Error("go.mod replaces a module")
	}
	if mod.Go == "" {
		t.Error("go.mod names no language version")
	}
}
