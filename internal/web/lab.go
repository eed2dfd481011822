package web

import (
	"crypto/rand"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"countersign/internal/authz"
	"countersign/internal/model"
	"countersign/internal/store"
	"countersign/web/templates"
)

// labKeys begins the intent key of every lab intent; the form's own key follows.
const labKeys = "lab/"

// labRecent is how many of the newest lab intents are shown.
const labRecent = 10

// labCurrencies are offered, with every number of decimals that there is.
var labCurrencies = []string{"USD", "EUR", "GBP", "CHF", "JPY", "KWD", "CLF"}

// labFields are the form's fields as typed.
type labFields struct {
	Once      string `form:"once"` // made with the form: it posts one intent, ever
	Fault     string `form:"fault"`
	Effect    string `form:"effect"`
	Times     string `form:"times"`
	Seconds   string `form:"seconds"`
	Blind     string `form:"blind"`
	Amount    string `form:"amount"`
	Currency  string `form:"currency"`
	Payee     string `form:"payee"`
	Reference string `form:"reference"`
	Account   string `form:"account"`
}

// freshLab is the form as it is first shown; the address may choose the fault
// and the effect.
func (v *visit) freshLab() labFields {
	f := labFields{Once: strings.ToLower(rand.Text()), Fault: "drop_after_accept", Effect: "payout", Times: "1", Amount: "250.00", Currency: "USD",
		Payee: "Mireille Lefèvre", Reference: "lab-1"}
	if name := v.c.QueryParam("fault"); name != "" {
		f.Fault = name
	}
	if name := v.c.QueryParam("effect"); name != "" {
		f.Effect = name
	}
	if whole(v.c.QueryParam("times"), labTimes) > 0 {
		f.Times = v.c.QueryParam("times")
	}
	f.Blind = v.c.QueryParam("blind")
	return f
}

// labPage shows the fault lab.
func (v *visit) labPage() error {
	view, err := v.labView(v.freshLab(), nil)
	if err != nil {
		return err
	}
	switch v.c.QueryParam("done") {
	case "disarmed":
		view.Done = &templates.Note{Kind: "ok", Title: say("The fault is disarmed."), Text: []templates.Text{say("Calls from now on do not meet it.")}}
	case "all-disarmed":
		view.Done = &templates.Note{Kind: "ok", Title: say("Every fault of this intent is disarmed."), Text: []templates.Text{say("Its calls from now on meet none of them.")}}
	}
	return v.show(http.StatusOK, templates.Lab(view))
}

func (v *visit) labView(typed labFields, faults templates.FieldErrors) (templates.LabView, error) {
	view := templates.LabView{Page: v.titled("Fault lab"), Errors: faults}
	accounts := v.permitted(authz.WriteIntents)
	if len(accounts) == 0 {
		view.MayNot = &templates.Note{Kind: "no", Title: say("You may not post an intent from here."),
			Text: []templates.Text{say(refusalText(v.denied(authz.WriteIntents))), say("Operators may: sign in as one of them, for example ", templates.Bold(v.operator()), ", to try a fault. What they try is shown below to everybody of their account.")}}
	} else {
		view.Form = v.labForm(typed, accounts)
	}
	err := v.read(func(tx *store.Tx) error {
		if err := v.labIntents(tx, &view); err != nil {
			return err
		}
		return v.labArmed(tx, &view, len(accounts) > 0)
	})
	return view, err
}

// operator names a sample person who may use the lab.
func (v *visit) operator() string {
	for _, p := range v.Demo.People {
		if p.Role == string(model.RoleOperator) {
			return p.Name
		}
	}
	return "an operator"
}

// refusalText is what an error says to people.
func refusalText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func (v *visit) labForm(typed labFields, accounts []string) *templates.LabForm {
	form := &templates.LabForm{Once: typed.Once, Times: typed.Times, Seconds: typed.Seconds, Blind: typed.Blind != "", Amount: typed.Amount,
		Payee: typed.Payee, Reference: typed.Reference, Currencies: chosen(typed.Currency, labCurrencies, same)}
	if len(accounts) > 1 {
		form.Accounts = choose(typed.Account, pairsOf(accounts)...)
	}
	for _, e := range v.Demo.Lab.Effects {
		form.Effects = append(form.Effects, templates.Choice{Value: e.Name, Label: upper(e.Title), Current: e.Name == typed.Effect})
	}
	for _, g := range v.Demo.Lab.Groups {
		group := templates.LabGroup{Title: g.Title}
		for _, f := range g.Faults {
			group.Faults = append(group.Faults, templates.LabFault{Name: f.Name, Title: f.Title, Breaks: f.Breaks, See: f.See, Safe: f.Safe,
				For: effectWords(f.Effects, len(v.Demo.Lab.Effects)), Lasts: lastsWords(f.Lasts), Chosen: f.Name == typed.Fault})
		}
		form.Groups = append(form.Groups, group)
	}
	return form
}

