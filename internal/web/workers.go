package web

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"countersign/internal/actions"
	"countersign/internal/authz"
	"countersign/internal/model"
	"countersign/internal/store"
	"countersign/internal/web/problem"
	"countersign/web/templates"
)

// shownBoots and shownLeases bound the page of workers.
const (
	shownBoots  = 50
	shownLeases = 100
)

// workers shows the processes and the leases that they hold.
func (v *visit) workers() error {
	var leases []store.Lease
	page, err := v.Runner.WorkersWith(v.r.Context(), v.actor, v.c.QueryParam("after"), shownBoots, func(tx *store.Tx) (err error) {
		leases, err = tx.Leases(v.permitted(authz.ReadIntents), shownLeases)
		return err
	})
	if err != nil {
		return err
	}
	view := templates.WorkersView{Page: v.titled("Workers"), How: v.howBoots()}
	for _, w := range page.Items {
		if row := v.bootRow(w); w.DeadAt == 0 {
			view.Boots = append(view.Boots, row)
		} else {
			view.Dead = append(view.Dead, row)
		}
	}
	for _, l := range leases {
		view.Leases = append(view.Leases, templates.LeaseRow{Href: "/intents/" + l.IntentID, ID: l.IntentID, Worker: l.Worker, Fence: l.Fence, Until: v.at(l.Until)})
	}
	if v.c.QueryParam("done") == "declared" {
		view.Page.Flash = &templates.Note{Kind: "ok", Title: say("Declared dead."), Text: []templates.Text{say("What it held is recovered now. Where its call may still have been on its way, the intent’s page says from when “not found” is final.")}}
	}
	if page.NextCursor != nil {
		view.More = &templates.More{Before: say(grouped(int64(page.Count)), " starts in all."), Href: "/workers?after=" + url.QueryEscape(*page.NextCursor), Label: "Older ones"}
	}
	view.Summary = say(counted(len(view.Boots), "process"), " not known to be dead, ", counted(len(view.Leases), "lease"), " in your accounts")
	return v.show(http.StatusOK, templates.Workers(view))
}

func (v *visit) howBoots() templates.Text {
	text := say("Every start of a process that does the engine’s work is a boot of its own. A living one is seen every ", span(v.Timing.Renew), ".")
	if v.Demo != nil {
		text = say(text, " The demo’s first boot made the sample work under a clock that began about a month before the real one, and ended when that was done.")
	}
	return text
}

// bootRow shows one start; whoever administers an account is led to declare it
// dead, where it does not answer them itself.
func (v *visit) bootRow(w actions.Worker) templates.BootRow {
	row := templates.BootRow{ID: w.ID, Host: w.Host, Process: fmt.Sprint(w.PID), Started: v.at(w.StartedAt), Seen: v.at(w.SeenAt), Ended: v.at(w.DeadAt),
		Workers: grouped(int64(w.Boot.Workers)), Leases: grouped(int64(w.Leases)), State: "alive"}
	switch {
	case w.DeadAt != 0:
		row.State, row.Note = "dead", endKnown(w.DeclaredBy)
		return row
	case w.Silent:
		row.State, row.Note = "silent", say("for longer than a lease: it hangs, is cut off, or is dead")
	case w.Own:
		row.Note = say("it answers you")
	}
	if !w.Own && len(v.permitted(authz.ManageWorkers)) > 0 {
		row.Declare = &templates.Button{Href: declarePath(w.ID), Label: "Declare dead"}
	}
	return row
}

func declarePath(boot string) string { return "/workers/" + boot + "/declare-dead" }

// endKnown says in words how the end of a process is known.
func endKnown(by string) templates.Text {
	switch by {
	case "itself":
		return say("it ended in order")
	case "the file's lock was free":
		return say("the next start found the database free, so it had ended")
	case "its machine's lock was free":
		return say("another process on its machine found its lock free, so it had ended")
	}
	return say("declared dead by ", templates.Name(by))
}

// declaration is the form as typed.
type declaration struct {
	Reason  string `form:"reason"`
	Confirm string `form:"confirm"`
}

// declareForm says what it means to declare a process dead, and asks why.
func (v *visit) declareForm() error {
	w, may, err := v.Runner.Worker(v.r.Context(), v.actor, v.c.Param("id"))
	if err != nil {
		return err
	}
	status := http.StatusOK
	if may.Code == authz.CodeDenied {
		status = http.StatusForbidden
	}
	return v.show(status, templates.Declare(v.declareView(w, may, declaration{})))
}

// declareDead takes the form.
func (v *visit) declareDead() error {
	var typed declaration
	if err := v.bind(&typed); err != nil {
		return err
	}
	id := v.c.Param("id")
	_, err := v.Runner.DeclareDead(v.r.Context(), v.actor, id, actions.Declaration{Reason: typed.Reason, Confirm: typed.Confirm})
	if err == nil {
		v.wake()
		return v.to("/workers?done=declared")
	}
	invalid, stepUp := errors.Is(err, model.Invalid), problem.Of(err).Name == authz.CodeStepUp
	if !invalid && !stepUp {
		return err
	}
	w, may, e := v.Runner.Worker(v.r.Context(), v.actor, id)
	if e != nil {
		return e
	}
	view := v.declareView(w, may, typed)
	if stepUp {
		view.Page.Flash = stepUpNote(err, "Nothing was changed.", declarePath(id))
	} else {
		view.Errors = declareFaults(err)
	}
	return v.show(problem.Of(err).Status, templates.Declare(view))
}

