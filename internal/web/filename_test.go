package web

import (
	"strings"
	"testing"
)

// TestAFileIsSavedAsWhatItIs: the ending is that of the bytes, whatever the file
// was called.
func TestAFileIsSavedAsWhatItIs(t *testing.T) {
	for _, test := range []struct{ typed, media, want string }{
		{"letter.pdf", "application/pdf", "letter.pdf"},
		{"Letter.PDF", "application/pdf", "Letter.pdf"},
		{"invoice.html", "application/pdf", "invoice.pdf"},
		{"run.exe", "application/pdf", "run.pdf"},
		{"run.exe.pdf", "application/pdf", "run.pdf"},
		{"a.pdf.lnk", "application/pdf", "a.pdf"},
		{".htaccess", "application/pdf", "htaccess.pdf"},
		{"CON", "application/pdf", "document-CON.pdf"},
		{"nul.pdf", "application/pdf", "document-nul.pdf"},
		{"", "application/pdf", "document.pdf"},
		{"...", "application/pdf", "document.pdf"},
		{"x.pdf", "image/png", "x.png"},
		{"photo.jpeg", "image/jpeg", "photo.jpeg"},
		{"notes.txt", "text/csv", "notes.txt"},
		{"notes", "text/csv", "notes.csv"},
		{"two pages.sta", "text/csv", "two pages.sta"},
		{"umsätze.csv", "application/octet-stream", "umsätze.csv"},
		{"run.exe", "application/octet-stream", "run.bin"},
		{"Statement 2026.11.30.pdf", "application/pdf", "Statement 2026-11-30.pdf"},
		{`C:\bank\..\letter.pdf`, "application/pdf", "letter.pdf"},
		{"../../etc/passwd", "text/csv", "passwd.csv"},
		{"pa\u202egnp.exe", "application/pdf", "pagnp.pdf"},
		{`a";b=<c>.pdf`, "application/pdf", "a--b--c.pdf"},
		{"χρέωση.pdf", "application/pdf", "χρέωση.pdf"},
		{"什么", "something/else", "什么.bin"},
		{strings.Repeat("n", 300) + ".pdf", "application/pdf", strings.Repeat("n", longestStem) + ".pdf"},
	} {
		if got := fileName(test.typed, test.media); got != test.want {
			t.Errorf("%q of %s is saved as %q, want %q", test.typed, test.media, got, test.want)
		}
	}
}
