package actions

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"slices"
	"time"

	"countersign/internal/authz"
	"countersign/internal/bankfile"
	"countersign/internal/model"
	"countersign/internal/store"
)

// ReadBankFile reads a stored file and sets it beside the steps as they are. It
// changes nothing. Who reads the account's intents may read it. The bytes are
// loaded in one transaction and the steps in another, and none is held while the
// file is read: at most two are at a time. Errors: kind NotFound for everybody else;
// the context's where that ends first.
func (r *Runner) ReadBankFile(ctx context.Context, actor authz.Actor, id string) (b BankReading, err error) {
	var body, last []byte
	err = r.db.View(ctx, func(tx *store.Tx) error { body, last, err = b.load(tx, actor, id); return err })
	if err != nil {
		return BankReading{}, err
	}
	if b.Format == CSV {
		if err := r.files.turn(ctx, func() { b.propose(body, last) }); err != nil {
			return BankReading{}, err
		}
	}
	if b.Waiting = b.waits(); b.Waiting {
		return b, nil
	}
	b.Read, err = r.files.parse(ctx, b.SHA256, body, b.Mapping, &b.Proposal)
	if b.Format == CSV && model.KindOf(err) == model.Invalid {
		b.Waiting, b.Fault = true, err
		return b, nil
	}
	if err != nil {
		return b, err
	}
	err = r.db.View(ctx, func(tx *store.Tx) error { return b.match(tx) })
	return b, err
}

// load reads the file's row, what became of it and its bytes, and the mapping that
// was named last in the account. It asks once.
func (b *BankReading) load(tx *store.Tx, actor authz.Actor, id string) (body, last []byte, err error) {
	err = tx.Together(
		func() (err error) { b.BankFile.BankFile, err = tx.BankFile(id); return err },
		func() (err error) { body, err = tx.BankFileBody(id); return err },
		func() (err error) { last, err = tx.LastMapping(id); return err },
		func() (err error) { b.MapperName, err = tx.MapperName(id); return err },
		func() (err error) { b.Recorded, err = tx.Recorded(id); return err },
		func() (err error) { b.Lists, err = tx.BankLists(id); return err })
	if err == nil && !actor.May(b.Account, authz.ReadIntents).Allowed {
		err = notFound("bank file", id)
	}
	if err != nil {
		return nil, nil, err
	}
	b.Now = tx.Now()
	held := b.Recorded > 0 || slices.ContainsFunc(b.Lists, func(l model.Bulk) bool { return holdsMapping(l, b.Now) })
	b.MayMap = b.Format == CSV && !held && actor.May(b.Account, authz.MarkExternalResult).Allowed
	return body, last, nil
}

// holdsMapping reports whether a confirmed list that has done nothing yet stands for
// its file as that is read now: it does not where nothing of it will be done.
func holdsMapping(l model.Bulk, now model.Time) bool {
	state := l.Standing(now)
	return state == model.BulkOpen || state == model.BulkRunning
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
	all := mentioned(lines)
	b.Currencies = b.Read.Currencies()
	if b.MoreCurrencies = len(b.Currencies) > MaxCurrencies; b.MoreCurrencies {
		b.Currencies = b.Currencies[:MaxCurrencies]
	}
	var named, open []store.MoneyStep
	err := tx.Together(
		func() (err error) { named, err = tx.NamedSteps(b.Account, all.refs, all.recorded); return err },
		func() (err error) {
			// As many as the lines can name may be left out again.
			open, err = tx.OpenSteps(b.Account, b.Currencies, MaxUnnamed+1+len(lines))
			return err
		})
	if err != nil {
		return err
	}
	b.Matches = bankfile.Find(lines, bankSteps(named, b.Now))
	b.Unnamed = bankfile.Unnamed(lines, bankSteps(open, b.Now))
	slices.SortFunc(b.Unnamed, func(x, y bankfile.Step) int {
		return cmp.Or(cmp.Compare(x.Since, y.Since), cmp.Compare(x.Key, y.Key))
	})
	if b.More = len(b.Unnamed) > MaxUnnamed; b.More {
		b.Unnamed = b.Unnamed[:MaxUnnamed]
	}
	return nil
}

