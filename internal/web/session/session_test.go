package session_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"countersign/internal/authz"
	"countersign/internal/model"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
	"countersign/internal/web/session"
)

// password fits passwordHash, which costs little to compare with.
const (
	password     = "password"
	passwordHash = "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4"
)

// browser is one person's browser: it keeps the one cookie.
type browser struct {
	t      *testing.T
	s      *session.Store
	cookie *http.Cookie
}

// call lets fn handle one request, and keeps the cookie that it sets.
func (b *browser) call(fn func(w http.ResponseWriter, r *http.Request) error) error {
	b.t.Helper()
	w, r := httptest.NewRecorder(), httptest.NewRequest("POST", "/", nil)
	r.Header.Set("User-Agent", "Lynx\xff/2")
	if b.cookie != nil {
		r.AddCookie(b.cookie)
	}
	err := fn(w, r)
	for _, cookie := range w.Result().Cookies() {
		if b.cookie = cookie; cookie.MaxAge < 0 {
			b.cookie = nil
		}
	}
	return err
}

func (b *browser) signIn(email, password string) error {
	return b.call(func(w http.ResponseWriter, r *http.Request) error {
		return b.s.SignInByPassword(w, r, email, password, nil)
	})
}

func (b *browser) actor() (a authz.Actor, err error) {
	err = b.call(func(_ http.ResponseWriter, r *http.Request) error { a, err = b.s.Actor(r); return err })
	return a, err
}

func (b *browser) token() (token string) {
	b.call(func(_ http.ResponseWriter, r *http.Request) error { token = b.s.Token(r); return nil })
	return token
}

// house is a database with one operator, who has a password.
type house struct {
	db   *store.DB
	s    *session.Store
	at   time.Time
	olga model.Person
}

func open(t *testing.T, opts session.Options) *house {
	t.Helper()
	h := &house{at: time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)}
	h.db = storetest.Open(t, store.Options{Clock: func() time.Time { return h.at }})
	h.s = session.New(h.db, opts)
	h.olga = h.add(t, "olga@example.com")
	return h
}

// add makes an operator of acme with the one password.
func (h *house) add(t *testing.T, email string) (p model.Person) {
	t.Helper()
	h.update(t, func(tx *store.Tx) (err error) {
		if p, err = tx.AddPerson(email, ""); err != nil {
			return err
		}
		return errors.Join(tx.Grant(p.ID, "acme", model.RoleOperator), tx.SetPassword(p.ID, passwordHash, ""))
	})
	return p
}

func (h *house) update(t *testing.T, fn func(tx *store.Tx) error) {
	t.Helper()
	if err := h.db.Update(t.Context(), fn); err != nil {
		t.Fatal(err)
	}
}

func (h *house) browser(t *testing.T) *browser { return &browser{t: t, s: h.s} }

func TestCookie(t *testing.T) {
	for _, test := range []struct {
		opts   session.Options
		name   string
		secure bool
	}{
		{session.Options{}, "__Host-countersign", true},
		{session.Options{Plain: true}, "countersign", false},
	} {
		h := open(t, test.opts)
		b := h.browser(t)
		if err := b.signIn("Olga@example.com", password); err != nil {
			t.Fatal(err)
		}
		c := b.cookie
		if c.Name != test.name || c.Secure != test.secure || !c.HttpOnly || c.SameSite != http.SameSiteLaxMode ||
			c.Path != "/" || c.Domain != "" || len(c.Value) != 43 || c.MaxAge > 12*60*60 || c.MaxAge < 12*60*60-5 {
			t.Errorf("got %v", c)
		}
		if a, err := b.actor(); err != nil || a.ID != h.olga.ID || !a.May("acme", authz.Reconcile).Allowed || a.SteppedUpAt == 0 {
			t.Errorf("actor %+v, %v", a, err)
		}
	}
}

func TestWrongSignIn(t *testing.T) {
	h := open(t, session.Options{})
	gone := h.add(t, "gone@example.com")
	h.update(t, func(tx *store.Tx) error {
		_, err := tx.AddPerson("none@example.com", "")
		return errors.Join(err, tx.Disable(gone.ID))
	})
	said := map[string]bool{}
	for _, test := range [][2]string{
		{"olga@example.com", "wrong"}, {"nobody@example.com", password}, {"none@example.com", ""}, {"gone@example.com", password}, {"", ""},
	} {
		b := h.browser(t)
		err := b.signIn(test[0], test[1])
		if !errors.Is(err, model.Unauthenticated) || b.cookie != nil {
			t.Fatalf("%s: %v, cookie %v", test[0], err, b.cookie)
		}
		said[err.Error()] = true
	}
	if len(said) != 1 {
		t.Errorf("refusals tell apart who exists: %v", said)
	}
}

