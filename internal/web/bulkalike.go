package web

import (
	"fmt"
	"slices"

	"countersign/internal/model"
	"countersign/web/templates"
)

// namedGroups is how many groups of look-alikes a list names.
const namedGroups = 5

// alikeGroups are the items of the list that are still to be done and have the
// same payee, amount and period, group by group in the order of the list.
func (p bulkPage) alikeGroups() (groups [][]model.BulkItem) {
	at := map[string]int{}
	for _, item := range p.Items {
		look := p.Stands[item.Position].LookAlike
		if look == "" || !p.counts(item) {
			continue
		}
		n, known := at[look]
		if !known {
			n = len(groups)
			at[look], groups = n, append(groups, nil)
		}
		groups[n] = append(groups[n], item)
	}
	return slices.DeleteFunc(groups, func(g []model.BulkItem) bool { return len(g) < 2 })
}

// alikeNote says aloud, before anybody confirms or signs, that the list holds
// intents that look alike; nil is none.
func (p bulkPage) alikeNote() *templates.Note {
	groups := p.alikeGroups()
	if len(groups) == 0 {
		return nil
	}
	note := &templates.Note{Kind: "mind", Title: say("Some intents of this list look alike. See that all are meant.")}
	for _, group := range groups[:min(len(groups), namedGroups)] {
		text := say()
		for n, item := range group {
			switch {
			case n > 0 && n == len(group)-1:
				text = say(text, " and ")
			case n > 0:
				text = say(text, ", ")
			}
			text = say(text, templates.Link("/intents/"+item.IntentID, fmt.Sprintf("item %d", item.Position)))
		}
		note.Text = append(note.Text, say(text, " have the same payee, amount and period."))
	}
	if more := len(groups) - namedGroups; more > 0 {
		note.Text = append(note.Text, say("So have the items of ", counted(more, "more group"), "."))
	}
	return note
}
