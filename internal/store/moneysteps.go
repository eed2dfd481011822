package store

import (
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"

	"countersign/internal/model"
)

// MoneyStep is a step that moves money by itself, with all by which a bank's line
// may name it.
type MoneyStep struct {
	model.Step
	IntentState  model.IntentState `db:"intent_state"`
	Payee        string            `db:"payee"`
	Contradicted bool              `db:"contradicted"` // a conflict about it is open
	Conflict     string            `db:"conflict"`     // the reason of that conflict
	FirstSend    model.Time        `db:"first_send"`   // when it can first have acted; 0 where it never was sent
	Sent         []SentKey         `db:"-"`            // of each generation that has been frozen
	LineRefs     []string          `db:"-"`            // references that people have recorded for it
	PaidBy       []Payment         `db:"-"`            // what bank's files gave for its payment

	Keys     string `db:"wire_keys"` // JSON, as the others
	Recorded string `db:"line_refs"`
	Paid     string `db:"paid_by"`
}

// Payment is what a mark by a bank's file has of the file's line.
type Payment struct {
	Dated model.Time
	model.Money
	Ref string
}

// payments reads the payments that moneySteps gathers: the moment, the amount, the
// currency and the reference, parted by blanks.
func (s *MoneyStep) payments() error {
	var texts []string
	if err := json.Unmarshal([]byte(s.Paid), &texts); err != nil {
		return err
	}
	for _, text := range texts {
		var p Payment
		words := strings.SplitN(text, " ", 4)
		dated, timeErr := strconv.ParseInt(words[0], 10, 64)
		amount, err := strconv.ParseInt(words[1], 10, 64)
		if err := errors.Join(timeErr, err); err != nil {
			return err
		}
		p.Dated, p.Money, p.Ref = model.Time(dated), model.Money{Amount: amount, Currency: words[2]}, words[3]
		s.PaidBy = append(s.PaidBy, p)
	}
	return nil
}

// SentKey is the wire key of one generation of a step.
type SentKey struct {
	Generation int
	WireKey    string
}

// keys reads the keys that moneySteps gathers: a number, a blank and the key.
func (s *MoneyStep) keys() error {
	var texts []string
	if err := json.Unmarshal([]byte(s.Keys), &texts); err != nil {
		return err
	}
	for _, text := range texts {
		number, key, _ := strings.Cut(text, " ")
		generation, err := strconv.Atoi(number)
		if err != nil {
			return err
		}
		s.Sent = append(s.Sent, SentKey{generation, key})
	}
	return nil
}

// moves tells of a row of steps what model.Step.MovesMoney does.
const moves = "operation IN ('payout.create', 'payout.reverse', 'credit.create', 'credit.reverse')"

// moneySteps selects the steps that move money from a join of intents i and steps s.
func (d dialect) moneySteps(from string) string {
	return `SELECT s.*, i.payee, i.state AS intent_state, EXISTS (SELECT 1 FROM conflicts k WHERE k.intent_id = s.intent_id AND k.step = s.name AND k.closed_at = 0) AS contradicted,
		COALESCE((SELECT k.reason FROM conflicts k WHERE k.intent_id = s.intent_id AND k.step = s.name AND k.closed_at = 0), '') AS conflict,
		COALESCE((SELECT a.started_at FROM attempts a WHERE a.intent_id = s.intent_id AND a.step = s.name ORDER BY a.number LIMIT 1), 0) AS first_send,
		COALESCE((SELECT ` + d.gather("CAST(g.number AS TEXT) || ' ' || g.wire_key") + ` FROM generations g WHERE g.intent_id = s.intent_id AND g.step = s.name), '[]') AS wire_keys,
		COALESCE((SELECT ` + d.gather("e.ref") + ` FROM evidence e WHERE e.intent_id = s.intent_id AND e.step = s.name AND e.source IN ('operator', 'bank_file')
			AND e.ref <> ''), '[]') AS line_refs,
		COALESCE((SELECT ` + d.gather("CAST(e.dated AS TEXT) || ' ' || CAST(e.amount AS TEXT) || ' ' || e.currency || ' ' || e.ref") + ` FROM evidence e JOIN bank_files b ON b.upload = substr(e.document, 8) WHERE e.intent_id = s.intent_id AND e.step = s.name
			AND e.document LIKE 'upload:%' AND e.says = 'happened' AND e.ref <> ''), '[]') AS paid_by FROM ` + from + " AND s." + moves
}

