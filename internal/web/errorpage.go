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
	"unauthenticated": {"You are not signed in", "Nothing was done.", "Sign in: the page that you came from opens again. What you typed stands above, to be copied."},
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

// errorWay gives the way on where there is a better one than the queue.
func (v *visit) errorWay(p problem.Problem, view *templates.ErrorView) {
	place, id := v.about()
	switch {
	case p.Name == "unauthenticated":
		view.Back = &templates.Button{Href: "/signin?next=" + url.QueryEscape(v.wayBack()), Label: "Sign in"}
		view.Facts = append(view.Facts, v.typed()...)
	case p.Name == "step-up-required":
		view.Back = &templates.Button{Href: "/stepup?next=" + url.QueryEscape(v.wayBack()), Label: "Confirm your password"}
	case outOfPlace(p):
		view.Back = &templates.Button{Href: v.wayBack(), Label: "Open the page again"}
		if p.Extra["rule"] == ruleOtherToken {
			view.Facts = append(view.Facts, v.typed()...) // another site's words are not shown as one's own
		}
	case p.Name == "not-found":
	case place == "intents":
		view.Back = &templates.Button{Href: "/intents/" + id, Label: "Back to the intent"}
	case place == "approvals":
		view.Back = &templates.Button{Href: "/approvals/" + id, Label: "Back to the request"}
	case place == "workers":
		view.Back = &templates.Button{Href: "/workers", Label: "Back to the workers"}
	case place == "previews":
		view.Back = &templates.Button{Href: "/previews/" + id, Label: "Back to the preview"}
	}
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
)

// outOfPlace reports whether a form came from elsewhere than a page of this
// session: the same form from a fresh page would be taken.
func outOfPlace(p problem.Problem) bool {
	rule := p.Extra["rule"]
	return rule == ruleForeignForm || rule == ruleOtherToken
}

// unkept are fields of forms that are never shown again: they are secret, or
// belong to the page that they came from.
var unkept = map[string]bool{"csrf": true, "password": true, "token": true, "digest": true, "plan_code": true, "next": true, "do": true}

// typed gives back what stood in a form that was not taken, so that it can be
// copied from the page.
func (v *visit) typed() (facts []templates.Fact) {
	if v.r.Method != http.MethodPost {
		return nil
	}
	form, err := v.c.FormParams()
	if err != nil {
		return nil // what cannot be read cannot be given back
	}
	for _, name := range slices.Sorted(maps.Keys(form)) {
		if text := strings.Join(form[name], ", "); text != "" && !unkept[name] {
			facts = append(facts, templates.Fact{Label: "You typed: " + words(name), Text: say(text)})
		}
	}
	return facts
}

// wayBack is the page to return to after a fresh sign-in.
func (v *visit) wayBack() string {
	if v.r.Method == http.MethodGet {
		return localPath(v.r.URL.RequestURI())
	}
	parts := strings.Split(strings.Trim(v.r.URL.Path, "/"), "/")
	switch {
	case len(parts) >= 4 && parts[0] == "intents":
		step := v.c.FormValue("step")
		return fmt.Sprintf("/intents/%s/actions/%s?step=%s", parts[1], parts[3], url.QueryEscape(step))
	case len(parts) == 3 && parts[0] == "workers":
		return v.r.URL.Path
	case len(parts) >= 2 && (parts[0] == "previews" || parts[0] == "approvals"):
		return "/" + parts[0] + "/" + parts[1]
	}
	return "/"
}

// notFound is what does not exist, or not for this caller.
func notFound(format string, args ...any) error {
	return model.Errorf(model.NotFound, "not-found", format, args...)
}
