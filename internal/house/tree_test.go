package house

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// module is the path of our own module.
const module = "countersign"

// root is the folder of go.mod, seen from this package.
const root = "../.."

// goPackage is what `go list -json` says of a package.
type goPackage struct {
	ImportPath   string
	Standard     bool
	Imports      []string
	TestImports  []string
	XTestImports []string
	Module       *struct{ Path string }
}

// goList runs `go list` in the root and returns one value per package.
func goList(t *testing.T, args ...string) []goPackage {
	t.Helper()
	const members = "-json=ImportPath,Standard,Imports,TestImports,XTestImports,Module"
	out := goCommand(t, append([]string{"list", members}, args...)...)
	var packages []goPackage
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p goPackage
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return packages
		} else if err != nil {
			t.Fatalf("reading go list: %v", err)
		}
		packages = append(packages, p)
	}
}

// goCommand runs the go command in the root and returns its standard output.
func goCommand(t *testing.T, args ...string) []byte {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir = root
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, stderr.String())
	}
	return out
}

// own is an import path without the module's name; foreign says that the
// package is not ours.
func own(path string) (name string, ours bool) {
	if path == module {
		return ".", true
	}
	return strings.CutPrefix(path, module+"/")
}

// sources are the files of the repository that people write, by their path
// from the root: those with one of the endings, without generated ones.
func sources(t *testing.T, endings ...string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			return skipFolder(d.Name())
		}
		ending := slices.ContainsFunc(endings, func(e string) bool { return strings.HasSuffix(path, e) })
		if !ending || strings.HasSuffix(path, "_templ.go") {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		found[filepath.ToSlash(name)] = string(text)
		return err
	})
	if err != nil {
		t.Fatalf("reading the sources: %v", err)
	}
	if len(found) == 0 {
		t.Fatalf("no file ends in %v", endings)
	}
	return found
}

// skipFolder leaves out what is not written by hand.
func skipFolder(name string) error {
	switch name {
	case ".git", ".cache", "bin", "node_modules":
		return filepath.SkipDir
	}
	return nil
}
