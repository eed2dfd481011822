package templates

// ErrorView is a page that says what happened, what was not done and what to do
// next. One struct serves not found, denied, refused, stale, expired, busy,
// outcome unknown and internal errors; the caller writes the words.
type ErrorView struct {
	Page    Page
	Crumb   Text
	Title   string // "Refused: what is not known cannot be reversed"
	Text    []Text
	NotDone Text   // "Nothing was sent, no step changed."
	Unknown bool   // it is not known whether it was done
	Facts   []Fact // rule, step, audit entry
	Next    []Line // what to do; links inside Text
	Back    *Button
}
