package api

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"countersign/internal/actions"
	"countersign/internal/authz"
	"countersign/internal/model"
	"countersign/internal/store"
)

func (a *api) intentRoutes() {
	post := operation("create-intent", http.MethodPost, "/intents", "Accepts an intent, durably before the answer. "+
		"The same key with the same meaningful params is answered with the one intent as it is now.", http.StatusGone)
	post.Parameters = []*huma.Param{{Name: "Idempotency-Key", In: "header", Required: true, Schema: &huma.Schema{Type: "string"},
		Description: "1 to 255 printable ASCII characters without @, quoted or bare. Kept for ever."}}
	route(a, created[Intent](a, post, "The intent is new."), a.createIntent)
	route(a, operation("list-intents", http.MethodGet, "/intents", "The intents that a filter selects, newest first."), a.listIntents)
	route(a, operation("get-intent", http.MethodGet, "/intents/{id}", "One intent with its steps, attempts, evidence and "+
		"the verdicts on all five actions. If-None-Match with the version is answered 304."), a.getIntent)
}

// newIntent is the body of a posted intent.
type newIntent struct {
	Kind    string          `json:"kind" enum:"payout,statement,dispute"`
	Account string          `json:"account"`
	Params  json.RawMessage `json:"params" doc:"By kind; members that are not known are refused."`
}

// submission checks that every member is there.
func (n newIntent) submission(key string) (actions.Submission, error) {
	switch {
	case n.Kind == "":
		return actions.Submission{}, missing("/kind")
	case n.Account == "":
		return actions.Submission{}, missing("/account")
	case n.Params == nil:
		return actions.Submission{}, missing("/params")
	}
	return actions.Submission{Key: key, Kind: n.Kind, Account: n.Account, Params: n.Params}, nil
}

type createIntentInput struct {
	keys []string
	Body strict[newIntent]
}

// Resolve keeps every line of the key's header: there must be one.
func (in *createIntentInput) Resolve(ctx huma.Context) []error {
	ctx.EachHeader(func(name, value string) {
		if strings.EqualFold(name, "Idempotency-Key") {
			in.keys = append(in.keys, value)
		}
	})
	return nil
}

// intentAnswer is an intent with the headers that go with it.
type intentAnswer struct {
	Status   int
	ETag     string `header:"ETag" doc:"The version."`
	Location string `header:"Location"`
	Replayed string `header:"Idempotent-Replayed" doc:"true where the key was known."`
	Body     Intent
}

func (a *api) createIntent(ctx context.Context, in *createIntentInput) (*intentAnswer, error) {
	key, err := model.ParseIdempotencyKey(in.keys)
	if err != nil {
		return nil, err
	}
	asked, err := in.Body.value.submission(key)
	if err != nil {
		return nil, err
	}
	accepted, err := a.Runner.Accept(ctx, actorOf(ctx), asked)
	if err != nil {
		return nil, err
	}
	if !accepted.Replayed {
		a.Wake()
	}
	return a.answer(ctx, accepted)
}

// answer tells a new intent from one that was there.
func (a *api) answer(ctx context.Context, accepted actions.Accepted) (*intentAnswer, error) {
	out := &intentAnswer{Status: http.StatusCreated, ETag: etag(accepted.Case), Location: location("intents", accepted.Case.ID)}
	if accepted.Replayed {
		out.Status, out.Location, out.Replayed = http.StatusOK, "", "true"
	}
	err := a.read(ctx, func(tx *store.Tx) (err error) {
		out.Body, err = a.viewer(tx, actorOf(ctx)).intent(accepted.Case)
		return err
	})
	return out, err
}

func etag(c *model.Case) string { return fmt.Sprintf(`"%d"`, c.Version) }

type getIntentInput struct {
	ID          string `path:"id"`
	IfNoneMatch string `header:"If-None-Match"`
}

func (a *api) getIntent(ctx context.Context, in *getIntentInput) (*intentAnswer, error) {
	out := &intentAnswer{Status: http.StatusOK}
	err := a.read(ctx, func(tx *store.Tx) error {
		c, err := visible(tx, actorOf(ctx), in.ID)
		if err != nil {
			return err
		}
		out.ETag = etag(c)
		if matches(in.IfNoneMatch, out.ETag) {
			out.Status = http.StatusNotModified
			return nil
		}
		out.Body, err = a.viewer(tx, actorOf(ctx)).intent(c)
		return err
	})
	return out, err
}

// visible loads an intent for an actor who may read it. What is behind an
// account wall does not exist.
func visible(tx *store.Tx, actor authz.Actor, id string) (*model.Case, error) {
	c, err := tx.Case(id)
	if err != nil {
		return nil, err
	}
	if !actor.Sees(c.Account) {
		return nil, model.Errorf(model.NotFound, "not-found", "There is no intent %s, or it is not yours to see.", id)
	}
	return c, allow(actor, c.Account, authz.ReadIntents)
}

// matches reports whether one of the tags of an If-None-Match header is the
// given one; by RFC 9110 the weak form of a tag counts too.
func matches(header, tag string) bool {
	for one := range strings.SplitSeq(header, ",") {
		one = strings.TrimPrefix(strings.TrimSpace(one), "W/")
		if one == tag || one == "*" {
			return true
		}
	}
	return false
}
