package web

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// endings are those of the files of each type that is taken as evidence; the
// first is given where the file's own is none of them.
var endings = map[string][]string{
	"application/pdf": {".pdf"}, "image/png": {".png"}, "image/jpeg": {".jpg", ".jpeg"}, "application/xml": {".xml"},
	"text/csv":                 {".csv", ".txt", ".sta", ".mt940", ".mt942", ".bai", ".bai2"},
	"application/octet-stream": {".bin", ".csv", ".txt", ".sta", ".mt940", ".mt942", ".bai", ".bai2", ".xml"}, // a bank's file in letters of its own
}

// longestStem bounds a file's name before its ending, in characters.
const longestStem = 80

var (
	otherEnding = regexp.MustCompile(`(\.[A-Za-z][A-Za-z0-9]{0,9})+$`)
	device      = regexp.MustCompile(`(?i)^(con|prn|aux|nul|com\d|lpt\d)$`)
)

// fileName is the name under which a document that somebody gave is saved. Its
// ending is that of what its bytes are, and it has no other: whatever it was
// called, nothing on the reader's machine takes it for a program or a page. The
// rest is as typed, in letters, digits, spaces, - and _.
func fileName(typed, media string) string {
	typed = path.Base(strings.ReplaceAll(typed, `\`, "/"))
	ending := ".bin"
	if known := endings[media]; len(known) > 0 {
		ending = known[0]
		if own := strings.ToLower(path.Ext(typed)); slices.Contains(known, own) {
			ending = own
		}
	}
	stem := strings.Map(func(r rune) rune {
		switch {
		case unicode.In(r, unicode.L, unicode.M, unicode.Nd), r == ' ', r == '-', r == '_':
			return r
		case unicode.In(r, unicode.C):
			return -1
		}
		return '-'
	}, otherEnding.ReplaceAllString(strings.TrimLeft(typed, "."), ""))
	letters := []rune(stem)
	stem = strings.Trim(string(letters[:min(len(letters), longestStem)]), " -")
	if stem == "" || device.MatchString(stem) {
		stem = strings.TrimSuffix("document-"+stem, "-")
	}
	return stem + ending
}