func TestTooManyTries(t *testing.T) {
	h := open(t, session.Options{Address: func(*http.Request) string { return "192.0.2.1" }})
	b := h.browser(t)
	for range store.MaxTries {
		b.signIn("olga@example.com", "wrong")
	}
	err := b.signIn("olga@example.com", password)
	at, ok := session.Wait(err)
	if !ok || at.Sub(model.At(h.at)) > store.TriesWithin+time.Second || !errors.Is(err, model.Busy) {
		t.Errorf("the right password after too many tries: %v", err)
	}
	h.at = at.Std().Add(time.Second)
	if err := b.signIn("olga@example.com", password); err != nil {
		t.Errorf("after the wait: %v", err)
	}
	if _, ok := session.Wait(b.signIn("olga@example.com", "wrong")); ok {
		t.Error("old tries count on after a sign-in")
	}
}

// TestAnOfficeIsNotLockedOutByOne: wrong passwords for one person leave others at
// the same network address alone, and that person elsewhere.
func TestAnOfficeIsNotLockedOutByOne(t *testing.T) {
	address := "192.0.2.1"
	h := open(t, session.Options{Address: func(*http.Request) string { return address }})
	b := h.browser(t)
	refused := func(email string) bool { _, ok := session.Wait(b.signIn(email, "wrong")); return ok }
	for range store.MaxTries {
		b.signIn("rival@example.com", "wrong")
	}
	if !refused("rival@example.com") {
		t.Error("one person has any number of tries at one address")
	}
	if err := h.browser(t).signIn("olga@example.com", password); err != nil {
		t.Errorf("somebody else at the address: %v", err)
	}
	if address = "198.51.100.7"; refused("rival@example.com") {
		t.Error("the person is locked out everywhere")
	}
}

func TestNewIDs(t *testing.T) {
	h := open(t, session.Options{})
	b := h.browser(t)
	planted := strings.Repeat("A", 43)
	b.cookie = &http.Cookie{Name: h.s.Name(), Value: planted}
	if err := b.signIn("olga@example.com", password); err != nil || b.cookie.Value == planted {
		t.Fatalf("a planted id was taken: %v", err)
	}
	first, firstToken := *b.cookie, b.token()
	h.at = h.at.Add(20 * time.Minute)
	if a, _ := b.actor(); authz.Fresh(a, h.db.Now()).Allowed {
		t.Error("fresh after twenty minutes")
	}
	stepUp := func(password string) error {
		return b.call(func(w http.ResponseWriter, r *http.Request) error { return h.s.StepUp(w, r, password, nil) })
	}
	if err := stepUp("wrong"); !errors.Is(err, model.Unauthenticated) || b.cookie.Value != first.Value {
		t.Errorf("step-up with a wrong password: %v", err)
	}
	if err := stepUp(password); err != nil || b.cookie.Value == first.Value || b.token() != firstToken {
		t.Errorf("step-up: %v", err)
	}
	if a, err := b.actor(); err != nil || !authz.Fresh(a, h.db.Now()).Allowed {
		t.Errorf("not fresh after step-up: %v", err)
	}
	second := *b.cookie
	if err := b.signIn("olga@example.com", password); err != nil || b.token() == firstToken {
		t.Errorf("a second sign-in keeps the form token: %v", err)
	}
	for _, old := range []http.Cookie{first, second} {
		if _, err := (&browser{t: t, s: h.s, cookie: &old}).actor(); !errors.Is(err, model.Unauthenticated) {
			t.Errorf("an old id still opens the session: %v", err)
		}
	}
}

func TestSignOut(t *testing.T) {
	h := open(t, session.Options{})
	b := h.browser(t)
	b.signIn("olga@example.com", password)
	old := *b.cookie
	told := ""
	err := b.call(func(w http.ResponseWriter, r *http.Request) error {
		err := h.s.SignOut(w, r, func(_ *store.Tx, person string) error { told = person; return nil })
		if _, still := h.s.Actor(r); !errors.Is(still, model.Unauthenticated) {
			t.Errorf("in the same request: %v", still)
		}
		return err
	})
	if err != nil || told != h.olga.ID || b.cookie != nil {
		t.Errorf("signed out %q: %v, cookie %v", told, err, b.cookie)
	}
	if _, err := (&browser{t: t, s: h.s, cookie: &old}).actor(); !errors.Is(err, model.Unauthenticated) {
		t.Errorf("the cookie still opens the session: %v", err)
	}
}

