package engine

import (
	"strings"
	"testing"
)

// A start's name is part of every worker's name and of the evidence: two starts
// must never share one.
func TestBootNamesDiffer(t *testing.T) {
	seen := map[string]bool{}
	for range 10_000 {
		name := newBoot()
		if seen[name] || len(name) != 9 || name != strings.ToLower(name) || strings.Contains(name, "/") {
			t.Fatalf("%q", name)
		}
		seen[name] = true
	}
}
