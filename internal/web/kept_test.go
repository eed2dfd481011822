package web

import (
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"countersign/internal/store"
)

// hard is text that must come back as it was: markup, quotes, lines, two scripts.
const hard = "The bank’s “letter” <b>&amp; fax</b>\r\nof today, \u200fشارع النيل 5\u200e — ok"

var (
	forms        = regexp.MustCompile(`(?s)<form[^>]* action="([^"]*)"[^>]*>(.*?)</form>`)
	hiddenInputs = regexp.MustCompile(`(?s)<input type="hidden" name="([^"]*)" value="([^"]*)"`)
)

// formOn gives the hidden fields of a form on a page; nil when it is not there.
func formOn(p page, action string) url.Values {
	for _, form := range forms.FindAllStringSubmatch(p.body, -1) {
		if html.UnescapeString(form[1]) != action {
			continue
		}
		fields := url.Values{}
		for _, m := range hiddenInputs.FindAllStringSubmatch(form[2], -1) {
			fields.Add(html.UnescapeString(m[1]), html.UnescapeString(m[2]))
		}
		return fields
	}
	return nil
}

// endSessions ends every session of a person, as an administrator or time would.
func (w *world) endSessions(name string) {
	w.Helper()
	w.update(func(tx *store.Tx) error {
		_, err := tx.Exec("UPDATE sessions SET revoked_at = ? WHERE person = ?", tx.Now(), w.ids[name])
		return err
	})
}

// textRoutes are the forms that take text: who fills one in on which page, where
// it goes, and what is typed.
func textRoutes(example func(string) string) []struct {
	who, page, post string
	typed           url.Values
} {
	mark := example("/intents/:id/actions/") + "mark_external_result"
	return []struct {
		who, page, post string
		typed           url.Values
	}{
		{"Olga", mark + "?step=create-payout", mark, url.Values{"step": {"create-payout"}, "result": {"did_not_happen"}, "external_ref": {"po_77 <x>"}, "date": {"2026-11-26"}, "document_url": {"https://bank.example/?a=1&b=2"}}},
		{"Olga", example("/previews/:id"), example("/previews/:id/confirm"), url.Values{"reason": {hard}}},
		{"Ann", example("/approvals/:id"), example("/approvals/:id/approve"), url.Values{"reason": {hard}}},
		{"Olga", example("/orphans/:id"), example("/orphans/:id/settle"), url.Values{"reason": {hard}}},
		{"Ada", example("/workers/:id/declare-dead"), example("/workers/:id/declare-dead"), url.Values{"reason": {hard}, "confirm": {"boot-x"}}},
		{"Olga", example("/intents/:id"), example("/intents/:id/notes") + "#notes", url.Values{"text": {hard}}},
		{"Olga", "/me", "/me/settings", url.Values{"zone": {"Asia/Kathmandu"}, "theme": {"dark"}, "keys": {"off"}}},
		{"Olga", "/me", "/me/keys", url.Values{"name": {"laptop & phone"}}},
		{"Olga", "/lab", "/lab", url.Values{"amount": {"731.500"}, "payee": {"Ada & “Bo”"}, "reference": {"lab-77 <x>"}, "times": {"13"}, "seconds": {"2.5"}}},
	}
}

// shows fails unless a page's forms hold what was typed.
func (b *browser) shows(p page, typed url.Values) {
	b.Helper()
	for name, values := range typed {
		text := html.EscapeString(strings.ReplaceAll(values[0], "\r\n", "\n"))
		text = strings.NewReplacer("&#34;", "&quot;").Replace(text)
		body := strings.ReplaceAll(strings.ReplaceAll(p.body, "\r\n", "\n"), "&#13;", "")
		if !strings.Contains(html.UnescapeString(body), html.UnescapeString(text)) {
			b.Errorf("%s: %q is not on the page", name, values[0])
		}
	}
}

