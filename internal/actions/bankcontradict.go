package actions

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"countersign/internal/audit"
	"countersign/internal/authz"
	"countersign/internal/bankfile"
	"countersign/internal/model"
	"countersign/internal/store"
)

// BankContradiction is what a person says who records that a bank's line
// contradicts a step. Step is the key of the step that the line named when they
// looked, "" for whichever it names now; Reason has 8 to 2,000 characters.
type BankContradiction struct {
	Step   string
	Reason string
}

// RecordContradiction records that a line of a bank's file shows the payment of a
// step that had failed safely or was not needed, and gives the step's intent. A
// conflict opens: the intent goes to review, and nothing more is sent for it until a
// mark says what is true. Nothing is sent and no money is counted as paid, so one
// person who may mark suffices. A line that is recorded of its step already is the
// same answer and changes nothing; so is a repeat after an error of kind Unknown.
// Errors: kind NotFound for a file that is not the actor's to see; Denied with code
// "denied" or "step-up-required"; Invalid for the reason, and for a line that the file
// does not have or that names no step of ours; Conflict for a file that waits for its
// mapping, and with code "action-refused" where the line contradicts nothing as things
// stand, or a send is in flight. Each denial and refusal leaves one entry.
func (r *Runner) RecordContradiction(ctx context.Context, actor authz.Actor, fileID string, line int, in BankContradiction) (intent string, err error) {
	said := Confirmation{Reason: in.Reason}
	if err := said.check(); err != nil {
		return "", err
	}
	in.Reason = said.Reason
	reading, err := r.ReadBankFile(ctx, actor, fileID)
	if err != nil {
		return "", err
	}
	m, err := reading.lineOfStep(line)
	if err != nil {
		return "", err
	}
	d := contradicting{Runner: r, actor: actor, file: &reading, m: m, in: in}
	err = patiently(ctx, func(last bool) error {
		return r.db.Update(ctx, func(tx *store.Tx) error { return d.run(tx, last) })
	})
	if err == nil {
		err = d.refusal
	}
	return m.Step.IntentID, err
}

// lineOfStep finds a line of the file by its number, and that it names one step.
func (b *BankReading) lineOfStep(line int) (*bankfile.Match, error) {
	if b.Waiting {
		return nil, model.Errorf(model.Conflict, "conflict", "Nobody has said yet what the columns of this file hold.")
	}
	at := slices.IndexFunc(b.Matches, func(m bankfile.Match) bool { return m.Number == line })
	if at < 0 || b.Matches[at].Step == nil {
		return nil, invalid("/line", "is no line of this file, or names no step of this account, or several")
	}
	return &b.Matches[at], nil
}

// Contradicts reports whether a line may be recorded as contradicting its step: it
// is booked, has the step's amount, currency and direction, and the step had failed
// safely or was not needed. A line that is recorded of the step already does not.
func (b *BankReading) Contradicts(m *bankfile.Match) bool {
	return contradicts(m) && !slices.Contains(m.Step.LineRefs, b.lineRef(m))
}

func contradicts(m *bankfile.Match) bool {
	return m.Finding == bankfile.Ended && (m.Step.State == model.FailedSafely || m.Step.State == model.NotNeeded)
}

// contradicting records one contradiction. A second run begins anew.
type contradicting struct {
	*Runner
	actor   authz.Actor
	file    *BankReading
	m       *bankfile.Match
	in      BankContradiction
	refusal error // committed as an entry: the transaction did nothing else
}

