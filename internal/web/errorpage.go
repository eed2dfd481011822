package web

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"countersign/internal/model"
	"countersign/internal/web/problem"
	"countersign/web/templates"
)

// foreignForm is the refusal of a form that came from another site.
func foreignForm() error {
	return model.Errorf(model.Denied, "denied", "This form came from another site.").With("rule", ruleForeignForm)
}

// errorWords are what a page says about a sort of problem beside its detail.
type errorWords struct{ title, notDone, next string }

var wordsOf = map[string]errorWords{
	"unauthenticated": {"You are not signed in", "Nothing was done.", "Sign in: the page that you came from opens again, with what you typed in its form."},
	"denied":          {"Not allowed", "Nothing was done.", "Ask somebody whose role allows it, or an administrator for the role."},
	"self-approval":   {"Refused: somebody else must approve this", "Nothing was approved and nothing was done.", "Ask somebody else who may decide: whoever asks, made or signed something never signs it a second time."},
	"step-up-required": {"Confirm that it is you", "Nothing was done.",
		"This moves money or closes a question about money, so it needs a sign-in of the last minutes."},
	"not-found":              {"There is nothing here", "Nothing was changed.", "Check the address, or search by id, key, reference or payee. What belongs to another account is not shown either."},
	"method-not-allowed":     {"This address is not opened this way", "Nothing was done.", "Go back and use the page’s own links and buttons."},
	"action-refused":         {"Refused", "Nothing was sent, no step changed, no approval was asked for.", "The intent’s page says which actions are possible now."},
	"preview-stale":          {"Not done: it moved while you were deciding", "Nothing was sent and nothing was changed.", "Read a fresh preview."},
	"preview-expired":        {"This preview has expired", "Nothing was done.", "Make a fresh preview from the intent’s page."},
	"preview-consumed":       {"This preview was confirmed before", "Nothing was done a second time.", "The result page says what the first confirmation came to."},
	"digest-mismatch":        {"The plan is not the one that was shown", "Nothing was done.", "Open the preview again and confirm what it shows."},
	"approval-closed":        {"This request is closed", "Nothing was decided and nothing was done.", "The request’s page says how it ended."},
	"stale":                  {"It moved meanwhile", "Nothing was changed.", "Open the page again."},
	"conflict":               {"It contradicts what is already so", "Nothing was changed.", "Open the page again and look at what is there."},
	"external-ref-used":      {"The reference belongs to another step", "Nothing was recorded.", "One object at a provider confirms one step, ever."},
	"intent-archived":        {"This intent is archived", "Nothing was changed.", "Its key is kept; its record is in the archive."},
	"invalid-params":         {"Something in the input is wrong", "Nothing was stored.", "Go back and mend it."},
	"invalid-body":           {"The request cannot be read", "Nothing was stored.", "Go back, reload the page and send the form again."},
	"too-large":              {"That is too large", "Nothing was stored.", "Send less: a document may have up to 5 MiB."},
	"unsupported-media-type": {"The request cannot be read", "Nothing was stored.", "Use the page’s own form."},
	"not-acceptable":         {"There is nothing to read here", "Nothing was done.", "Open a page of the console instead."},
	"busy":                   {"Busy at the moment", "Nothing was done.", "Wait a moment and try again."},
	"outcome-unknown":        {"It is not known whether this was done", "The database did not answer the commit.", "Open the preview or the intent again: it says what was stored. Do nothing else before."},
	"internal":               {"Internal error", "Whether anything was done is on the page of what you worked on.", "Try again; if it stays, give the request id to whoever runs this installation."},
}

// errorView words a problem as a page.
func (v *visit) errorView(p problem.Problem) templates.ErrorView {
	w, ok := wordsOf[p.Name]
	if !ok {
		w = wordsOf["internal"]
	}
	if outOfPlace(p) {
		w = errorWords{"This form was not taken", "Nothing was done.", "Open the page again and send the form from there."}
	}
	view := templates.ErrorView{Page: v.titled(w.title), Title: w.title, Text: []templates.Text{say(p.Detail)},
		NotDone: say(w.notDone), Unknown: p.Name == "outcome-unknown", Back: &templates.Button{Href: "/", Label: "To the queue"}}
	view.Page.Refresh = ""
	if because, ok := p.Extra["because"].(string); ok && because != p.Detail {
		view.Text = append(view.Text, say(because))
	}
	if rule, ok := p.Extra["rule"].(string); ok {
		view.Facts = append(view.Facts, templates.Fact{Label: "Rule", Text: say(templates.Code(rule))})
	}
	for _, f := range p.Errors {
		view.Facts = append(view.Facts, templates.Fact{Label: f.Location, Text: say(f.Message)})
	}
	view.Next = []templates.Line{{Text: say(w.next)}}
	v.errorWay(p, &view)
	return view
}

