package api

import (
	"strings"

	"countersign/internal/model"
)

// text is null for nothing.
func text(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// moment is RFC 3339 in UTC, null for none.
func moment(t model.Time) *string { return text(t.String()) }

// amountIn is minor units, null where there is no money: no amount is one
// without a currency.
func amountIn(minor int64, currency string) *int64 {
	if currency == "" {
		return nil
	}
	return &minor
}

// documentOf tells a link from an upload; null is no document.
func documentOf(where, sha256 string) *Document {
	if where == "" && sha256 == "" {
		return nil
	}
	if upload, ok := strings.CutPrefix(where, "upload:"); ok {
		return &Document{Upload: &upload, SHA256: text(sha256)}
	}
	return &Document{URL: text(where), SHA256: text(sha256)}
}
