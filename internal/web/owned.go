package web

import (
	"errors"
	"net/http"
	"strings"

	"countersign/internal/authz"
	"countersign/internal/model"
	"countersign/internal/store"
	"countersign/internal/web/problem"
	"countersign/web/templates"
)

// ownerForm is what a form about the owner says: do is take, release or hand.
type ownerForm struct {
	Do   string `form:"do"`
	To   string `form:"to"`
	Note string `form:"note"`
	Back string `form:"back"`
}

// owned takes an intent, gives it back or hands it over.
func (v *visit) owned() error {
	var typed ownerForm
	if err := v.bind(&typed); err != nil {
		return err
	}
	id, ctx := v.c.Param("id"), v.r.Context()
	var err error
	switch typed.Do {
	case "take":
		err = v.Runner.Take(ctx, v.actor, id)
	case "release":
		err = v.Runner.Release(ctx, v.actor, id)
	case "hand":
		err = v.Runner.HandOver(ctx, v.actor, id, typed.To, typed.Note)
	default:
		err = model.Errorf(model.Invalid, "invalid-params", "An intent is taken, released or handed over.")
	}
	if fields := problem.Of(err).Errors; errors.Is(err, model.Invalid) && len(fields) > 0 {
		return v.intentAgain(err, func(view *templates.IntentView) bool {
			hand := &view.Notes.Hand
			hand.To, hand.Note, hand.Errors = mark(typed.To, hand.To), typed.Note, noteFaults(fields, map[string]string{"/owner": "to", "/note": "note"})
			return len(hand.To) > 0
		})
	}
	if err != nil {
		return err
	}
	return v.to(backTo(typed.Back, id))
}

// backTo is where an act on a row of a list leads: to that row of the list, or to
// the intent where it was not done from a list of ours.
func backTo(back, intent string) string {
	list := back == "/" || strings.HasPrefix(back, "/?") || strings.HasPrefix(back, "/views/")
	if list && localPath(back) == back && !strings.Contains(back, "#") {
		return back + "#row-" + intent
	}
	return "/intents/" + intent
}

// shownNotes is how many notes the page of an intent shows at first.
const shownNotes = 10

// notesOf is the section of notes, with the form for who may write one.
func (v *visit) notesOf(d intentData) templates.NotesView {
	view := templates.NotesView{Intent: d.c.ID, Count: noteCount(d.noted), MayWrite: v.actor.May(d.c.Account, authz.WriteNotes).Allowed}
	for _, n := range d.notes {
		view.Notes = append(view.Notes, templates.NoteRow{ID: n.ID, By: n.Name, At: v.at(n.At), Lines: strings.Split(n.Text, "\n")})
	}
	if d.moreNotes {
		last := d.notes[len(d.notes)-1].ID
		view.More = &templates.More{Before: say(""), Href: "/intents/" + d.c.ID + "?notes=" + last + "#notes", Label: "Older notes"}
	}
	if d.notesFrom != "" {
		view.Newest = "/intents/" + d.c.ID + "#notes"
	}
	if !v.actor.May(d.c.Account, authz.TakeOwnership).Allowed {
		return view
	}
	for _, p := range authz.WhoMay(d.people, d.c.Account, authz.TakeOwnership) {
		if p.ID != d.c.Owner && p.ID != v.actor.ID {
			view.Hand.To = append(view.Hand.To, templates.Choice{Value: p.ID, Label: p.Name})
		}
	}
	return view
}

func noteCount(n store.Counted) string {
	switch n.N {
	case 0:
		return "No notes"
	case 1:
		return "1 note"
	}
	return count(n) + " notes"
}

// noteForm is the form of a note.
type noteForm struct {
	Text string `form:"text"`
}

// addNote writes a note, or shows the page again with what was typed.
func (v *visit) addNote() error {
	var typed noteForm
	if err := v.bind(&typed); err != nil {
		return err
	}
	id := v.c.Param("id")
	_, err := v.Runner.Note(v.r.Context(), v.actor, id, typed.Text)
	if fields := problem.Of(err).Errors; errors.Is(err, model.Invalid) && len(fields) > 0 {
		return v.intentAgain(err, func(view *templates.IntentView) bool {
			view.Notes.Typed, view.Notes.Errors = typed.Text, noteFaults(fields, map[string]string{"/text": "text"})
			return view.Notes.MayWrite
		})
	}
	if err != nil {
		return err
	}
	return v.to("/intents/" + id + "#notes")
}

// noteFaults places what is to be mended at its field.
func noteFaults(fields []model.Field, ids map[string]string) (list templates.FieldErrors) {
	for _, f := range fields {
		subject := "The note "
		if f.Location == "/owner" {
			subject = "Who you chose "
		}
		list = append(list, templates.FieldError{Field: ids[f.Location], Message: subject + f.Message})
	}
	return list
}

// intentAgain shows the page of an intent for a form of it that was not taken and
// why; where the page has no such form for the viewer, the refusal is all.
func (v *visit) intentAgain(refusal error, fill func(*templates.IntentView) bool) error {
	view, err := v.viewOfIntent()
	if err != nil {
		return err
	}
	if !fill(&view) {
		return refusal
	}
	return v.show(http.StatusUnprocessableEntity, templates.Intent(view))
}
