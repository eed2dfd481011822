package web

import (
	"net/url"
	"strings"

	"countersign/internal/actions"
	"countersign/internal/authz"
	"countersign/internal/bankfile"
	"countersign/internal/model"
	"countersign/web/templates"
)

// findingWords name how a line stands to our steps.
var findingWords = map[bankfile.Finding]string{bankfile.Differs: "Another amount or currency", bankfile.Back: "Money came back", bankfile.Several: "Named more than once",
	bankfile.Doubtful: "Names a step, but cannot prove it", bankfile.Charged: "The bank’s charge", bankfile.Ended: "The step had ended without effect", bankfile.Pending: "Not booked yet", bankfile.Known: "Known already", bankfile.Repeated: "Another line once more", bankfile.Nobody: "Names no step of ours"}

// bankWords is how much of a bank's own words a row shows, in characters.
const bankWords = 140

// proving is what the file can confirm, with the form for whoever may.
func (v *visit) proving(p bankPage) templates.Proving {
	view := templates.Proving{Say: say("Each of these lines is booked, names one uncertain step, and has its amount, currency and direction. To record them is one mark for each step; nothing is sent to a provider.")}
	if len(p.proves) == 0 {
		view.Say = say("No line of this file confirms an uncertain step.")
		return view
	}
	at, until, pages := v.bankPart(p, partProves, "Lines", len(p.proves))
	view.At = pages
	for _, m := range p.proves[at:until] {
		view.Rows = append(view.Rows, provingRow(m, !p.out[m.Number]))
	}
	if !p.may.Allowed {
		view.Say = say(view.Say, " You may read this and not record it: ", p.may.Because)
		return view
	}
	chosen := p.chosen()
	view.Post, view.Out, view.From = bankFilePath(p.ID)+"/preview", p.unticked(), v.bankPath(p, partProves, at)
	view.Button = "Preview marks for " + counted(len(chosen), "line") + amountWords(sumsOf(chosen))
	view.StepUp = v.passwordAhead(bankFilePath(p.ID), authz.MarkExternalResult)
	if left := len(p.proves) - len(p.out); left > len(chosen) {
		view.Ticked = "One list holds " + grouped(actions.MaxBulk) + " lines: the others go into the next one, once it is carried out"
	} else if pages.Shown != "" {
		view.Ticked = grouped(int64(len(chosen))) + " ticked over all pages"
	}
	return view
}

func provingRow(m bankfile.Match, ticked bool) templates.ProvingRow {
	row := templates.ProvingRow{Line: m.Number, Ticked: ticked, Booked: m.BookedOn, Ref: m.BankRef, Money: model.Money{Amount: m.Amount, Currency: m.Currency},
		By: m.By.Value, ByKind: refWords(m.By.Kind), Bank: m.Other}
	if s := m.Step; s != nil {
		row.Ours, row.Href, row.Key, row.State = s.Payee, "/intents/"+s.IntentID, s.Key, foundState(*s)
	}
	return row
}

// refWords says what sort of reference a line carries.
func refWords(kind string) string {
	if kind == "text" {
		return "in the line’s text"
	}
	return kind
}

// foundState is how a step that a line names is shown: settling has a look of its own.
func foundState(s bankfile.Step) templates.State {
	if s.State == model.InProgress && s.Uncertain {
		return "settling"
	}
	return templates.State(s.State)
}

// sumsOf is the money of lines, by currency.
func sumsOf(list []bankfile.Match) (sums []model.BulkSum) {
	money, _ := moneyOf(list)
	for _, m := range money {
		sums = append(sums, model.BulkSum{Currency: m.Currency, Amount: m.Amount})
	}
	return sums
}

// needsPerson are the lines that nobody can record from the file.
func (v *visit) needsPerson(p bankPage) templates.Matches {
	view := templates.Matches{Say: say("These lines name steps of ours and do not simply confirm them. What became of each is decided on the page of its intent. A payment of a step that had ended without effect can be recorded here as a contradiction, which stops what would be sent for it.")}
	if len(p.person) == 0 {
		view.Say = say("No line contradicts what is known here.")
	}
	at, until, pages := v.bankPart(p, partPerson, "Lines", len(p.person))
	view.At = pages
	for _, m := range p.person[at:until] {
		row := matchRow(m)
		if m.Step != nil {
			row.Do, row.Contradicting = p.wayOn(m), v.contradictionForm(p, m, at)
		}
		view.Rows = append(view.Rows, row)
	}
	return view
}

