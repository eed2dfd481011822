package web

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"countersign/internal/model"
	"countersign/internal/web/problem"
	"countersign/web/templates"
)

// What somebody typed is not lost when it cannot be taken. While the session
// lives, the session keeps it and the form's page shows it again. Where the
// session is over, the page that says so carries it in hidden fields through the
// sign-in. Nobody but the person whose page the form was on gets it back, nothing
// of it is ever done by itself, and neither secrets nor files are among it.

// keptForm is one form that was not taken.
type keptForm struct {
	Page   string     `json:"page"` // path and query of the page that the form is on
	Fields url.Values `json:"fields"`
	At     model.Time `json:"at"`
}

const (
	keptNote   = "form"    // under which the session keeps it
	keptPrefix = "kept."   // of the fields' names on their way through a sign-in
	keptPath   = "/kept"   // takes them after a sign-in in another tab
	keptFor    = time.Hour // afterwards a form is as it comes
	keptMost   = 48 << 10  // bytes
)

// secret are fields that are never given back.
var secret = map[string]bool{"password": true, "token": true, "csrf": true}

// unkept are fields that belong to the page that they came from, or say which
// button was pressed: they are neither shown nor put into a form again.
var unkept = map[string]bool{"digest": true, "plan_code": true, "next": true, "do": true, "person": true, "back": true, "query": true, "id": true,
	"here": true, "shown": true, "selection": true, "go": true, "key": true, "session": true, "of": true, "once": true, "step": true, "out": true, "from": true, "line": true}

// sentForm is the form of the request; nil where there is none or it cannot be
// read. Through a sign-in it is the one that travels along.
func (v *visit) sentForm() url.Values {
	if v.r.Method != http.MethodPost {
		return nil
	}
	form, err := v.c.FormParams()
	if err != nil {
		return nil
	}
	sent := url.Values{}
	for name, values := range form {
		inner, carried := strings.CutPrefix(name, keptPrefix)
		if v.signsIn() != carried {
			continue
		}
		if !secret[inner] {
			sent[inner] = values
		}
	}
	return sent
}

// signsIn reports whether the request is a way in, on which a form may travel.
func (v *visit) signsIn() bool {
	return v.r.URL.Path == keptPath || v.r.URL.Path == "/signin" || v.r.URL.Path == "/signin/link" || v.r.URL.Path == "/stepup"
}

// typedFields are those of the form that somebody typed or chose.
func (v *visit) typedFields() url.Values {
	if v.r.URL.Path == selectionsPath {
		return nil // ticks are no text, and what was ticked before is kept by itself
	}
	fields := v.sentForm()
	maps.DeleteFunc(fields, func(name string, values []string) bool { return unkept[name] || strings.Join(values, "") == "" })
	return fields
}

// typist is who the form's page was made for; "" is nobody.
func (v *visit) typist() string { return v.r.PostFormValue("person") }

// foreignTypist reports whether somebody else is signed in than the form is from.
func (v *visit) foreignTypist() bool {
	return v.actor.ID != "" && v.typist() != "" && v.typist() != v.actor.ID
}

// keep lets the session keep what was typed, for the form on a page. It reports
// whether there was something and it is kept.
func (v *visit) keep(page string) bool {
	if v.actor.ID == "" || v.typist() != v.actor.ID {
		return false
	}
	return v.store(keptForm{Page: page, Fields: v.typedFields(), At: v.now()})
}

func (v *visit) store(form keptForm) bool {
	text, err := json.Marshal(form)
	if err != nil || len(form.Fields) == 0 || len(text) > keptMost {
		return false
	}
	if err := v.sessions.SetNote(v.c.Response(), v.r, keptNote, string(text)); err != nil {
		v.Logger.Warn("a form could not be kept", "request_id", requestID(v.r), "err", err)
		return false
	}
	return true
}

// recall finds what was typed into the form of the page that is shown.
func (v *visit) recall() url.Values {
	form, ok := v.kept()
	if !ok || v.r.Method != http.MethodGet || v.now().Sub(form.At) > keptFor {
		return nil
	}
	page, err := url.Parse(form.Page)
	here := v.r.URL
	switch {
	case err != nil, page.Path != here.Path, page.Query().Get("step") != here.Query().Get("step"):
		return nil
	case page.Path == "/" && page.Query().Encode() != here.Query().Encode():
		return nil // another filter than the one that was named
	}
	return form.Fields
}

func (v *visit) kept() (form keptForm, ok bool) {
	text := v.sessions.Note(v.r, keptNote)
	return form, text != "" && json.Unmarshal([]byte(text), &form) == nil
}

// forget drops what is kept once its form was taken.
func (v *visit) forget() {
	form, ok := v.kept()
	if !ok || v.signsIn() || v.c.Response().Status >= http.StatusBadRequest {
		return
	}
	page, _, _ := strings.Cut(form.Page, "?")
	if own, _, _ := strings.Cut(v.wayBack(), "?"); own != page {
		return
	}
	// A form that stays is shown again at worst.
	_ = v.sessions.SetNote(v.c.Response(), v.r, keptNote, "")
}

// recalledNote says above a form why it is filled in.
func recalledNote() *templates.Note {
	return &templates.Note{Kind: "mind", Title: say("What you typed before stands here again."), Text: []templates.Text{say("Nothing of it has been sent. Files and codes have to be given anew.")}}
}

// resumed is what a form that signs in carries along; nil is nothing.
func (v *visit) resumed(next string) *templates.Resume {
	fields := v.typedFields()
	if len(fields) == 0 || v.typist() == "" {
		return nil
	}
	r := &templates.Resume{Next: next, Person: v.typist()}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		for _, value := range fields[name] {
			r.Fields = append(r.Fields, templates.Hidden{Name: keptPrefix + name, Value: value})
		}
	}
	return r
}

// resume gives whoever has just signed in what was typed, if it is theirs, and
// leads to the form.
func (v *visit) resume(next string) error {
	actor, err := v.sessions.Actor(v.r)
	if err != nil {
		return err
	}
	v.actor = actor
	if v.foreignTypist() {
		return v.to("/")
	}
	v.keep(next)
	return v.to(next)
}

// takeKept goes on with a form after a sign-in in another tab.
func (v *visit) takeKept() error {
	actor, err := v.sessions.Actor(v.r)
	if err != nil {
		return err
	}
	if v.actor = actor; v.typist() != actor.ID {
		return model.Errorf(model.Denied, "denied", "Somebody else is signed in here now than typed this, so it is not carried over.").With("rule", ruleOtherPerson)
	}
	next := localPath(v.r.PostFormValue("next"))
	v.keep(next)
	return v.to(next)
}

// again is the form as it was sent, to be sent once more; nil where that cannot
// help, or would send a secret.
func (v *visit) again(p problem.Problem) *templates.Again {
	if p.Name != "busy" || v.signsIn() || v.foreignTypist() || v.r.URL.Path == reconcilePath {
		return nil // a bank's file would have to be chosen anew
	}
	form, err := v.c.FormParams()
	if err != nil || len(form) == 0 || v.r.Method != http.MethodPost {
		return nil
	}
	a := &templates.Again{Action: v.r.URL.RequestURI()}
	for _, name := range slices.Sorted(maps.Keys(form)) {
		for _, value := range form[name] {
			if !secret[name] || name == "csrf" {
				a.Fields = append(a.Fields, templates.Hidden{Name: name, Value: value})
			}
		}
	}
	return a
}
