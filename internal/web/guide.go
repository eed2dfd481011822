package web

import (
	"net/http"
	"net/url"
	"slices"

	"countersign/internal/model"
	"countersign/internal/store"
	"countersign/web/templates"
)

// guide is the demo's tour: every story with its intent as it is now.
func (v *visit) guide() error {
	view := templates.GuideView{Page: v.titled("Guide"), Lab: v.Demo.Lab != nil}
	for _, paragraph := range v.Demo.Intro {
		view.Intro = append(view.Intro, say(paragraph))
	}
	for _, w := range v.Demo.Walks {
		view.Walks = append(view.Walks, walkView(w))
	}
	for _, p := range v.Demo.People {
		view.People = append(view.People, templates.SamplePerson(p))
	}
	view.BankFile = v.guideBankFile()
	hidden := "" // the account of stories that the viewer does not see
	err := v.read(func(tx *store.Tx) error {
		there, err := v.intentsSeen(tx, v.storyIntents())
		if err != nil {
			return err
		}
		for _, g := range v.Demo.Groups {
			group := templates.StoryGroup{Title: g.Title, Text: g.Text}
			for _, s := range g.Stories {
				row, seen := v.storyRow(there, s)
				if !seen {
					hidden = s.Account
					continue
				}
				group.Stories = append(group.Stories, row)
			}
			if len(group.Stories) > 0 {
				view.Groups = append(view.Groups, group)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if hidden != "" {
		view.Hidden = say("Stories of the account ", templates.Code(hidden), " are shown to its people only.")
	}
	return v.show(http.StatusOK, templates.Guide(view))
}

// guideBankFile tells of the bank's file to try, to people of its account.
func (v *visit) guideBankFile() *templates.GuideBankFile {
	if !v.seesSample() {
		return nil
	}
	s := v.Demo.Statement
	return &templates.GuideBankFile{Href: sampleStatementPath, Reconcile: reconcilePath, As: s.As, Expect: s.Expect}
}

// seesSample reports whether the demo has a bank's file to try for the viewer.
func (v *visit) seesSample() bool {
	return v.Demo != nil && v.Demo.Statement != nil && slices.Contains(v.actor.Accounts(), v.Demo.Statement.Account)
}

// sampleStatementPath is where the bank's file to try is.
const sampleStatementPath = "/guide/statement.xml"

// sampleStatement serves the bank's file to try.
func (v *visit) sampleStatement() error {
	if !v.seesSample() {
		return notFound("This demo has no bank's file for your account.")
	}
	attach(v.c.Response().Header(), "statement.xml")
	return v.c.Blob(http.StatusOK, "application/xml", v.Demo.Statement.Body)
}

func walkView(w Walk) templates.WalkView {
	view := templates.WalkView{Title: w.Title, As: w.As}
	for _, s := range w.Steps {
		step := say(s.Text)
		if s.Href != "" {
			step = say(s.Text, " ", templates.Link(s.Href, s.Label), ".")
		}
		view.Steps = append(view.Steps, step)
	}
	return view
}

// storyRow is a story with its intent as it is now, if the viewer sees that.
func (v *visit) storyRow(there map[string]model.Intent, s Story) (row templates.StoryRow, seen bool) {
	i, seen := there[s.Intent]
	if !seen {
		return row, false
	}
	row = templates.StoryRow{Title: s.Title, Text: say(s.Text), Try: say(s.Try), As: s.As, Href: "/intents/" + i.ID, State: intentState(&i)}
	if s.Fault != "" && v.Demo.Lab != nil {
		row.Again = "/lab?" + url.Values{"fault": {s.Fault}, "effect": {labEffectOf(i.Kind)}}.Encode()
	}
	if s.Href != "" {
		row.Try = say(s.Try, " ", templates.Link(s.Href, s.Label), ".")
	}
	if twin, seen := there[s.Twin]; seen {
		row.Twin, row.TwinHref = intentState(&twin), "/intents/"+twin.ID
	}
	return row, true
}

// storyIntents are the intents of all stories.
func (v *visit) storyIntents() (ids []string) {
	for _, g := range v.Demo.Groups {
		for _, s := range g.Stories {
			ids = append(ids, s.Intent)
			if s.Twin != "" {
				ids = append(ids, s.Twin)
			}
		}
	}
	return ids
}

// intentsSeen reads those of the intents that are the viewer's to see, in one
// statement.
func (v *visit) intentsSeen(tx *store.Tx, ids []string) (map[string]model.Intent, error) {
	there := map[string]model.Intent{}
	rows, err := tx.Intents(ids)
	for _, i := range rows {
		if slices.Contains(v.actor.Accounts(), i.Account) {
			there[i.ID] = i
		}
	}
	return there, err
}

// labEffectOf is the lab's effect that is most like an intent's.
func labEffectOf(kind string) string {
	switch kind {
	case model.KindDispute:
		return "dispute"
	case model.KindStatement:
		return "message"
	}
	return "payout"
}
