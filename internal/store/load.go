package store

import (
	"strings"

	"countersign/internal/model"
)

// loadAll loads all that hangs on intents, in as many statements for many as
// for one.
func (t *Tx) loadAll(cases ...*model.Case) error {
	if len(cases) == 0 {
		return nil
	}
	l := loader{tx: t, byID: map[string]*model.Case{}}
	for _, c := range cases {
		l.byID[c.ID] = c
		l.ids = append(l.ids, c.ID)
	}
	for _, load := range []func() error{l.hangs, l.steps, l.history, l.disputed, l.requests, l.abandonments} {
		if err := load(); err != nil {
			return err
		}
	}
	if err := t.addUndone(cases...); err != nil {
		return err
	}
	for _, c := range cases {
		if err := t.loadDead(c); err != nil {
			return err
		}
		if err := t.loadParent(c); err != nil {
			return err
		}
	}
	return nil
}

// loader loads what hangs on a set of intents.
type loader struct {
	tx   *Tx
	byID map[string]*model.Case
	ids  []string
	has  map[string]bool // tables with rows of any of them
}

// hanging are the tables of which most intents have no row, or none yet.
var hanging = []string{"attempts", "evidence", "generations", "conflicts", "compensations", "approvals", "abandonments"}

// hangs learns, in one statement, which tables are worth a statement of their own.
func (l *loader) hangs() error {
	n := padded(len(l.ids))
	parts := make([]string, len(hanging))
	var args []any
	for i, table := range hanging {
		parts[i] = "SELECT '" + table + "' AS name WHERE EXISTS (SELECT 1 FROM " + table + " WHERE intent_id IN (" + marks(n) + "))"
		args = append(args, pad(l.ids)...)
	}
	var found []string
	err := l.tx.Select(&found, strings.Join(parts, " UNION ALL "), args...)
	l.has = map[string]bool{}
	for _, table := range found {
		l.has[table] = true
	}
	return err
}

// rows loads a table's rows of the intents, in an order that is right within
// each intent.
func (l *loader) rows(into any, table, order string) error {
	if table != "steps" && !l.has[table] {
		return nil
	}
	return l.tx.Select(into, "SELECT * FROM "+table+" WHERE intent_id IN ("+marks(padded(len(l.ids)))+") ORDER BY "+order, pad(l.ids)...)
}

func (l *loader) steps() error {
	var steps []model.Step
	if err := l.rows(&steps, "steps", "position"); err != nil {
		return err
	}
	for i := range steps {
		s := &steps[i]
		contract, err := l.tx.contract(s.ContractID)
		if err != nil {
			return err
		}
		s.Contract = contract
		c := l.byID[s.IntentID]
		c.Steps = append(c.Steps, s)
	}
	return nil
}

// history loads the attempts, evidence and frozen requests of the steps.
func (l *loader) history() error {
	var attempts []model.Attempt
	if err := l.rows(&attempts, "attempts", "step, number"); err != nil {
		return err
	}
	for _, a := range attempts {
		s := l.byID[a.IntentID].Step(a.Step)
		s.Attempts = append(s.Attempts, a)
	}
	var evidence []model.Evidence
	if err := l.rows(&evidence, "evidence", "step, at, id"); err != nil {
		return err
	}
	for _, e := range evidence {
		s := l.byID[e.IntentID].Step(e.Step)
		s.Evidence = append(s.Evidence, e)
	}
	var frozen []model.Generation
	if err := l.rows(&frozen, "generations", "step, number"); err != nil {
		return err
	}
	for _, g := range frozen {
		s := l.byID[g.IntentID].Step(g.Step)
		s.Generations = append(s.Generations, g)
	}
	return nil
}

// disputed loads the conflicts and compensations.
func (l *loader) disputed() error {
	var conflicts []model.Contradiction
	if err := l.rows(&conflicts, "conflicts", "opened_at, id"); err != nil {
		return err
	}
	for _, k := range conflicts {
		c := l.byID[k.IntentID]
		c.Conflicts = append(c.Conflicts, k)
	}
	var compensations []model.Compensation
	if err := l.rows(&compensations, "compensations", "asked_at, id"); err != nil {
		return err
	}
	for _, k := range compensations {
		c := l.byID[k.IntentID]
		c.Compensations = append(c.Compensations, k)
	}
	return nil
}

// requests loads the approvals with their decisions.
func (l *loader) requests() error {
	var requests []model.Approval
	if err := l.rows(&requests, "approvals", "created_at, id"); err != nil {
		return err
	}
	for _, r := range requests {
		if err := l.tx.Select(&r.Decisions, "SELECT * FROM approval_decisions WHERE approval_id = ? ORDER BY at", r.ID); err != nil {
			return err
		}
		c := l.byID[r.IntentID]
		c.Requests = append(c.Requests, r)
	}
	return nil
}

func (l *loader) abandonments() error {
	var gone []model.Abandonment
	err := l.rows(&gone, "abandonments", "at")
	for i := range gone {
		l.byID[gone[i].IntentID].Abandonment = &gone[i]
	}
	return err
}

// loadParent learns whether money came back on the intent that c undoes.
func (t *Tx) loadParent(c *model.Case) error {
	if c.Parent == "" {
		return nil
	}
	var returned int
	_, err := t.Get(&returned, "SELECT count(*) FROM steps WHERE intent_id = ? AND returned > 0", c.Parent)
	c.ParentReturned = returned > 0
	return err
}

// loadDead learns which of the workers that were lost are surely dead, and
// whether the database was restored.
func (t *Tx) loadDead(c *model.Case) error {
	if err := t.loadHold(c); err != nil {
		return err
	}
	for _, s := range c.Steps {
		for _, a := range s.Attempts {
			if !a.Lost {
				continue
			}
			var died model.Time
			if _, err := t.Get(&died, "SELECT dead_at FROM boots WHERE id = ?", a.Boot); err != nil {
				return err
			}
			if died != 0 {
				if c.DeadBoots == nil {
					c.DeadBoots = map[string]model.Time{}
				}
				c.DeadBoots[a.Boot] = died
			}
		}
	}
	return nil
}

// padded rounds a number of arguments up to a power of two, so that the
// statements stay few that a connection prepares.
func padded(n int) int {
	p := 1
	for p < n {
		p *= 2
	}
	return p
}

// pad makes so many arguments of ids, by repeating the last one.
func pad(ids []string) []any {
	args := make([]any, padded(len(ids)))
	for i := range args {
		args[i] = ids[min(i, len(ids)-1)]
	}
	return args
}
