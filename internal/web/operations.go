package web

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"countersign/internal/authz"
	"countersign/internal/model"
	"countersign/internal/store"
	"countersign/web/templates"
)

// providers shows how calls went lately, the contracts in force, and the older ones
// behind them.
func (v *visit) providers() error {
	var contracts, older []model.Contract
	var calls []store.Calls
	var unnamed bool
	since := v.now().Add(-24 * time.Hour)
	err := v.read(func(tx *store.Tx) error {
		return tx.Together(
			func() (err error) { contracts, err = tx.Contracts(); return err },
			func() (err error) { older, err = tx.OlderContracts(); return err },
			func() (err error) { calls, err = tx.CallsSince(v.permitted(authz.ReadIntents), since); return err },
			func() (err error) { unnamed, err = tx.UnnamedCalls(since); return err })
	})
	if err != nil {
		return err
	}
	view := templates.ProvidersView{Page: v.titled("Providers"), Rates: v.rates(calls, since)}
	if unnamed {
		view.Rates.How = say(view.Rates.How, " Calls of before the last upgrade name no account and are not counted, so these counts are not of a whole day yet.")
		view.Rates.None = "No call was made since the upgrade."
	}
	for _, c := range contracts {
		last := len(view.Providers) - 1
		if last < 0 || view.Providers[last].Name != c.Provider {
			view.Providers = append(view.Providers, templates.ProviderView{Name: c.Provider, Anchor: "provider-" + c.Provider, Summary: say("Adapter ", templates.Code(c.Type))})
			last++
		}
		view.Providers[last].Contracts = append(view.Providers[last].Contracts, v.contractView(c))
	}
	for _, c := range older {
		old := v.contractView(c)
		old.Operation = c.Provider + ", " + c.Operation
		view.Older = append(view.Older, old)
	}
	return v.show(http.StatusOK, templates.Providers(view))
}

// rates says how the calls of the last day went.
func (v *visit) rates(calls []store.Calls, since model.Time) templates.Rates {
	r := templates.Rates{None: "No call was made in this time.", How: say("Calls of your accounts since ", v.at(since), ", a day ago, as their attempts are stored. A call that ended unknown stays counted so, whatever was found out later.")}
	all := 0
	for _, c := range calls {
		all += c.All
		r.Rows = append(r.Rows, templates.RateRow{Provider: c.Provider, Operation: c.Operation, Calls: grouped(int64(c.All)), Open: part(c.Open, 0),
			Went: part(c.Went, c.All), Refused: part(c.Refused, c.All), Unknown: part(c.Unknown, c.All), AnyUnknown: c.Unknown > 0,
			Link: queueQuery{state: store.StateUnknown, provider: c.Provider}.address()})
	}
	if all == store.MaxCount {
		r.How = say("The newest ", grouped(store.MaxCount), " calls of your accounts in the last day, as their attempts are stored; there were more. A call that ended unknown stays counted so, whatever was found out later.")
	}
	return r
}

// part is a count with its part of the whole: "3 (1.2 %)"; whole 0 leaves that out.
func part(n, whole int) string {
	if n == 0 || whole == 0 {
		return grouped(int64(n))
	}
	return fmt.Sprintf("%s (%.1f %%)", grouped(int64(n)), float64(n)*100/float64(whole))
}

// contractView shows a contract with what follows from it.
func (v *visit) contractView(c model.Contract) templates.ContractView {
	view := templates.ContractView{Operation: c.Operation, ID: c.ID, Source: c.Source, Checked: c.Checked, Facts: contractFacts(c)}
	if v.Follows != nil {
		view.Follows = v.Follows(c)
	} else {
		view.Follows = c.Follows(v.Timing.Call)
	}
	switch {
	case !c.Keyed() && !c.Queryable():
		view.Warning = say("Neither key nor look-up: whatever becomes unknown waits for a person.")
	case c.Keyed() && c.ResendFor(v.Timing.Call) == 0:
		view.Warning = say("Nothing is ever sent again while unknown.")
	}
	return view
}

// contractFacts are the promises, one by one; what is not known is said too.
func contractFacts(c model.Contract) (facts []templates.Fact) {
	add := func(label string, parts ...any) {
		facts = append(facts, templates.Fact{Label: label, Text: say(parts...)})
	}
	if c.Keyed() {
		facts = append(facts, keyFacts(c)...)
	} else {
		add("Key", "none: never sent again while unknown")
	}
	add("Look-up", lookupWords(c))
	add("Longest call", orUnknown(span(c.LongestCall), c.LongestCall > 0))
	if c.Settles {
		add("Settles", "within ", orUnknown(span(c.SettleLimit), c.SettleLimit > 0))
		add("Learned by", orUnknown(c.LearnedBy, c.LearnedBy != ""))
	}
	if c.Undo != "" {
		add("Undo", c.Undo)
	}
	if len(c.UndoStates) > 0 {
		add("Undone while", strings.Join(c.UndoStates, ", "))
	}
	if len(c.ThrottleCodes) > 0 {
		add("“Not now”", strings.Join(c.ThrottleCodes, ", "))
	}
	if len(c.CurableCodes) > 0 {
		add("A person can cure", strings.Join(c.CurableCodes, ", "))
	}
	return facts
}

// keyFacts are what is promised of keys.
func keyFacts(c model.Contract) (facts []templates.Fact) {
	add := func(label string, parts ...any) {
		facts = append(facts, templates.Fact{Label: label, Text: say(parts...)})
	}
	add("Key", c.Carrier)
	add("Form of a key", ruleWords(c.KeyRule))
	add("Unique within", orUnknown(c.Scope, c.Scope != ""))
	add("Remembered", orUnknown(span(c.Retention), c.Retention > 0), clockWords(c.RetentionFrom))
	add("Kept", string(c.Stored))
	add("A repeat", orUnknown(c.OnRepeat, c.OnRepeat != ""))
	if c.ReplayMarker != "" {
		add("Marked by", c.ReplayMarker)
	}
	add("Other params", orUnknown(c.OtherParams, c.OtherParams != ""))
	add("While in flight", orUnknown(c.InFlight, c.InFlight != ""))
	if len(c.StoredCodes) > 0 {
		add("Refusals kept", strings.Join(c.StoredCodes, ", "))
	}
	return facts
}

// ruleWords says what the provider takes as a key.
func ruleWords(r model.WireKeyRule) string {
	switch {
	case r.Form != "":
		return "UUID"
	case r.MaxLen == 0:
		return "any length"
	}
	return fmt.Sprintf("%d to %d characters", r.MinLen, r.MaxLen)
}

// clockWords says from when on the provider counts. Ours counts from the first
// send, which is never later.
func clockWords(from model.RetentionClock) string {
	if from == model.FromCompletion {
		return " from its completion; counted here from the first send"
	}
	return " from the first send"
}

func orUnknown(text string, known bool) string {
	if known {
		return text
	}
	return "not known"
}

func lookupWords(c model.Contract) string {
	switch {
	case !c.Queryable():
		return "none"
	case !c.NotFoundCanBeFinal():
		return "by " + string(c.Lookup) + "; “not found” is never final"
	}
	return fmt.Sprintf("by %s; “not found” is final %s after the last send", c.Lookup, span(c.LongestCall+max(c.SettleDelay, c.LookupDelay)))
}
