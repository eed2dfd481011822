package web

import (
	"encoding/hex"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"countersign/internal/actions"
	"countersign/internal/audit"
	"countersign/internal/authz"
	"countersign/internal/model"
	"countersign/internal/store"
	"countersign/web/templates"
)

// intentData is what the page of one intent reads.
type intentData struct {
	c         *model.Case
	record    recordPages
	kin       *model.Case // the parent of a compensation, or what undid the intent; nil is none
	people    []model.Person
	alike     store.Counted
	similar   []store.AlikeIntent
	linked    []model.Intent
	documents []store.DocumentHead
	files     map[string]string // by the ids of their uploads, the banks' files that are evidence
	listed    []store.ListedAct // what signed lists did about it
	entries   []audit.Item
	acts      []audit.Item          // the newest of what people did and only the log tells
	allActs   store.Counted         // how many there are of those
	alerts    []store.Alert         // those that stand
	lost      map[string]store.Boot // starts of lost workers that may still send
	notes     []store.Note
	moreNotes bool
	noted     store.Counted
	notesFrom string // the note behind which the list begins; "" is the newest
}

// How many look-alikes and entries the page lists, and how many acts it draws that
// only the log tells of.
const (
	shownAlike   = 5
	shownEntries = 12
	drawnActs    = 20
)

// caseOf reads an intent that the viewer may see; others do not exist.
func (v *visit) caseOf(tx *store.Tx, id string) (*model.Case, error) {
	c, err := tx.Case(id)
	return v.seen(c, err)
}

// outlineOf is caseOf without the middle of a long record, to show the intent.
func (v *visit) outlineOf(tx *store.Tx, id string) (*model.Case, error) {
	c, err := tx.Outline(id)
	return v.seen(c, err)
}

// seen holds an intent that was read against what the viewer may see.
func (v *visit) seen(c *model.Case, err error) (*model.Case, error) {
	if err != nil {
		return nil, err
	}
	if !v.actor.Sees(c.Account) {
		return nil, notFound("There is no intent %s, or it is not yours to see.", c.ID)
	}
	v.watch(c)
	return c, v.actor.May(c.Account, authz.ReadIntents).Err()
}

func (d *intentData) read(tx *store.Tx, v *visit, id string) (err error) {
	if d.c, err = v.outlineOf(tx, id); err != nil {
		return err
	}
	return tx.Together(
		func() error { return d.readLost(tx) },
		func() error { return d.record.read(tx, d.c, v.r.URL.Query()) },
		func() (err error) { d.people, err = tx.People(d.c.Account); return err },
		func() (err error) { d.alike, d.similar, err = tx.Alike(id, shownAlike); return err },
		func() (err error) { d.linked, err = tx.Linked(d.c); return err },
		func() error { return d.readKin(tx) },
		func() (err error) { d.alerts, err = tx.StandingAlerts(id); return err },
		func() (err error) { d.documents, err = tx.DocumentHeads(id); return err },
		func() error { return d.readFiles(tx) },
		func() (err error) { d.listed, err = tx.ListedActs(id); return err },
		func() (err error) { d.entries, err = v.Log.ForIntent(tx, id, shownEntries); return err },
		func() (err error) { d.acts, err = v.Log.Acts(tx, id, drawnActs); return err },
		func() (err error) { d.allActs, err = v.Log.CountActs(tx, id); return err },
		func() error { return d.readNotes(tx, v, id) })
}

// readFiles finds the banks' files among the documents of the newest evidence.
func (d *intentData) readFiles(tx *store.Tx) error {
	d.files = map[string]string{}
	var parts []func() error
	newest, _ := store.NewestEvidence(d.c, shownEvidence)
	for _, e := range newest {
		if id, uploaded := strings.CutPrefix(e.Document, "upload:"); uploaded {
			parts = append(parts, func() (err error) { d.files[id], err = tx.BankFileOf(id); return err })
		}
	}
	return tx.Together(parts...)
}

// readKin reads the intent that kinOf names, if any.
func (d *intentData) readKin(tx *store.Tx) (err error) {
	if id := kinOf(d.c); id != "" {
		d.kin, err = tx.Outline(id)
	}
	return err
}

func (d *intentData) readNotes(tx *store.Tx, v *visit, id string) error {
	d.notesFrom = legible(v.r.URL.Query().Get("notes"))
	return tx.Together(
		func() (err error) { d.notes, d.moreNotes, err = tx.Notes(id, d.notesFrom, shownNotes); return err },
		func() (err error) { d.noted, err = tx.CountNotes(id); return err })
}

// kinOf is the intent that has to be read too: what a compensation undoes, or
// what undid an intent; "" is none.
func kinOf(c *model.Case) string {
	if k := c.StandingCompensation(); k != nil && c.Parent == "" {
		return k.ChildID
	}
	return c.Parent
}

// intent answers the five questions about one intent, and shows its record.
func (v *visit) intent() error {
	view, err := v.viewOfIntent()
	if err != nil {
		return err
	}
	return v.show(http.StatusOK, templates.Intent(view))
}

