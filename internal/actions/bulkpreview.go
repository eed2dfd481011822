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
	if err := l.planAll(ctx, own); err != nil {
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

func (l *listing) planAll(ctx context.Context, intents []string) error {
	for _, id := range intents {
		item := model.BulkItem{Position: len(l.items) + 1, IntentID: id}
		var row store.Preview
		var creator string
		err := patientlyUntil(ctx, l.until, func(last bool) error {
			return l.db.Rehearse(ctx, func(tx *store.Tx) (err error) {
				row, creator, err = l.plan(tx, &item, last)
				return err
			})
		})
		if err := l.exclude(&item, err); err != nil {
			return fmt.Errorf("plan %s: %w", id, err)
		}
		if err == nil {
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
		item.Rule, item.Because = l.action.Name+".impossible", err.Error()
	default:
		return err
	}
	return nil
}

// plan plans one item on the intent as it is, by the action's own rules, and
// tells who answers for the intent.
func (l *listing) plan(tx *store.Tx, item *model.BulkItem, last bool) (row store.Preview, creator string, err error) {
	c, err := tx.LockCase(item.IntentID)
	if err != nil {
		return row, "", err
	}
	if c.Account != l.account {
		return row, "", notFound("intent", item.IntentID)
	}
	step, err := l.stepOf(c)
	if err != nil {
		return row, "", err
	}
	req := PreviewRequest{Intent: c.ID, Action: l.action.Name, Step: step, Input: l.input(c)}
	if row, err = l.planOn(tx, l.actor, l.action, c, req, last); err != nil {
		return row, "", err
	}
	l.describe(item, c, step, tx.Now())
	return row, c.Creator, nil
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
	default:
		verdict = mayAbandon(c, now)
		money, _ = c.Money()
	}
	if s != nil {
		item.Step = s.Name
		if s.HasMoney() {
			money = model.Money{Amount: s.Amount, Currency: s.Currency}
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

// name gives the list and its plans their ids, and the list its seal.
func (l *listing) name(tx *store.Tx, b *model.Bulk) {
	b.ID, b.CreatedAt, b.ExpiresAt = tx.NewID("bulk"), tx.Now(), tx.Now().Add(l.timing.Preview)
	at := 0
	for i := range b.Items {
		item := &b.Items[i]
		item.BulkID = b.ID
		if at < len(l.previews) && l.previews[at].IntentID == item.IntentID {
			p := &l.previews[at]
			p.ID, p.CreatedAt, p.ExpiresAt = tx.NewID("preview"), b.CreatedAt, b.ExpiresAt
			item.PreviewID = p.ID
			at++
		}
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