func TestWhatWasTypedOutlivesTheSession(t *testing.T) {
	w := newWorld(t)
	example := w.examples()
	for _, r := range textRoutes(example) {
		b := w.browse(r.who)
		sent := formOn(b.get(r.page), r.post)
		if sent == nil {
			t.Fatalf("%s has no form to %s", r.page, r.post)
		}
		for name, values := range r.typed {
			sent[name] = values
		}
		sent.Set("password", "never to be seen")
		w.endSessions(r.who)
		refused := b.send("POST", r.post, sent)
		b.wants(refused, http.StatusUnauthorized, "You are not signed in", "Nothing was done", "Sign in, and go on where you were")
		if strings.Contains(refused.body, "never to be seen") {
			t.Errorf("%s: a secret is on the page", r.post)
		}
		carried := formOn(refused, "/kept")
		stranger := w.browse("Otto")
		if p := stranger.send("POST", "/kept", carried); p.status != http.StatusForbidden || strings.Contains(stranger.get(r.page).body, "laptop & phone") {
			t.Errorf("%s: another person's sign-in is answered with %d", r.post, p.status)
		}
		b = w.browse(r.who)
		went := b.send("POST", "/kept", carried)
		if went.status != http.StatusSeeOther || went.header.Get("Location") != r.page {
			t.Errorf("%s: led to %d %s, want %s", r.post, went.status, went.header.Get("Location"), r.page)
			continue
		}
		again := b.get(r.page)
		b.wants(again, http.StatusOK, "What you typed before stands here again", "Nothing of it has been sent")
		b.shows(again, r.typed)
	}
}

// TestNamesAndChoicesOutliveTheSession: a view's name stands again with its filter,
// and only there; so does who was chosen for a hand-over.
func TestNamesAndChoicesOutliveTheSession(t *testing.T) {
	w := newWorld(t)
	id := w.unknown("acme", "run-1", 90_050)
	olga := w.browse("Olga")
	later := func(path, form string, fields ...string) page {
		t.Helper()
		sent := formOn(olga.get(path), form)
		for i := 0; i+1 < len(fields); i += 2 {
			sent.Set(fields[i], fields[i+1])
		}
		w.endSessions("Olga")
		carried := formOn(olga.send("POST", form, sent), "/kept")
		olga = w.browse("Olga")
		return olga.follow(olga.send("POST", "/kept", carried))
	}
	filtered := "/?currency=EUR&state=outcome_unknown"
	p := later(filtered, "/views", "name", "Euros & doubts", "for", "account", "do", "change")
	if !strings.Contains(p.body, `value="Euros &amp; doubts"`) || !strings.Contains(p.body, `<option value="account" selected>`) || !strings.Contains(p.body, "<details open><summary>Save this filter") {
		t.Errorf("the view's name is lost: %s", p.text())
	}
	if other := olga.get("/?currency=USD"); strings.Contains(other.body, "Euros &amp; doubts") {
		t.Error("the name stands at another filter")
	}
	view := olga.post("/views", "query", "currency=EUR", "name", "Euros", "for", "me").header.Get("Location")
	p = later(view, view, "name", "Euros of acme", "do", "change")
	if !strings.Contains(p.body, `value="Euros of acme"`) {
		t.Errorf("the other name is lost: %s", p.text())
	}
	p = later("/intents/"+id, "/intents/"+id+"/owner#notes", "to", w.ids["Otto"], "note", "I am away", "do", "hand")
	if !strings.Contains(p.body, `<option value="`+w.ids["Otto"]+`" selected>`) || !strings.Contains(p.body, `value="I am away"`) {
		t.Errorf("who was chosen is lost: %s", p.text())
	}
	p = later("/lab", "/lab", "fault", "wrong_amount_echo", "effect", "credit", "currency", "KWD", "blind", "yes")
	for _, choice := range []string{`<option value="credit" selected>`, `<option value="KWD" selected>`, `id="f-blind" name="blind" value="yes" checked`, `value="wrong_amount_echo" required checked`} {
		if !strings.Contains(p.body, choice) {
			t.Errorf("what was chosen in the lab is lost: no %s", choice)
		}
	}
	pressed := formOn(olga.get("/lab"), "/lab/disarm")
	w.endSessions("Olga")
	if p := olga.send("POST", "/lab/disarm", pressed); formOn(p, "/kept") != nil {
		t.Error("a button alone is carried along as if somebody had typed it")
	}
}