// viewOfIntent reads the intent that the address names.
func (v *visit) viewOfIntent() (view templates.IntentView, err error) {
	var d intentData
	if err := v.read(func(tx *store.Tx) error { return d.read(tx, v, v.c.Param("id")) }); err != nil {
		return view, err
	}
	verdicts := actions.Verdicts(d.c, v.actor, d.people, v.Timing, v.Tiers, v.now())
	view = v.intentView(d, verdicts)
	view.StepUp = v.passwordAhead("/intents/"+d.c.ID, graveActs(verdicts)...)
	view.Notes, view.Exposure = v.notesOf(d), exposureOf(d.c).line()
	return view, nil
}

func (v *visit) intentView(d intentData, verdicts []actions.Verdict) templates.IntentView {
	c := d.c
	n := narrator{c: c, kin: d.kin, timing: v.Timing, clock: v.page.Clock, lost: d.lost, files: d.files, listed: d.listed, boss: v.actor.May(c.Account, authz.ManageWorkers).Allowed}
	who := decider{narrator: n, people: d.people, tiers: v.Tiers, actor: v.actor}
	view := templates.IntentView{Crumb: kindTitle(c.Kind), Party: c.Who(),
		ID: c.ID, State: intentState(&c.Intent), Reason: n.reason(), Version: c.Version, Owner: v.owner(c),
		Intended:  templates.IntendedView{Facts: n.intended(), LookAlikes: lookAlikes(d.alike), Params: string(c.Params), Fingerprint: hex.EncodeToString(c.Fingerprint), Documents: documentsOf(d.documents)},
		Confirmed: n.confirmed(), Uncertain: n.uncertain(), Next: n.next(), Actions: who.actionRows(verdicts), Signing: who.signing(),
		Links: v.linkRows(d), Audit: v.auditRows(d.entries), Sends: n.sends()}
	view.Page = v.titled(kindTitle(c.Kind) + " " + c.Who())
	if m, ok := c.Money(); ok {
		view.Money = &m
		view.Page.Title = kindTitle(c.Kind) + " " + m.String()
	}
	view.Verb, view.Joiner = n.title()
	view.Next.Facts = append(view.Next.Facts, v.alarms(d.alerts)...)
	view.Next.Action, view.Next.Second = who.proposedButtons(verdicts)
	n.record(&view, d.record)
	view.Timeline = n.overTime(d.acts, d.allActs)
	if len(view.Links) == 0 {
		view.LinksNote = say("No parent, no compensation, nothing that looks alike.")
	}
	view.MoreAudit = &templates.More{Before: say("The newest ", grouped(shownEntries), " at most."), Href: "/audit?intent=" + c.ID, Label: "All entries of this intent"}
	return view
}

func lookAlikes(n store.Counted) *templates.Note {
	if n.N == 0 {
		return nil
	}
	verb := " others have"
	if n.N == 1 {
		verb = " other has"
	}
	return &templates.Note{Kind: "mind", Text: []templates.Text{say(templates.Bold(count(n)+verb), " the same payee, amount and period: ", templates.Link("#links", "see below"), ".")}}
}

// owner says who has taken the intent, and what the viewer may do about it.
func (v *visit) owner(c *model.Case) templates.Owner {
	may := v.actor.May(c.Account, authz.TakeOwnership).Allowed
	o := templates.Owner{Name: c.OwnerName, TakeLabel: "Take it", MayTake: may && c.Owner != v.actor.ID, MayRelease: may && c.Owner == v.actor.ID}
	if c.Owner != "" {
		o.TakeLabel = "Take it over"
	}
	if c.Owner != "" && c.Owner == v.actor.ID {
		o.Name = "you"
	}
	return o
}

func documentsOf(list []store.DocumentHead) (out []templates.Document) {
	for _, d := range list {
		state := "stands"
		if d.VoidedAt != 0 {
			state = "void"
		}
		out = append(out, templates.Document{Href: "/documents/" + url.PathEscape(d.StepKey), Label: fmt.Sprintf("Statement %s, revision %d", d.Period, d.Revision),
			Sub: say(state, ", ", grouped(d.Size), " bytes, SHA-256 ", templates.Key(d.Hash()))})
	}
	return out
}

// linkRows lists what is linked to the intent and what looks like it.
func (v *visit) linkRows(d intentData) (rows []templates.LinkRow) {
	add := func(i model.Intent, why string) {
		row := templates.LinkRow{Href: "/intents/" + i.ID, Title: say(headline(i.Kind, i.Who())), ID: i.ID, Why: say(why),
			Sub: say("asked by ", templates.Name(i.CreatedBy), ", ", v.at(i.CreatedAt)), State: intentState(&i), Money: money(i.Amount, i.Currency)}
		rows = append(rows, row)
	}
	for _, i := range d.linked {
		if i.ID == d.c.Parent {
			add(i, "What this one undoes, from "+d.c.ParentStep+" on")
		} else {
			add(i, "Undoes "+i.ParentStep)
		}
	}
	for _, i := range d.similar {
		add(i.Intent, "Same payee, amount and period")
	}
	return rows
}
