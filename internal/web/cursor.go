package web

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"

	"countersign/internal/model"
	"countersign/internal/store"
)

// A cursor is a place in one list: "<back>.<key>.<id>.<seal>". The seal binds it
// to the list it was made for, so that one that was changed, or is used with
// another filter, is refused and not misread. It is no secret and guards no
// rights: what a list may show is asked anew on every page.

// encodeCursor writes a position in the list that filter describes.
func encodeCursor(installation, filter string, p store.Position) string {
	back := "0"
	if p.Back {
		back = "1"
	}
	text := back + "." + strconv.FormatInt(p.Key, 10) + "." + p.ID
	return text + "." + seal(installation, filter, text)
}

// decodeCursor reads a position; the error is of kind Invalid.
func decodeCursor(installation, filter, cursor string) (*store.Position, error) {
	at := strings.LastIndexByte(cursor, '.')
	if at < 0 || seal(installation, filter, cursor[:at]) != cursor[at+1:] {
		return nil, badCursor()
	}
	parts := strings.SplitN(cursor[:at], ".", 3)
	if len(parts) != 3 {
		return nil, badCursor()
	}
	key, err := strconv.ParseInt(parts[1], 10, 64)
	if err != nil {
		return nil, badCursor()
	}
	return &store.Position{Back: parts[0] == "1", Key: key, ID: parts[2]}, nil
}

func seal(installation, filter, text string) string {
	sum := sha256.Sum256([]byte(installation + "\n" + filter + "\n" + text))
	return hex.EncodeToString(sum[:8])
}

func badCursor() error {
	return model.Errorf(model.Invalid, "invalid-params", "This page of the list does not exist: open the list from its beginning.").
		WithFields(model.Field{Location: "cursor", Message: "was not made for this list"})
}