// errorWay gives the way on where there is a better one than the queue, and back
// what was typed.
func (v *visit) errorWay(p problem.Problem, view *templates.ErrorView) {
	if p.Extra["rule"] == ruleForeignForm {
		view.Back = &templates.Button{Href: v.wayBack(), Label: "Open the page again"}
		return // another site's words are not shown as one's own
	}
	view.Back, view.Again = v.placeButton(p), v.again(p)
	view.Facts = append(view.Facts, v.typed()...)
	switch {
	case v.foreignTypist():
		view.Text = append(view.Text, say("The form was filled in by somebody else, who was signed in before. It is not shown to you; the browser’s Back button leads whoever typed it there."))
	case p.Name == "unauthenticated":
		if view.Resume = v.resumed(v.wayBack()); view.Resume != nil {
			view.Back = nil
		}
	case p.Name == "step-up-required", p.Name == "invalid-body", p.Name == "invalid-params", outOfPlace(p):
		if v.keep(v.wayBack()) {
			view.Next = append(view.Next, templates.Line{Text: say("What you typed is kept for an hour: it stands in the form again when you open it.")})
		}
	}
}

// placeButton leads to the page that the request was about.
func (v *visit) placeButton(p problem.Problem) *templates.Button {
	place, id := v.about()
	label := map[string]string{"intents": "Back to the intent", "approvals": "Back to the request", "workers": "Back to the workers", "previews": "Back to the preview", "reconcile": "Back to the bank file"}[place]
	switch {
	case p.Name == "unauthenticated":
		return &templates.Button{Href: "/signin?next=" + url.QueryEscape(v.wayBack()), Label: "Sign in"}
	case p.Name == "step-up-required":
		return &templates.Button{Href: "/stepup?next=" + url.QueryEscape(v.wayBack()), Label: "Confirm your password"}
	case outOfPlace(p):
		return &templates.Button{Href: v.wayBack(), Label: "Open the page again"}
	case v.r.URL.Path == reconcilePath:
		return &templates.Button{Href: reconcilePath, Label: "Back to Reconcile"}
	case p.Name == "not-found" || label == "":
		return &templates.Button{Href: "/", Label: "To the queue"}
	case place == "workers":
		return &templates.Button{Href: "/workers", Label: label}
	}
	return &templates.Button{Href: "/" + place + "/" + id, Label: label}
}

// about names what the address is about: "intents" and an id. The address is
// read and not the route, since another site's form reaches no route.
func (v *visit) about() (place, id string) {
	place, rest, _ := strings.Cut(strings.TrimPrefix(v.r.URL.Path, "/"), "/")
	id, _, _ = strings.Cut(rest, "/")
	if id == "" {
		return "", ""
	}
	return place, url.PathEscape(id)
}

// The rules that a form breaks which this session was not given.
const (
	ruleForeignForm = "form.other-site"
	ruleOtherToken  = "form.other-session"
	ruleOtherPerson = "form.other-person"
)

// outOfPlace reports whether a form came from elsewhere than a page of this
// session: the same form from a fresh page would be taken.
func outOfPlace(p problem.Problem) bool {
	rule := p.Extra["rule"]
	return rule == ruleForeignForm || rule == ruleOtherToken
}

// typed shows what stood in a form that was not taken, so that it can be copied
// from the page.
func (v *visit) typed() (facts []templates.Fact) {
	if v.foreignTypist() {
		return nil
	}
	fields := v.typedFields()
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		facts = append(facts, templates.Fact{Label: "You typed: " + words(name), Text: say(templates.Name(strings.Join(fields[name], ", ")))})
	}
	return facts
}

// formPages are the pages of forms by the beginning of the address that takes
// them, and how many parts of that address name the page; the next of a way in
// is the page itself.
var formPages = map[string]int{"previews": 2, "approvals": 2, "bulk": 2, "orphans": 2, "intents": 2, "me": 1, "workers": 3, "views": 2, "lab": 1, "reconcile": 2}

// wayBack is the page to return to after a fresh sign-in.
func (v *visit) wayBack() string {
	switch {
	case v.r.Method == http.MethodGet:
		return localPath(v.r.URL.RequestURI())
	case v.signsIn():
		return localPath(v.r.PostFormValue("next"))
	}
	parts := strings.Split(strings.Trim(v.r.URL.Path, "/"), "/")
	if len(parts) >= 4 && parts[0] == "intents" && parts[2] == "actions" {
		step := v.c.FormValue("step")
		return fmt.Sprintf("/intents/%s/actions/%s?step=%s", parts[1], parts[3], url.QueryEscape(step))
	}
	if v.r.URL.Path == viewsPath {
		return localPath("/?" + v.r.PostFormValue("query")) // the list whose filter gets a name
	}
	if strings.HasPrefix(v.r.URL.Path, holdPath) {
		return holdPath
	}
	if n := formPages[parts[0]]; n > 0 && len(parts) >= n {
		return "/" + strings.Join(parts[:n], "/")
	}
	return v.cameFrom()
}

// cameFrom is the page of this console that the form was on, as the browser says.
func (v *visit) cameFrom() string {
	from, err := url.Parse(v.r.Referer())
	if err != nil || from.Host != v.r.Host {
		return "/"
	}
	return localPath(from.RequestURI())
}

// notFound is what does not exist, or not for this caller.
func notFound(format string, args ...any) error {
	return model.Errorf(model.NotFound, "not-found", format, args...)
}
