package main

import (
	"strings"

	"context"

	"countersign/internal/model"
	"countersign/internal/store"
	"countersign/internal/web"
)

// guide is what the demo's own page says about the sample work.
func (d *demo) guide(ctx context.Context) (*web.Demo, error) {
	g := &web.Demo{Intro: []string{
		"Everything here is real but the money: the same engine, actions, approvals and audit log as in production, against a bank, a mail service and a dispute portal that run as a server of their own and can be told to fail.",
		"Each story below is stuck in its own way. Open one, read what is confirmed, what is uncertain and what would happen next, preview an action, and confirm it.",
	}}
	err := d.db.View(ctx, func(tx *store.Tx) error {
		for _, s := range stories {
			id := s.id(d.db.Installation)
			_, err := tx.Case(id)
			switch {
			case model.KindOf(err) == model.NotFound: // the directory began empty
			case err != nil:
				return err
			default:
				g.Stories = append(g.Stories, web.Story{Title: strings.ToUpper(s.title[:1]) + s.title[1:], Intent: id, Account: s.owner(), Text: s.text, Try: s.try})
			}
		}
		return nil
	})
	return g, err
}
