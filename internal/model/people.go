package model

// Role is what a person is in one account. A person may have several.
type Role string

// The roles.
const (
	RoleOperator      Role = "operator"
	RoleApprover      Role = "approver"
	RoleAuditor       Role = "auditor"
	RoleAdministrator Role = "administrator"
)

// Roles lists every role, in the order in which pages and commands offer them.
var Roles = []Role{RoleOperator, RoleApprover, RoleAuditor, RoleAdministrator}

// Person is somebody who can sign in.
type Person struct {
	ID           string `db:"id"`
	Email        string `db:"email"` // lower case
	Name         string `db:"name"`
	PasswordHash string `db:"password_hash" json:"-"` // argon2id, PHC form; "" has none
	CreatedAt    Time   `db:"created_at"`
	DisabledAt   Time   `db:"disabled_at"` // 0 while the person may sign in
	Zone         string `db:"zone"`        // IANA name
	Theme        string `db:"theme"`
	Density      string `db:"density"`
	Keyboard     bool   `db:"keyboard"` // single-key shortcuts are on

	// Roles are by account: of the account asked for, or of all.
	Roles map[string][]Role `db:"-"`
}

// Ability is what a service key may do in its account.
type Ability string

// The abilities. None of them acts on money or approves.
const (
	CanReadIntents  Ability = "intents:read"
	CanWriteIntents Ability = "intents:write"
	CanReadAudit    Ability = "audit:read"
)

// Abilities lists every ability.
var Abilities = []Ability{CanReadIntents, CanWriteIntents, CanReadAudit}

// ActorType is the sort of somebody who does something.
type ActorType string

// The sorts of actor. A person who comes with a key of their own is a person.
const (
	ActorPerson ActorType = "person"
	ActorKey    ActorType = "key" // a service key
	ActorEngine ActorType = "engine"
)

// KeyInfo is the API key that an actor came with.
type KeyInfo struct {
	ID        string
	Name      string
	Person    bool      // the key of a person, who may with it what they may on the pages
	Abilities []Ability // of a service key
	Issuer    string    // id of the person who answers for what the key does
}

// Actor is who is asking, with their rights as stored at one moment. What
// follows from it is decided by package authz.
type Actor struct {
	Type    ActorType
	ID      string // of the person or the service key
	Name    string
	Email   string            // "" for a service key
	Account string            // the one account in force; "" where there are several or none
	Roles   map[string][]Role // by account
	Key     *KeyInfo          // nil for a person on the pages
	Session string            // public id of the session; "" with a key
	// SteppedUpAt is when a fresh factor was last shown. It lies ahead where
	// step-up was granted for longer.
	SteppedUpAt Time
}

// Responsible is the id of the person who answers for what the actor does; ""
// for the engine and for a key without an issuer.
func (a Actor) Responsible() string {
	switch {
	case a.Type == ActorPerson:
		return a.ID
	case a.Key != nil:
		return a.Key.Issuer
	}
	return ""
}