func TestLinkAndItsEntryAreOne(t *testing.T) {
	h := open(t, session.Options{})
	var token string
	h.update(t, func(tx *store.Tx) (err error) { token, err = tx.AddSignInLink(h.olga.ID, time.Hour); return err })
	byLink := func(b *browser, also session.Also) error {
		return b.call(func(w http.ResponseWriter, r *http.Request) error { return h.s.SignInByLink(w, r, token, also) })
	}
	b := h.browser(t)
	broken := errors.New("no entry")
	if err := byLink(b, func(*store.Tx, string) error { return broken }); !errors.Is(err, broken) || b.cookie != nil {
		t.Fatalf("signed in without an entry: %v", err)
	}
	if err := byLink(b, nil); err != nil {
		t.Fatalf("the failed sign-in used the link up: %v", err)
	}
	if a, err := b.actor(); err != nil || a.ID != h.olga.ID {
		t.Errorf("signed in as %v, %v", a.ID, err)
	}
	if err := byLink(h.browser(t), nil); !errors.Is(err, model.Unauthenticated) {
		t.Errorf("a second use: %v", err)
	}
}

func TestEndsAtOnce(t *testing.T) {
	for name, end := range map[string]func(h *house, tx *store.Tx) error{
		"disabled":     func(h *house, tx *store.Tx) error { return tx.Disable(h.olga.ID) },
		"new password": func(h *house, tx *store.Tx) error { return tx.SetPassword(h.olga.ID, "x", "") },
		"idle":         func(h *house, _ *store.Tx) error { h.at = h.at.Add(store.SessionIdle + time.Second); return nil },
	} {
		t.Run(name, func(t *testing.T) {
			h := open(t, session.Options{})
			b := h.browser(t)
			b.signIn("olga@example.com", password)
			if _, err := b.actor(); err != nil {
				t.Fatal(err)
			}
			h.update(t, func(tx *store.Tx) error { return end(h, tx) })
			if _, err := b.actor(); !errors.Is(err, model.Unauthenticated) {
				t.Errorf("the session goes on: %v", err)
			}
		})
	}
}

func TestUseKeepsAlive(t *testing.T) {
	h := open(t, session.Options{})
	b := h.browser(t)
	b.signIn("olga@example.com", password)
	for range 4 {
		h.at = h.at.Add(store.SessionIdle - time.Minute)
		if _, err := b.actor(); err != nil {
			t.Fatalf("ended in use: %v", err)
		}
	}
}

func TestFormToken(t *testing.T) {
	h := open(t, session.Options{})
	b, other, nobody := h.browser(t), h.browser(t), h.browser(t)
	b.signIn("olga@example.com", password)
	other.signIn("olga@example.com", password)
	token := b.token()
	for _, test := range []struct {
		name  string
		b     *browser
		given string
		ok    bool
	}{
		{"own", b, token, true},
		{"of another session", other, token, false},
		{"empty", b, "", false},
		{"cut", b, token[1:], false},
		{"nobody's empty", nobody, "", false},
	} {
		err := test.b.call(func(_ http.ResponseWriter, r *http.Request) error { return h.s.CheckToken(r, test.given) })
		if (err == nil) != test.ok || !test.ok && !errors.Is(err, model.Denied) {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}

func TestValues(t *testing.T) {
	h := open(t, session.Options{})
	b := h.browser(t)
	flash := func(w http.ResponseWriter, r *http.Request) error {
		current, err := h.s.Get(r, h.s.Name())
		if err != nil {
			return err
		}
		current.AddFlash("saved")
		return current.Save(r, w)
	}
	if err := b.call(flash); !errors.Is(err, model.Unauthenticated) {
		t.Errorf("kept for nobody: %v", err)
	}
	b.signIn("olga@example.com", password)
	if err := b.call(flash); err != nil {
		t.Fatal(err)
	}
	for _, want := range []int{1, 0} {
		err := b.call(func(w http.ResponseWriter, r *http.Request) error {
			current, err := h.s.Get(r, h.s.Name())
			if got := current.Flashes(); len(got) != want || err != nil {
				t.Errorf("flashes %v, want %d (%v)", got, want, err)
			}
			return current.Save(r, w)
		})
		if err != nil {
			t.Error(err)
		}
	}
	err := b.call(func(w http.ResponseWriter, r *http.Request) error {
		current, _ := h.s.Get(r, h.s.Name())
		current.Options.MaxAge = -1
		return current.Save(r, w)
	})
	if _, gone := b.actor(); err != nil || b.cookie != nil || !errors.Is(gone, model.Unauthenticated) {
		t.Errorf("a session saved with a negative age goes on: %v, %v", err, gone)
	}
}
