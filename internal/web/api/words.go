package api

import "strings"

// summary makes "create-intent" a heading: "Create intent".
func summary(id string) string {
	words := strings.ReplaceAll(id, "-", " ")
	return strings.ToUpper(words[:1]) + words[1:]
}
