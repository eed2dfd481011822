package actions

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"countersign/internal/authz"
	"countersign/internal/model"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
)

// said lists what the log holds about an intent's notes and owners, oldest first.
func (w *world) said(id string) string {
	w.t.Helper()
	var list []string
	err := w.db.View(w.t.Context(), func(tx *store.Tx) error {
		return tx.Select(&list, "SELECT event FROM audit_entries WHERE intent_id = ? AND (event LIKE 'note.%' OR event LIKE 'owner.%') ORDER BY "+storetest.Inserted(), id)
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return strings.Join(list, " ")
}

// notes are the texts about an intent, the newest first, with who wrote them.
func (w *world) notes(actor authz.Actor, id string) string {
	w.t.Helper()
	list, more, count, err := w.run.Notes(w.t.Context(), actor, id, "", 10)
	if err != nil || more || count.N != len(list) {
		w.t.Fatalf("%d notes, counted %+v, more %v: %v", len(list), count, more, err)
	}
	var texts []string
	for _, n := range list {
		texts = append(texts, n.Name+": "+n.Text)
	}
	return strings.Join(texts, " | ")
}

// TestNotes: operators and approvers write, auditors read, and nobody behind the
// account's wall does either. A note said twice in a row is one note.
func TestNotes(t *testing.T) {
	w := newWorld(t)
	id := w.payout("run-1", 90_050)
	before := w.load(id)
	for _, say := range []struct {
		by   authz.Actor
		text string
	}{{w.ada, "  The rep called at nine.\r\nAgain at ten.  "}, {w.ada, "The rep called at nine.\nAgain at ten."}, {w.cleo, "اتصل المندوب"}, {w.ada, "The rep called at nine.\nAgain at ten."}} {
		if _, err := w.run.Note(t.Context(), say.by, id, say.text); err != nil {
			t.Errorf("%s: %v", say.by.Name, err)
		}
	}
	const want = "Ada: The rep called at nine.\nAgain at ten. | Cleo: اتصل المندوب | Ada: The rep called at nine.\nAgain at ten."
	if got := w.notes(w.aud, id); got != want {
		t.Errorf("the notes are %q, want %q", got, want)
	}
	for text, field := range map[string]string{" \n ": "is empty", "\u200b\u2060 \u3164": "is empty", strings.Repeat("é", maxNote+1): "2,000", "a\x00b": "no text", "a\u202eb": "direction", "\xff": "no text"} {
		_, err := w.run.Note(t.Context(), w.ada, id, text)
		if wantCode(t, err, "invalid-params"); err == nil || !strings.Contains(faultIn(err), field) {
			t.Errorf("%.20q: %v", text, err)
		}
	}
	_, err := w.run.Note(t.Context(), w.aud, id, "An auditor only reads.")
	wantCode(t, err, authz.CodeDenied)
	_, err = w.run.Note(t.Context(), w.glo, id, "Whose is this?")
	wantCode(t, err, "not-found")
	_, _, _, err = w.run.Notes(t.Context(), w.glo, id, "", 10)
	wantCode(t, err, "not-found")
	if got := w.said(id); got != "note.written note.written note.written note.denied" {
		t.Errorf("the log has %s", got)
	}
	if after := w.load(id); after.Version != before.Version || after.State != before.State || after.Fence != before.Fence {
		t.Errorf("a note moved the intent: %+v", after.Intent)
	}
}

// TestProse: a number that was pasted with the marks around it is kept without
// them, and what is refused is named with its place.
func TestProse(t *testing.T) {
	w := newWorld(t)
	id := w.payout("run-1", 90_050)
	if _, err := w.run.Note(t.Context(), w.ada, id, "\u202a+44 20 7946 0000\u202c, the rep"); err != nil {
		t.Error(err)
	}
	if got := w.notes(w.aud, id); got != "Ada: +44 20 7946 0000, the rep" {
		t.Errorf("%q is kept", got)
	}
	for text, want := range map[string]string{
		"called twice\nno \u202e59.00 paid": "holds the unseen character U+202E (right-to-left override) as character 4 of line 2, which would turn the direction",
		"\u202b59.00 is paid":               "U+202B (right-to-left embedding) as character 1 of line 1",
		"a letter\u2028of the bank":         "holds the unseen character U+2028 as character 9 of line 1, which is no text",
	} {
		_, err := w.run.Note(t.Context(), w.ada, id, text)
		for _, err := range []error{err, CheckReason(text)} {
			if err == nil || !strings.Contains(faultIn(err), want) {
				t.Errorf("%q: %v", text, err)
			}
		}
	}
	if err := CheckReason("call \u2066+44 20\u2069 back"); err != nil {
		t.Error(err)
	}
}

// TestNotesComeInPages: each note once, the newest first.
func TestNotesComeInPages(t *testing.T) {
	w := newWorld(t)
	id := w.payout("run-1", 90_050)
	for _, text := range []string{"one", "two", "three", "four", "five"} {
		if _, err := w.run.Note(t.Context(), w.ada, id, text); err != nil {
			t.Fatal(err)
		}
	}
	var read []string
	for before, more := "", true; more; {
		list, further, count, err := w.run.Notes(t.Context(), w.ada, id, before, 2)
		if err != nil || count.N != 5 || len(list) == 0 {
			t.Fatalf("%d of %+v: %v", len(list), count, err)
		}
		for _, n := range list {
			read, before = append(read, n.Text), n.ID
		}
		more = further
	}
	if got := strings.Join(read, " "); got != "five four three two one" {
		t.Errorf("read %s", got)
	}
}

// TestOwners: operators take, hand over and release, with an entry for each
// change and none where nothing changes; a note goes along, also to who has it.
func TestOwners(t *testing.T) {
	w := newWorld(t)
	id := w.payout("run-1", 90_050)
	owner := func(want, doing string, err error) {
		t.Helper()
		if c := w.load(id); err != nil || c.OwnerName != want || (c.Owner == "") != (want == "") {
			t.Errorf("%s: the owner is %q, want %q: %v", doing, c.OwnerName, want, err)
		}
	}
	owner("Ada", "taken", w.run.Take(t.Context(), w.ada, id))
	owner("Ada", "taken again", w.run.Take(t.Context(), w.ada, id))
	owner("Ben", "handed over by address", w.run.HandOver(t.Context(), w.ada, id, " BEN@example.com ", "The rep calls again at five."))
	owner("Ben", "handed over to who has it", w.run.HandOver(t.Context(), w.ada, id, w.ben.ID, ""))
	owner("Ben", "handed over to who has it, with a note", w.run.HandOver(t.Context(), w.ada, id, w.ben.ID, "Send nothing anew."))
	owner("Ada", "taken over", w.run.HandOver(t.Context(), w.ada, id, w.ada.ID, ""))
	owner("", "released", w.run.Release(t.Context(), w.ada, id))
	if got := w.said(id); got != "owner.taken owner.handed_over note.written note.written owner.taken owner.released" {
		t.Errorf("the log has %s", got)
	}
	if got := w.notes(w.ben, id); got != "Ada: Send nothing anew. | Ada: The rep calls again at five." {
		t.Errorf("the notes are %q", got)
	}
}

// TestOwnersAreOperators: nobody else is one, or makes one; what is refused
// changes nothing.
func TestOwnersAreOperators(t *testing.T) {
	w := newWorld(t)
	id := w.payout("run-1", 90_050)
	for _, who := range []string{w.cleo.ID, w.aud.ID, w.glo.ID, "nobody", ""} {
		wantCode(t, w.run.HandOver(t.Context(), w.ada, id, who, "Please look."), "invalid-params")
	}
	wantCode(t, w.run.HandOver(t.Context(), w.ada, id, w.ben.ID, "a\u202eb"), "invalid-params")
	wantCode(t, w.run.Take(t.Context(), w.cleo, id), authz.CodeDenied)
	wantCode(t, w.run.HandOver(t.Context(), w.aud, id, w.ben.ID, ""), authz.CodeDenied)
	wantCode(t, w.run.Take(t.Context(), w.glo, id), "not-found")
	wantCode(t, w.run.Release(t.Context(), w.glo, id), "not-found")
	wantCode(t, w.run.Take(t.Context(), w.ada, "intent-of-nobody"), "not-found")
	if c := w.load(id); c.Owner != "" {
		t.Errorf("the owner is %s", c.OwnerName)
	}
	if got := w.said(id); got != "owner.denied owner.denied" {
		t.Errorf("the log has %s", got)
	}
	if got := w.notes(w.ada, id); got != "" {
		t.Errorf("what was refused left notes: %s", got)
	}
}

// TestOwnershipNeedsTheRightsOfNow: rights are those of now, not of the sign-in.
func TestOwnershipNeedsTheRightsOfNow(t *testing.T) {
	w := newWorld(t)
	id := w.payout("run-1", 90_050)
	w.update(func(tx *store.Tx) error {
		_, err := tx.Exec("UPDATE memberships SET role = ? WHERE person = ? AND account = 'acme'", model.RoleAuditor, w.ada.ID)
		return err
	})
	wantCode(t, w.run.Take(t.Context(), w.ada, id), authz.CodeDenied)
	_, err := w.run.Note(t.Context(), w.ada, id, "Still here?")
	wantCode(t, err, authz.CodeDenied)
	wantCode(t, w.run.HandOver(t.Context(), w.ben, id, w.ada.ID, ""), "invalid-params")
}

// faultIn is what an error says is wrong with one field.
func faultIn(err error) string {
	var e *model.Error
	if errors.As(err, &e) && len(e.Fields) > 0 {
		return e.Fields[0].Message
	}
	return ""
}

// TestKeysKeepNoViews: a view is a person's, and that a key tried is in the log.
func TestKeysKeepNoViews(t *testing.T) {
	w := newWorld(t)
	_, err := w.run.SaveView(t.Context(), w.key, store.View{Account: "acme", Name: "Large ones"})
	wantCode(t, err, authz.CodeDenied)
	if got := w.entries("view."); !slices.Equal(got, []string{"view.denied"}) {
		t.Errorf("the log has %s", got)
	}
}

// TestANameThatNobodySeesIsNone: a view is found by its name.
func TestANameThatNobodySeesIsNone(t *testing.T) {
	w := newWorld(t)
	_, err := w.run.SaveView(t.Context(), w.ada, store.View{Account: "acme", Name: strings.Repeat("\u200b", 8), Query: "kind=payout"})
	wantCode(t, err, "invalid-params")
}
