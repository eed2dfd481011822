package api

import (
	"context"
	"encoding/json"
	"net/http"

	"countersign/internal/store"
)

func (a *api) noteRoutes() {
	write := operation("write-note", http.MethodPost, "/intents/{id}/notes", "Writes something down about an intent, for whoever looks at it next. A note "+
		"changes nothing else and is never changed; the same text by the same writer right after is the same note.")
	write.DefaultStatus = http.StatusCreated
	route(a, write, a.writeNote)
	route(a, operation("list-notes", http.MethodGet, "/intents/{id}/notes", "The notes about an intent, the newest first."), a.listNotes)
	route(a, operation("set-owner", http.MethodPost, "/intents/{id}/owner", "Takes an intent, hands it over to another operator of its account, or, with null, "+
		"gives it back to the account's operators."), a.setOwner)
}

// Note is what somebody wrote down about an intent.
type Note struct {
	ID     string  `json:"id"`
	Intent string  `json:"intent"`
	By     string  `json:"by" doc:"The writer's name, as it was then."`
	At     *string `json:"at" format:"date-time"`
	Text   string  `json:"text" doc:"Lines end in a line feed."`
}

func noteOf(n store.Note) Note {
	return Note{ID: n.ID, Intent: n.IntentID, By: n.Name, At: moment(n.At), Text: n.Text}
}

// noted is a text to write down.
type noted struct {
	Text string `json:"text" minLength:"1" maxLength:"2000"`
}

type writeNoteInput struct {
	ID   string `path:"id"`
	Body strict[noted]
}

type noteAnswer struct{ Body Note }

func (a *api) writeNote(ctx context.Context, in *writeNoteInput) (*noteAnswer, error) {
	n, err := a.Runner.Note(ctx, actorOf(ctx), in.ID, in.Body.value.Text)
	if err != nil {
		return nil, err
	}
	return &noteAnswer{noteOf(n)}, nil
}

type listNotesInput struct {
	ID     string `path:"id"`
	Cursor string `query:"cursor" maxLength:"512"`
	Limit  int    `query:"limit" minimum:"1" maximum:"200" default:"50"`
}

func (a *api) listNotes(ctx context.Context, in *listNotesInput) (*listAnswer[Note], error) {
	of := cursorsOf("notes", in.ID)
	place, err := from(of, in.Cursor)
	if err != nil {
		return nil, err
	}
	before := ""
	if place != nil {
		before = place.ID
	}
	notes, more, count, err := a.Runner.Notes(ctx, actorOf(ctx), in.ID, before, in.Limit)
	if err != nil {
		return nil, err
	}
	items := make([]Note, len(notes))
	for i, n := range notes {
		items[i] = noteOf(n)
	}
	out := &listAnswer[Note]{listOf(items, nil, count)}
	if more {
		out.Body.NextCursor = next(of, 0, notes[len(notes)-1].ID, true)
	}
	return out, nil
}

// owning names who is to have an intent. The member must be given, so that an
// empty body takes it from nobody.
type owning struct {
	Owner json.RawMessage `json:"owner" doc:"The e-mail address or id of an operator of the account; null is nobody."`
}

type setOwnerInput struct {
	ID   string `path:"id"`
	Body strict[owning]
}

func (a *api) setOwner(ctx context.Context, in *setOwnerInput) (*intentAnswer, error) {
	given := in.Body.value.Owner
	var to *string
	if len(given) == 0 || json.Unmarshal(given, &to) != nil {
		return nil, missing("/owner")
	}
	var err error
	if to == nil {
		err = a.Runner.Release(ctx, actorOf(ctx), in.ID)
	} else {
		err = a.Runner.HandOver(ctx, actorOf(ctx), in.ID, *to, "")
	}
	if err != nil {
		return nil, err
	}
	out := &intentAnswer{Status: http.StatusOK}
	err = a.read(ctx, func(tx *store.Tx) error {
		c, err := visible(tx, actorOf(ctx), in.ID)
		if err != nil {
			return err
		}
		out.ETag = etag(c)
		out.Body, err = a.viewer(tx, actorOf(ctx)).intent(c)
		return err
	})
	return out, err
}