// mention is what lines mention, each once.
type mention struct {
	refs     []string // references that may be ours
	recorded []string // references under which the lines may have been recorded
}

// mentioned gathers what the lines mention.
func mentioned(lines []bankfile.Line) (all mention) {
	refs, recorded := map[string]bool{}, map[string]bool{}
	once := func(list *[]string, seen map[string]bool, ref string) {
		if !seen[ref] {
			seen[ref] = true
			*list = append(*list, ref)
		}
	}
	for i := range lines {
		line := &lines[i]
		for _, ref := range line.Refs {
			once(&all.refs, refs, ref.Value)
		}
		for _, ref := range line.RecordedAs() {
			once(&all.recorded, recorded, ref)
		}
	}
	return all
}

// bankSteps are our steps as a bank's lines may be about them.
func bankSteps(rows []store.MoneyStep, now model.Time) []bankfile.Step {
	steps := make([]bankfile.Step, len(rows))
	for i := range rows {
		steps[i] = bankStep(&rows[i])
		steps[i].FirstDay, steps[i].LastDay = markDays(rows[i].FirstSend, now)
	}
	return steps
}

// bankStep is one step. What came back is recorded one by one, never from a file:
// such a step is not uncertain here, though its conflict may be open.
func bankStep(row *store.MoneyStep) bankfile.Step {
	s := bankfile.Step{Key: row.Key(), IntentID: row.IntentID, Name: row.Name, State: row.State, Out: !row.TakesMoneyBack(),
		Uncertain: (row.Uncertain() || row.Contradicted) && row.Returned == 0,
		Amount:    row.Expected(), Returned: row.Returned, Currency: row.Currency, Payee: row.Payee,
		Generation: row.Generation, LineRefs: row.LineRefs}
	for _, p := range row.PaidBy {
		s.PaidBy = append(s.PaidBy, bankfile.Payment{Ref: p.Ref, Day: p.Dated.Std().Format(time.DateOnly), Money: p.Money})
	}
	if row.Contradicted && row.Returned == 0 {
		s.Conflict = cmp.Or(row.Conflict, "They do not fit.")
	}
	if s.Since = row.UncertainSince; s.Uncertain && s.Since == 0 {
		s.Since = row.ChangedAt
	}
	switch row.State {
	case model.FailedSafely:
		s.NextTryAt = row.NextTryAt
	case model.Pending:
		s.Awaited = !row.IntentState.Final() && row.IntentState != model.NeedsReview
	}
	refer := func(ref string, generation int) {
		s.Refs = append(s.Refs, bankfile.StepRef{Value: ref, Generation: generation})
	}
	for generation := 1; generation <= row.Generation; generation++ {
		refer(model.StepKey(row.IntentID, row.Name, generation), generation)
	}
	for _, sent := range row.Sent {
		refer(sent.WireKey, sent.Generation)
	}
	refer(row.WireKey, row.Generation)
	refer(row.ExternalRef, row.Generation)
	return s
}

// lineRef is the reference under which a line is recorded: the bank's own, where
// that is long enough to tell the line from all others and the file has it once;
// else what the line is by its contents. So are the rows of a CSV, whose columns a
// person has named: one row is one reference, whatever was said of its columns.
func (b *BankReading) lineRef(m *bankfile.Match) string {
	const tells = 8 // bytes: numbers that begin anew each day are shorter
	if ref := m.BankRef; b.Format != CSV && len(ref) >= tells && len(ref) <= maxRef && plain(ref) && !b.repeated(m) {
		return ref
	}
	return m.Identity()
}

// repeated reports whether another line of the file has the bank's reference too.
func (b *BankReading) repeated(m *bankfile.Match) bool {
	return slices.ContainsFunc(b.Matches, func(other bankfile.Match) bool { return other.BankRef == m.BankRef && other.Number != m.Number })
}