// selectSteps reads such a selection.
func (t *Tx) selectSteps(query string, args ...any) (steps []MoneyStep, err error) {
	if err := t.Select(&steps, query, args...); err != nil {
		return nil, err
	}
	for i := range steps {
		s := &steps[i]
		if err := errors.Join(s.keys(), s.payments(), json.Unmarshal([]byte(s.Recorded), &s.LineRefs)); err != nil {
			return nil, err
		}
	}
	return steps, nil
}

// NamedSteps finds the account's steps that move money of the intents that the
// references lead to: by a step key, a wire key of any generation or an object at
// the provider; and by what evidence has of a bank's lines, recorded. Which of them
// a reference names exactly, their keys and references tell. It is one statement,
// however many references there are; each is looked up by index.
func (t *Tx) NamedSteps(account string, refs, recorded []string) ([]MoneyStep, error) {
	var intents []string
	for _, ref := range refs {
		if id, _, _, err := model.SplitStepKey(ref); err == nil {
			intents = append(intents, id)
		}
	}
	refs, recorded = searchable(refs), searchable(recorded)
	if len(refs)+len(recorded) == 0 {
		return nil, nil
	}
	d := t.db.dialect
	by := func(table, column string) string {
		return "SELECT x.intent_id FROM " + d.elements + " CROSS JOIN " + table + " x WHERE x." + column + " = each.value AND x." + column + " <> ''"
	}
	query := "WITH named (id) AS (" + strings.Join([]string{by("steps", "wire_key"), by("generations", "wire_key"), by("steps", "external_ref"), by("evidence", "ref"),
		"SELECT each.value FROM " + d.elements}, " UNION ") + ") " +
		d.moneySteps("named CROSS JOIN intents i CROSS JOIN steps s WHERE i.id = named.id AND i.account = ? AND s.intent_id = i.id")
	list := jsonTexts(refs)
	return t.selectSteps(query, list, list, list, jsonTexts(recorded), jsonTexts(intents), account)
}

// searchable leaves out what no stored text can equal.
func searchable(texts []string) []string {
	return slices.DeleteFunc(slices.Clone(texts), func(text string) bool { return !Searchable(text) })
}

// jsonTexts is a JSON array, for dialect.elements.
func jsonTexts(texts []string) string {
	if texts == nil {
		return "[]"
	}
	raw, err := json.Marshal(texts)
	if err != nil {
		panic(err) // texts always encode
	}
	return string(raw)
}

// OpenSteps gives the account's steps that move money in the currencies and are in
// doubt or settle, of each sort in each currency the oldest, at most so many.
func (t *Tx) OpenSteps(account string, currencies []string, limit int) ([]MoneyStep, error) {
	if len(currencies) == 0 {
		return nil, nil
	}
	var parts []string
	var args []any
	for _, currency := range currencies {
		parts = append(parts, "SELECT * FROM (SELECT id FROM intents WHERE account = ? AND currency = ? AND uncertain_since > 0 ORDER BY uncertain_since LIMIT ?) AS part")
		args = append(args, account, currency, limit)
	}
	parts = append(parts, "SELECT * FROM (SELECT intent_id AS id FROM steps WHERE account = ? AND settling ORDER BY settles_by LIMIT ?) AS part")
	args = append(args, account, max(limit, MaxCount))
	open := "(s.state = 'outcome_unknown' OR s.state <> 'in_progress' AND s.open_amount > 0 OR s.settling)"
	query := "WITH open (id) AS (" + strings.Join(parts, " UNION ") + ") " +
		t.db.dialect.moneySteps("open CROSS JOIN intents i CROSS JOIN steps s WHERE i.id = open.id AND s.intent_id = i.id AND "+open+" AND s.currency IN ("+marks(len(currencies))+")")
	return t.selectSteps(query, append(args, anys(currencies)...)...)
}