// declareFaults places what is to be mended at its field.
func declareFaults(err error) (list templates.FieldErrors) {
	for _, f := range problem.Of(err).Errors {
		subject := "The reason "
		if f.Location == "/confirm" {
			subject = "What you typed "
		}
		list = append(list, templates.FieldError{Field: strings.TrimPrefix(f.Location, "/"), Message: subject + f.Message})
	}
	return list
}

func (v *visit) declareView(w actions.Worker, may authz.Decision, typed declaration) templates.DeclareView {
	view := templates.DeclareView{Page: v.titled("Declare a process dead"), Title: "Declare a process dead", ID: w.ID, Post: declarePath(w.ID), Typed: typed.Confirm,
		Reason: templates.ReasonField{Value: typed.Reason, Hint: "How you know that it has ended: who ended it, when and how. It goes into the audit log."}}
	view.Facts = []templates.Fact{{Label: "Boot", Text: say(templates.Key(w.ID))}, {Label: "Host", Text: say(w.Host)}, {Label: "Process id", Text: say(fmt.Sprint(w.PID))},
		{Label: "Started", Text: say(v.at(w.StartedAt))}, {Label: "Last seen", Text: say(v.at(w.SeenAt), ", ", templates.Ago(v.at(w.SeenAt)))},
		{Label: "Leases", Text: say(grouped(int64(w.Leases)), " in your accounts")}}
	view.Meaning = v.deathMeans(w)
	switch {
	case !may.Allowed:
		view.Refused = &templates.Note{Kind: "no", Title: say("Refused: ", may.Because), Text: []templates.Text{say("Rule: ", templates.Code(may.Rule))}}
	case !w.Silent:
		view.Warning = &templates.Note{Kind: "mind", Title: say("It was seen ", templates.Ago(v.at(w.SeenAt)), ": it is very likely alive."),
			Text: []templates.Text{say("A living process that is declared dead can still have a request under way, and what is decided in the belief that it has none can become a second payment. Unless you have just ended it yourself, leave.")}}
	}
	return view
}

// deathMeans says what comes first, and what follows.
func (v *visit) deathMeans(w actions.Worker) []templates.Line {
	return []templates.Line{
		{Text: say(templates.Bold("First end the process on its machine"), ": ", templates.Code(fmt.Sprintf("kill -9 %d", w.PID)), " on ", templates.Code(w.Host), ", or switch that machine off."),
			Sub: say("Nobody here can do that for you, nor see whether it was done. A process that is only cut off or asleep can wake up and send.")},
		{Text: say("What it held is taken away from it and recovered at once by another process."),
			Sub: say("A step with a key may be sent again under the same key; one without is not, and stays unknown.")},
		{Text: say("“Not found” becomes final, and a mark “did not happen” possible, once its calls must have ended."),
			Sub: say("That is from now on the deadline of its call (", span(v.Timing.Call), "), the provider’s longest call and the time that it needs to show an object. Each intent’s page says the moment.")},
		{Text: say("Should it be alive after all, it claims nothing more, and ends as soon as it notices."),
			Sub: say("What it still brings is kept as late evidence and changes no state by itself. To go on, it is started again.")},
	}
}

// readLost reads the starts of lost workers that may still send.
func (d *intentData) readLost(tx *store.Tx) error {
	d.lost = map[string]store.Boot{}
	var ids []string
	for _, s := range d.c.Steps {
		ids = append(ids, d.c.MayStillSend(s)...)
	}
	boots, err := tx.BootsBy(ids)
	for _, b := range boots {
		d.lost[b.ID] = b
	}
	return err
}

// awaitedDeath says which processes may still send a step, and who can end the
// wait; nil where there is none.
func (n narrator) awaitedDeath(s *model.Step) (text templates.Text) {
	for _, id := range n.c.MayStillSend(s) {
		if text != nil {
			text = say(text, " ")
		}
		b, known := n.lost[id]
		if !known {
			text = say(text, "Worker ", templates.Key(id), " was lost, and nobody knows that its process is dead.")
			continue
		}
		text = say(text, "Worker ", templates.Key(id), " was lost. Its process, ", templates.Code(fmt.Sprint(b.PID)), " on ", templates.Code(b.Host),
			", last seen ", n.clockAt(b.SeenAt), ", is not known to be dead and may still send. It is known once a process on its machine finds its lock free, or when an administrator has ended it and ")
		if n.boss {
			text = say(text, templates.Link(declarePath(id), "declares it dead"), ".")
		} else {
			text = say(text, templates.Link("/workers#boot-"+id, "declares it dead"), ".")
		}
	}
	return text
}
