package store

import (
	"errors"
	"strings"

	"github.com/mattn/go-sqlite3"
)

// retryable reports whether the whole transaction may simply be run again: the
// database refused it before anything of it was kept.
func retryable(err error) bool {
	var lite sqlite3.Error
	if errors.As(err, &lite) {
		return lite.Code == sqlite3.ErrBusy || lite.Code == sqlite3.ErrLocked
	}
	return false
}

// outOfSpace reports whether the disk is full: intake is then refused until
// there is room again.
func outOfSpace(err error) bool {
	var lite sqlite3.Error
	return errors.As(err, &lite) && lite.Code == sqlite3.ErrFull
}

// damaged reports whether the file is no database, or a broken one.
func damaged(err error) bool {
	var lite sqlite3.Error
	if errors.As(err, &lite) {
		return lite.Code == sqlite3.ErrNotADB || lite.Code == sqlite3.ErrCorrupt
	}
	return false
}

// prefixEnd is the smallest text behind every text that begins with prefix, so
// that a prefix search is a range on an index.
func prefixEnd(prefix string) string {
	return prefix + "\U0010FFFF"
}

// marks gives n question marks for an IN list.
func marks(n int) string {
	return strings.TrimSuffix(strings.Repeat("?,", n), ",")
}

// verb is the beginning of a statement, enough to tell which one failed.
func verb(query string) string {
	words := strings.Fields(query)
	return strings.ToLower(strings.Join(words[:min(len(words), 4)], " "))
}
