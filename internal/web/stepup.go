package web

import (
	"errors"
	"net/http"

	"countersign/internal/model"
	"countersign/internal/store"
	"countersign/internal/web/session"
	"countersign/web/templates"
)

func (v *visit) stepUpForm() error {
	return v.showStepUp(http.StatusOK, templates.StepUpView{Next: localPath(v.c.QueryParam("next"))})
}

func (v *visit) showStepUp(status int, view templates.StepUpView) error {
	view.Page = v.titled("Confirm that it is you")
	view.Page.Refresh = ""
	view.Email, view.NoPassword = v.person.Email, v.person.PasswordHash == ""
	return v.show(status, templates.StepUp(view))
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
		return v.showStepUp(http.StatusTooManyRequests, view)
	}
	switch {
	case err == nil:
		return v.to(view.Next)
	case !errors.Is(err, model.Unauthenticated):
		return err
	}
	if err := v.noteFailedSignIn("stepup.failed", v.person.Email); err != nil {
		return err
	}
	view.Failed = say("The password is wrong. Nothing was done.")
	return v.showStepUp(http.StatusForbidden, view)
}
