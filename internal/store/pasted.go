package store

import (
	"net/url"
	"strings"
)

// rooms are the parts of an address behind which an id or a key stands.
var rooms = []string{"/intents/", "/bulk/", "/approvals/", "/previews/", "/uploads/", "/documents/", "/audit/"}

// pasted takes out of an address of this console what it names.
func pasted(text string) string {
	for _, room := range rooms {
		if _, rest, ok := strings.Cut(text, room); ok {
			rest, _, _ = strings.Cut(rest, "?")
			rest, _, _ = strings.Cut(rest, "#")
			rest, _, _ = strings.Cut(rest, "/")
			if name, err := url.PathUnescape(rest); err == nil && Searchable(name) {
				return name
			}
		}
	}
	return text
}
