package web

import (
	"net/http"

	"countersign/internal/model"
	"countersign/internal/store"
	"countersign/web/templates"
)

// guide is the demo's tour: every story with its intent as it is now.
func (v *visit) guide() error {
	view := templates.GuideView{Page: v.titled("Guide")}
	for _, paragraph := range v.Demo.Intro {
		view.Intro = append(view.Intro, say(paragraph))
	}
	hidden := "" // the account of stories that the viewer does not see
	err := v.read(func(tx *store.Tx) error {
		for _, s := range v.Demo.Stories {
			i, err := tx.Intent(s.Intent, v.actor.Accounts())
			switch {
			case model.KindOf(err) == model.NotFound:
				hidden = s.Account
			case err != nil:
				return err
			default:
				view.Stories = append(view.Stories, templates.StoryRow{Title: s.Title, Text: say(s.Text), Try: say(s.Try), Href: "/intents/" + i.ID, State: templates.State(i.State)})
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if hidden != "" {
		view.Intro = append(view.Intro, say("Stories of the account ", templates.Code(hidden), " are shown to its people only."))
	}
	return v.show(http.StatusOK, templates.Guide(view))
}
