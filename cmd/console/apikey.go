package main

import (
	"context"
	"fmt"
	"os"
	"text/tabwriter"
	"time"

	"countersign/internal/audit"
	"countersign/internal/model"
	"countersign/internal/store"
)

// apikeyCommands are about keys.
type apikeyCommands struct {
	Add    apikeyAdd    `cmd:"" help:"Make a service key of an account; it is shown this once."`
	List   apikeyList   `cmd:"" help:"List keys."`
	Revoke apikeyRevoke `cmd:"" help:"End a key, at once."`
}

// apikeyAdd makes a key.
type apikeyAdd struct {
	storage
	Name     string                         `arg:"" help:"Name of the key."`
	Account  string                         `placeholder:"NAME" help:"Account that the key belongs to."`
	Can      setting[abilities, *abilities] `placeholder:"ABILITY,..." help:"What it may do: some of intents:read,intents:write,audit:read."`
	IssuedBy string                         `placeholder:"EMAIL" help:"E-mail address of the person who answers for the key; default the first administrator of the account."`
	Person   string                         `placeholder:"EMAIL" help:"For tests: a key of this person, with step-up; needs COUNTERSIGN_INSECURE_PERSON_KEYS=1."`
	JSON     bool                           `name:"json" help:"Print JSON."`
}

// insecureKeys is the variable that allows keys of people from the command line.
const insecureKeys = "COUNTERSIGN_INSECURE_PERSON_KEYS"

// stepUpFor is how long a key made for tests and demos passes step-up.
const stepUpFor = 10 * 365 * 24 * time.Hour

// Run implements the command.
func (c *apikeyAdd) Run(ctx context.Context, t terminal) error {
	if err := c.check(); err != nil {
		return err
	}
	var out struct {
		ID  string `json:"id"`
		Key string `json:"key"`
	}
	err := c.change(ctx, func(tx *store.Tx, log *audit.Log) (err error) {
		if c.Person != "" {
			out.ID, out.Key, err = c.addOfPerson(tx, log)
		} else {
			out.ID, out.Key, err = c.addOfAccount(tx, log)
		}
		return err
	})
	switch {
	case err != nil:
		return err
	case c.JSON:
		return printJSON(t.out, out)
	}
	return t.line("%s  %s\nKeep the key: it is not shown again.", out.ID, out.Key)
}

// check tells all that does not go together.
func (c *apikeyAdd) check() error {
	var faults []model.Field
	add := func(bad bool, flag, message string) {
		if bad {
			faults = append(faults, model.Field{Location: flag, Message: message})
		}
	}
	person := c.Person != ""
	add(!person && c.Account == "", "--account", "is missing")
	add(!person && len(c.Can.Value) == 0, "--can", "is missing")
	add(person && (c.Account != "" || len(c.Can.Value) > 0 || c.IssuedBy != ""), "--person", "stands alone: the key may do what its person may")
	add(person && os.Getenv(insecureKeys) != "1", "--person", "is for tests; it needs "+insecureKeys+"=1, and every page then says so. People make their own keys on /me")
	if len(faults) == 0 {
		return nil
	}
	return model.Errorf(model.Invalid, "settings", "apikey add").WithFields(faults...)
}

func (c *apikeyAdd) addOfPerson(tx *store.Tx, log *audit.Log) (id, key string, err error) {
	p, err := tx.PersonByEmail(c.Person)
	if err != nil {
		return "", "", err
	}
	if id, key, err = tx.AddPersonKey(p.ID, c.Name, tx.Now().Add(stepUpFor)); err != nil {
		return "", "", err
	}
	return id, key, record(tx, log, audit.Entry{Event: "key.issued",
		Detail: map[string]any{"key": id, "name": c.Name, "person": p.ID, "email": p.Email, "insecure": true}})
}

