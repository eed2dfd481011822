package main

import (
	"context"
	"strings"

	"countersign/internal/model"
	"countersign/internal/store"
	"countersign/internal/web"
)

// guide is what the demo's own pages say about the sample work, and what they
// need for more of it.
func (d *demo) guide(ctx context.Context) (*web.Demo, error) {
	g := &web.Demo{Intro: guideIntro, Walks: guideWalks, Lab: d.lab()}
	for _, p := range samplePeople {
		g.People = append(g.People, web.SamplePerson{Name: p.name, Email: p.email, Role: string(p.role), Account: p.account, May: mayWords[p.role]})
	}
	tales := map[string]sample{}
	for _, s := range append(samples(), morning(newChronicle(d.plan.Anchor, d.plan.Anchor))...) {
		tales[s.key] = s
	}
	err := d.db.View(ctx, func(tx *store.Tx) error {
		for _, part := range guideParts {
			group, err := part.group(tx, tales)
			if err != nil {
				return err
			}
			g.Groups = append(g.Groups, group)
		}
		return nil
	})
	if err == nil {
		g.Statement, err = d.statement(ctx, tales)
	}
	return g, err
}

// group gives the stories of a part that are there; a directory that began empty
// has none.
func (p guidePart) group(tx *store.Tx, tales map[string]sample) (web.StoryGroup, error) {
	group := web.StoryGroup{Title: p.title, Text: p.text}
	for _, t := range p.tales {
		s := tales[t.key]
		story := web.Story{Title: s.title, Intent: s.id(tx.Installation()), Account: s.owner(), Text: s.text, Try: s.try, As: t.as, Fault: t.fault, Href: t.href, Label: t.label}
		if t.twin != "" {
			story.Twin = tales[t.twin].id(tx.Installation())
		}
		if t.title != "" {
			story.Title, story.Text, story.Try = t.title, t.text, t.try
		}
		story.Title = strings.ToUpper(story.Title[:1]) + story.Title[1:]
		_, err := tx.Case(story.Intent)
		if model.KindOf(err) == model.NotFound {
			continue
		}
		if err != nil {
			return group, err
		}
		group.Stories = append(group.Stories, story)
	}
	return group, nil
}
