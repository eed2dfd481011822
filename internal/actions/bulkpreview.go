package actions

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"countersign/internal/authz"
	"countersign/internal/model"
	"countersign/internal/store"
)

// BulkRequest names an action and the intents that it is to be taken on, in the
// order in which they are listed and done.
type BulkRequest struct {
	Action  string
	Intents []string
	// Acknowledge holds step keys of effects that stand or may stand: of abandon
	// alone, as for one intent.
	Acknowledge []string
}

// PreviewBulk plans an action on each of many intents, changes none of them, and
// freezes the list with a sealed plan per item for its own actor to confirm.
// What the action's rules refuse is excluded and keeps the rule and its sentence;
// an intent that does not exist and one behind an account wall are excluded
// alike. A list is about one account, that of the first intent that is the
// actor's: elsewhere are the intents of other accounts of theirs, of which nothing
// is stored, since others read the list. Errors: kind Invalid for no or too many intents (code "too-large");
// NotFound where none of them is the actor's to see; Denied with code "denied"
// (with an entry) or "step-up-required"; Conflict with code "action-refused" for
// an action that is never taken on many.
func (r *Runner) PreviewBulk(ctx context.Context, actor authz.Actor, req BulkRequest) (b model.Bulk, elsewhere []string, err error) {
	action, err := bulkAction(req.Action)
	if err != nil {
		return b, nil, err
	}
	if req.Intents, err = eachOnce(req.Intents); err != nil {
		return b, nil, err
	}
	account, own, elsewhere, err := r.oneAccountOf(ctx, actor, action, req.Intents)
	if codeOf(err) == authz.CodeDenied {
		return b, nil, errors.Join(err, r.noteDenial(ctx, actor, account, action, PreviewRequest{}, err))
	}
	if err != nil {
		return b, nil, err
	}
	l := listing{Runner: r, actor: actor, action: action, account: account, acknowledged: req.Acknowledge, until: time.Now().Add(patience)}
	targets := make([]target, len(own))
	for i, id := range own {
		targets[i].intent = id
	}
	if err := l.planAll(ctx, targets); err != nil {
		return b, nil, err
	}
	b = l.frozen()
	err = r.db.Update(ctx, func(tx *store.Tx) error {
		l.name(tx, &b)
		return tx.InsertBulk(b, l.previews)
	})
	return b, elsewhere, err
}

// eachOnce drops repeats, keeps the order, and refuses no or too many intents.
func eachOnce(intents []string) (list []string, err error) {
	seen := map[string]bool{}
	for i, id := range intents {
		if id == "" || len(id) > 64 {
			return nil, invalid(fmt.Sprintf("/intents/%d", i), "is no intent id")
		}
		if !seen[id] {
			seen[id] = true
			list = append(list, id)
		}
	}
	switch {
	case len(list) == 0:
		return nil, invalid("/intents", "names no intent")
	case len(list) > MaxBulk:
		return nil, model.Errorf(model.Invalid, "too-large", "A list holds at most %d intents; nothing was stored.", MaxBulk)
	}
	return list, nil
}

// oneAccountOf picks the account that the list is about, and checks the actor's
// rights in it as they are now. It parts the intents of other accounts of theirs
// from the rest; what is behind a wall is not told from what does not exist.
func (r *Runner) oneAccountOf(ctx context.Context, actor authz.Actor, action *Action, intents []string) (account string, own, elsewhere []string, err error) {
	of := map[string]string{}
	err = r.db.View(ctx, func(tx *store.Tx) error {
		rows, err := tx.Intents(intents)
		if err != nil {
			return err
		}
		for _, row := range rows {
			of[row.ID] = row.Account
		}
		at := slices.IndexFunc(intents, func(id string) bool { return actor.Sees(of[id]) })
		if at < 0 {
			return notFound("intent", intents[0])
		}
		account = of[intents[at]]
		return r.entitled(tx, actor, account, action.Needs, notFound("intent", intents[at]))
	})
	for _, id := range intents {
		if of[id] != account && actor.Sees(of[id]) {
			elsewhere = append(elsewhere, id)
		} else {
			own = append(own, id)
		}
	}
	return account, own, elsewhere, err
}

