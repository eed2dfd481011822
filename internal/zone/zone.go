// Package zone finds IANA time zones by what people type.
package zone

import (
	_ "embed"
	"slices"
	"strings"
	"time"
)

// names are those of the IANA database that Go 1.26 carries.
//
//go:embed names.txt
var names string

// list are the names in order; byFold finds each by what is the same in any case.
var list, byFold = func() ([]string, map[string]string) {
	list := strings.Fields(names)
	folded := make(map[string]string, len(list))
	for _, name := range list {
		folded[fold(name)] = name
	}
	return list, folded
}()

// fold makes alike what people write for the same name: "new york" for "New_York".
func fold(name string) string {
	return strings.ToLower(strings.ReplaceAll(strings.TrimSpace(name), " ", "_"))
}

// Find gives the zone of a name in any case, under the name as it is spelt. ok is
// false for what is no zone, for "" and for "Local", which is everybody's own.
func Find(typed string) (zone *time.Location, ok bool) {
	name, known := byFold[fold(typed)]
	if !known {
		name = strings.TrimSpace(typed) // newer than the list, where the host knows it
	}
	if name == "" || strings.EqualFold(name, "local") {
		return nil, false
	}
	zone, err := time.LoadLocation(name)
	return zone, err == nil
}

// mostNear is how many names are offered for one that is not known.
const mostNear = 3

// Near lists the names most like what was typed, the nearest first: those of the
// place, whatever region stands before it, and those that differ in few letters.
func Near(typed string) []string {
	typed = fold(typed)
	type likeness struct {
		name string
		far  int
	}
	var near []likeness
	for _, name := range list {
		if far := distance(typed, fold(name)); far <= furthest(typed) {
			near = append(near, likeness{name, far})
		}
	}
	slices.SortStableFunc(near, func(a, b likeness) int { return a.far - b.far })
	var found []string
	for _, one := range near[:min(len(near), mostNear)] {
		found = append(found, one.name)
	}
	return found
}

// furthest is how many letters may differ: a third of what was typed.
func furthest(typed string) int { return min(len(place(typed))/3, 3) }

// place is the last part of a name: "berlin" of "europe/berlin".
func place(name string) string { return name[strings.LastIndexByte(name, '/')+1:] }

// distance is how many letters differ, of the whole name or of its place alone.
func distance(typed, name string) int {
	if len(typed) == 0 {
		return 1 << 10
	}
	if !strings.Contains(typed, "/") {
		return edits(typed, place(name))
	}
	return min(edits(typed, name), edits(place(typed), place(name))+1)
}

// edits counts the letters to change, add or drop between two names.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			changed := diagonal
			if a[i] != b[j] {
				changed++
			}
			diagonal = row[j+1]
			row[j+1] = min(changed, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}

// Unknown says that a name is no zone, and names near ones.
func Unknown(typed string) string {
	const longest = 64 // no name is longer
	if len(typed) <= longest {
		if near := Near(typed); len(near) > 0 {
			return "is not known; near it: " + strings.Join(near, ", ")
		}
	}
	return "is not known; one is Europe/Berlin, another UTC"
}
