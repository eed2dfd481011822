package store

import (
	"net/mail"
	"regexp"
	"strings"
	"time"

	"countersign/internal/model"
)

var accountName = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,62}$`)

// EnsureAccount makes the account exist: it does from its first use. The error
// is of kind Invalid for a name that no account may have.
func (t *Tx) EnsureAccount(account string) error {
	if !accountName.MatchString(account) {
		return model.Errorf(model.Invalid, "invalid-params", "An account is named by 1 to 63 of a-z, 0-9, - and _, beginning with a letter or digit").
			WithFields(model.Field{Location: "account", Message: "is no account name"})
	}
	_, err := t.Exec("INSERT INTO accounts (id, created_at) VALUES (?, ?) ON CONFLICT DO NOTHING", account, t.now)
	return err
}

// NormalEmail is the form in which an address is stored and compared.
func NormalEmail(email string) string { return strings.ToLower(strings.TrimSpace(email)) }

const personColumns = "id, email, name, password_hash, created_at, disabled_at, zone, theme, density, keyboard"

// AddPerson makes a person who may sign in and has no rights yet. Without a name
// they are called by the part of the address before the @. The error is of kind
// Conflict when the address is taken, Invalid when it is no address.
func (t *Tx) AddPerson(email, name string) (model.Person, error) {
	email = NormalEmail(email)
	if parsed, err := mail.ParseAddress(email); err != nil || parsed.Address != email {
		return model.Person{}, model.Errorf(model.Invalid, "invalid-params", "That is no e-mail address").
			WithFields(model.Field{Location: "email", Message: "is no e-mail address"})
	}
	if name = strings.TrimSpace(name); model.Visible(name) == 0 {
		name, _, _ = strings.Cut(email, "@")
	}
	p := model.Person{ID: t.NewID("person"), Email: email, Name: name, CreatedAt: t.now, Zone: "UTC", Keyboard: true}
	added, err := t.Changed("INSERT INTO people (id, email, name, created_at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
		p.ID, p.Email, p.Name, p.CreatedAt)
	if err == nil && added == 0 {
		err = model.Errorf(model.Conflict, "conflict", "Somebody with this address exists already.")
	}
	return p, err
}

// PersonByEmail finds a person, with all roles; the error is of kind NotFound.
func (t *Tx) PersonByEmail(email string) (model.Person, error) {
	return t.person("email", NormalEmail(email))
}

// Person finds a person by id, with all roles; the error is of kind NotFound.
func (t *Tx) Person(id string) (model.Person, error) { return t.person("id", id) }

func (t *Tx) person(column, value string) (p model.Person, err error) {
	ok, err := t.Get(&p, "SELECT "+personColumns+" FROM people WHERE "+column+" = ?"+t.shared(), value)
	if err != nil {
		return p, err
	}
	if !ok {
		return p, model.Errorf(model.NotFound, "not-found", "There is no such person.")
	}
	p.Roles, err = t.rolesOf(p.ID)
	return p, err
}

// membership is a row of memberships.
type membership struct {
	Person  string     `db:"person"`
	Account string     `db:"account"`
	Role    model.Role `db:"role"`
}

func (t *Tx) rolesOf(person string) (map[string][]model.Role, error) {
	var rows []membership
	err := t.Select(&rows, "SELECT person, account, role FROM memberships WHERE person = ? ORDER BY account, role"+t.shared(), person)
	return byAccount(rows), err
}

func byAccount(rows []membership) map[string][]model.Role {
	roles := map[string][]model.Role{}
	for _, m := range rows {
		roles[m.Account] = append(roles[m.Account], m.Role)
	}
	return roles
}

// People lists everybody with a role in the account, disabled ones too, by name.
// Their Roles are those of this account only.
func (t *Tx) People(account string) ([]model.Person, error) {
	var people []model.Person
	var rows []membership
	err := t.Together(
		func() error {
			return t.Select(&people, "SELECT "+personColumns+" FROM people WHERE id IN (SELECT person FROM memberships WHERE account = ?) ORDER BY name, id", account)
		},
		func() error {
			return t.Select(&rows, "SELECT person, account, role FROM memberships WHERE account = ? ORDER BY role", account)
		})
	if err != nil {
		return nil, err
	}
	roles := map[string]map[string][]model.Role{}
	for _, m := range rows {
		if roles[m.Person] == nil {
			roles[m.Person] = map[string][]model.Role{}
		}
		roles[m.Person][m.Account] = append(roles[m.Person][m.Account], m.Role)
	}
	for i := range people {
		people[i].Roles = roles[people[i].ID]
	}
	return people, nil
}

// Everybody lists all people with all their roles, by address: for the command
// line, which stands outside the account walls.
func (t *Tx) Everybody() ([]model.Person, error) {
	var people []model.Person
	if err := t.Select(&people, "SELECT "+personColumns+" FROM people ORDER BY email"); err != nil {
		return nil, err
	}
	for i := range people {
		roles, err := t.rolesOf(people[i].ID)
		if err != nil {
			return nil, err
		}
		people[i].Roles = roles
	}
	return people, nil
}

// Grant gives a person a role in an account; given already is no error.
func (t *Tx) Grant(person, account string, role model.Role) error {
	if err := t.EnsureAccount(account); err != nil {
		return err
	}
	if !knownRole(role) {
		return model.Errorf(model.Invalid, "invalid-params", "A role is operator, approver, auditor or administrator").
			WithFields(model.Field{Location: "role", Message: "is no role"})
	}
	_, err := t.Exec("INSERT INTO memberships (person, account, role) VALUES (?, ?, ?) ON CONFLICT DO NOTHING", person, account, role)
	return err
}

func knownRole(role model.Role) bool {
	for _, known := range model.Roles {
		if role == known {
			return true
		}
	}
	return false
}

// Withdraw takes a role away, at once; not having it is no error.
func (t *Tx) Withdraw(person, account string, role model.Role) error {
	_, err := t.Exec("DELETE FROM memberships WHERE person = ? AND account = ? AND role = ?", person, account, role)
	return err
}

// SetPassword stores the argon2id hash of a new password, in PHC form, and ends
// every session of the person but keep, a session's public id ("" keeps none).
func (t *Tx) SetPassword(person, hash, keep string) error {
	changed, err := t.Changed("UPDATE people SET password_hash = ? WHERE id = ?", hash, person)
	if err == nil && changed == 0 {
		err = model.Errorf(model.NotFound, "not-found", "There is no such person.")
	}
	if err != nil {
		return err
	}
	return t.revokeSessions(person, keep)
}

// Settings are what a person sets for themselves.
type Settings struct {
	Zone     string // IANA name
	Theme    string
	Density  string
	Keyboard bool
}

// SetSettings stores a person's settings. A zone that is not known is refused
// with kind Invalid.
func (t *Tx) SetSettings(person string, s Settings) error {
	if _, err := time.LoadLocation(s.Zone); err != nil || s.Zone == "" || s.Zone == "Local" {
		return model.Errorf(model.Invalid, "invalid-params", "That time zone is not known").
			WithFields(model.Field{Location: "zone", Message: "is not known; one is Europe/Vienna, another UTC"})
	}
	_, err := t.Exec("UPDATE people SET zone = ?, theme = ?, density = ?, keyboard = ? WHERE id = ?", s.Zone, s.Theme, s.Density, s.Keyboard, person)
	return err
}

// Disable shuts a person out: their sessions, keys and links end at once.
// Disabled already is no error.
func (t *Tx) Disable(person string) error {
	changed, err := t.Changed("UPDATE people SET disabled_at = CASE WHEN disabled_at = 0 THEN ? ELSE disabled_at END WHERE id = ?", t.now, person)
	if err == nil && changed == 0 {
		err = model.Errorf(model.NotFound, "not-found", "There is no such person.")
	}
	if err != nil {
		return err
	}
	if err := t.revokeSessions(person, ""); err != nil {
		return err
	}
	if _, err := t.Exec("UPDATE api_keys SET revoked_at = ? WHERE person = ? AND revoked_at = 0", t.now, person); err != nil {
		return err
	}
	_, err = t.Exec("UPDATE signin_links SET used_at = ? WHERE person = ? AND used_at = 0", t.now, person)
	return err
}
