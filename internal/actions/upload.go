package actions

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"errors"
	"io"
	"unicode"
	"unicode/utf8"

	"countersign/internal/audit"
	"countersign/internal/authz"
	"countersign/internal/model"
	"countersign/internal/store"
)

// MaxUpload is the largest document in bytes.
const MaxUpload = 5 << 20

// Uploaded names a stored document.
type Uploaded struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	MediaType string `json:"media_type"`
	Size      int    `json:"size"`   // bytes
	SHA256    string `json:"sha256"` // hex
}

// Upload stores a document of an account for a mark to refer to. What it is, its
// bytes tell, not its name: PDF, PNG, JPEG, XML or plain text such as CSV.
// Errors: kind NotFound behind an account wall; Denied for who may not mark;
// Invalid, with code "too-large" over MaxUpload, for anything else.
func (r *Runner) Upload(ctx context.Context, actor authz.Actor, account, name string, body []byte) (Uploaded, error) {
	if err := actor.May(account, authz.MarkExternalResult).Err(); err != nil {
		return Uploaded{}, err
	}
	media := sniff(body)
	switch {
	case len(body) > MaxUpload:
		return Uploaded{}, model.Errorf(model.Invalid, "too-large", "A document has at most 5 MiB.")
	case media == "":
		return Uploaded{}, invalid("/file", "is neither a PDF, PNG, JPEG or XML file nor plain text such as CSV")
	case name == "" || len(name) > maxRef || !plain(name):
		return Uploaded{}, invalid("/name", "is empty, longer than 255 bytes or holds control characters")
	}
	sum := sha256.Sum256(body)
	u := Uploaded{Name: name, MediaType: media, Size: len(body), SHA256: hex.EncodeToString(sum[:])}
	err := r.db.Update(ctx, func(tx *store.Tx) error {
		u.ID = tx.NewID("upload")
		if err := tx.InsertUpload(store.Upload{ID: u.ID, Account: account, Person: actor.ID, Name: name, MediaType: media,
			Body: body, SHA256: sum[:], UploadedAt: tx.Now()}); err != nil {
			return err
		}
		_, err := r.log.Append(tx, audit.Entry{Actor: entryActor(actor, account), Event: "upload.stored", Account: account, Result: "stored",
			Detail: map[string]any{"upload": u.ID, "sha256": u.SHA256, "size": u.Size, "media_type": media}})
		return err
	})
	return u, err
}

// sniff tells a document's media type from its bytes, "" where it is none that
// is taken.
func sniff(body []byte) string {
	switch {
	case bytes.HasPrefix(body, []byte("%PDF-")):
		return "application/pdf"
	case bytes.HasPrefix(body, []byte("\x89PNG\r\n\x1a\n")):
		return "image/png"
	case bytes.HasPrefix(body, []byte{0xff, 0xd8, 0xff}):
		return "image/jpeg"
	case !isText(body):
		return ""
	case bytes.HasPrefix(bytes.TrimLeft(body, "\ufeff \t\r\n"), []byte("<")):
		return ifXML(body)
	}
	return "text/csv"
}

// isText reports whether the bytes are UTF-8 without control characters.
func isText(body []byte) bool {
	for len(body) > 0 {
		r, size := utf8.DecodeRune(body)
		if r == utf8.RuneError && size == 1 || unicode.IsControl(r) && r != '\t' && r != '\r' && r != '\n' {
			return false
		}
		body = body[size:]
		if len(body) == 0 {
			return true
		}
	}
	return false
}

// ifXML takes well-formed XML only: what a browser could read as a page is no
// document of a bank.
func ifXML(body []byte) string {
	decoder := xml.NewDecoder(bytes.NewReader(body))
	for first := true; ; {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return "application/xml"
		}
		if err != nil {
			return ""
		}
		if start, ok := token.(xml.StartElement); ok && first {
			if first = false; start.Name.Local == "html" || start.Name.Local == "svg" {
				return ""
			}
		}
	}
}
