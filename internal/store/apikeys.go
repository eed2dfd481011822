package store

import (
	"slices"
	"strings"

	"countersign/internal/model"
)

// How keys begin, so that people and secret scanners can tell what they hold.
const (
	serviceKeyPrefix = "csk_"
	personKeyPrefix  = "csp_"
	shownOfKey       = 8 // characters that are kept to tell keys apart
)

// APIKey is a key as stored; the key itself is not.
type APIKey struct {
	ID        string     `db:"id"`
	Name      string     `db:"name"`
	Account   string     `db:"account"`   // "" for a person's key
	Person    string     `db:"person"`    // "" for a service key
	Prefix    string     `db:"prefix"`    // the key's first characters
	IssuedBy  string     `db:"issued_by"` // id of the person who answers for it
	Abilities string     `db:"abilities"` // comma-separated; "" for a person's key
	CreatedAt model.Time `db:"created_at"`
	RevokedAt model.Time `db:"revoked_at"`
	SteppedUp model.Time `db:"stepped_up"`
	UsedAt    model.Time `db:"used_at"` // of the last use, to the minute; 0 is never
}

const keyColumns = "id, name, COALESCE(account, '') AS account, COALESCE(person, '') AS person, prefix, issued_by, abilities, created_at, revoked_at, stepped_up, used_at"

// AddServiceKey makes a key of an account and gives the key itself, this once.
// issuer is the person who answers for what is done with it. The error is of
// kind Invalid for an ability that no key has.
func (t *Tx) AddServiceKey(account, name, issuer string, abilities []model.Ability) (id, key string, err error) {
	if err := t.EnsureAccount(account); err != nil {
		return "", "", err
	}
	var list []string
	for _, a := range abilities {
		if !slices.Contains(model.Abilities, a) {
			return "", "", model.Errorf(model.Invalid, "invalid-params", "A service key may be given intents:read, intents:write and audit:read").
				WithFields(model.Field{Location: "abilities", Message: "names something else"})
		}
		list = append(list, string(a))
	}
	return t.addKey(serviceKeyPrefix, name, APIKey{Account: account, IssuedBy: issuer, Abilities: strings.Join(list, ",")})
}

// AddPersonKey makes a key with which a person may do what they may on the
// pages, and gives the key itself, this once. steppedUp is when the person last
// showed a fresh factor: 0 is never, and a moment ahead grants step-up until
// then, which is for demos and tests.
func (t *Tx) AddPersonKey(person, name string, steppedUp model.Time) (id, key string, err error) {
	return t.addKey(personKeyPrefix, name, APIKey{Person: person, IssuedBy: person, SteppedUp: steppedUp})
}

func (t *Tx) addKey(prefix, name string, k APIKey) (id, key string, err error) {
	if name = strings.TrimSpace(name); model.Visible(name) == 0 || len(name) > 100 {
		return "", "", model.Errorf(model.Invalid, "invalid-params", "A key has a name of 1 to 100 characters").
			WithFields(model.Field{Location: "name", Message: "is empty or too long"})
	}
	id, key = t.NewID("key"), prefix+newSecret()
	_, err = t.Exec(`INSERT INTO api_keys (id, name, account, secret_hash, prefix, person, issued_by, abilities, created_at, stepped_up)
		VALUES (?, ?, NULLIF(?, ''), ?, ?, NULLIF(?, ''), ?, ?, ?, ?)`,
		id, name, k.Account, hashSecret(key), key[:shownOfKey], k.Person, k.IssuedBy, k.Abilities, t.now, k.SteppedUp)
	return id, key, err
}

// ActorByKey gives who comes with a key, with their rights as they are in this
// transaction. The error is of kind Unauthenticated, and the same, for a key
// that is unknown, revoked or of a disabled person.
func (t *Tx) ActorByKey(key string) (model.Actor, error) {
	if len(key) != len(serviceKeyPrefix)+secretChars {
		return model.Actor{}, badKey()
	}
	return t.keyActor("secret_hash", hashSecret(key))
}

