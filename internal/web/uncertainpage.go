package web

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"countersign/internal/audit"
	"countersign/internal/authz"
	"countersign/internal/model"
	"countersign/internal/store"
	"countersign/web/templates"
)

// ageHeads are the columns of the table, one for each of store.UncertainAges and one
// for what is older.
var ageHeads = []string{"Under 1 h", "1 to 6 h", "6 to 24 h", "Over a day"}

// uncertainData is what the page of open uncertainty reads.
type uncertainData struct {
	parts    []store.UncertainPart
	looked   int
	settling []store.Settling
	crowded  bool // more settles in an account than was looked at
	cases    []*model.Case
	more     bool
	lately   lately
}

// shownUncertain is how many intents the page lists; the queue has the rest.
const shownUncertain = 20

// uncertainty shows all open uncertainty: the number of the morning, by provider,
// currency, age and kind.
func (v *visit) uncertainty() error {
	accounts := v.actor.Accounts()
	var d uncertainData
	if err := v.read(func(tx *store.Tx) error { return d.read(tx, v, accounts) }); err != nil {
		return err
	}
	view := templates.UncertainPageView{Page: v.titled("Uncertain"), Heading: "Uncertain, " + strings.Join(accounts, ", "), Ages: ageHeads,
		Rows: v.uncertainRows(d.parts), Kinds: kindRows(d.parts), Charts: charts(d.parts), Settling: v.settlingRows(d.settling), File: "/uncertain/file?format=csv"}
	sums := sumParts(d.parts)
	view.Sums, view.Plain = v.sums(sums, d.looked > store.MaxCount), v.plainSums(sums, d)
	view.Sums.Href = ""
	if d.crowded {
		view.Crowded = say("More than ", grouped(store.MaxCount), " effects of one account settle; the sums are of those that must settle first.")
	}
	view.Since, view.Disputed = v.lately(d.lately), disputed(d.parts)
	for _, c := range d.cases {
		view.Effects = append(view.Effects, v.effectRows(c)...)
	}
	if d.more {
		view.More = &templates.More{Before: say("The longest uncertain of them all."), Href: "/?state=" + store.StateUnknown, Label: "All of them in the queue"}
	}
	if len(view.Rows) == 0 {
		view.Empty = &templates.EmptyView{Title: "Nothing is uncertain", Text: say("Every effect that was sent is certain, or settling within its time. Nothing leaves this list by age.")}
	}
	return v.show(http.StatusOK, templates.Uncertain(view))
}

func (d *uncertainData) read(tx *store.Tx, v *visit, accounts []string) error {
	return tx.Together(
		func() (err error) { d.parts, d.looked, err = tx.UncertainParts(accounts, v.now()); return err },
		func() (err error) { d.settling, d.crowded, err = tx.Settling(accounts); return err },
		func() (err error) { return d.lately.read(tx, v) },
		func() error {
			rows, more, err := tx.List(store.ListFilter{Accounts: accounts, State: store.StateUnknown, Limit: shownUncertain})
			if err != nil {
				return err
			}
			d.more = more
			d.cases, err = tx.Outlines(rows)
			return err
		})
}

// sumParts adds the parts up by currency; currencies are never added up.
func sumParts(parts []store.UncertainPart) (sums []store.Uncertain) {
	for _, p := range parts {
		at := slices.IndexFunc(sums, func(u store.Uncertain) bool { return u.Currency == p.Currency })
		if at < 0 {
			at, sums = len(sums), append(sums, store.Uncertain{Currency: p.Currency, Oldest: p.Oldest})
		}
		u := &sums[at]
		u.Effects, u.Amount, u.Oldest = u.Effects+p.Effects, u.Amount+p.Amount, min(u.Oldest, p.Oldest)
	}
	slices.SortFunc(sums, func(a, b store.Uncertain) int { return strings.Compare(a.Currency, b.Currency) })
	return sums
}

// add adds a part to a cell of a table.
func add(c *templates.UncertainCell, p store.UncertainPart) {
	c.Count, c.Noun = c.Count+p.Effects, "effect"
	if p.Currency == "" {
		return
	}
	sum := model.Money{Currency: p.Currency, Amount: p.Amount}
	if c.Money != nil {
		sum.Amount += c.Money.Amount
	}
	c.Money = &sum
}

// currencyOf is the part's currency as the lists filter by it.
func currencyOf(p store.UncertainPart) string {
	if p.Currency == "" {
		return store.NoMoney
	}
	return p.Currency
}

// uncertainRows sums the parts by provider and currency, in columns of age.
func (v *visit) uncertainRows(parts []store.UncertainPart) (rows []templates.UncertainRow) {
	for _, p := range parts {
		last := len(rows) - 1
		if last < 0 || rows[last].Provider != p.Provider || rows[last].Currency != p.Currency {
			href := queueQuery{state: store.StateUnknown, currency: currencyOf(p), provider: p.Provider}.address()
			rows = append(rows, templates.UncertainRow{Href: href, Provider: p.Provider, Currency: p.Currency, Cells: make([]templates.UncertainCell, len(ageHeads)), Oldest: v.at(p.Oldest)})
			last++
		}
		row := &rows[last]
		add(&row.Cells[p.Age], p)
		add(&row.Together, p)
		if p.Oldest < model.Time(row.Oldest.At) {
			row.Oldest = v.at(p.Oldest)
		}
	}
	return rows
}

