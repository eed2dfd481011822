package templates

// MeView is the person's own page (POST /me/settings: zone, theme, density,
// keys; POST /me/keys: name, and key with do=revoke; POST /me/sessions/revoke:
// session; POST /signout).
type MeView struct {
	Page      Page
	Facts     []Fact // name, address, roles, accounts
	Zone      string
	Zones     []string // offered as suggestions
	Themes    []Choice
	Densities []Choice
	KeysOff   bool
	NewKey    *NewKey // shown this once
	Keys      []KeyRow
	MayKey    bool // may make a key
	KeyNote   Text // why not, or what a key may do
	KeyName   string
	Sessions  []SessionRow
	Saved     *Note
	Errors    FieldErrors // Field: zone, name
}

// NewKey is a key in the only answer that ever shows it.
type NewKey struct{ Name, Key string }

// KeyRow is one of the person's keys.
type KeyRow struct {
	ID, Name, Prefix    string
	Made, Used, Revoked Time
}

// SessionRow is one signed-in session.
type SessionRow struct {
	ID                string
	Device            string
	Address           string
	Begun, Seen, Ends Time
	This              bool
}
