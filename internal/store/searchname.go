package store

import (
	"slices"
	"strings"
)

// Limits of a search by the words of a name.
const (
	maxNamed   = 1_000 // payees looked at, of those that have one of the words
	maxDriving = 3     // words by which payees are read
)

// nameWords are the beginnings of a payee's words, in any order. The payees that
// have one of them are read, and the others compared with each; the longest
// words go first, as fewest begin with them.
type nameWords struct {
	accounts []string
	words    []string
}

// wordsOf takes a folded text apart; one word alone, and more than a name is
// kept with, are looked up as they stand.
func wordsOf(name string, accounts []string) nameWords {
	words := strings.Fields(name)
	if len(words) < 2 || len(words) > maxPayeeWords {
		return nameWords{}
	}
	slices.SortStableFunc(words, func(a, b string) int { return len(b) - len(a) })
	return nameWords{accounts, slices.Compact(words)}
}

// byName finds by the beginning of a payee's name, from any of its words on.
func byName(name string, accounts []string) lookup {
	name = cut(name, maxPayeeWord)
	return lookup{"SELECT intent_id AS id FROM payee_words WHERE account IN (" + marks(len(accounts)) + ") AND word >= ? AND word < ?",
		append(anys(accounts), name, prefixEnd(name))}
}

// driving are the words by which payees are read.
func (n nameWords) driving() []string { return n.words[:min(len(n.words), maxDriving)] }

// lookups find the payees with each of the words, one lookup for each that drives.
func (n nameWords) lookups() (list []lookup) {
	for at, word := range n.driving() {
		l := byName(word, n.accounts).upTo(maxNamed)
		l.query = "SELECT id FROM " + l.query + " WHERE 1 = 1"
		for other, beside := range n.words {
			if other != at {
				beside = cut(beside, maxPayeeWord)
				l.query += " AND EXISTS (SELECT 1 FROM payee_words beside WHERE beside.intent_id = part.id AND beside.word >= ? AND beside.word < ?)"
				l.args = append(l.args, beside, prefixEnd(beside))
			}
		}
		list = append(list, l)
	}
	return list
}

// crowded is the condition that more payees have each driving word than are
// looked at: had one of them fewer, its lookup were complete.
func (n nameWords) crowded() (condition string, args []any) {
	var every []string
	for _, word := range n.driving() {
		l := byName(word, n.accounts).upTo(maxNamed + 1)
		every, args = append(every, "(SELECT count(*) FROM "+l.query+") > ?"), append(append(args, l.args...), maxNamed)
	}
	if len(every) == 0 {
		return "", nil
	}
	return "(" + strings.Join(every, " AND ") + ")", args
}
