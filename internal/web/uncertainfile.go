package web

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"countersign/internal/audit"
	"countersign/internal/authz"
	"countersign/internal/model"
	"countersign/internal/store"
	"countersign/internal/web/paced"
	"countersign/web/templates"
)

// uncertainHeader names the columns of the file; the amount is in major units,
// with the decimals of its currency; since is when the outcome became unknown.
const uncertainHeader = "account,intent,step_key,provider,kind,operation,payee,amount,currency,since_utc,since_local,zone,step_state,intent_state,proposed_next,owner,sent_utc\r\n"

// uncertainFile sends every uncertain effect as CSV, after the entry that says who
// took it away. What a slow reader holds is a file here, never a read of the database.
func (v *visit) uncertainFile() error {
	if v.c.QueryParam("format") != "csv" {
		return model.Errorf(model.Invalid, "invalid-params", "The list of what is uncertain is written as CSV: format=csv.").WithFields(model.Field{Location: "format", Message: "is csv"})
	}
	accounts := v.permitted(authz.ReadIntents)
	err := v.DB.Update(v.r.Context(), func(tx *store.Tx) error {
		for _, account := range accounts {
			if _, err := v.Log.Append(tx, audit.Entry{Actor: v.auditActor(account), Event: "uncertain.exported", Account: account, Result: "done",
				Detail: map[string]any{"format": "csv", "zone": v.zone().String(), "as_of": v.now().String()}}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	draft, size, err := v.draftUncertain(accounts)
	if err != nil {
		return err
	}
	defer draft.Close()
	w := v.c.Response()
	w.Header().Set("Content-Type", "text/csv; charset=utf-8")
	w.Header().Set("Content-Length", strconv.FormatInt(size, 10)) // a cut end is seen
	attach(w.Header(), "uncertain-"+v.now().Std().Format("20060102-150405")+".csv")
	_, err = io.Copy(paced.New(w), draft)
	return err
}

// draftUncertain writes the whole file to the disk, where it has no name and is gone
// once it is closed: the sums of a report are of one moment, and one snapshot of any
// length fits neither in memory nor into the time of a reader.
func (v *visit) draftUncertain(accounts []string) (draft *os.File, size int64, err error) {
	if draft, err = os.CreateTemp("", "countersign-uncertain-*"); err != nil {
		return nil, 0, fmt.Errorf("draft the file: %w", err)
	}
	err = os.Remove(draft.Name())
	if err == nil {
		err = v.read(func(tx *store.Tx) error { return v.writeUncertain(tx, draft, accounts) })
	}
	if err == nil {
		size, err = draft.Seek(0, io.SeekEnd)
	}
	if err == nil {
		_, err = draft.Seek(0, io.SeekStart)
	}
	if err != nil {
		draft.Close()
		return nil, 0, fmt.Errorf("draft the file: %w", err)
	}
	return draft, size, nil
}

// uncertainBatch is how many intents are held at a time.
const uncertainBatch = 200

// writeUncertain writes the file from one snapshot, the longest uncertain first.
func (v *visit) writeUncertain(tx *store.Tx, into io.Writer, accounts []string) error {
	out := bufio.NewWriter(into)
	out.WriteString(uncertainHeader)
	f := store.ListFilter{Accounts: accounts, State: store.StateUnknown, Limit: uncertainBatch}
	for {
		rows, more, err := tx.List(f)
		if err != nil {
			return err
		}
		cases, err := tx.Outlines(rows)
		if err != nil {
			return err
		}
		for _, c := range cases {
			out.WriteString(v.uncertainLines(c))
		}
		if !more {
			return out.Flush()
		}
		last := &rows[len(rows)-1]
		f.From = &store.Position{Key: f.Key(last), ID: last.ID}
	}
}

// uncertainLines are the lines of an intent's effects in doubt.
func (v *visit) uncertainLines(c *model.Case) string {
	n := narrator{c: c, timing: v.Timing, clock: templates.Clock{Now: int64(v.now()), Zone: v.zone()}}
	var lines strings.Builder
	for _, s := range c.Steps {
		if !s.InDoubt() {
			continue
		}
		amount, currency := "", ""
		if s.HasMoney() {
			m := model.Money{Amount: s.Open, Currency: s.Currency}
			amount, currency = m.Decimal(), m.Currency
		}
		since, sent := s.UncertainSince.Std(), ""
		if at := s.SentAt(); at != 0 {
			sent = at.Std().UTC().Format(time.RFC3339)
		}
		cells := []string{c.Account, c.ID, s.Key(), s.Provider, c.Kind, s.Operation, c.Who(), amount, currency, since.UTC().Format(time.RFC3339), since.In(v.zone()).Format(time.RFC3339),
			v.zone().String(), string(s.State), string(c.State), n.proposedWords(), c.OwnerName, sent}
		for i, cell := range cells {
			if i > 0 {
				lines.WriteByte(',')
			}
			lines.WriteString(csvCell(cell))
		}
		lines.WriteString("\r\n")
	}
	return lines.String()
}

// csvCell is a cell in quotes that no spreadsheet takes for a formula.
func csvCell(text string) string {
	return `"` + strings.ReplaceAll(audit.Neutral(text), `"`, `""`) + `"`
}

// proposedWords is what comes next in a few plain words.
func (n narrator) proposedWords() string {
	r := n.c.Review(n.timing, n.now())
	switch {
	case n.c.OpenRequest() != nil:
		return "An approver decides"
	case n.worthAsking() != nil:
		return "Reconcile"
	case r != nil:
		return title(r.Propose)
	}
	if w := n.c.Work(n.timing, n.now()); w.Do != model.DoNothing {
		return "Nothing: " + n.work(w)
	}
	return "Nothing by itself"
}
