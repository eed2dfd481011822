package api

import (
	"encoding/base64"
	"encoding/json"

	"countersign/internal/model"
	"countersign/internal/store"
)

// List is one page of a list.
type List[T any] struct {
	Items       []T     `json:"items" nullable:"false"`
	NextCursor  *string `json:"next_cursor" doc:"Give it as cursor to read on; null at the end."`
	Count       int     `json:"count" doc:"How many there are on all pages, counted up to 10000."`
	CountCapped bool    `json:"count_capped" doc:"There are more than count."`
}

// listAnswer is a page as an answer.
type listAnswer[T any] struct{ Body List[T] }

// cursor is a place in a list: right behind the row with this key and id. It
// belongs to one list under one filter.
type cursor struct {
	Of  string `json:"of"` // digest of list and filter
	Key int64  `json:"key"`
	ID  string `json:"id"`
}

// ofLength is how much of the digest a cursor carries: it guards against
// mistakes, since every page is filtered anew.
const ofLength = 12

// cursorsOf names a list under a filter.
func cursorsOf(list string, filter any) string {
	return model.Digest(map[string]any{"list": list, "filter": filter})[:ofLength]
}

// next gives the cursor behind a row, null at the end of the list.
func next(of string, key int64, id string, more bool) *string {
	if !more {
		return nil
	}
	raw, err := json.Marshal(cursor{of, key, id})
	if err != nil {
		return nil // a struct of texts and a number always encodes
	}
	return text(base64.RawURLEncoding.EncodeToString(raw))
}

// from reads a cursor; nil is the beginning. The error is of kind Invalid for
// what no page of this list gave out.
func from(of, given string) (*store.Position, error) {
	if given == "" {
		return nil, nil
	}
	var c cursor
	raw, err := base64.RawURLEncoding.Strict().DecodeString(given)
	if err == nil {
		err = model.DecodeStrict(raw, &c)
	}
	if err != nil || c.Of != of || c.ID == "" {
		return nil, model.Errorf(model.Invalid, "invalid-params", "The cursor belongs to another list or filter.").
			WithFields(model.Field{Location: "query.cursor", Message: "was not given out by this list under this filter"})
	}
	return &store.Position{Key: c.Key, ID: c.ID}, nil
}
