package store

import (
	"countersign/internal/model"
)

// gathered are the rows that hang on some intents, as one statement reads them.
// LockCase reads table by table instead, and only those that have any: work on
// an intent asks for few rows at a time, a page for all of many.
type gathered struct {
	tx   *Tx
	in   string // the intents' ids as SQL: a list or a SELECT in brackets
	args []any

	steps         []model.Step
	attempts      []model.Attempt
	evidence      []model.Evidence
	frozen        []model.Generation
	conflicts     []model.Contradiction
	compensations []model.Compensation
	requests      []model.Approval
	decisions     []model.ApprovalDecision
	gone          []model.Abandonment
	undone        []undoing
	returned      []string // intents of which money came back
	dead          []deadBoot
	left          []leftOut // of an outline
}

// undoing is a confirmed step of a compensation.
type undoing struct {
	ID        string `db:"id"`
	Parent    string `db:"parent"`
	Operation string `db:"operation"`
}

// deadBoot is a worker's start that is known to have ended.
type deadBoot struct {
	ID     string     `db:"id"`
	DeadAt model.Time `db:"dead_at"`
}

// among gathers what hangs on the intents with these ids.
func (t *Tx) among(ids []string) *gathered {
	return &gathered{tx: t, in: "(" + marks(padded(len(ids))) + ")", args: pad(ids)}
}

// read reads all rows at once. frozen are the columns of a frozen request that
// are wanted: its bytes are large.
func (g *gathered) read(frozen string) error {
	return g.readWith(frozen,
		g.rows(&g.attempts, "*", "attempts", "intent_id, step, number"),
		g.rows(&g.evidence, "*", "evidence", "intent_id, step, at, id"))
}

// outline reads what read does, but of attempts and evidence only what an outline
// has.
func (g *gathered) outline(frozen string) error {
	return g.readWith(frozen,
		g.some(&g.attempts, attemptHeads, attemptOutline),
		g.some(&g.evidence, evidenceHeads, evidenceOutline),
		g.some(&g.left, evidenceHeads, evidenceLeft))
}

func (g *gathered) readWith(frozen string, record ...func() error) error {
	return g.tx.Together(append(record,
		g.rows(&g.steps, "*", "steps", "intent_id, position"),
		g.rows(&g.frozen, frozen, "generations", "intent_id, step, number"),
		g.rows(&g.conflicts, "*", "conflicts", "opened_at, id"),
		g.rows(&g.compensations, "*", "compensations", "asked_at, id"),
		g.rows(&g.requests, "*", "approvals", "created_at, id"),
		g.rows(&g.gone, "*", "abandonments", "at"),
		g.some(&g.decisions, "SELECT * FROM approval_decisions WHERE approval_id IN (SELECT id FROM approvals WHERE intent_id IN ", ") ORDER BY at, person"),
		g.some(&g.undone, "SELECT i.id, i.parent, s.operation FROM intents i JOIN steps s ON s.intent_id = i.id WHERE i.parent <> '' AND s.state = 'confirmed' AND i.parent IN ", ""),
		g.some(&g.returned, "SELECT DISTINCT intent_id FROM steps WHERE returned > 0 AND intent_id IN (SELECT parent FROM intents WHERE parent <> '' AND id IN ", ")"),
		g.some(&g.dead, "SELECT id, dead_at FROM boots WHERE dead_at > 0 AND id IN (SELECT boot FROM attempts WHERE lost AND intent_id IN ", ")"),
		func() error { _, err := g.tx.Hold(); return err })...)
}

// rows reads one table's rows of the intents.
func (g *gathered) rows(into any, columns, table, order string) func() error {
	return g.some(into, "SELECT "+columns+" FROM "+table+" WHERE intent_id IN ", " ORDER BY "+order)
}

// some reads by a statement that has the intents' ids in its middle.
func (g *gathered) some(into any, before, after string) func() error {
	return func() error { return g.tx.Select(into, before+g.in+after, g.args...) }
}

// complete hangs the rows on their cases.
func (g *gathered) complete(cases []*model.Case) error {
	byID := map[string]*model.Case{}
	for _, c := range cases {
		byID[c.ID] = c
	}
	if err := g.hangSteps(byID); err != nil {
		return err
	}
	for _, k := range g.conflicts {
		byID[k.IntentID].Conflicts = append(byID[k.IntentID].Conflicts, k)
	}
	for _, k := range g.compensations {
		byID[k.IntentID].Compensations = append(byID[k.IntentID].Compensations, k)
	}
	g.hangRequests(byID)
	for i := range g.gone {
		byID[g.gone[i].IntentID].Abandonment = &g.gone[i]
	}
	g.hangUndone(byID)
	for _, c := range cases {
		g.hangDead(c)
		if err := g.tx.loadHold(c); err != nil {
			return err
		}
	}
	return nil
}

func (g *gathered) hangSteps(byID map[string]*model.Case) (err error) {
	for i := range g.steps {
		s := &g.steps[i]
		if s.Contract, err = g.tx.contract(s.ContractID); err != nil {
			return err
		}
		c := byID[s.IntentID]
		c.Steps = append(c.Steps, s)
	}
	for _, a := range g.attempts {
		s := byID[a.IntentID].Step(a.Step)
		s.Attempts = append(s.Attempts, a)
	}
	for _, e := range g.evidence {
		s := byID[e.IntentID].Step(e.Step)
		s.Evidence = append(s.Evidence, e)
	}
	g.hangLeft(byID)
	for _, f := range g.frozen {
		s := byID[f.IntentID].Step(f.Step)
		s.Generations = append(s.Generations, f)
	}
	return nil
}

func (g *gathered) hangRequests(byID map[string]*model.Case) {
	said := map[string][]model.ApprovalDecision{}
	for _, d := range g.decisions {
		said[d.ApprovalID] = append(said[d.ApprovalID], d)
	}
	for _, r := range g.requests {
		r.Decisions = said[r.ID]
		byID[r.IntentID].Requests = append(byID[r.IntentID].Requests, r)
	}
}

func (g *gathered) hangUndone(byID map[string]*model.Case) {
	for _, c := range byID {
		if len(c.Compensations) > 0 {
			c.Undone = map[string]string{}
		}
	}
	for _, u := range g.undone {
		if taken := model.TakesBack(u.Operation); taken != "" && byID[u.Parent].Undone != nil {
			byID[u.Parent].Undone[taken] = u.ID
		}
	}
}

// hangDead tells a case which of its lost workers are dead, and whether money
// came back on the intent that it undoes.
func (g *gathered) hangDead(c *model.Case) {
	for _, returned := range g.returned {
		c.ParentReturned = c.ParentReturned || c.Parent == returned
	}
	for _, s := range c.Steps {
		for _, a := range s.Attempts {
			for _, boot := range g.dead {
				if a.Lost && a.Boot == boot.ID {
					if c.DeadBoots == nil {
						c.DeadBoots = map[string]model.Time{}
					}
					c.DeadBoots[a.Boot] = boot.DeadAt
				}
			}
		}
	}
}
