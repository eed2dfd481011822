package web

import (
	"fmt"
	"net/http"
	"strings"

	"countersign/internal/authz"
	"countersign/internal/model"
	"countersign/internal/store"
	"countersign/web/templates"
)

// shownBoots and shownLeases bound the page of workers.
const (
	shownBoots  = 20
	shownLeases = 100
)

// workers shows the processes and the leases that they hold.
func (v *visit) workers() error {
	view := templates.WorkersView{Page: v.titled("Workers"), How: say("Every start of a process that does the engine’s work is a boot of its own. A living one is seen every ", span(v.Timing.Renew), ".")}
	if v.Demo != nil {
		view.How = say(view.How, " The demo’s first boot made the sample work under a clock that began hours before the real one, and ended when that was done.")
	}
	alive := 0
	err := v.read(func(tx *store.Tx) error {
		boots, err := tx.Boots(shownBoots)
		if err != nil {
			return err
		}
		for _, b := range boots {
			row := templates.BootRow{ID: b.ID, Host: b.Host, Process: fmt.Sprint(b.PID), Started: v.at(b.StartedAt), Seen: v.at(b.SeenAt),
				Ended: v.at(b.DeadAt), Alive: b.DeadAt == 0}
			if row.Alive {
				alive++
			} else {
				row.Note = endKnown(b.DeclaredBy)
			}
			view.Boots = append(view.Boots, row)
		}
		leases, err := tx.Leases(v.permitted(authz.ReadIntents), shownLeases)
		for _, l := range leases {
			view.Leases = append(view.Leases, templates.LeaseRow{Href: "/intents/" + l.IntentID, ID: l.IntentID, Worker: l.Worker, Fence: l.Fence, Until: v.at(l.Until)})
		}
		return err
	})
	if err != nil {
		return err
	}
	view.Summary = say(counted(alive, "live process"), ", ", counted(len(view.Leases), "lease"), " in your accounts")
	return v.show(http.StatusOK, templates.Workers(view))
}

// endKnown says in words how the end of a process is known.
func endKnown(by string) templates.Text {
	switch by {
	case "itself":
		return say("it ended in order")
	case "the file's lock was free":
		return say("the next start found the database free, so it had ended")
	}
	return say("declared dead: ", by)
}

// providers shows the contracts in force, and the older ones behind them.
func (v *visit) providers() error {
	var contracts, older []model.Contract
	err := v.read(func(tx *store.Tx) (err error) {
		if contracts, err = tx.Contracts(); err != nil {
			return err
		}
		older, err = tx.OlderContracts()
		return err
	})
	if err != nil {
		return err
	}
	view := templates.ProvidersView{Page: v.titled("Providers")}
	for _, c := range contracts {
		last := len(view.Providers) - 1
		if last < 0 || view.Providers[last].Name != c.Provider {
			view.Providers = append(view.Providers, templates.ProviderView{Name: c.Provider, Anchor: "provider-" + c.Provider, Summary: say("Adapter ", templates.Code(c.Type))})
			last++
		}
		view.Providers[last].Contracts = append(view.Providers[last].Contracts, contractView(c))
	}
	for _, c := range older {
		old := contractView(c)
		old.Operation = c.Provider + ", " + c.Operation
		view.Older = append(view.Older, old)
	}
	return v.show(http.StatusOK, templates.Providers(view))
}

func contractView(c model.Contract) templates.ContractView {
	view := templates.ContractView{Operation: c.Operation, ID: c.ID, Source: c.Source, Checked: c.Checked}
	add := func(label string, parts ...any) {
		view.Facts = append(view.Facts, templates.Fact{Label: label, Text: say(parts...)})
	}
	if c.Keyed() {
		add("Key", c.Carrier)
		add("Remembered", orUnknown(span(c.Retention), c.Retention > 0), " from the first send")
		add("Kept", string(c.Stored))
		add("A repeat", orUnknown(c.OnRepeat, c.OnRepeat != ""))
	} else {
		add("Key", "none: never sent again while unknown")
	}
	add("Look-up", lookupWords(c))
	add("Longest call", span(c.LongestCall))
	if c.Settles {
		add("Settles", "within ", orUnknown(span(c.SettleLimit), c.SettleLimit > 0))
	}
	if c.Undo != "" {
		add("Undo", c.Undo)
	}
	if len(c.StoredCodes) > 0 {
		add("Refusals kept", strings.Join(c.StoredCodes, ", "))
	}
	if c.Keyed() && !c.ActsAreStored {
		view.Warning = say("A request that acted may not be kept: nothing is sent again while unknown.")
	}
	return view
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
