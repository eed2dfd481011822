package store

import (
	"time"

	"countersign/internal/model"
)

// SignInLink is a link that signs one person in, once.
type SignInLink struct {
	Person    string     `db:"person"`
	CreatedAt model.Time `db:"created_at"`
	ExpiresAt model.Time `db:"expires_at"`
	UsedAt    model.Time `db:"used_at"`
}

// DefaultLinkLife is how long a sign-in link works.
const DefaultLinkLife = 15 * time.Minute

// keepEnded is how long sessions and links stay on record after their end.
const keepEnded = 30 * 24 * time.Hour

// AddSignInLink makes a link for a person and gives its token, this once. Links
// that ended long ago go off the record.
func (t *Tx) AddSignInLink(person string, lasts time.Duration) (token string, err error) {
	if _, err := t.Exec("DELETE FROM signin_links WHERE expires_at <= ?", t.now.Add(-keepEnded)); err != nil {
		return "", err
	}
	token = newSecret()
	_, err = t.Exec("INSERT INTO signin_links (token_hash, person, created_at, expires_at) VALUES (?, ?, ?, ?)",
		hashSecret(token), person, t.now, t.now.Add(lasts))
	return token, err
}

// SignInLink looks at a link and uses nothing up. The error is of kind
// Unauthenticated, and says so, when it is unknown, used or over.
func (t *Tx) SignInLink(token string) (l SignInLink, err error) {
	ok, err := t.Get(&l, "SELECT person, created_at, expires_at, used_at FROM signin_links WHERE token_hash = ?", hashSecret(token))
	switch {
	case err != nil:
		return l, err
	case !ok:
		return l, badLink("This sign-in link is not known.")
	case l.UsedAt != 0:
		return l, badLink("This sign-in link has been used; it works once.")
	case l.ExpiresAt <= t.now:
		return l, badLink("This sign-in link has ended.")
	}
	return l, nil
}

func badLink(because string) error {
	return model.Errorf(model.Unauthenticated, "unauthenticated", "%s", because)
}

// UseSignInLink uses a link up and gives the id of its person. Of two at once
// one gets it; the other's error is SignInLink's.
func (t *Tx) UseSignInLink(token string) (person string, err error) {
	l, err := t.SignInLink(token)
	if err != nil {
		return "", err
	}
	if _, err := t.PersonActor(l.Person); err != nil {
		return "", err
	}
	used, err := t.Changed("UPDATE signin_links SET used_at = ? WHERE token_hash = ? AND used_at = 0", t.now, hashSecret(token))
	if err == nil && used == 0 {
		err = badLink("This sign-in link has been used; it works once.")
	}
	return l.Person, err
}

// Limits of failed tries to sign in: of one person from one network address, and
// of one person from anywhere or one network address for anybody. An office
// shares an address, and whoever guesses there locks themselves out, not it.
const (
	MaxTries     = 10
	MaxTriesWide = 100
	TriesWithin  = 15 * time.Minute
)

// Tried is what tries are counted against, as a digest, and how many it has
// within TriesWithin.
type Tried struct {
	Subject string
	Most    int
}

// TakeTry takes one try from each subject before a password is looked at, so
// that many at once cannot pass the limit. Either taken names the tries, or none
// was taken and wait is the moment from which the next one is.
func (t *Tx) TakeTry(subjects ...Tried) (taken []string, wait model.Time, err error) {
	if _, err := t.Exec("DELETE FROM signin_tries WHERE at <= ?", t.now.Add(-TriesWithin)); err != nil {
		return nil, 0, err
	}
	for _, subject := range subjects {
		if err := t.oneAtATime("signin " + subject.Subject); err != nil {
			return nil, 0, err
		}
		next, err := t.nextTry(subject)
		if err != nil {
			return nil, 0, err
		}
		wait = max(wait, next)
	}
	if wait != 0 {
		return nil, wait, nil
	}
	for _, subject := range subjects {
		id := t.NewID("try")
		if _, err := t.Exec("INSERT INTO signin_tries (id, subject, at) VALUES (?, ?, ?)", id, subject.Subject, t.now); err != nil {
			return nil, 0, err
		}
		taken = append(taken, id)
	}
	return taken, 0, nil
}

// nextTry is when the subject has a try again; 0 when it has one now.
func (t *Tx) nextTry(subject Tried) (model.Time, error) {
	var tries []model.Time
	err := t.Select(&tries, "SELECT at FROM signin_tries WHERE subject = ? ORDER BY at DESC LIMIT ?", subject.Subject, subject.Most)
	if err != nil || len(tries) < subject.Most {
		return 0, err
	}
	return tries[subject.Most-1].Add(TriesWithin), nil
}

// ForgiveTry gives tries back after the right password, and with them all that
// were taken from own, the subject of the person at their network address. Other
// tries from there stay counted.
func (t *Tx) ForgiveTry(taken []string, own string) error {
	for _, id := range taken {
		if _, err := t.Exec("DELETE FROM signin_tries WHERE id = ?", id); err != nil {
			return err
		}
	}
	_, err := t.Exec("DELETE FROM signin_tries WHERE subject = ?", own)
	return err
}