// wayOn is where a person decides about a line: the intent's own action where the
// viewer may take one, else its page.
func (p bankPage) wayOn(m bankfile.Match) *templates.Choice {
	s := m.Step
	act := func(action, label string) *templates.Choice {
		return &templates.Choice{Href: "/intents/" + s.IntentID + "/actions/" + action + "?" + url.Values{"step": {s.Name}}.Encode(), Label: label}
	}
	switch {
	case !p.may.Allowed:
	case m.Finding == bankfile.Differs && s.Uncertain:
		return act(model.MarkExternalResult, "Record what really moved, on its intent")
	case m.Finding == bankfile.Back, m.Finding == bankfile.Differs:
		return act(model.Reconcile, "Ask the provider about it, on its intent")
	}
	return &templates.Choice{Href: "/intents/" + s.IntentID, Label: "Look at its intent"}
}

func matchRow(m bankfile.Match) templates.MatchRow {
	row := templates.MatchRow{Line: m.Number, Booked: m.BookedOn, Ref: m.BankRef, Money: model.Money{Amount: m.Amount, Currency: m.Currency}, What: findingWords[m.Finding],
		Says: say(m.Because), Other: m.Other, Text: oneLine(m.Text, bankWords)}
	if m.Text == m.By.Value {
		row.Text = "" // the sentence has it
	}
	if m.Step != nil {
		row.Href, row.Key = "/intents/"+m.Step.IntentID, m.Step.Key
	}
	return row
}

// notNamed are uncertain steps of ours that no line of the file is about.
func (v *visit) notNamed(p bankPage, view *templates.BankFileView) {
	view.OursSay = say("Every uncertain step in the file’s currencies is named by one of its lines, or there is none.")
	if len(p.Unnamed) > 0 {
		view.OursSay = say("Uncertain steps in the file’s currencies that none of its lines names. That proves nothing: a line may come later, or in another account’s file. They stay uncertain.")
	}
	if len(p.Unnamed) > 0 && p.ToDay != "" {
		view.OursSay = say(view.OursSay, " The last day that it speaks of is ", p.ToDay, ": what was booked later is not in it.")
	}
	if p.MoreCurrencies {
		view.OursSay = say(view.OursSay, " Looked for in ", strings.Join(p.Currencies, ", "), "; the file has other currencies, of which nothing is said here.")
	}
	if p.More {
		view.OursSay = say(view.OursSay, " The ", grouped(actions.MaxUnnamed), " longest uncertain are listed; ", templates.Link("/uncertain", "all of them"), ".")
	}
	at, until, pages := v.bankPart(p, partOurs, "Steps", len(p.Unnamed))
	view.OursAt = pages
	for _, s := range p.Unnamed[at:until] {
		view.Ours = append(view.Ours, templates.OurRow{Href: "/intents/" + s.IntentID, Who: s.Payee, What: s.Name, Key: s.Key,
			Money: model.Money{Amount: s.Amount, Currency: s.Currency}, State: foundState(s), Since: v.at(s.Since)})
	}
}

// othersOf are the lines that need nothing, counted by why.
func (v *visit) othersOf(p bankPage) templates.Others {
	view := templates.Others{Open: v.c.QueryParam(partOthers) != ""}
	many := map[bankfile.Finding]int{}
	for _, m := range p.others {
		many[m.Finding]++
	}
	add := func(f bankfile.Finding, one, more string) {
		if n := many[f]; n == 1 {
			view.Counts = append(view.Counts, say("1 line ", one, "."))
		} else if n > 1 {
			view.Counts = append(view.Counts, say(grouped(int64(n)), " lines ", more, "."))
		}
	}
	add(bankfile.Known, "says what is confirmed here already", "say what is confirmed here already")
	add(bankfile.Repeated, "is another line of the file once more, and counts once", "are other lines of the file once more, and count once")
	add(bankfile.Pending, "names a step and is not booked yet, so it proves nothing", "name steps and are not booked yet, so they prove nothing")
	add(bankfile.Charged, "is a charge of the bank for a step of ours", "are charges of the bank for steps of ours")
	add(bankfile.Nobody, "names no step of ours", "name no step of ours")
	if len(view.Counts) == 0 {
		view.Counts = []templates.Text{say("No line is left.")}
	}
	at, until, pages := v.bankPart(p, partOthers, "Lines", len(p.others))
	view.At = pages
	for _, m := range p.others[at:until] {
		view.Rows = append(view.Rows, matchRow(m))
	}
	return view
}
