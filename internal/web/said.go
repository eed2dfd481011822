package web

import (
	"net/url"

	"countersign/web/templates"
)

// saidParam names in an address what a page says first, of the form that led to
// it: the page that was left says what to mend, and not an error page away from it.
const saidParam = "said"

var saids = map[string]templates.Note{
	"nothing-ticked": {Kind: "mind", Title: say("Nothing is selected, and nothing was done."),
		Text: []templates.Text{say("Tick the intents that the action is to be taken on, then press Preview each.")}},
	"no-line-ticked": {Kind: "mind", Title: say("No line is ticked, and nothing was done."),
		Text: []templates.Text{say("Tick the lines whose marks are to be previewed.")}},
}

// withSaid is an address of the console whose page says something first; "" takes
// that away.
func withSaid(address, what string) string {
	at, err := url.Parse(address)
	if err != nil {
		return address
	}
	values := at.Query()
	values.Set(saidParam, what)
	if what == "" {
		values.Del(saidParam)
	}
	at.RawQuery = values.Encode()
	return at.String()
}
