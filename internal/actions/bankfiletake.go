package actions

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"countersign/internal/audit"
	"countersign/internal/authz"
	"countersign/internal/bankfile"
	"countersign/internal/model"
	"countersign/internal/store"
)

// TakeBankFile stores a bank's file of an account as an upload of its own, once:
// the same bytes again in the account give the first one, with Known set, and
// store nothing. Its bytes need not be UTF-8. A CSV is stored unread and waits for
// MapBankFile; any other file must be readable. Stored files have one audit entry,
// bankfile.stored. Errors: kind NotFound behind an account wall; Denied for who may
// not mark (with an entry); Invalid, with code "too-large" over MaxUpload, for a
// name that is none and for a file that cannot be read, with a sentence that says
// where and why. After an error nothing is stored.
func (r *Runner) TakeBankFile(ctx context.Context, actor authz.Actor, account, name string, body []byte) (BankFile, error) {
	if err := actor.May(account, authz.MarkExternalResult).Err(); err != nil {
		return BankFile{}, r.noteDenials(ctx, actor, "bankfile.denied", []string{account}, err)
	}
	switch {
	case len(body) > MaxUpload:
		return BankFile{}, model.Errorf(model.Invalid, "too-large", "A bank's file has at most 5 MiB; nothing was stored.")
	case name == "" || len(name) > maxRef || !plain(name):
		return BankFile{}, invalid("/name", "is empty, longer than 255 bytes or holds control characters")
	}
	sum := sha256.Sum256(body)
	if first, err := r.sameBankFile(ctx, account, sum[:]); err != nil || first.Known {
		return first, err
	}
	b := BankFile{BankFile: store.BankFile{Account: account, Person: actor.ID, PersonName: actor.Name, SHA256: sum[:], Size: len(body), Name: name, Format: CSV}}
	switch file, err := r.files.parse(ctx, sum[:], body, nil, nil); {
	case err == nil:
		b.describe(file)
	case !errors.Is(err, bankfile.ErrNoMapping):
		return BankFile{}, err
	}
	return r.keepBankFile(ctx, actor, b, body)
}

// sameBankFile finds the account's file with a SHA-256, which is Known then.
func (r *Runner) sameBankFile(ctx context.Context, account string, sum []byte) (b BankFile, err error) {
	err = r.db.View(ctx, func(tx *store.Tx) error {
		b.BankFile, b.Known, err = tx.SameBankFile(account, sum)
		return err
	})
	return b, err
}

// errTaken says that somebody else stored the same bytes a moment before.
var errTaken = errors.New("the same file is stored already")

// keepBankFile stores a file that may be stored, with its entry. After a commit of
// which the database did not say whether it was kept, the account's files tell.
func (r *Runner) keepBankFile(ctx context.Context, actor authz.Actor, b BankFile, body []byte) (BankFile, error) {
	media := sniff(body)
	if media == "" {
		media = "application/octet-stream"
	}
	err := r.db.Update(ctx, func(tx *store.Tx) error {
		b.ID, b.Upload, b.UploadedAt = tx.NewID("bankfile"), tx.NewID("upload"), tx.Now()
		if err := tx.InsertUpload(store.Upload{ID: b.Upload, Account: b.Account, Person: b.Person, Name: b.Name, MediaType: media,
			Body: body, SHA256: b.SHA256, UploadedAt: b.UploadedAt}); err != nil {
			return err
		}
		if taken, err := tx.AddBankFile(b.BankFile); err != nil || !taken {
			return errors.Join(err, errTaken)
		}
		return r.noteBankFile(tx, actor, b, "stored", map[string]any{"upload": b.Upload, "sha256": hex.EncodeToString(b.SHA256), "size": b.Size, "name": b.Name})
	})
	if err == nil {
		return b, nil
	}
	if errors.Is(err, errTaken) || errors.Is(err, model.Unknown) {
		first, readErr := r.sameBankFile(ctx, b.Account, b.SHA256)
		if readErr == nil && first.Known {
			first.Known = first.ID != b.ID
			return first, nil
		}
		err = errors.Join(err, readErr)
	}
	return BankFile{}, err
}

// noteBankFile writes the entry of what became of a file.
func (r *Runner) noteBankFile(tx *store.Tx, actor authz.Actor, b BankFile, event string, detail map[string]any) error {
	detail["bank_file"], detail["format"] = b.ID, b.Format
	_, err := r.log.Append(tx, audit.Entry{Actor: entryActor(actor, b.Account), Event: "bankfile." + event, Account: b.Account, Result: event, Detail: detail})
	return err
}

// MapBankFile says how the columns of a CSV are to be read, or says it anew; it
// must read the whole file without fault. Lists that were previewed under another
// mapping and not confirmed expire, with their plans. The same mapping again changes nothing; else
// there is one audit entry, bankfile.mapped. Errors: kind NotFound for a file that
// is not the actor's to see; Denied for who may not mark (with an entry); Invalid
// for a mapping that is none (with its faults as Fields) or does not read the
// file; Conflict for a file that is no CSV, and while a list of it that was confirmed
// is open, carried out or done. After an error nothing has changed.
func (r *Runner) MapBankFile(ctx context.Context, actor authz.Actor, id string, m bankfile.Mapping) (b BankFile, err error) {
	var body []byte
	err = r.db.View(ctx, func(tx *store.Tx) error {
		return tx.Together(
			func() (err error) { b.BankFile, err = tx.BankFile(id); return err },
			func() (err error) { body, err = tx.BankFileBody(id); return err })
	})
	if err == nil && !actor.Sees(b.Account) {
		err = notFound("bank file", id)
	}
	if err != nil {
		return BankFile{}, err
	}
	if err := actor.May(b.Account, authz.MarkExternalResult).Err(); err != nil {
		return BankFile{}, r.noteDenials(ctx, actor, "bankfile.denied", []string{b.Account}, err)
	}
	if b.Format != CSV {
		return BankFile{}, model.Errorf(model.Conflict, "conflict", "%s says itself what its lines mean: there are no columns to name.", b.Format)
	}
	if err := m.Validate(); err != nil {
		return BankFile{}, err
	}
	if b.Mapping, err = json.Marshal(m); err != nil {
		return BankFile{}, fmt.Errorf("encode the mapping: %w", err)
	}
	file, err := r.files.parse(ctx, b.SHA256, body, b.Mapping, &m)
	if err != nil {
		return BankFile{}, err
	}
	b.describe(file)
	err = r.db.Update(ctx, func(tx *store.Tx) error { return r.remap(tx, actor, &b) })
	return b, err
}

// remap keeps a mapping that reads its file.
func (r *Runner) remap(tx *store.Tx, actor authz.Actor, b *BankFile) error {
	now, err := tx.LockBankFile(b.ID)
	if err != nil || bytes.Equal(now.Mapping, b.Mapping) {
		b.MappedAt, b.MappedBy = now.MappedAt, now.MappedBy
		return err
	}
	if stands, err := tx.ExpireBankLists(b.ID); err != nil || stands {
		return orMapped(err)
	}
	b.MappedAt, b.MappedBy = tx.Now(), actor.ID
	if err := tx.MapBankFile(b.BankFile); err != nil {
		return err
	}
	return r.noteBankFile(tx, actor, *b, "mapped", map[string]any{"mapping": json.RawMessage(b.Mapping), "lines": b.Lines})
}

func orMapped(err error) error {
	if err != nil {
		return err
	}
	return model.Errorf(model.Conflict, "conflict", "A list was confirmed from this file as its columns are named now: they stay so.")
}
