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
	err := v.read(func(tx *store.Tx) error {
		for _, s := range v.Demo.Stories {
			row := templates.StoryRow{Title: s.Title, Text: say(s.Text), Try: say(s.Try)}
			i, err := tx.Intent(s.Intent, v.actor.Accounts())
			switch {
			case err == nil:
				row.Href, row.State = "/intents/"+i.ID, templates.State(i.State)
			case model.KindOf(err) != model.NotFound:
				return err
			}
			view.Stories = append(view.Stories, row)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return v.show(http.StatusOK, templates.Guide(view))
}