// kindRows sums the parts by kind and currency.
func kindRows(parts []store.UncertainPart) (rows []templates.UncertainKind) {
	for _, p := range parts {
		at := slices.IndexFunc(rows, func(r templates.UncertainKind) bool { return r.Value == p.Kind && r.Currency == p.Currency })
		if at < 0 {
			href := queueQuery{state: store.StateUnknown, kind: p.Kind, currency: currencyOf(p)}.address()
			at, rows = len(rows), append(rows, templates.UncertainKind{Href: href, Value: p.Kind, Kind: kindTitle(p.Kind), Currency: p.Currency})
		}
		add(&rows[at].Together, p)
	}
	slices.SortStableFunc(rows, func(a, b templates.UncertainKind) int { return strings.Compare(a.Kind+a.Currency, b.Kind+b.Currency) })
	return rows
}

// settlingRows shows what is accepted and in transit.
func (v *visit) settlingRows(list []store.Settling) (rows []templates.SettlingRow) {
	for _, s := range list {
		rows = append(rows, templates.SettlingRow{Provider: s.Provider, Count: s.Effects, Money: money(s.Amount, s.Currency), FirstDue: v.at(s.FirstDue)})
	}
	return rows
}

// disputed says what of the sums is money that a dispute is about: it is at stake,
// and nobody sent it. nil where there is none.
func disputed(parts []store.UncertainPart) templates.Text {
	var sums []model.Money
	effects := 0
	for _, p := range parts {
		if p.Operation != model.DisputeRespond || p.Currency == "" {
			continue
		}
		effects += p.Effects
		at := slices.IndexFunc(sums, func(m model.Money) bool { return m.Currency == p.Currency })
		if at < 0 {
			sums = append(sums, model.Money{Amount: p.Amount, Currency: p.Currency})
			continue
		}
		sums[at].Amount += p.Amount
	}
	if effects == 0 {
		return nil
	}
	text := say("Of these sums ")
	for i, m := range sums {
		if i > 0 {
			text = say(text, " and ")
		}
		text = say(text, m)
	}
	verb := " is the disputed amount of "
	if len(sums) > 1 {
		verb = " are the disputed amounts of "
	}
	return say(text, verb, counted(effects, "response"), " of which nobody knows whether the provider has it. That money is at stake and was not sent by us; it counts in full until the response is certain.")
}

// lately is what the log knows of the last day: the steps that became unknown,
// and those of them that are still.
type lately struct {
	since  model.Time
	came   map[string]bool // by <intent id>:<step name>
	open   int
	capped bool
}

// lookedBack is how many of the newest entries are looked at.
const lookedBack = 1000

func (l *lately) read(tx *store.Tx, v *visit) error {
	l.since, l.came = v.now().Add(-24*time.Hour), map[string]bool{}
	items, err := v.Log.List(tx, audit.Filter{Accounts: audit.Of(v.permitted(authz.ReadIntents)...), Event: "step." + string(model.OutcomeUnknown), Newest: true, Limit: lookedBack})
	if err != nil {
		return err
	}
	intents := map[string]bool{}
	for _, item := range items {
		if item.At < l.since {
			break
		}
		name, _, _ := strings.Cut(item.StepKey, "#")
		l.came[name], intents[item.Intent] = true, true
	}
	l.capped = len(items) == lookedBack && items[len(items)-1].At >= l.since
	var ids []string
	for id := range intents {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	still, err := tx.StillUnknown(ids)
	for _, step := range still {
		if l.came[step] {
			l.open++
		}
	}
	return err
}

// lately says what changed since yesterday, as the log has it; nil where it has
// too much to be told in full.
func (v *visit) lately(l lately) templates.Text {
	if l.capped {
		return nil
	}
	text := say("Since ", v.at(l.since), ", a day ago: ")
	came, gone := len(l.came), len(l.came)-l.open
	switch {
	case came == 0:
		return say(text, "nothing became uncertain.")
	case gone == 0:
		return say(text, counted(came, "effect"), " became uncertain, and ", stillOpen(came))
	case l.open == 0:
		return say(text, counted(came, "effect"), " became uncertain, and every one is certain by now.")
	}
	return say(text, counted(came, "effect"), " became uncertain; ", grouped(int64(gone)), " of them ", isAre(gone), " certain by now, ", grouped(int64(l.open)), " still open.")
}

func stillOpen(n int) string {
	if n == 1 {
		return "is still open."
	}
	return "all of them are still open."
}

// effectRows lists an intent's effects in doubt.
func (v *visit) effectRows(c *model.Case) (rows []templates.EffectRow) {
	n := narrator{c: c, timing: v.Timing, clock: v.page.Clock}
	lead, why := n.proposal()
	for _, s := range c.Steps {
		if !s.InDoubt() {
			continue
		}
		row := templates.EffectRow{Href: "/intents/" + c.ID, Who: c.Who(), What: kindTitle(c.Kind) + " · " + s.Name, ID: c.ID, Provider: s.Provider,
			Since: v.at(s.UncertainSince), Proposed: lead, Why: why.InColumn(), Owner: c.OwnerName}
		if sent := s.SentAt(); sent != 0 && s.UncertainSince.Sub(sent) >= time.Minute {
			row.Sent = v.at(sent)
		}
		if s.HasMoney() {
			row.Money = money(s.Open, s.Currency)
		}
		rows = append(rows, row)
	}
	return rows
}
