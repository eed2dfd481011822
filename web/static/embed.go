// Package static holds the console's stylesheet, script and icon. They are
// embedded in the binary and served under names that carry a hash of their
// content, so that a browser may keep them for ever.
package static

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"net/http"
	"path"
	"strings"
	"time"
)

// Prefix is the path under which Handler is to be mounted.
const Prefix = "/static/"

//go:embed console.css console.js icon.svg
var files embed.FS

// file is one embedded file under its hashed name.
type file struct {
	content []byte
	etag    string
}

// paths maps a plain name to its address; served maps a hashed name to its file.
var paths, served = load()

func load() (map[string]string, map[string]file) {
	entries, err := files.ReadDir(".")
	if err != nil {
		panic(err) // the files are part of the binary
	}
	paths, served := map[string]string{}, map[string]file{}
	for _, entry := range entries {
		content, err := files.ReadFile(entry.Name())
		if err != nil {
			panic(err)
		}
		sum := sha256.Sum256(content)
		hash := hex.EncodeToString(sum[:6])
		ext := path.Ext(entry.Name())
		hashed := strings.TrimSuffix(entry.Name(), ext) + "." + hash + ext
		paths[entry.Name()] = Prefix + hashed
		served[hashed] = file{content: content, etag: `"` + hash + `"`}
	}
	return paths, served
}

// Path gives the address of an embedded file: Path("console.css") is
// "/static/console.<hash>.css". It panics for a name that is not embedded.
func Path(name string) string {
	address, ok := paths[name]
	if !ok {
		panic("static: no file " + name)
	}
	return address
}

// Handler serves the embedded files under Prefix, to be kept by browsers for a
// year. Only the present hashed names exist. It may be used concurrently.
func Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := strings.TrimPrefix(r.URL.Path, Prefix)
		f, ok := served[name]
		if !ok {
			http.NotFound(w, r)
			return
		}
		header := w.Header()
		header.Set("Cache-Control", "public, max-age=31536000, immutable")
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("Content-Type", contentTypes[path.Ext(name)])
		header.Set("ETag", f.etag)
		http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(f.content))
	})
}

// contentTypes are written out, because the machine's own table may differ.
var contentTypes = map[string]string{
	".css": "text/css; charset=utf-8",
	".js":  "text/javascript; charset=utf-8",
	".svg": "image/svg+xml",
}
