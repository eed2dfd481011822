package actions

import (
	"context"
	"strings"
	"unicode/utf8"

	"countersign/internal/audit"
	"countersign/internal/authz"
	"countersign/internal/model"
	"countersign/internal/store"
)

// maxNote is how many characters a note may have.
const maxNote = 2000

// Note writes something down about an intent, for whoever looks at it next. It
// changes nothing else, and a note that its writer repeats at once is the same
// note. Errors: kind NotFound behind an account wall, Denied, Invalid for a text
// that is empty, too long or no text.
func (r *Runner) Note(ctx context.Context, actor authz.Actor, intent, text string) (n store.Note, err error) {
	var denial error
	err = r.db.Update(ctx, func(tx *store.Tx) error {
		denial = nil
		c, err := tx.LockCase(intent)
		if err != nil {
			return err
		}
		entry := audit.Entry{Actor: entryActor(actor, c.Account), Event: "note.denied", Account: c.Account, Intent: c.ID}
		if denial, err = r.refusedBy(tx, actor, entry, authz.WriteNotes, notFound("intent", intent)); err != nil || denial != nil {
			return err
		}
		clean, err := noteText(text, "/text")
		if err == nil && clean == "" {
			err = invalid("/text", "is empty: write what the next reader should know")
		}
		if err != nil {
			return err
		}
		n, err = r.write(tx, actor, c, clean)
		return err
	})
	if err == nil {
		err = denial
	}
	return n, err
}

// write adds a note to the locked intent, with its entry.
func (r *Runner) write(tx *store.Tx, actor authz.Actor, c *model.Case, text string) (store.Note, error) {
	last, _, err := tx.Notes(c.ID, "", 1)
	if err != nil || len(last) > 0 && last[0].Person == actor.ID && last[0].Text == text {
		return append(last, store.Note{})[0], err
	}
	n, err := tx.AddNote(store.Note{IntentID: c.ID, Person: actor.ID, Name: actor.Name, Text: text})
	if err != nil {
		return n, err
	}
	_, err = r.log.Append(tx, audit.Entry{Actor: entryActor(actor, c.Account), Event: "note.written", Account: c.Account, Intent: c.ID,
		Reason: text, Result: "done", Detail: map[string]any{"note": n.ID}})
	return n, err
}

// noteText is a text as it is kept: lines ended in one way, nothing around it, and
// "" where nothing of it is seen. The error is of kind Invalid for one that is too long or that could disturb what
// stands beside it.
func noteText(text, location string) (string, error) {
	text = proseOf(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text))
	fault := disturbance(text)
	switch {
	case fault != "":
		return "", invalid(location, fault)
	case utf8.RuneCountInString(text) > maxNote:
		return "", invalid(location, "is longer than 2,000 characters")
	case model.Visible(text) == 0:
		return "", nil
	}
	return text, nil
}

// Notes gives the notes about an intent that the actor may see, the newest first;
// before is the id of the last one of the page before, "" begins. The error is of
// kind NotFound behind an account wall, or Denied.
func (r *Runner) Notes(ctx context.Context, actor authz.Actor, intent, before string, limit int) (list []store.Note, more bool, count store.Counted, err error) {
	err = r.db.View(ctx, func(tx *store.Tx) error {
		row, err := tx.Intent(intent, actor.Accounts())
		if err != nil {
			return err
		}
		if err := actor.May(row.Account, authz.ReadIntents).Err(); err != nil {
			return err
		}
		if count, err = tx.CountNotes(intent); err != nil {
			return err
		}
		list, more, err = tx.Notes(intent, before, limit)
		return err
	})
	return list, more, count, err
}
