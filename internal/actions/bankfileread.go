package actions

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"

	"countersign/internal/authz"
	"countersign/internal/bankfile"
	"countersign/internal/model"
	"countersign/internal/store"
)

// ReadBankFile reads a stored file anew and sets it beside the steps as they are.
// It changes nothing. Who reads the account's intents may read it. The error is of
// kind NotFound for everybody else.
func (r *Runner) ReadBankFile(ctx context.Context, actor authz.Actor, id string) (b BankReading, err error) {
	err = r.db.View(ctx, func(tx *store.Tx) error { b, err = BankReadingIn(tx, actor, id); return err })
	return b, err
}

// BankReadingIn is ReadBankFile, as a transaction sees it. It asks twice, the
// second time with what the file names.
func BankReadingIn(tx *store.Tx, actor authz.Actor, id string) (b BankReading, err error) {
	var body, last []byte
	err = tx.Together(
		func() (err error) { b.BankFile.BankFile, err = tx.BankFile(id); return err },
		func() (err error) { body, err = tx.BankFileBody(id); return err },
		func() (err error) { last, err = tx.LastMapping(id); return err },
		func() (err error) { b.Recorded, err = tx.Recorded(id); return err },
		func() (err error) { b.Lists, err = tx.BankLists(id); return err })
	if err == nil && !actor.May(b.Account, authz.ReadIntents).Allowed {
		err = notFound("bank file", id)
	}
	if err != nil {
		return BankReading{}, err
	}
	b.MayMap = b.Format == CSV && len(b.Lists) == 0 && actor.May(b.Account, authz.MarkExternalResult).Allowed
	if b.Format == CSV {
		b.propose(body, last)
	}
	if b.Waiting = b.waits(); b.Waiting {
		b.Now = tx.Now()
		return b, nil
	}
	if b.Read, err = bankfile.Parse(body, &b.Proposal); err != nil {
		return b, err
	}
	return b, b.match(tx)
}

// propose gives a mapping to begin with: the file's own, the account's last one
// where it reads the file, or a guess.
func (b *BankReading) propose(body, last []byte) {
	var m bankfile.Mapping
	switch {
	case json.Unmarshal(b.Mapping, &m) == nil:
		b.Proposal, b.Rows = m, bankfile.Sample(body, m)
		return
	case json.Unmarshal(last, &m) == nil:
		if _, err := bankfile.Parse(body, &m); err == nil {
			b.Proposal, b.Rows = m, bankfile.Sample(body, m)
			return
		}
	}
	b.Proposal, b.Rows = bankfile.Guess(body)
}

// MatchBankFile reads a file that is not stored and sets it beside an account's
// steps, as a transaction sees them. It changes nothing and asks for no rights: it
// is for whoever has the database. A mapping is needed for CSV alone. The error is
// of kind Invalid for a file that cannot be read, NotFound for an account that does
// not exist.
func MatchBankFile(tx *store.Tx, account, name string, body []byte, m *bankfile.Mapping) (b BankReading, err error) {
	known, err := tx.AllAccounts()
	if err != nil {
		return b, err
	}
	if !slices.Contains(known, account) {
		return b, model.Errorf(model.NotFound, authz.CodeNotFound, "There is no account %s.", account)
	}
	sum := sha256.Sum256(body)
	b.Account, b.Name, b.Size, b.SHA256 = account, name, len(body), sum[:]
	if b.Read, err = bankfile.Parse(body, m); err != nil {
		return b, err
	}
	b.describe(b.Read)
	return b, b.match(tx)
}

// match sets the file's lines beside the account's steps.
func (b *BankReading) match(tx *store.Tx) error {
	b.Now = tx.Now()
	var lines []bankfile.Line
	for i := range b.Read.Statements {
		lines = append(lines, b.Read.Statements[i].Lines...)
	}
	refs, currencies := mentioned(lines)
	var named, open []store.MoneyStep
	err := tx.Together(
		func() (err error) { named, err = tx.NamedSteps(b.Account, refs); return err },
		func() (err error) {
			// As many as the lines can name may be left out again.
			open, err = tx.OpenSteps(b.Account, currencies, MaxUnnamed+1+len(lines))
			return err
		})
	if err != nil {
		return err
	}
	b.Matches = bankfile.Find(lines, bankSteps(named))
	b.Unnamed = bankfile.Unnamed(lines, bankSteps(open))
	slices.SortFunc(b.Unnamed, func(x, y bankfile.Step) int {
		return cmp.Or(cmp.Compare(x.Since, y.Since), cmp.Compare(x.Key, y.Key))
	})
	if b.More = len(b.Unnamed) > MaxUnnamed; b.More {
		b.Unnamed = b.Unnamed[:MaxUnnamed]
	}
	return nil
}

// mostCurrencies bounds in how many currencies of one file our side is looked for.
const mostCurrencies = 16

// mentioned lists the references and the currencies of lines, each once.
func mentioned(lines []bankfile.Line) (refs, currencies []string) {
	seen := map[string]bool{}
	for i := range lines {
		line := &lines[i]
		if !slices.Contains(currencies, line.Currency) && len(currencies) < mostCurrencies {
			currencies = append(currencies, line.Currency)
		}
		for _, ref := range append(line.Refs[:len(line.Refs):len(line.Refs)], bankfile.Ref{Value: line.BankRef}) {
			if ref.Value != "" && !seen[ref.Value] {
				seen[ref.Value] = true
				refs = append(refs, ref.Value)
			}
		}
	}
	return refs, currencies
}

// bankSteps are our steps as a bank's lines may be about them.
func bankSteps(rows []store.MoneyStep) []bankfile.Step {
	steps := make([]bankfile.Step, len(rows))
	for i := range rows {
		steps[i] = bankStep(&rows[i])
	}
	return steps
}

// bankStep is one step. What came back is recorded one by one, never from a file:
// such a step is not uncertain here, though its conflict may be open.
func bankStep(row *store.MoneyStep) bankfile.Step {
	s := bankfile.Step{Key: row.Key(), IntentID: row.IntentID, Name: row.Name, State: row.State, Out: !row.TakesMoneyBack(),
		Uncertain: (row.Uncertain() || row.Contradicted) && row.Returned == 0,
		Amount:    row.Expected(), Returned: row.Returned, Currency: row.Currency, Payee: row.Payee, LineRefs: row.LineRefs}
	if s.Since = row.UncertainSince; s.Uncertain && s.Since == 0 {
		s.Since = row.ChangedAt
	}
	for generation := 1; generation <= row.Generation; generation++ {
		s.Refs = append(s.Refs, model.StepKey(row.IntentID, row.Name, generation))
	}
	s.Refs = append(append(s.Refs, row.WireKeys...), row.WireKey, row.ExternalRef)
	return s
}

// lineRef is the reference under which a line is recorded: the bank's own, where
// that is long enough to tell the line from all others and the file has it once;
// else it names the line in its file too.
func (b *BankReading) lineRef(m *bankfile.Match) string {
	const tells = 8 // bytes: numbers that begin anew each day are shorter
	repeated := 0
	for i := range b.Matches {
		if b.Matches[i].BankRef == m.BankRef {
			repeated++
		}
	}
	own := fmt.Sprintf("%x line %d", b.SHA256[:6], m.Number)
	switch ref := m.BankRef; {
	case ref == "" || !plain(ref) || len(ref)+2+len(own) > maxRef:
		return own
	case len(ref) >= tells && repeated == 1:
		return ref
	default:
		return ref + ", " + own
	}
}