func badKey() error {
	return model.Errorf(model.Unauthenticated, "unauthenticated", "This API key is not valid.")
}

func (t *Tx) keyActor(column string, value any) (model.Actor, error) {
	var k APIKey
	ok, err := t.Get(&k, "SELECT "+keyColumns+" FROM api_keys WHERE "+column+" = ? AND revoked_at = 0"+t.shared(), value)
	if err != nil {
		return model.Actor{}, err
	}
	if !ok {
		return model.Actor{}, badKey()
	}
	info := &model.KeyInfo{ID: k.ID, Name: k.Name, Person: k.Person != "", Issuer: k.IssuedBy}
	if !info.Person {
		for ability := range strings.SplitSeq(k.Abilities, ",") {
			info.Abilities = append(info.Abilities, model.Ability(ability))
		}
		return model.Actor{Type: model.ActorKey, ID: k.ID, Name: k.Name, Account: k.Account, Key: info}, nil
	}
	a, err := t.PersonActor(k.Person)
	if model.KindOf(err) == model.Unauthenticated {
		return a, badKey()
	}
	a.Key, a.SteppedUpAt = info, k.SteppedUp
	return a, err
}

// Key finds a key by id; the error is of kind NotFound.
func (t *Tx) Key(id string) (APIKey, error) {
	var k APIKey
	ok, err := t.Get(&k, "SELECT "+keyColumns+" FROM api_keys WHERE id = ?", id)
	if err == nil && !ok {
		err = model.Errorf(model.NotFound, "not-found", "There is no such key.")
	}
	return k, err
}

// ServiceKeys lists the service keys of an account, revoked ones too, newest first.
func (t *Tx) ServiceKeys(account string) (keys []APIKey, err error) {
	err = t.Select(&keys, "SELECT "+keyColumns+" FROM api_keys WHERE account = ? ORDER BY id DESC", account)
	return keys, err
}

// PersonKeys lists the keys of a person, revoked ones too, newest first.
func (t *Tx) PersonKeys(person string) (keys []APIKey, err error) {
	err = t.Select(&keys, "SELECT "+keyColumns+" FROM api_keys WHERE person = ? ORDER BY id DESC", person)
	return keys, err
}

// EveryKey lists all keys, oldest first: for the command line.
func (t *Tx) EveryKey() (keys []APIKey, err error) {
	err = t.Select(&keys, "SELECT "+keyColumns+" FROM api_keys ORDER BY id")
	return keys, err
}

// RevokeKey ends a key at once. The error is of kind NotFound; revoked already
// is no error. Whose key it is, the caller looks at first.
func (t *Tx) RevokeKey(id string) error {
	changed, err := t.Changed("UPDATE api_keys SET revoked_at = CASE WHEN revoked_at = 0 THEN ? ELSE revoked_at END WHERE id = ?", t.now, id)
	if err == nil && changed == 0 {
		err = model.Errorf(model.NotFound, "not-found", "There is no such key.")
	}
	return err
}

// KeyUsed notes that a key was used now.
func (t *Tx) KeyUsed(id string) error {
	_, err := t.Exec("UPDATE api_keys SET used_at = ? WHERE id = ? AND used_at < ?", t.now, id, t.now)
	return err
}

// stepUpKeys lets a person's keys pass step-up from now on for a while; what
// was granted for longer stays.
func (t *Tx) stepUpKeys(person string) error {
	_, err := t.Exec("UPDATE api_keys SET stepped_up = ? WHERE person = ? AND stepped_up < ?", t.now, person, t.now)
	return err
}

// InsecurePersonKeys reports whether a valid person's key exists that passes
// step-up without a fresh factor of its person.
func (t *Tx) InsecurePersonKeys() (bool, error) {
	var n int
	_, err := t.Get(&n, "SELECT COUNT(*) FROM api_keys WHERE person IS NOT NULL AND revoked_at = 0 AND stepped_up > ?", t.now)
	return n > 0, err
}
