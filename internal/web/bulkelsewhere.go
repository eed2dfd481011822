package web

import (
	"encoding/json"
	"fmt"
	"slices"

	"countersign/internal/actions"
	"countersign/internal/model"
	"countersign/internal/store"
	"countersign/web/templates"
)

// elsewhereNote is where the session of whoever made a list keeps which intents
// of other accounts were left out of it: others read the list itself.
const elsewhereNote = "elsewhere"

// namedElsewhere is how many of them are named; the selection has all.
const namedElsewhere = 20

// leftOut are the intents that a list was asked for and does not hold.
type leftOut struct {
	List    string   `json:"list"`
	Intents []string `json:"intents"`
}

// noteElsewhere keeps them until another list leaves some out.
func (v *visit) noteElsewhere(list string, intents []string) error {
	text, err := json.Marshal(leftOut{list, intents})
	if err != nil {
		return fmt.Errorf("encode what is left out: %w", err)
	}
	return v.sessions.SetNote(v.c.Response(), v.r, elsewhereNote, string(text))
}

// elsewhere reads those that were left out of a list that nobody has confirmed
// yet, and are still the viewer's to see.
func (v *visit) elsewhere(tx *store.Tx, l actions.List) ([]model.Intent, error) {
	var out leftOut
	if text := v.sessions.Note(v.r, elsewhereNote); l.State != model.BulkPreviewed || text == "" || json.Unmarshal([]byte(text), &out) != nil || out.List != l.ID {
		return nil, nil
	}
	rows, err := tx.Intents(out.Intents)
	rows = slices.DeleteFunc(rows, func(i model.Intent) bool { return !v.actor.Sees(i.Account) })
	slices.SortFunc(rows, func(a, b model.Intent) int { return slices.Index(out.Intents, a.ID) - slices.Index(out.Intents, b.ID) })
	return rows, err
}

// apartNote says which intents of other accounts are not in the list.
func (p bulkPage) apartNote() *templates.Note {
	if len(p.apart) == 0 {
		return nil
	}
	verb := " of another account is not in this list."
	if len(p.apart) > 1 {
		verb = " of other accounts are not in this list."
	}
	text := say("One action is about one account, here ", p.Account, ". Left out: ")
	for n, i := range p.apart[:min(len(p.apart), namedElsewhere)] {
		if n > 0 {
			text = say(text, ", ")
		}
		text = say(text, templates.LinkText("/intents/"+i.ID, templates.Name(i.Who())), " (", i.Account, ")")
	}
	if more := len(p.apart) - namedElsewhere; more > 0 {
		text = say(text, " and ", grouped(int64(more)), " more")
	}
	return &templates.Note{Kind: "mind", Title: say(counted(len(p.apart), "intent"), verb), Text: []templates.Text{say(text, ".")}}
}