func TestWhatWasTypedTravelsThroughThePassword(t *testing.T) {
	w := newWorld(t)
	example := w.examples()
	olga, preview := w.browse("Olga"), example("/previews/:id")
	sent := formOn(olga.get(preview), preview+"/confirm")
	sent.Set("reason", hard)
	w.endSessions("Olga")
	carried := formOn(olga.send("POST", preview+"/confirm", sent), "/signin")
	carried.Set("email", "olga@example.com")
	carried.Set("password", "wrong")
	wrong := olga.send("POST", "/signin", carried)
	olga.wants(wrong, http.StatusUnauthorized, "The address or the password is wrong")
	carried = formOn(wrong, "/signin")
	carried.Set("email", "olga@example.com")
	carried.Set("password", password)
	if p := olga.send("POST", "/signin", carried); p.status != http.StatusSeeOther || p.header.Get("Location") != preview {
		t.Fatalf("the sign-in led to %d %s", p.status, p.header.Get("Location"))
	}
	again := olga.get(preview)
	olga.shows(again, url.Values{"reason": {hard}})
	if again := olga.get("/me"); strings.Contains(again.body, "“letter”") {
		t.Error("the text stands in the form of another page")
	}
	if p := olga.post(preview+"/confirm", "reason", "Because the bank wrote", "digest", formOn(again, preview+"/confirm").Get("digest")); p.status != http.StatusSeeOther {
		t.Errorf("confirming after all: %d %s", p.status, p.text())
	}
	if p := olga.get(preview); strings.Contains(p.body, "“letter”") {
		t.Error("the text stays though its form was taken")
	}
}

// A form of an older sign-in of the same person is kept for its page; one of
// another person's is not.
func TestAFormOfAnotherSignIn(t *testing.T) {
	w := newWorld(t)
	example := w.examples()
	preview := example("/previews/:id")
	olga := w.browse("Olga")
	sent := formOn(olga.get(preview), preview+"/confirm")
	sent.Set("reason", hard)
	anew := w.browse("Olga")
	anew.wants(anew.send("POST", preview+"/confirm", sent), http.StatusForbidden, "This form was not taken", "stands in the form again")
	anew.shows(anew.get(preview), url.Values{"reason": {hard}})
	w.wait(keptFor / 2)
	anew.get("/")
	w.wait(keptFor/2 + 1e9)
	if p := anew.get(preview); strings.Contains(p.body, "“letter”") {
		t.Error("the text is still there after an hour")
	}
	otto := w.browse("Otto")
	p := otto.send("POST", preview+"/confirm", sent)
	otto.wants(p, http.StatusForbidden, "filled in by somebody else")
	if strings.Contains(p.body, "“letter”") {
		t.Error("somebody else is shown what Olga typed")
	}
}

// While the database cannot be reached, the form can be sent again as it was.
func TestAFormWhileTheDatabaseIsAway(t *testing.T) {
	body := url.Values{"reason": {hard}, "csrf": {"TOKEN"}, "digest": {"00ff"}, "password": {"never to be seen"}}
	for _, site := range []string{"same-origin", "cross-site"} {
		door := NewStarting()
		door.Trouble()
		r := httptest.NewRequest("POST", "/previews/prv_1/confirm", strings.NewReader(body.Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Sec-Fetch-Site", site)
		answer := httptest.NewRecorder()
		door.ServeHTTP(answer, r)
		p := page{answer.Code, answer.Header(), answer.Body.String()}
		if p.status != http.StatusServiceUnavailable || p.header.Get("Retry-After") == "" || !strings.Contains(p.text(), "Nothing was read, stored or sent") ||
			!strings.Contains(p.body, p.header.Get(RequestIDHeader)) || strings.Contains(p.body, "never to be seen") {
			t.Errorf("%s: %d %s", site, p.status, p.text())
		}
		again := formOn(p, "/previews/prv_1/confirm")
		if site == "cross-site" {
			if again != nil || strings.Contains(p.body, "“letter”") {
				t.Error("another site's form is given back")
			}
			continue
		}
		if again.Get("reason") != hard || again.Get("csrf") != "TOKEN" || again.Get("digest") != "00ff" {
			t.Errorf("the form to be sent again has %v", again)
		}
	}
}

// TestTicksAreNoText: what a list's form carries along is not shown as typed, and
// no page says that it was.
func TestTicksAreNoText(t *testing.T) {
	w := newWorld(t)
	id := w.unknown("acme", "run-1", 90_050)
	olga := w.browse("Olga")
	refused := olga.post("/selections", "person", w.ids["Olga"], "intent", id, "shown", strings.Repeat("x", 65), "here", "/", "action", "reconcile", "do", "preview")
	olga.wants(refused, http.StatusUnprocessableEntity, "This is no page of the list")
	for _, p := range []page{refused, olga.get("/")} {
		for _, text := range []string{"You typed", "What you typed"} {
			if strings.Contains(p.text(), text) {
				t.Errorf("the page says %q: %s", text, p.text())
			}
		}
	}
}
