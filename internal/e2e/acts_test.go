package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// cutOff is the payee of the demo's story of a connection that was cut after
// the provider had accepted the payout.
const cutOff = "María Fernanda Quiñones"

// The five questions of an intent's page, in their order.
var questions = []string{"What was intended", "What is confirmed", "What is uncertain", "What happens next", "Who may decide"}

// signIn signs a person in: by their one-time link, with its button, or by
// their password where another test has used the link up.
func (b *tab) signIn(p person) {
	b.t.Helper()
	if b.open(strings.TrimPrefix(p.SigninURL, b.base)) == http.StatusOK {
		b.press(`form[action="/signin/link"] button`)
	} else {
		b.open("/signin")
		b.fill(`input[name="email"]`, p.Email)
		b.fill(`input[name="password"]`, p.password)
		b.press(`form[action="/signin"] button`)
	}
	if at := b.at(); strings.HasPrefix(at, "/signin") {
		b.t.Fatalf("%s is not signed in: %s\n%s", p.Email, at, b.text("main"))
	}
}

// rowOf gives the address behind the first link in the list's row that has a text.
func (b *tab) rowOf(text string) string {
	b.t.Helper()
	link := evaluate(b, "looking for "+text, chromedp.Evaluate[string](fmt.Sprintf(
		`[...document.querySelectorAll("tbody tr")].find(r => r.textContent.includes(%q))?.querySelector("a")?.getAttribute("href") ?? ""`, text)))
	if link == "" {
		b.t.Fatalf("no row of %s has %q:\n%s", b.at(), text, b.text("main"))
	}
	return link
}

// follow clicks the link to an address.
func (b *tab) follow(href string) int64 {
	b.t.Helper()
	return b.press(fmt.Sprintf(`main a[href=%q]`, href))
}

// asking is the button of an intent's page that makes an action's preview.
func asking(action string) string { return `.q5 button[formaction$="/actions/` + action + `"]` }

// preview asks for an action's preview from an intent's page.
func (b *tab) preview(action string) {
	b.t.Helper()
	b.press(asking(action))
	if !strings.HasPrefix(b.at(), "/previews/") {
		b.t.Fatalf("no preview of %s, but %s:\n%s", action, b.at(), b.text("main"))
	}
	b.shot("preview-" + action)
}

// sign fills in the form under a plan: the reason, and the plan's code where it
// is asked for.
func (b *tab) sign(reason string) {
	b.t.Helper()
	b.fill(`form.sign textarea[name="reason"]`, reason)
	if b.attribute(`form.sign input[name="plan_code"]`, "name") != "" {
		b.fill(`form.sign input[name="plan_code"]`, b.planCode())
	}
}

// planCode is the short code of the plan that the page shows.
func (b *tab) planCode() string {
	b.t.Helper()
	codes := b.texts("p.plan")
	at := slices.IndexFunc(codes, func(c string) bool { return planCode.MatchString(c) })
	if at < 0 {
		b.t.Fatalf("the page shows no plan code: %q", codes)
	}
	return codes[at]
}

// confirm signs a preview and returns at the result.
func (b *tab) confirm(reason string) {
	b.t.Helper()
	b.sign(reason)
	b.press(`form.sign button.main`)
	if !strings.HasSuffix(b.at(), "/result") {
		b.t.Fatalf("no result, but %s:\n%s", b.at(), b.text("main"))
	}
}

// await opens an intent until its state is said in a word.
func (b *tab) await(intent, state string) {
	b.t.Helper()
	var last string
	for range 60 {
		if last = b.stateOf(intent); strings.EqualFold(last, state) {
			return
		}
		time.Sleep(500 * time.Millisecond)
	}
	b.t.Fatalf("%s is %q, not %q:\n%s", intent, last, state, b.text("main"))
}

// stateOf opens an intent and gives its state in a word.
func (b *tab) stateOf(intent string) string {
	b.t.Helper()
	b.open(intent)
	return b.text(".meta .st")
}

// effect is one line of the provider's books.
type effect struct {
	Operation string  `json:"operation"`
	Key       *string `json:"key"`
	Reference string  `json:"reference"`
	UndoneAt  *string `json:"undone_at"`
}

// effects are what the provider's books have under a step's key.
func (p *product) effects(t *testing.T, reference string) (found []effect) {
	t.Helper()
	response, err := http.Get(p.Sandbox + "/books")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var books struct {
		Effects []effect `json:"effects"`
	}
	if err := json.NewDecoder(response.Body).Decode(&books); err != nil {
		t.Fatal(err)
	}
	for _, e := range books.Effects {
		if e.Reference == reference {
			found = append(found, e)
		}
	}
	return found
}