// run decides on the locked intent, and records. An error rolls everything back.
func (d *contradicting) run(tx *store.Tx, last bool) (err error) {
	d.refusal = nil
	c, err := tx.LockCase(d.m.Step.IntentID)
	if err != nil {
		return err
	}
	s := c.Step(d.m.Step.Name)
	entry := audit.Entry{Actor: entryActor(d.actor, c.Account), Event: "bankfile.denied", Account: c.Account, Intent: c.ID, StepKey: s.Key(), Reason: d.in.Reason,
		Detail: map[string]any{"bank_file": d.file.ID, "line": d.m.Number}}
	if d.refusal, err = d.refusedBy(tx, d.actor, entry, authz.MarkExternalResult, notFound("bank file", d.file.ID)); err != nil || d.refusal != nil {
		return err
	}
	ref := d.file.lineRef(d.m)
	if recordedFrom(s, ref) {
		return nil
	}
	if onlyLooking(c, tx.Now()) && !last {
		return errLooking
	}
	mapping, err := tx.LockBankFile(d.file.ID)
	if err != nil {
		return err
	}
	if r := d.may(c, s, bytes.Equal(mapping.Mapping, d.file.Mapping), tx.Now()); !r.allowed {
		d.refusal = asProblem(r.err())
		entry.Event, entry.Result, entry.Policy = "bankfile.contradiction.refused", codeOf(d.refusal), r.rule
		_, err := d.log.Append(tx, entry)
		return err
	}
	return d.record(tx, c, s, ref, entry)
}

// recordedFrom reports whether a bank's line is recorded of the step already.
func recordedFrom(s *model.Step, ref string) bool {
	return slices.ContainsFunc(s.Evidence, func(e model.Evidence) bool { return e.Source == model.FromBankFile && e.Ref == ref })
}

// may rules on the line and the step as it is under the lock; same says that the
// file's columns are named as they were when it was read.
func (d *contradicting) may(c *model.Case, s *model.Step, same bool, now model.Time) ruling {
	read := d.m.Step
	switch r, busy := flying(c, now); {
	case d.in.Step != "" && d.in.Step != read.Key, !same:
		return no("bankfile.moved", fmt.Sprintf("Line %d does not name the step that it named when you looked. Nothing was recorded: look again.", d.m.Number))
	case !contradicts(d.m):
		return no("bankfile.no-contradiction", fmt.Sprintf("Line %d shows no payment of a step that had ended without effect. Nothing was recorded. %s", d.m.Number, d.m.Because))
	case busy:
		return r
	case c.Contradicted(s):
		return no("bankfile.contradicted", "Two observations of "+s.Name+" contradict each other already: nothing more is sent until a mark says what is true. Nothing was recorded.")
	case s.Key() != read.Key, s.State != read.State:
		return no("bankfile.moved", s.Name+" moved while the file was read. Nothing was recorded: look again.")
	}
	return yes("bankfile.contradiction", "The line shows a payment of a step that had ended without effect.")
}

// record opens the conflict by what the line says, with its entry.
func (d *contradicting) record(tx *store.Tx, c *model.Case, s *model.Step, ref string, entry audit.Entry) error {
	look := d.look(tx, ref)
	if _, err := c.Observe(s, look, d.timing, rand.Float64(), tx.Now()); err != nil {
		return err
	}
	c.Fence++
	if err := d.dismissMoved(tx, c, ""); err != nil {
		return err
	}
	if err := d.log.Record(tx, c, entry.Actor, d.timing); err != nil {
		return err
	}
	entry.Event, entry.Result = "bankfile.contradiction", "recorded"
	entry.Detail["evidence"], entry.Detail["ref"] = look.EvidenceID, ref
	_, err := d.log.Append(tx, entry)
	return err
}

// look is the line as an observation.
func (d *contradicting) look(tx *store.Tx, ref string) model.Look {
	m, booked, on := d.m, model.Time(0), ""
	if day, err := time.Parse(time.DateOnly, m.BookedOn); err == nil {
		booked, on = model.At(day), " on "+m.BookedOn
	}
	way := "coming in"
	if m.Amount < 0 {
		way = "going out"
	}
	amount := m.Step.Amount // of the line too, which has a sign
	says := fmt.Sprintf("Line %d of the bank's file “%s” shows %s %s%s, recorded as %s.", m.Number, d.file.Name, model.Money{Amount: amount, Currency: m.Currency}, way, on, ref)
	return model.Look{Observation: model.Observation{Finding: model.FoundHappened, ExternalRef: ref, Amount: amount, Currency: m.Currency, Detail: says},
		Source: model.FromBankFile, By: d.actor.Name, EvidenceID: tx.NewID("evidence"), Began: tx.Now(),
		Document: "upload:" + d.file.Upload, DocSHA256: hex.EncodeToString(d.file.SHA256), Dated: booked}
}