func pairsOf(list []string) (pairs []string) {
	for _, value := range list {
		pairs = append(pairs, value, value)
	}
	return pairs
}

// effectWords says to which effects a fault means something; "" is all.
func effectWords(effects []string, all int) string {
	if len(effects) == all {
		return ""
	}
	return "For a " + strings.Join(effects, ", ") + " only."
}

func lastsWords(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return "Lasts " + seconds(d) + " unless you say otherwise."
}

// seconds writes a length of time in seconds, with a decimal where it needs one.
func seconds(d time.Duration) string {
	return strconv.FormatFloat(d.Seconds(), 'f', -1, 64) + " s"
}

// labIntents lists what the lab posted last in the viewer's accounts.
func (v *visit) labIntents(tx *store.Tx, view *templates.LabView) error {
	rows, _, err := tx.Search(labKeys, store.ListFilter{Accounts: v.actor.Accounts()})
	for _, i := range rows {
		if !strings.HasPrefix(i.Key, labKeys) {
			continue // found by its payee
		}
		if len(view.Recent) == labRecent {
			break
		}
		view.Recent = append(view.Recent, templates.LabIntent{Href: "/intents/" + i.ID, Kind: i.Kind, Payee: i.Who(), Money: model.Money{Amount: i.Amount, Currency: i.Currency},
			State: intentState(&i), Reason: i.Reason, Made: v.at(i.CreatedAt), By: i.CreatedBy})
	}
	return err
}

// labArmed lists the armed faults of the viewer's intents, and those that meet
// everybody. A provider that does not answer is said, and is no error.
func (v *visit) labArmed(tx *store.Tx, view *templates.LabView, may bool) error {
	armed, err := v.Demo.Lab.Armed(v.r.Context())
	if model.KindOf(err) == model.Busy {
		view.ArmedNote = say("The provider takes no connection at this moment, which is what “Takes no connections” does from when it is armed. It cannot be asked what else is armed: reload the page in a few seconds.")
		return nil
	}
	if err != nil {
		return err
	}
	ids, many := make([]string, 0, len(armed)), map[string]int{}
	for _, a := range armed {
		intent, _, _ := strings.Cut(a.StepKey, ":")
		ids = append(ids, intent)
		many[intent]++
	}
	mine, err := v.intentsSeen(tx, ids)
	for _, a := range armed {
		intent, _, _ := strings.Cut(a.StepKey, ":")
		if _, seen := mine[intent]; !seen && intent != "" {
			continue
		}
		if len(view.Armed) == 50 {
			view.ArmedNote = say("The 50 newest are shown.")
			break
		}
		row := v.labArmedRow(a, intent)
		row.May = may
		if may && many[intent] > 1 && intent != "" { // with the first of them
			row.All, many[intent] = grouped(int64(many[intent])), 0
		}
		view.Armed = append(view.Armed, row)
	}
	return err
}

func (v *visit) labArmedRow(a LabArmed, intent string) templates.LabArmed {
	row := templates.LabArmed{ID: strconv.FormatInt(a.ID, 10), Title: v.faultTitle(a), Beside: a.Beside, StepKey: a.StepKey, Bites: grouped(a.Bites), Times: grouped(a.Times),
		Spent: a.Bites >= a.Times}
	if intent != "" {
		row.Intent, row.Href = intent, "/intents/"+intent
	}
	return row
}

// faultTitle names an armed fault; that of a look-up is the lab's own.
func (v *visit) faultTitle(a LabArmed) string {
	if strings.HasPrefix(a.Operation, "list_") {
		return "Look-ups fail"
	}
	if f, ok := v.Demo.Lab.fault(a.Fault); ok {
		return f.Title
	}
	return a.Fault
}

// meets reports whether a fault means something to an effect.
func (f LabFault) meets(e LabEffect) bool { return slices.Contains(f.Effects, e.Name) }
