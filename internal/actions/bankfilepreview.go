package actions

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"countersign/internal/authz"
	"countersign/internal/bankfile"
	"countersign/internal/model"
	"countersign/internal/store"
)

// PreviewBankFile plans a mark of "happened" for each of the chosen lines, by
// their numbers in the file, changes nothing, and freezes them as a list for its
// own actor: it is confirmed, signed and carried out as every list is, through
// ConfirmBulk, and its plans not by themselves. Who uploaded the file or named its
// columns does not sign it. An item's document is the file, its reference the
// bank's or what the line says, its date the booking day. What does not prove its
// step any more, and what the rules of a mark refuse, is excluded with its rule
// and sentence; of two lines of one intent the second is. Errors: kind NotFound for
// a file that is not the actor's to see; Denied with code "denied" (with an entry)
// or "step-up-required"; Invalid for no lines, more than MaxBulk (code
// "too-large"), and lines that the file does not have or that name no step of ours;
// Conflict for a file that waits for its mapping; Stale where the mapping was
// changed meanwhile.
func (r *Runner) PreviewBankFile(ctx context.Context, actor authz.Actor, id string, lines []int) (b model.Bulk, err error) {
	reading, err := r.ReadBankFile(ctx, actor, id)
	if err != nil {
		return b, err
	}
	err = r.db.View(ctx, func(tx *store.Tx) error {
		return r.entitled(tx, actor, reading.Account, mark.Needs, notFound("bank file", id))
	})
	if codeOf(err) == authz.CodeDenied {
		return b, errors.Join(err, r.noteDenial(ctx, actor, reading.Account, mark, PreviewRequest{}, err))
	}
	if err != nil {
		return b, err
	}
	return r.previewReading(ctx, actor, reading, lines)
}

// previewReading plans the chosen lines of a file as it was read.
func (r *Runner) previewReading(ctx context.Context, actor authz.Actor, reading BankReading, lines []int) (b model.Bulk, err error) {
	targets, err := reading.targets(lines)
	if err != nil {
		return b, err
	}
	l := listing{Runner: r, actor: actor, action: mark, account: reading.Account, until: time.Now().Add(patience)}
	if err := l.planAll(ctx, targets); err != nil {
		return b, err
	}
	l.creators = append(l.creators, reading.answering()...)
	b = l.frozen()
	b.BankFile = reading.ID
	err = r.db.Update(ctx, func(tx *store.Tx) error {
		now, err := tx.LockBankFile(b.BankFile)
		if err != nil {
			return err
		}
		if !bytes.Equal(now.Mapping, reading.Mapping) {
			return model.Errorf(model.Stale, "stale", "The columns of this file were named anew meanwhile; nothing was stored. Look at what it says now.")
		}
		l.name(tx, &b)
		return tx.InsertBulk(b, l.previews)
	})
	return b, err
}

// answering are the ids of those who supplied what the file says: who uploaded it,
// and who named its columns. They do not sign a list of it.
func (b *BankReading) answering() []string {
	if b.MappedBy == "" {
		return []string{b.Person}
	}
	return []string{b.Person, b.MappedBy}
}

// targets are the items of a list of marks of the chosen lines, in the order of
// the file.
func (b *BankReading) targets(lines []int) (targets []target, err error) {
	chosen := map[int]bool{}
	for _, number := range lines {
		chosen[number] = true
	}
	switch {
	case b.Waiting:
		return nil, model.Errorf(model.Conflict, "conflict", "Nobody has said yet what the columns of this file hold.")
	case len(chosen) == 0:
		return nil, invalid("/lines", "names no line")
	case len(chosen) > MaxBulk:
		return nil, model.Errorf(model.Invalid, "too-large", "A list holds at most %d lines; nothing was stored.", MaxBulk)
	}
	listed := map[string]int{} // by intent, the line that its item is of
	for i := range b.Matches {
		m := &b.Matches[i]
		if !chosen[m.Number] {
			continue
		}
		if m.Step == nil {
			return nil, invalid(fmt.Sprintf("/lines/%d", m.Number), "names no step of this account, or several")
		}
		t := target{intent: m.Step.IntentID, step: m.Step.Name, refused: mayRecord(m, listed[m.Step.IntentID])}
		if t.refused == nil {
			t.input, t.because = b.statement(m), fmt.Sprintf("Line %d: %s", m.Number, m.Because)
			listed[t.intent] = m.Number
		}
		targets = append(targets, t)
		delete(chosen, m.Number)
	}
	for number := range chosen {
		return nil, invalid(fmt.Sprintf("/lines/%d", number), "is no line of this file")
	}
	return targets, nil
}

// mayRecord rules on a line before its step is looked at; other is a line of the
// same intent that is on the list already, or 0.
func mayRecord(m *bankfile.Match, other int) error {
	switch {
	case m.Finding != bankfile.Proves:
		return no("bankfile."+string(m.Finding), fmt.Sprintf("Line %d proves nothing now. %s", m.Number, m.Because)).err()
	case other != 0:
		return no("bankfile.same-intent", fmt.Sprintf("Line %d is about the intent that line %d is about: confirm that one first, then preview this one.", m.Number, other)).err()
	}
	return nil
}

// statement is what is recorded of a line that proves its step: that it happened,
// never that it did not.
func (b *BankReading) statement(m *bankfile.Match) json.RawMessage {
	amount := m.Step.Amount // of the line too, which has a sign
	raw, err := json.Marshal(markInput{Result: markHappened, ExternalRef: b.lineRef(m), Amount: &amount, Currency: m.Currency, Date: m.BookedOn,
		Document: &markDocument{Upload: b.Upload}})
	if err != nil {
		panic(err) // texts and numbers always encode
	}
	return raw
}
