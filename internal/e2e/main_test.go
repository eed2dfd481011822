package e2e

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// root is the folder of go.mod, seen from this package.
const root = "../.."

// tools are the programs and files that the tests need.
type tools struct {
	chromium, node, axe, validate string
	folder                        string // of the binary under test; "" until it is built
}

var have tools

func TestMain(m *testing.M) { os.Exit(run(m)) }

// run prepares the tools and runs the tests. Where tools are missing it runs
// none, which go test shows as "[no tests to run]".
func run(m *testing.M) int {
	flag.Parse()
	if err := have.find(); err != nil {
		fmt.Fprintln(os.Stderr, "e2e: no browser test was run:", err)
		if os.Getenv("COUNTERSIGN_E2E") == "required" {
			return 1
		}
		if err := flag.Set("test.run", "^$"); err != nil {
			return 1
		}
		return m.Run()
	}
	defer func() { os.RemoveAll(have.folder) }()
	code := m.Run()
	closeBrowser()
	for _, r := range []*running{full, bare, harmed} {
		if err := r.stop(); err != nil {
			fmt.Fprintln(os.Stderr, "e2e:", err)
			code = 1
		}
		if code != 0 && r.product != nil {
			fmt.Fprintf(os.Stderr, "e2e: the %s demo complained:\n%s", r.folder, r.product.complaints())
		}
	}
	return code
}

// console builds the binary under test, once. It is built without the race
// detector, under which the pages' and the engine's own tests run the same code:
// here it would make every page several times slower.
var console = sync.OnceValues(func() (string, error) {
	folder, err := os.MkdirTemp("", "countersign-e2e-")
	if err != nil {
		return "", err
	}
	have.folder = folder
	binary := filepath.Join(folder, "console")
	build := exec.Command("go", "build", "-o", binary, "./cmd/console")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building the console: %w\n%s", err, out)
	}
	return binary, nil
})

// find looks for all tools, and names each that is missing.
func (t *tools) find() error {
	var missing []error
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			t.chromium = path
			break
		}
	}
	if t.chromium == "" {
		missing = append(missing, errors.New("chromium is missing"))
	}
	node, err := exec.LookPath("node")
	if err != nil {
		missing = append(missing, errors.New("node is missing"))
	}
	t.node = node
	for _, module := range []struct {
		path string
		at   *string
	}{
		{"axe-core/axe.min.js", &t.axe},
		{"html-validate/bin/html-validate.mjs", &t.validate},
	} {
		path, err := filepath.Abs(filepath.Join(root, "node_modules", module.path))
		if err == nil {
			_, err = os.Stat(path)
		}
		if err != nil {
			missing = append(missing, fmt.Errorf("node_modules/%s is missing", module.path))
		}
		*module.at = path
	}
	return errors.Join(missing...)
}
