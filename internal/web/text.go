package web

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"countersign/internal/model"
	"countersign/internal/store"
	"countersign/web/templates"
)

// say is short for what nearly every page is made of.
var say = templates.Say

// grouped writes 18412 as "18,412".
func grouped(n int64) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", grouped(n/1000), n%1000)
}

// count writes a capped count: "14" or "10,000+".
func count(n store.Counted) string {
	if n.Capped {
		return grouped(int64(n.N)) + "+"
	}
	return grouped(int64(n.N))
}

// shortCount is a count for the navigation; nothing is no count.
func shortCount(n store.Counted) string {
	if n.N == 0 {
		return ""
	}
	return count(n)
}

// counted writes "1 attempt" or "3 attempts", "2 entries", "2 processes".
func counted(n int, one string) string {
	many := one + "s"
	switch {
	case n == 1:
		return "1 " + one
	case strings.HasSuffix(one, "y"):
		many = strings.TrimSuffix(one, "y") + "ies"
	case strings.HasSuffix(one, "s"):
		many = one + "es"
	}
	return grouped(int64(n)) + " " + many
}

// times writes "once", "twice" or "3 times".
func times(n int) string {
	switch n {
	case 1:
		return "once"
	case 2:
		return "twice"
	}
	return grouped(int64(n)) + " times"
}

// upper begins a sentence.
func upper(text string) string {
	if text == "" {
		return ""
	}
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:]
}

// title words "retry_unfinished" as "Retry unfinished".
func title(name string) string { return upper(words(name)) }

// words spells a state or an action with spaces.
func words(name string) string { return strings.ReplaceAll(name, "_", " ") }

// stateTitle is how pages say a state, as the shapes are labelled.
func stateTitle[S ~string](state S) string { return templates.State(state).Word() }

// stateWords is stateTitle within a sentence.
func stateWords[S ~string](state S) string { return lower(stateTitle(state)) }

// money is an amount for a place where there may be none.
func money(amount int64, currency string) *model.Money {
	if currency == "" || amount == 0 {
		return nil
	}
	return &model.Money{Amount: amount, Currency: currency}
}

// oneLine is the beginning of a text on one line, of at most so many characters.
func oneLine(text string, characters int) string {
	text = strings.Join(strings.Fields(text), " ")
	if utf8.RuneCountInString(text) <= characters {
		return text
	}
	return strings.TrimSpace(string([]rune(text)[:characters])) + "…"
}

// stepState is how a step's state is shown: settling has a look of its own.
func stepState(s *model.Step) templates.State {
	if s.Settling {
		return "settling"
	}
	return templates.State(s.State)
}

// intentState is how an intent's state is shown: an undo that is only asked for
// does not read like one that runs.
func intentState(i *model.Intent) templates.State {
	if i.UndoAsked() {
		return "undo_asked"
	}
	return templates.State(i.State)
}

// lower makes the first letter of a sentence small.
func lower(text string) string {
	if text == "" {
		return text
	}
	return strings.ToLower(text[:1]) + text[1:]
}