func (c *apikeyAdd) addOfAccount(tx *store.Tx, log *audit.Log) (id, key string, err error) {
	issuer, err := issuerOf(tx, c.Account, c.IssuedBy)
	if err != nil {
		return "", "", err
	}
	if id, key, err = tx.AddServiceKey(c.Account, c.Name, issuer, c.Can.Value); err != nil {
		return "", "", err
	}
	can := make([]any, len(c.Can.Value))
	for i, ability := range c.Can.Value {
		can[i] = string(ability)
	}
	return id, key, record(tx, log, audit.Entry{Event: "key.issued", Account: c.Account,
		Detail: map[string]any{"key": id, "name": c.Name, "issued_by": issuer, "can": can}})
}

// issuerOf is the person who answers for a key and so may not approve what it
// posts: the named one, else the account's first administrator, else nobody.
func issuerOf(tx *store.Tx, account, email string) (string, error) {
	if email != "" {
		p, err := tx.PersonByEmail(email)
		return p.ID, err
	}
	people, err := tx.People(account)
	if err != nil {
		return "", err
	}
	var first model.Person
	for _, p := range people {
		for _, role := range p.Roles[account] {
			if role == model.RoleAdministrator && p.DisabledAt == 0 && (first.ID == "" || p.ID < first.ID) {
				first = p
			}
		}
	}
	return first.ID, nil
}

// apikeyList lists keys.
type apikeyList struct {
	storage
	JSON bool `name:"json" help:"Print one JSON line per key."`
}

// listedKey is a key as apikeyList tells it.
type listedKey struct {
	ID        string     `json:"id"`
	Name      string     `json:"name"`
	Account   string     `json:"account"`
	Person    string     `json:"person"`
	Prefix    string     `json:"prefix"`
	IssuedBy  string     `json:"issued_by"`
	Can       string     `json:"can"`
	CreatedAt model.Time `json:"created_at"`
	RevokedAt model.Time `json:"revoked_at"`
}

// Run implements the command.
func (c *apikeyList) Run(ctx context.Context, t terminal) error {
	var keys []store.APIKey
	err := c.read(ctx, func(tx *store.Tx) (err error) {
		keys, err = tx.EveryKey()
		return err
	})
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(t.out, 0, 0, 2, ' ', 0)
	for _, k := range keys {
		if c.JSON {
			err = printJSON(t.out, listedKey{k.ID, k.Name, k.Account, k.Person, k.Prefix, k.IssuedBy, k.Abilities, k.CreatedAt, k.RevokedAt})
		} else {
			_, err = fmt.Fprintf(table, "%s\t%s…\t%s\t%s\t%s\n", k.ID, k.Prefix, k.Name, holder(k), revokedText(k.RevokedAt))
		}
		if err != nil {
			return err
		}
	}
	return table.Flush()
}

func holder(k store.APIKey) string {
	if k.Person != "" {
		return "of person " + k.Person
	}
	return "of account " + k.Account + ", may " + k.Abilities
}

func revokedText(at model.Time) string {
	if at == 0 {
		return ""
	}
	return "revoked " + at.String()
}

// apikeyRevoke ends a key.
type apikeyRevoke struct {
	storage
	ID string `arg:"" help:"Id of the key, as apikey list shows it."`
}

// Run implements the command.
func (c *apikeyRevoke) Run(ctx context.Context, t terminal) error {
	if err := c.DB.Value.mustExist(); err != nil {
		return err
	}
	err := c.change(ctx, func(tx *store.Tx, log *audit.Log) error {
		key, err := tx.Key(c.ID)
		if err != nil {
			return err
		}
		if err := tx.RevokeKey(key.ID); err != nil {
			return err
		}
		return record(tx, log, audit.Entry{Event: "key.revoked", Account: key.Account, Detail: map[string]any{"key": key.ID, "name": key.Name}})
	})
	if err != nil {
		return err
	}
	return t.line("%s is worth nothing from now on.", c.ID)
}
