// Package session keeps people signed in: gorilla's sessions over the database,
// passwords, one-time links, fresh factors and the limit on tries. What it
// stores can be revoked at any time; the browser holds only a random id.
package session

import (
	"context"
	"fmt"
	"maps"
	"net"
	"net/http"
	"strings"

	"github.com/gorilla/securecookie"
	"github.com/gorilla/sessions"

	"countersign/internal/authz"
	"countersign/internal/model"
	"countersign/internal/store"
)

// Options are what a program sets. The zero value is right behind HTTPS.
type Options struct {
	// Plain is for plain HTTP on a loopback address only: the cookie then goes
	// without Secure, and without the __Host- prefix that demands it.
	Plain bool
	// Address tells where a request comes from; by default the connection's peer.
	Address func(*http.Request) string
	// Unattended tells of a request that nobody made: a page that keeps itself
	// up to date. It does not put off the end of an idle session. By default
	// every request is somebody's.
	Unattended func(*http.Request) bool
}

// Store keeps sessions in the database. It is safe for concurrent use. Only a
// signed-in person has a session; before that nothing is stored and no cookie set.
type Store struct {
	db   *store.DB
	opts Options
}

var _ sessions.Store = (*Store)(nil)

// New makes a Store on a database.
func New(db *store.DB, opts Options) *Store {
	if opts.Address == nil {
		opts.Address = peer
	}
	if opts.Unattended == nil {
		opts.Unattended = func(*http.Request) bool { return false }
	}
	return &Store{db: db, opts: opts}
}

func peer(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}

// Name is the name of the cookie, and of the session for Get.
func (s *Store) Name() string {
	if s.opts.Plain {
		return "countersign"
	}
	return "__Host-countersign"
}

// ours is the key, in a session's values, of what was read with it. It is never
// stored.
type ours struct{}

// signedIn is what stands under that key.
type signedIn struct {
	store.Visitor
	actor authz.Actor
}

// Get gives the request's session, read once per request.
func (s *Store) Get(r *http.Request, name string) (*sessions.Session, error) {
	return sessions.GetRegistry(r).Get(s, name)
}

// New reads the session that the request's cookie stands for. Without a valid
// one it gives an empty session of nobody; the error is only the database's.
func (s *Store) New(r *http.Request, name string) (*sessions.Session, error) {
	session := sessions.NewSession(s, name)
	session.IsNew = true
	session.Options = s.cookieOptions()
	cookie, err := r.Cookie(name)
	if err != nil {
		return session, nil
	}
	if err := s.load(r.Context(), session, cookie.Value); err != nil {
		return session, err
	}
	if row, ok := current(session); ok && row.Session.Due(s.db.Now()) && !s.opts.Unattended(r) {
		// Reading a page must not fail because this cannot be written: at worst
		// the session ends a little early.
		_ = s.db.Update(r.Context(), func(tx *store.Tx) error { return tx.TouchSession(row.Session) })
	}
	return session, nil
}

// load fills the session from the database; it stays as it is when the secret
// opens none.
func (s *Store) load(ctx context.Context, session *sessions.Session, secret string) error {
	return s.db.View(ctx, func(tx *store.Tx) error {
		visitor, ok, err := visitorBeside(ctx, tx, secret)
		if err != nil || !ok {
			return err
		}
		values := map[any]any{}
		if err := (securecookie.GobEncoder{}).Deserialize(visitor.Session.Data, &values); err != nil {
			return fmt.Errorf("read the session's values: %w", err)
		}
		values[ours{}] = signedIn{visitor, authz.Actor(visitor.Actor())}
		session.ID, session.IsNew, session.Values = secret, false, values
		return nil
	})
}

// besideKey is where a request's context has what is read with its session.
type besideKey struct{}

// Beside gives a request whose session is read together with something else, in
// one statement. Nobody is known yet when fn runs: what it reads is held against
// the visitor's rights afterwards.
func Beside(r *http.Request, fn func(*store.Tx) error) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), besideKey{}, fn))
}

func visitorBeside(ctx context.Context, tx *store.Tx, secret string) (visitor store.Visitor, ok bool, err error) {
	parts := []func() error{func() (err error) { visitor, ok, err = tx.Visitor(secret); return err }}
	if fn, given := ctx.Value(besideKey{}).(func(*store.Tx) error); given {
		parts = append(parts, func() error { return fn(tx) })
	}
	err = tx.Together(parts...)
	return visitor, ok, err
}

func current(session *sessions.Session) (signedIn, bool) {
	in, ok := session.Values[ours{}].(signedIn)
	return in, ok
}

// Save stores the values of a session, or ends it when its MaxAge is negative.
// Keys and values are strings, numbers, or gorilla's flashes.
func (s *Store) Save(r *http.Request, w http.ResponseWriter, session *sessions.Session) error {
	if session.Options != nil && session.Options.MaxAge < 0 {
		return s.SignOut(w, r, nil)
	}
	if session.ID == "" {
		if len(session.Values) > 0 {
			return model.Errorf(model.Unauthenticated, "unauthenticated", "Nobody is signed in, so nothing can be kept.")
		}
		return nil
	}
	data, err := encode(session.Values)
	if err != nil {
		return err
	}
	return s.db.Update(r.Context(), func(tx *store.Tx) error { return tx.SetSessionData(session.ID, data) })
}

func encode(values map[any]any) ([]byte, error) {
	stored := maps.Clone(values)
	delete(stored, ours{})
	data, err := securecookie.GobEncoder{}.Serialize(stored)
	if err != nil {
		return nil, fmt.Errorf("write the session's values: %w", err)
	}
	return data, nil
}

// Actor is the person who is signed in, with their rights when the request
// began; what changes anything reads them again in its transaction. The error
// is of kind Unauthenticated when nobody is.
func (s *Store) Actor(r *http.Request) (authz.Actor, error) {
	_, actor, err := s.Visitor(r)
	return actor, err
}

// Visitor is the person who is signed in with what every page shows of them, read
// once in a request, and as Actor gives them. The error is that of Actor.
func (s *Store) Visitor(r *http.Request) (store.Visitor, authz.Actor, error) {
	session, err := s.Get(r, s.Name())
	if err != nil {
		return store.Visitor{}, authz.Actor{}, err
	}
	in, ok := current(session)
	if !ok {
		return store.Visitor{}, authz.Actor{}, model.Errorf(model.Unauthenticated, "unauthenticated", "Sign in first.")
	}
	return in.Visitor, in.actor, nil
}

// cookieOptions are set anew on every session: gorilla's own are a month, any
// site, and open to scripts.
func (s *Store) cookieOptions() *sessions.Options {
	return &sessions.Options{Path: "/", MaxAge: int(store.SessionLifetime.Seconds()), HttpOnly: true,
		Secure: !s.opts.Plain, SameSite: http.SameSiteLaxMode}
}

func (s *Store) setCookie(w http.ResponseWriter, secret string, maxAge int) {
	options := s.cookieOptions()
	options.MaxAge = maxAge
	http.SetCookie(w, sessions.NewCookie(s.Name(), secret, options))
}

// agent is the browser as it calls itself, cut to what a list can show.
func agent(r *http.Request) string {
	const longest = 200
	text := strings.ToValidUTF8(r.UserAgent(), "")
	if len(text) > longest {
		text = strings.ToValidUTF8(text[:longest], "")
	}
	return text
}