// listing plans the items of one list.
type listing struct {
	*Runner
	actor        authz.Actor
	action       *Action
	account      string
	acknowledged []string
	until        time.Time // how long workers that only look are waited for, in all

	items    []model.BulkItem
	previews []store.Preview // of the items that have one, in their order
	creators []string        // who answers for the intents of those
}

// target is what one item of a list is about.
type target struct {
	intent  string
	step    string          // its name; "" lets the list find it
	input   json.RawMessage // nil is what was stated for the whole list
	because string          // why it is on the list; "" is the rule's own sentence
	refused error           // why it is left out before it is planned
}

func (l *listing) planAll(ctx context.Context, targets []target) error {
	for _, t := range targets {
		item := model.BulkItem{Position: len(l.items) + 1, IntentID: t.intent, Step: t.step}
		var row store.Preview
		var creator string
		err := t.refused
		if err == nil {
			err = patientlyUntil(ctx, l.until, func(last bool) error {
				return l.db.Rehearse(ctx, func(tx *store.Tx) (err error) {
					row, creator, err = l.plan(tx, &item, t, last)
					return err
				})
			})
		}
		if err := l.exclude(&item, err); err != nil {
			return fmt.Errorf("plan %s: %w", t.intent, err)
		}
		if err == nil {
			item.PreviewID = row.ID
			l.previews, l.creators = append(l.previews, row), append(l.creators, creator)
		}
		l.items = append(l.items, item)
	}
	return nil
}

// exclude takes a refusal for why an item is left out; other errors end the list.
func (l *listing) exclude(item *model.BulkItem, err error) error {
	var refusal *model.Refusal
	switch kind := model.KindOf(err); {
	case err == nil:
	case errors.As(err, &refusal):
		item.Rule, item.Because = refusal.Rule, refusal.Because
	case kind == model.NotFound:
		item.Rule, item.Because = authz.CodeNotFound, err.Error()
	case kind == model.Conflict || kind == model.Invalid:
		item.Rule, item.Because = l.action.Name+".impossible", impossibleBecause(err)
	default:
		return err
	}
	return nil
}

// impossibleBecause says in sentences what is wrong with what was stated of an item.
func impossibleBecause(err error) string {
	var known *model.Error
	if !errors.As(err, &known) || len(known.Fields) == 0 {
		return err.Error()
	}
	var sentences []string
	for _, f := range known.Fields {
		sentences = append(sentences, "Its "+f.Location[strings.LastIndex(f.Location, "/")+1:]+" "+f.Message+".")
	}
	return strings.Join(sentences, " ")
}

// plan plans one item on the intent as it is, by the action's own rules, and
// tells who answers for the intent.
func (l *listing) plan(tx *store.Tx, item *model.BulkItem, t target, last bool) (row store.Preview, creator string, err error) {
	c, err := tx.LockCase(item.IntentID)
	if err != nil {
		return row, "", err
	}
	if c.Account != l.account {
		return row, "", notFound("intent", item.IntentID)
	}
	req := PreviewRequest{Intent: c.ID, Action: l.action.Name, Step: t.step, Input: t.input}
	if t.step == "" {
		if req.Step, err = l.stepOf(c); err != nil {
			return row, "", err
		}
	}
	if s := c.Step(req.Step); l.action == mark && s != nil {
		if err := mayListMark(c, s).err(); err != nil {
			return row, "", err
		}
	}
	if req.Input == nil {
		req.Input = l.input(c)
	}
	if row, err = l.planOn(tx, l.actor, l.action, c, req, last); err != nil {
		return row, "", err
	}
	row.ID = tx.NewID("preview")
	l.describe(item, c, req.Step, tx.Now())
	if t.because != "" {
		item.Because = t.because
	}
	return row, c.Creator, nil
}

