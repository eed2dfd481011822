package web

import (
	"errors"
	"net/http"
	"strings"

	"countersign/internal/audit"
	"countersign/internal/authz"
	"countersign/internal/model"
	"countersign/internal/store"
	"countersign/internal/zone"
	"countersign/web/templates"
)

// settingsFields are the form's fields as typed.
type settingsFields struct {
	Zone    string `form:"zone"`
	Theme   string `form:"theme"`
	Density string `form:"density"`
	Keys    string `form:"keys"` // "off" without shortcuts
}

// done are what a page says after a POST that led to it.
var flashes = map[string]string{"saved": "Your settings are saved.", "revoked": "The key is revoked; whoever has it can do nothing with it any more.",
	"ended": "That session has ended."}

// me is the person's own page.
func (v *visit) me() error {
	view, err := v.meView()
	if err != nil {
		return err
	}
	if text, ok := flashes[v.c.QueryParam("done")]; ok {
		view.Saved = &templates.Note{Kind: "ok", Title: say(text)}
	}
	return v.show(http.StatusOK, templates.Me(view))
}

func (v *visit) meView() (templates.MeView, error) {
	p := v.person
	view := templates.MeView{Page: v.titled("Your settings"), Zone: p.Zone, Zones: zones, KeysOff: !p.Keyboard, Facts: []templates.Fact{
		{Label: "Person", Text: say(templates.Name(p.Name)), Sub: say(p.Email)}, {Label: "Roles", Text: say(rolesSentence(p))}},
		Themes: choose(p.Theme, "", "As the system", "light", "Light", "dark", "Dark"), Densities: choose(p.Density, "", "Comfortable", "compact", "Compact")}
	fresh := authz.Fresh(v.actor, v.now())
	view.Facts = append(view.Facts, templates.Fact{Label: "Now", Text: say(v.at(v.now())), Sub: say("in ", v.page.Clock.ZoneName(), ", as all times on your pages")})
	view.MayKey = fresh.Allowed
	view.KeyNote = say("A key of yours does over the API what you may do on the pages. As acts on money do, making one needs a sign-in or your password of the last ", span(authz.FreshOnPages), ". It passes step-up for five minutes after you confirmed your password here: ",
		templates.Link("/stepup?next=%2Fme", "confirm it now"), ".")
	err := v.read(func(tx *store.Tx) error {
		keys, err := tx.PersonKeys(p.ID)
		for _, k := range keys {
			view.Keys = append(view.Keys, templates.KeyRow{ID: k.ID, Name: k.Name, Prefix: k.Prefix + "…", Made: v.at(k.CreatedAt), Used: v.at(k.UsedAt), Revoked: v.at(k.RevokedAt)})
		}
		if err != nil {
			return err
		}
		sessions, err := tx.Sessions(p.ID)
		for _, s := range sessions {
			view.Sessions = append(view.Sessions, templates.SessionRow{ID: s.ID(), Device: s.Agent, Address: s.Address, Begun: v.at(s.CreatedAt),
				Seen: v.at(s.SeenAt), Ends: v.at(s.ExpiresAt), This: s.ID() == v.actor.Session})
		}
		return err
	})
	return view, err
}

// choose makes options from pairs of value and label.
func choose(current string, pairs ...string) (list []templates.Choice) {
	for i := 0; i+1 < len(pairs); i += 2 {
		list = append(list, templates.Choice{Value: pairs[i], Label: pairs[i+1], Current: pairs[i] == current})
	}
	return list
}

func (v *visit) saveSettings() error {
	var form settingsFields
	if err := v.bind(&form); err != nil {
		return err
	}
	if !oneOf(form.Theme, "", "light", "dark") || !oneOf(form.Density, "", "compact") {
		return model.Errorf(model.Invalid, "invalid-params", "The form has no such choice.")
	}
	chosen, known := zone.Find(form.Zone)
	if !known {
		return v.meFault(func(view *templates.MeView) {
			view.Zone, view.Errors = form.Zone, templates.FieldErrors{{Field: "zone", Message: "This zone " + zone.Unknown(form.Zone)}}
		})
	}
	err := v.DB.Update(v.r.Context(), func(tx *store.Tx) error {
		return tx.SetSettings(v.person.ID, store.Settings{Zone: chosen.String(), Theme: form.Theme, Density: form.Density, Keyboard: form.Keys != "off"})
	})
	if err != nil {
		return err
	}
	return v.to("/me?done=saved")
}

func oneOf(text string, list ...string) bool {
	for _, s := range list {
		if s == text {
			return true
		}
	}
	return false
}

// meFault shows the page again with what is to be mended.
func (v *visit) meFault(change func(*templates.MeView)) error {
	view, err := v.meView()
	if err != nil {
		return err
	}
	change(&view)
	return v.show(http.StatusUnprocessableEntity, templates.Me(view))
}

// keys makes a personal key, shown in this answer alone, or revokes one.
func (v *visit) keys() error {
	if v.r.PostFormValue("do") == "revoke" {
		return v.revokeKey(v.r.PostFormValue("key"))
	}
	if err := authz.Fresh(v.actor, v.now()).Err(); err != nil {
		return err
	}
	name, key := strings.TrimSpace(v.r.PostFormValue("name")), ""
	err := v.DB.Update(v.r.Context(), func(tx *store.Tx) (err error) {
		var id string
		if id, key, err = tx.AddPersonKey(v.person.ID, name, v.actor.SteppedUpAt); err != nil {
			return err
		}
		return v.noteOwn(tx, "key.created", map[string]any{"key": id, "name": name})
	})
	if errors.Is(err, model.Invalid) {
		return v.meFault(func(view *templates.MeView) {
			view.KeyName, view.Errors = name, templates.FieldErrors{{Field: "name", Message: "The name is empty or too long"}}
		})
	}
	if err != nil {
		return err
	}
	view, err := v.meView()
	view.NewKey = &templates.NewKey{Name: name, Key: key}
	if err != nil {
		return err
	}
	return v.show(http.StatusOK, templates.Me(view))
}

func (v *visit) revokeKey(id string) error {
	err := v.DB.Update(v.r.Context(), func(tx *store.Tx) error {
		k, err := tx.Key(id)
		if err != nil {
			return err
		}
		if k.Person != v.person.ID {
			return notFound("You have no such key.")
		}
		if err := tx.RevokeKey(id); err != nil {
			return err
		}
		return v.noteOwn(tx, "key.revoked", map[string]any{"key": id, "name": k.Name})
	})
	if err != nil {
		return err
	}
	return v.to("/me?done=revoked")
}

// endSession ends another session of the person.
func (v *visit) endSession() error {
	err := v.DB.Update(v.r.Context(), func(tx *store.Tx) error {
		if err := tx.RevokeSession(v.person.ID, v.r.PostFormValue("session")); err != nil {
			return err
		}
		return v.noteOwn(tx, "session.revoked", map[string]any{})
	})
	if err != nil {
		return err
	}
	return v.to("/me?done=ended")
}

// noteOwn writes an entry about something of the viewer's own.
func (v *visit) noteOwn(tx *store.Tx, event string, detail map[string]any) error {
	account := ""
	if accounts := v.actor.Accounts(); len(accounts) == 1 {
		account = accounts[0]
	}
	_, err := v.Log.Append(tx, audit.Entry{Actor: v.auditActor(account), Event: event, Account: account, Result: "done", Detail: detail})
	return err
}
