package api

import (
	"context"
	"mime"
	"reflect"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humaecho"
	"github.com/labstack/echo/v4"

	"countersign/internal/authz"
	"countersign/internal/model"
	"countersign/internal/store"
	"countersign/internal/web/problem"
)

// route registers a call whose handler returns the errors of the domain.
func route[I, O any](a *api, op huma.Operation, do func(context.Context, *I) (*O, error)) {
	huma.Register(a.huma, op, func(ctx context.Context, in *I) (*O, error) {
		out, err := do(ctx, in)
		if err != nil {
			return nil, a.fail(ctx, op.OperationID, err)
		}
		return out, nil
	})
}

// schemaOf refers to the schema of a type.
func schemaOf[T any](r huma.Registry) *huma.Schema { return r.Schema(reflect.TypeFor[T](), true, "") }

// caller is who a request comes from, and the request's id.
type caller struct {
	actor   authz.Actor
	request string
}

type callerKey struct{}

// callerOf gives the request's caller; the zero one before authentication.
func callerOf(ctx context.Context) caller {
	who, _ := ctx.Value(callerKey{}).(caller)
	return who
}

// actorOf is who asks.
func actorOf(ctx context.Context) authz.Actor { return callerOf(ctx).actor }

// requestID is the id that the server around us gave the request.
func requestID(c echo.Context) string {
	return c.Response().Header().Get(echo.HeaderXRequestID)
}

// identify keeps the request's id where handlers find it.
func (a *api) identify(ctx huma.Context, next func(huma.Context)) {
	next(huma.WithValue(ctx, callerKey{}, caller{request: requestID(humaecho.Unwrap(ctx))}))
}

// authenticate learns who asks, with their rights as they are now.
func (a *api) authenticate(ctx huma.Context, next func(huma.Context)) {
	key, err := bearer(ctx.Header("Authorization"))
	var actor model.Actor
	if err == nil {
		err = a.DB.View(ctx.Context(), func(tx *store.Tx) (err error) {
			actor, err = tx.ActorByKey(key)
			return err
		})
	}
	if err != nil {
		a.refuse(ctx, err)
		return
	}
	a.noteUse(ctx.Context(), actor.Key)
	who := callerOf(ctx.Context())
	who.actor = authz.Actor(actor)
	next(huma.WithValue(ctx, callerKey{}, who))
}

// noteUse records that a key is in use, at most once a minute for each: a read
// stays a read.
func (a *api) noteUse(ctx context.Context, key *model.KeyInfo) {
	now := a.DB.Now()
	if last, ok := a.used.Load(key.ID); ok && now.Sub(last.(model.Time)) < time.Minute {
		return
	}
	a.used.Store(key.ID, now)
	if err := a.DB.Update(ctx, func(tx *store.Tx) error { return tx.KeyUsed(key.ID) }); err != nil {
		a.Logger.WarnContext(ctx, "use of a key could not be noted", "key", key.ID, "error", err)
	}
}

// refuse answers a request that reaches no handler.
func (a *api) refuse(ctx huma.Context, err error) {
	c := humaecho.Unwrap(ctx)
	problem.Write(c.Response(), c.Request(), err, requestID(c))
	if model.KindOf(err) == model.Internal {
		a.Logger.ErrorContext(ctx.Context(), "call failed", "call", ctx.Operation().OperationID, "request", requestID(c), "error", err)
	}
}

// bearer takes the key out of an Authorization header.
func bearer(header string) (string, error) {
	scheme, key, _ := strings.Cut(header, " ")
	if !strings.EqualFold(scheme, "Bearer") || key == "" {
		return "", model.Errorf(model.Unauthenticated, "unauthenticated", "Send an API key: Authorization: Bearer <key>.")
	}
	return strings.TrimSpace(key), nil
}

// checkMedia refuses a body of another type than the call takes. None given
// counts as the right one.
func checkMedia(ctx huma.Context, next func(huma.Context)) {
	op, given := ctx.Operation(), ctx.Header("Content-Type")
	if op.RequestBody != nil && given != "" && !takes(op.RequestBody, given) {
		c := humaecho.Unwrap(ctx)
		problem.Write(c.Response(), c.Request(), model.Errorf(model.Invalid, "unsupported-media-type",
			"Send the body as %s, and say so in Content-Type.", strings.Join(mediaTypes(op.RequestBody), " or ")), requestID(c))
		return
	}
	next(ctx)
}

func takes(body *huma.RequestBody, given string) bool {
	media, _, err := mime.ParseMediaType(given)
	_, known := body.Content[media]
	return err == nil && known
}

// read runs fn on one snapshot.
func (a *api) read(ctx context.Context, fn func(*store.Tx) error) error { return a.DB.View(ctx, fn) }

// allow refuses an actor without the permission in the account; behind an
// account wall nothing exists.
func allow(actor authz.Actor, account string, p authz.Permission) error {
	return actor.May(account, p).Err()
}

// accountsWith lists the accounts in which the actor has a permission: the one
// asked for, or all where none is. The error is of kind NotFound for an account
// that is not the actor's, Denied where the permission is missing everywhere.
func accountsWith(actor authz.Actor, account string, p authz.Permission) ([]string, error) {
	if account != "" {
		return []string{account}, allow(actor, account, p)
	}
	var list []string
	var denial error = model.Errorf(model.Denied, authz.CodeDenied, "You have no role in any account.")
	for _, account := range actor.Accounts() {
		may := actor.May(account, p)
		if may.Allowed {
			list = append(list, account)
		} else {
			denial = may.Err()
		}
	}
	if len(list) == 0 {
		return nil, denial
	}
	return list, nil
}

// location is the path of a thing, for Location headers.
func location(parts ...string) string { return "/v1/" + strings.Join(parts, "/") }
