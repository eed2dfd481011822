package house

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// everything allows a package all of ours but those of testOnly.
const everything = "*"

// mayImport is the import table: each of our packages and what it may import
// of ours outside its tests. A package that is not listed fails.
var mayImport = map[string][]string{
	"db":                               {},
	"internal/model":                   {},
	"internal/authz":                   {"internal/model"},
	"internal/bankfile":                {"internal/model"},
	"internal/provider":                {"internal/model"},
	"internal/provider/sandbox":        {"internal/model", "internal/provider"},
	"internal/provider/sandbox/server": {"internal/model", "internal/provider"},
	"internal/store":                   {"internal/model", "db"},
	"internal/alert":                   {"internal/model", "internal/store"},
	"internal/audit":                   {"internal/model", "internal/store", "internal/alert"},
	"internal/workflow":                {"internal/model", "internal/provider"},
	"internal/engine":                  {"internal/model", "internal/workflow", "internal/provider", "internal/store", "internal/audit", "internal/alert"},
	"internal/actions":                 {"internal/model", "internal/bankfile", "internal/alert", "internal/workflow", "internal/authz", "internal/store", "internal/audit"},
	"internal/metrics":                 {"internal/model", "internal/store", "internal/audit", "internal/alert"},
	"internal/zone":                    {},
	"web/static":                       {},
	"web/templates":                    {"internal/model", "web/static"},
	"internal/web":                     pages,
	"internal/web/api":                 pages,
	"internal/web/paced":               {},
	"internal/web/problem":             pages,
	"internal/web/session":             pages,
	"internal/web/timeline":            {"internal/model", "web/templates"},
	"cmd/console":                      {everything},
}

// pages is what the pages and the API may import. Nothing that calls a
// provider is in it: a request of a person never does.
var pages = []string{
	"internal/actions", "internal/alert", "internal/authz", "internal/audit", "internal/bankfile", "internal/model", "internal/store",
	"internal/web", "internal/web/api", "internal/web/paced", "internal/web/problem", "internal/web/session", "internal/web/timeline",
	"internal/zone", "web/static", "web/templates",
}

// testOnly are the packages that serve tests alone: nothing that ships may
// import them, and they may import what they like.
var testOnly = []string{
	"internal/bench",
	"internal/e2e",
	"internal/house",
	"internal/house/gotest",
	"internal/moments",
	"internal/soak",
	"internal/store/storetest",
}

func TestImportsFollowTheTable(t *testing.T) {
	for _, p := range goList(t, "./...") {
		name, _ := own(p.ImportPath)
		if slices.Contains(testOnly, name) {
			continue
		}
		allowed, listed := mayImport[name]
		if !listed {
			t.Errorf("%s is in no row of the import table", name)
			continue
		}
		for _, imported := range p.Imports {
			if target, ours := own(imported); ours && !allows(allowed, target) {
				t.Errorf("%s imports %s, which the import table does not allow", name, target)
			}
		}
	}
}

// allows says whether a row of the table has the target.
func allows(row []string, target string) bool {
	if slices.Contains(row, everything) {
		return !slices.Contains(testOnly, target)
	}
	return slices.Contains(row, target)
}

func TestImportTableNamesOnlyPackages(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(mayImport)) {
		for _, target := range mayImport[name] {
			if _, listed := mayImport[target]; !listed && target != everything {
				t.Errorf("the row of %s names %s, which has no row", name, target)
			}
		}
	}
}

// TestRowsOfTheTable checks the decision itself, so that a table that allows
// too much is noticed.
func TestRowsOfTheTable(t *testing.T) {
	for _, c := range []struct {
		from, to string
		want     bool
	}{
		{"internal/engine", "internal/actions", false},
		{"internal/actions", "internal/engine", false},
		{"internal/actions", "internal/provider", false},
		{"internal/web", "internal/provider", false},
		{"internal/web/api", "internal/engine", false},
		{"internal/model", "internal/store", false},
		{"internal/store", "internal/audit", false},
		{"internal/audit", "internal/store", true},
		{"web/templates", "internal/store", false},
		{"cmd/console", "internal/engine", true},
		{"cmd/console", "internal/store/storetest", false},
	} {
		if got := allows(mayImport[c.from], c.to); got != c.want {
			t.Errorf("%s → %s: allowed %t, want %t", c.from, c.to, got, c.want)
		}
	}
}

func TestPackageNamesSayWhatTheyAreFor(t *testing.T) {
	vague := []string{"util", "utils", "common", "helper", "helpers", "manager", "misc"}
	for _, p := range goList(t, "./...") {
		last := p.ImportPath[strings.LastIndex(p.ImportPath, "/")+1:]
		if slices.Contains(vague, last) {
			t.Errorf("%s: the name %q says nothing", p.ImportPath, last)
		}
	}
}
