package web

import (
	"countersign/internal/model"
	"countersign/internal/store"
	"countersign/web/templates"
)

// signedByList says who signed the list by which a step was marked at that moment,
// and links it; nil where it was marked by itself, or the list took no signature.
func (n narrator) signedByList(s *model.Step, at model.Time) templates.Text {
	var text templates.Text
	list := ""
	for _, a := range n.listed {
		if a.Action != model.MarkExternalResult || a.Step != s.Name || a.At != at {
			continue
		}
		if text = say(text, ", "); list == "" {
			text = say(text, "signed by ")
		}
		text, list = say(text, templates.Name(a.Signer), " ", n.clockAt(a.Signed)), a.BulkID
	}
	if list == "" {
		return nil
	}
	return say(text, " with ", templates.Link("/bulk/"+list, "its list"))
}

// listedAct is a signature under a list that did something about the intent.
func listedAct(a store.ListedAct) act {
	return act{a.Signed, a.Step, words(a.Action) + " by list approved by", a.Signer, a.Reason}
}
