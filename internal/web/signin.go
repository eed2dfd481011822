package web

import (
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"countersign/internal/audit"
	"countersign/internal/authz"
	"countersign/internal/model"
	"countersign/internal/store"
	"countersign/internal/web/session"
	"countersign/web/templates"
)

// SignInPath is the path and query of a one-time link with a token.
func SignInPath(token string) string { return "/signin/link?token=" + url.QueryEscape(token) }

// signInPage is the form as typed.
type signInPage struct {
	Email    string `form:"email"`
	Password string `form:"password"`
	Next     string `form:"next"`
}

func (v *visit) signInForm() error {
	return v.showSignIn(http.StatusOK, templates.SignInView{Next: localPath(v.c.QueryParam("next"))})
}

func (v *visit) showSignIn(status int, view templates.SignInView) error {
	view.Page = v.titled("Sign in")
	view.Page.Refresh = ""
	if v.Demo != nil {
		view.Help = say("This is the demo. When it started it printed, in its terminal, a sign-in link for every sample person and one password for all of them.")
	}
	return v.show(status, templates.SignIn(view))
}

// retryAt tells programs too from when on the next try is taken.
func (v *visit) retryAt(at model.Time) {
	wait := max(at.Sub(v.now()), time.Second)
	v.c.Response().Header().Set("Retry-After", strconv.Itoa(int((wait+time.Second-1)/time.Second)))
}

func (v *visit) signIn() error {
	var form signInPage
	if err := v.bind(&form); err != nil {
		return err
	}
	err := v.sessions.SignInByPassword(v.c.Response(), v.r, form.Email, form.Password, v.signedInBy("password"))
	if err == nil {
		return v.resume(localPath(form.Next))
	}
	view := templates.SignInView{Email: form.Email, Next: localPath(form.Next), Resume: v.resumed(localPath(form.Next))}
	if at, wait := session.Wait(err); wait {
		moment := v.at(at)
		view.Wait = &moment
		v.retryAt(at)
		return v.showSignIn(http.StatusTooManyRequests, view)
	}
	if !errors.Is(err, model.Unauthenticated) {
		return err
	}
	if err := v.noteFailedSignIn(form.Email); err != nil {
		return err
	}
	view.Failed = say("The address or the password is wrong. Nobody was signed in.")
	return v.showSignIn(http.StatusUnauthorized, view)
}

// signedInBy writes the entry of a sign-in in its own transaction.
func (v *visit) signedInBy(method string) session.Also {
	return func(tx *store.Tx, person string) error {
		return v.note(tx, person, "signin.ok", map[string]any{"method": method})
	}
}

// note writes an entry about a person's own sign-in. It appears in the log of
// their account where they have one only, else in the installation's own.
func (v *visit) note(tx *store.Tx, person, event string, detail map[string]any) error {
	p, err := tx.Person(person)
	if err != nil {
		return err
	}
	account := onlyAccount(p)
	actor := authz.Actor{Type: model.ActorPerson, ID: p.ID, Name: p.Name, Roles: p.Roles}
	detail["address"] = v.c.RealIP()
	_, err = v.Log.Append(tx, audit.Entry{Actor: audit.Actor{Type: string(actor.Type), ID: actor.ID, Name: actor.Name, Roles: actor.RolesIn(account)},
		Event: event, Account: account, Result: "done", Detail: detail})
	return err
}

// onlyAccount is the account of a person who has one; else "", the installation.
func onlyAccount(p model.Person) (account string) {
	if len(p.Roles) == 1 {
		for account = range p.Roles {
		}
	}
	return account
}

// noteFailedSignIn records a refused try, of somebody unknown: in the log of the
// person whose address was typed, if it is one's, else without what was typed,
// which may be anything.
func (v *visit) noteFailedSignIn(email string) error {
	return v.DB.Update(v.r.Context(), func(tx *store.Tx) error {
		detail := map[string]any{"method": "password", "address": v.c.RealIP()}
		entry := audit.Entry{Actor: audit.Actor{Type: "system", ID: "signin", Name: "somebody unknown"}, Event: "signin.failed", Result: "failed", Detail: detail}
		p, err := tx.PersonByEmail(email)
		switch {
		case err == nil:
			entry.Account = onlyAccount(p)
			entry.Reason = "Somebody unknown tried to sign in as " + p.Email + "."
			detail["person"] = p.ID
		case !errors.Is(err, model.NotFound):
			return err
		}
		_, err = v.Log.Append(tx, entry)
		return err
	})
}

func (v *visit) signInLinkForm() error {
	view := templates.SignInLinkView{Token: v.c.QueryParam("token"), Next: localPath(v.c.QueryParam("next"))}
	err := v.read(func(tx *store.Tx) error {
		link, err := tx.SignInLink(view.Token)
		if err != nil {
			return err
		}
		p, err := tx.Person(link.Person)
		view.Person, view.Email, view.Ends = p.Name, p.Email, v.at(link.ExpiresAt)
		view.Role = rolesSentence(p)
		return err
	})
	return v.showSignInLink(view, err)
}

// rolesSentence says "operator of acme".
func rolesSentence(p model.Person) string {
	text := ""
	for _, account := range (authz.Actor{Type: model.ActorPerson, Roles: p.Roles}).Accounts() {
		for _, role := range p.Roles[account] {
			if text != "" {
				text += ", "
			}
			text += string(role) + " of " + account
		}
	}
	return upper(text)
}

// showSignInLink shows the button, or why there is none.
func (v *visit) showSignInLink(view templates.SignInLinkView, err error) error {
	status := http.StatusOK
	if err != nil {
		if !errors.Is(err, model.Unauthenticated) {
			return err
		}
		status = http.StatusUnauthorized
		view.Failed = &templates.Note{Kind: "no", Title: say(err.Error()), Text: []templates.Text{say("Nobody was signed in by it now. Ask for a new link.")}}
	}
	view.Page = v.titled("Sign in")
	view.Page.Refresh = ""
	return v.show(status, templates.SignInLink(view))
}

func (v *visit) signInLink() error {
	var form struct {
		Token string `form:"token"`
		Next  string `form:"next"`
	}
	if err := v.bind(&form); err != nil {
		return err
	}
	err := v.sessions.SignInByLink(v.c.Response(), v.r, form.Token, v.signedInBy("link"))
	if err != nil {
		return v.showSignInLink(templates.SignInLinkView{}, err)
	}
	return v.to(localPath(form.Next))
}

func (v *visit) signOut() error {
	err := v.sessions.SignOut(v.c.Response(), v.r, func(tx *store.Tx, person string) error {
		return v.note(tx, person, "signout", map[string]any{})
	})
	if err != nil {
		return err
	}
	return v.to("/signin")
}
