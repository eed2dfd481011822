package store

import (
	"cmp"
	"slices"
	"strings"

	"countersign/internal/model"
)

// NewestAttempts are the attempts that a case or its outline ends with, over all
// steps and newest first; of one moment, the later step stands first. limit is at
// most OutlineRows. rest is how many older ones there are.
func NewestAttempts(c *model.Case, limit int) (list []model.Attempt, rest int) {
	for _, s := range c.Steps {
		list = append(list, s.Attempts...)
		rest += s.Tried()
	}
	newestFirst(c, list)
	list = list[:min(limit, len(list))]
	return list, rest - len(list)
}

func newestFirst(c *model.Case, list []model.Attempt) {
	place := map[string]int{}
	for _, s := range c.Steps {
		place[s.Name] = s.Position
	}
	slices.SortFunc(list, func(a, b model.Attempt) int {
		return cmp.Or(cmp.Compare(b.StartedAt, a.StartedAt), cmp.Compare(place[b.Step], place[a.Step]), cmp.Compare(b.Number, a.Number))
	})
}

// OlderAttempts gives the attempts behind one of them in the order of
// NewestAttempts, at most limit, and how many come after these. Where there is
// no such attempt, nothing is given.
func (t *Tx) OlderAttempts(c *model.Case, step string, number, limit int) (list []model.Attempt, rest int, err error) {
	from := c.Step(step)
	if from == nil || len(c.Steps) == 0 {
		return nil, 0, nil
	}
	const began = "(SELECT f.started_at FROM attempts f WHERE f.intent_id = ? AND f.step = ? AND f.number = ?)"
	var parts []string
	var args []any
	for _, s := range c.Steps {
		place, at := "number < (SELECT f.number FROM attempts f WHERE f.intent_id = ? AND f.step = ? AND f.number = ?)", []any{c.ID, step, number}
		switch {
		case s.Position < from.Position:
			place = "started_at <= " + began
		case s.Position > from.Position:
			place = "started_at < " + began
		}
		parts = append(parts, "SELECT * FROM (SELECT * FROM attempts WHERE intent_id = ? AND step = ? AND "+place+" ORDER BY number DESC LIMIT ?) AS part")
		args = append(append(append(args, c.ID, s.Name), at...), limit+1)
	}
	if err := t.Select(&list, strings.Join(parts, " UNION ALL "), args...); err != nil {
		return nil, 0, err
	}
	newestFirst(c, list)
	return list[:min(limit, len(list))], behind(list, limit), nil
}

// behind adds up what each step has behind the first rows of a list: attempts are
// numbered from 1, so that the next one's number is how many they are.
func behind(list []model.Attempt, limit int) (rest int) {
	counted := map[string]bool{}
	for _, a := range list[min(limit, len(list)):] {
		if !counted[a.Step] {
			counted[a.Step] = true
			rest += a.Number
		}
	}
	return rest
}

// NewestEvidence is the evidence that a case or its outline ends with, over all
// steps and newest first. limit is at most OutlineRows. rest is how much older
// there is.
func NewestEvidence(c *model.Case, limit int) (list []model.Evidence, rest int) {
	for _, s := range c.Steps {
		list = append(list, s.Evidence...)
		rest += s.Left.Evidence + len(s.Evidence)
	}
	newestSeen(list)
	list = list[:min(limit, len(list))]
	return list, rest - len(list)
}

func newestSeen(list []model.Evidence) {
	slices.SortFunc(list, func(a, b model.Evidence) int { return cmp.Or(cmp.Compare(b.At, a.At), strings.Compare(b.ID, a.ID)) })
}

// OlderEvidence gives the evidence behind one piece of it in the order of
// NewestEvidence, at most limit, and how much comes after that. Where there is
// no such evidence, nothing is given.
func (t *Tx) OlderEvidence(c *model.Case, id string, limit int) (list []model.Evidence, rest int, err error) {
	const from = " FROM (SELECT f.at, f.id FROM evidence f WHERE f.id = ? AND f.intent_id = ?) AS c CROSS JOIN evidence e WHERE e.intent_id = ?"
	const before = " AND e.at <= c.at AND (e.at < c.at OR e.id < c.id)"
	var parts []string
	var args []any
	for _, s := range c.Steps {
		parts = append(parts, "SELECT * FROM (SELECT e.*"+from+" AND e.step = ?"+before+" ORDER BY e.at DESC, e.id DESC LIMIT ?) AS part")
		args = append(args, id, c.ID, c.ID, s.Name, limit)
	}
	if len(parts) == 0 {
		return nil, 0, nil
	}
	err = t.Together(
		func() error { return t.Select(&list, strings.Join(parts, " UNION ALL "), args...) },
		func() error {
			_, err := t.Get(&rest, "SELECT count(*)"+from+before, id, c.ID, c.ID)
			return err
		})
	newestSeen(list)
	list = list[:min(limit, len(list))]
	return list, rest - len(list), err
}