// mayListMark rules on a mark in a list, which one line of a bank's file stands for:
// what a person has to weigh is marked by itself.
func mayListMark(c *model.Case, s *model.Step) ruling {
	switch {
	case s.Returned > 0:
		return no("mark.returned", "Money of "+s.Name+" came back: what came back is marked by itself, on the page of the intent.")
	case c.Contradicted(s):
		return no("mark.contradicted", "Observations of "+s.Name+" contradict each other: which is true is marked by itself, on the page of the intent.")
	}
	return yes("mark.listed", "It may be marked in a list.")
}

// stepOf is the step that the action is about: of a look the first that is not
// certain and can be asked about; the others find theirs themselves.
func (l *listing) stepOf(c *model.Case) (string, error) {
	if l.action != reconcile {
		return "", nil
	}
	var found *model.Step
	better := func(s *model.Step) bool {
		return found == nil || !mayReconcile(c, found).allowed && mayReconcile(c, s).allowed
	}
	for _, s := range c.Steps {
		if s.State != model.Confirmed && reconcilable(c, s) && better(s) {
			found = s
		}
	}
	switch {
	case found != nil:
		return found.Name, nil
	case slices.ContainsFunc(c.Steps, func(s *model.Step) bool { return reconcilable(c, s) }):
		return "", no("reconcile.nothing-uncertain", "Nothing of it is uncertain; what is confirmed is checked again from the page of the intent.").err()
	}
	return "", nil // the action says why there is nothing to ask about
}

// input is what the person stated about this intent.
func (l *listing) input(c *model.Case) json.RawMessage {
	if l.action != abandon {
		return nil
	}
	own := abandonInput{Acknowledge: []string{}}
	for _, key := range l.acknowledged {
		if strings.HasPrefix(key, c.ID+":") {
			own.Acknowledge = append(own.Acknowledge, key)
		}
	}
	raw, err := json.Marshal(own)
	if err != nil {
		panic(err) // a list of strings always encodes
	}
	return raw
}

// describe says by which rule the item is in, and which money it is about.
func (l *listing) describe(item *model.BulkItem, c *model.Case, step string, now model.Time) {
	s, money := c.Step(step), model.Money{}
	var verdict ruling
	switch l.action {
	case retry:
		s = c.Unfinished()
		verdict = mayRetry(c, s, l.timing, now)
		item.Twice = s.State == model.OutcomeUnknown
	case reconcile:
		verdict = mayReconcile(c, s)
	case mark:
		verdict = mayMark(c, s, now)
	default:
		verdict = mayAbandon(c, now)
		money, _ = c.Money()
	}
	if s != nil {
		item.Step = s.Name
		if s.HasMoney() {
			money = model.Money{Amount: s.Expected(), Currency: s.Currency}
		}
	}
	item.Rule, item.Because = verdict.rule, verdict.because
	item.Amount, item.Currency = money.Amount, money.Currency
}

// frozen is the list as it is sealed.
func (l *listing) frozen() model.Bulk {
	b := model.Bulk{Account: l.account, Actor: l.actor.ID, ActorName: l.actor.Name, Action: l.action.Name, People: 1, State: model.BulkPreviewed, Items: l.items}
	for _, p := range l.previews {
		b.People = max(b.People, p.People)
	}
	return b
}

// name gives the list its id, its plans their time, and the list its seal.
func (l *listing) name(tx *store.Tx, b *model.Bulk) {
	b.ID, b.CreatedAt, b.ExpiresAt = tx.NewID("bulk"), tx.Now(), tx.Now().Add(l.timing.Preview)
	for i := range b.Items {
		b.Items[i].BulkID = b.ID
	}
	for i := range l.previews {
		l.previews[i].CreatedAt, l.previews[i].ExpiresAt = b.CreatedAt, b.ExpiresAt
	}
	b.Digest = sealList(*b, l.previews)
	b.Freeze(l.creators)
}

// sealList is the digest of a list: of its action and of every plan in its order.
func sealList(b model.Bulk, previews []store.Preview) string {
	type sealedItem struct{ Intent, Digest string }
	sealed := struct {
		Action, Account string
		People          int
		Items           []sealedItem
	}{b.Action, b.Account, b.People, []sealedItem{}}
	for _, p := range previews {
		sealed.Items = append(sealed.Items, sealedItem{p.IntentID, p.Digest})
	}
	return model.Digest(sealed)
}
