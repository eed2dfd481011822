package web

import (
	"errors"
	"net/http"
	"net/url"
	"slices"

	"countersign/internal/actions"
	"countersign/internal/authz"
	"countersign/internal/model"
	"countersign/internal/store"
	"countersign/internal/web/problem"
	"countersign/internal/web/session"
	"countersign/web/templates"
)

// stepUpNote asks for the password beside a form, which keeps what was typed: the
// password is confirmed in a tab of its own.
func stepUpNote(err error, notDone, next string) *templates.Note {
	return &templates.Note{Kind: "mind", Title: say("Confirm that it is you. ", notDone),
		Text: []templates.Text{say(problem.Of(err).Detail), say(templates.LinkApart("/stepup?next="+url.QueryEscape(next), "Confirm your password"),
			" in a new tab, then come back and send this form again: what you typed stays here.")}}
}

// passwordAhead says before acts that need a fresh sign-in that the password will be
// asked for; nil where none of them does, or it was confirmed a moment ago. next is
// the page to come back to.
func (v *visit) passwordAhead(next string, acts ...authz.Permission) templates.Text {
	needed := slices.ContainsFunc(acts, func(p authz.Permission) bool { return !authz.StepUpNeeded(v.actor, p, v.now()).Allowed })
	if !needed {
		return nil
	}
	return say("You will be asked for your password: it was confirmed longer than ", span(authz.FreshOnPages), " ago. ",
		templates.LinkApart("/stepup?next="+url.QueryEscape(next), "Confirm it now"), " in a new tab, if you like.")
}

// graveActs are the permissions of the acts that the verdicts allow.
func graveActs(verdicts []actions.Verdict) (acts []authz.Permission) {
	for _, verdict := range verdicts {
		if verdict.Allowed {
			acts = append(acts, authz.ForAction(verdict.Action))
		}
	}
	return acts
}

func (v *visit) stepUpForm() error {
	return v.showStepUp(http.StatusOK, templates.StepUpView{Next: localPath(v.c.QueryParam("next"))})
}

func (v *visit) showStepUp(status int, view templates.StepUpView) error {
	view.Page = v.titled("Confirm that it is you")
	view.Page.Refresh = ""
	view.Email, view.NoPassword = v.person.Email, v.person.PasswordHash == ""
	view.Help = v.stepUpHelp(view.NoPassword)
	return v.show(status, templates.StepUp(view))
}

// stepUpHelp says what to do without the password.
func (v *visit) stepUpHelp(none bool) templates.Text {
	const link = "Ask an administrator for a new sign-in link: opening one is a fresh sign-in too."
	switch {
	case v.Demo != nil && none:
		return say("This is the demo. Start it again, and it prints new sign-in links; opening one is a fresh sign-in.")
	case v.Demo != nil:
		return say("This is the demo. When it started it printed, in its terminal, one password for all sample people.")
	case none:
		return say(link)
	}
	return say("Forgotten? ", link)
}

// stepUp takes the password as a fresh factor, for the person and their keys.
func (v *visit) stepUp() error {
	var form struct {
		Password string `form:"password"`
		Next     string `form:"next"`
	}
	if err := v.bind(&form); err != nil {
		return err
	}
	err := v.sessions.StepUp(v.c.Response(), v.r, form.Password, func(tx *store.Tx, person string) error {
		return v.note(tx, person, "stepup.ok", map[string]any{"method": "password"})
	})
	view := templates.StepUpView{Next: localPath(form.Next)}
	if at, wait := session.Wait(err); wait {
		moment := v.at(at)
		view.Wait = &moment
		v.retryAt(at)
		return v.showStepUp(http.StatusTooManyRequests, view)
	}
	switch {
	case err == nil:
		return v.to(view.Next)
	case !errors.Is(err, model.Unauthenticated):
		return err
	}
	if err := v.DB.Update(v.r.Context(), func(tx *store.Tx) error {
		return v.note(tx, v.person.ID, "stepup.failed", map[string]any{"method": "password"})
	}); err != nil {
		return err
	}
	view.Failed = say("The password is wrong. Nothing was done.")
	return v.showStepUp(http.StatusForbidden, view)
}
