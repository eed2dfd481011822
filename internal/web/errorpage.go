package web

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"countersign/internal/model"
	"countersign/internal/web/problem"
	"countersign/web/templates"
)

// foreignForm is the refusal of a form that came from another site.
func foreignForm() error {
	return model.Errorf(model.Denied, "denied", "This form came from another site.")
}

// errorWords are what a page says about a sort of problem beside its detail.
type errorWords struct{ title, notDone, next string }

var wordsOf = map[string]errorWords{
	"unauthenticated": {"You are not signed in", "Nothing was done.", "Sign in, then open the page again."},
	"denied":          {"Not allowed", "Nothing was done.", "Ask somebody whose role allows it, or an administrator for the role."},
	"self-approval":   {"Refused: somebody else must approve this", "Nothing was approved and nothing was done.", "Ask another approver; requester, creator and approver are different people."},
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
	"invalid-body":           {"The request cannot be read", "Nothing was stored.", "Go back and send the form again."},
	"too-large":              {"That is too large", "Nothing was stored.", "Send less: a document may have up to 5 MiB."},
	"unsupported-media-type": {"The request cannot be read", "Nothing was stored.", "Use the page’s own form."},
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
	switch {
	case p.Name == "unauthenticated":
		view.Back = &templates.Button{Href: "/signin", Label: "Sign in"}
	case p.Name == "step-up-required":
		view.Back = &templates.Button{Href: "/stepup?next=" + url.QueryEscape(v.wayBack()), Label: "Confirm your password"}
	case strings.HasPrefix(v.r.URL.Path, "/intents/") && p.Name != "not-found":
		view.Back = &templates.Button{Href: "/intents/" + v.c.Param("id"), Label: "Back to the intent"}
	case strings.HasPrefix(v.r.URL.Path, "/approvals/") && p.Name != "not-found":
		view.Back = &templates.Button{Href: "/approvals/" + v.c.Param("id"), Label: "Back to the request"}
	}
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
	case len(parts) >= 2 && (parts[0] == "previews" || parts[0] == "approvals"):
		return "/" + parts[0] + "/" + parts[1]
	}
	return "/"
}

// notFound is what does not exist, or not for this caller.
func notFound(format string, args ...any) error {
	return model.Errorf(model.NotFound, "not-found", format, args...)
}
