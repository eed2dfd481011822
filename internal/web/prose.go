package web

import (
	"regexp"
	"strings"
	"time"

	"countersign/internal/model"
	"countersign/web/templates"
)

// moments are the two ways in which stored sentences name a moment; both are UTC.
var moments = regexp.MustCompile(`\d{4}-\d\d-\d\d( \d\d:\d\d:\d\d UTC|T\d\d:\d\d:\d\d(\.\d+)?Z)`)

// uploads are how stored sentences name a document that somebody sent.
var uploads = regexp.MustCompile(`upload:([\w-]*\w)`)

// prose shows a stored sentence with its moments as this viewer reads them: what
// was stored stays UTC, a page speaks in one zone.
func (n narrator) prose(sentence string) templates.Text {
	text, from := say(), 0
	for _, span := range moments.FindAllStringIndex(sentence, -1) {
		at, ok := momentOf(sentence[span[0]:span[1]])
		if !ok {
			continue
		}
		shown := n.clockAt(at)
		if strings.HasSuffix(sentence[:span[0]], " of ") { // a document's date: the day says which it is
			shown = n.dated(at)
		}
		text = say(text, documents(sentence[from:span[0]]), shown)
		from = span[1]
	}
	return say(text, documents(sentence[from:]))
}

// dated is the date of a document: the day that was written, or the moment as this
// viewer reads it where a clock was written too.
func (n narrator) dated(t model.Time) templates.Part {
	if t.IsDay() {
		return templates.Day(n.at(t))
	}
	return templates.Moment(n.at(t))
}

// documents shows a stored sentence with its uploads as links.
func documents(sentence string) templates.Text {
	text, from := say(), 0
	for _, span := range uploads.FindAllStringSubmatchIndex(sentence, -1) {
		if span[0] > from {
			text = say(text, sentence[from:span[0]])
		}
		text = say(text, templates.Link("/uploads/"+sentence[span[2]:span[3]], "uploaded file"))
		from = span[1]
	}
	if rest := sentence[from:]; rest != "" {
		text = say(text, rest)
	}
	return text
}

// sentence begins with a capital letter, unless it begins with a step's name.
func (n narrator) sentence(text string) string {
	for _, s := range n.c.Steps {
		if strings.HasPrefix(text, s.Name) {
			return text
		}
	}
	return upper(text)
}

// reason says why the intent is as it is: of what waits to be signed, who has; of an
// undo that does, who asked for it, and that nothing has been done.
func (n narrator) reason() templates.Text {
	open := n.c.OpenRequest()
	switch {
	case open != nil && n.c.State == model.AwaitingApproval && len(open.Decisions) > 0:
		return say(open.Step, " waits for people to approve: ", n.signedSoFar(*open), ".")
	case open == nil || !n.c.UndoAsked():
		return n.prose(n.sentence(n.c.Reason))
	}
	return say("An undo from ", templates.Bold(open.Step), " on is asked for by ", templates.Name(open.RequesterName), ", ", n.clockAt(open.CreatedAt),
		". It waits for a second person: nothing has been undone, and nothing else runs.")
}

func momentOf(text string) (model.Time, bool) {
	for _, layout := range []string{"2006-01-02 15:04:05 UTC", time.RFC3339Nano} {
		if at, err := time.Parse(layout, text); err == nil {
			return model.At(at), true
		}
	}
	return 0, false
}
