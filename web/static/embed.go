// Package static holds the console's stylesheet, script and icon. They are
// embedded in the binary and served under names that carry a hash of their
// content, so that a browser may keep them for ever.
package static

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"
)

// Prefix is the path under which Handler is to be mounted.
const Prefix = "/static/"

//go:embed *.css *.js icon.svg
var files embed.FS

// file is one embedded file under its hashed name.
type file struct {
	content []byte
	zipped  []byte // the same for browsers that take gzip
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
		content = squeeze(entry.Name(), content)
		sum := sha256.Sum256(content)
		hash := hex.EncodeToString(sum[:6])
		ext := path.Ext(entry.Name())
		hashed := strings.TrimSuffix(entry.Name(), ext) + "." + hash + ext
		paths[entry.Name()] = Prefix + hashed
		served[hashed] = file{content: content, zipped: zip(content), etag: `"` + hash + `"`}
	}
	return paths, served
}

// squeeze leaves out what only readers of the source need: indentation, empty
// lines, and comments that fill a line of a script.
func squeeze(name string, content []byte) []byte {
	if path.Ext(name) == ".svg" {
		return content
	}
	var out bytes.Buffer
	for line := range strings.Lines(string(content)) {
		line = strings.TrimSpace(line)
		if line == "" || path.Ext(name) == ".js" && strings.HasPrefix(line, "//") {
			continue
		}
		out.WriteString(line)
		out.WriteByte('\n')
	}
	return out.Bytes()
}

// zip compresses a file once, at the start. Pages themselves are not compressed:
// they hold the form's token beside what a stranger may have chosen.
func zip(content []byte) []byte {
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err == nil {
		_, err = w.Write(content)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		panic(err) // a buffer takes everything
	}
	return out.Bytes()
}

// takesGzip reports whether a browser says that it reads gzip.
func takesGzip(r *http.Request) bool {
	for _, one := range strings.Split(r.Header.Get("Accept-Encoding"), ",") {
		name, quality, _ := strings.Cut(strings.TrimSpace(one), ";")
		if strings.EqualFold(name, "gzip") {
			return !strings.HasPrefix(strings.ReplaceAll(quality, " ", ""), "q=0") || strings.ContainsAny(quality, "123456789")
		}
	}
	return false
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
		header.Set("Vary", "Accept-Encoding")
		content := f.content
		if header.Set("ETag", f.etag); takesGzip(r) {
			header.Set("ETag", strings.TrimSuffix(f.etag, `"`)+`-gz"`)
			header.Set("Content-Encoding", "gzip")
			header.Set("Content-Length", strconv.Itoa(len(f.zipped)))
			r.Header.Del("Range") // a part of a compressed file is of no use to anybody
			content = f.zipped
		}
		http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(content))
	})
}

// contentTypes are written out, because the machine's own table may differ.
var contentTypes = map[string]string{
	".css": "text/css; charset=utf-8",
	".js":  "text/javascript; charset=utf-8",
	".svg": "image/svg+xml",
}
