package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"countersign/internal/audit"
	"countersign/internal/model"
	"countersign/internal/store"
	"countersign/internal/web"
	"countersign/internal/web/session"
)

// userCommands are about people.
type userCommands struct {
	Add     userAdd     `cmd:"" help:"Add a person, or give one a further role."`
	List    userList    `cmd:"" help:"List people and their roles."`
	Disable userDisable `cmd:"" help:"Shut a person out, at once."`
}

// userAdd adds a person, or gives one a further role.
type userAdd struct {
	storage
	Email        string                       `arg:"" help:"E-mail address to sign in with."`
	Role         setting[roleName, *roleName] `required:"" placeholder:"ROLE" help:"operator, approver, auditor or administrator."`
	Account      string                       `required:"" placeholder:"NAME" help:"Account in which the role holds; it exists from its first use."`
	Name         string                       `placeholder:"NAME" help:"Name to show; default the part of the address before the @."`
	PasswordFile string                       `placeholder:"FILE" help:"File whose first line is the password; - is standard input."`
	Password     bool                         `env:"COUNTERSIGN_ASK_PASSWORD" help:"Ask for the password on the terminal."`
	URL          string                       `name:"url" default:"http://127.0.0.1:8080" help:"Address of the pages, for the one-time sign-in link that is printed where no password is set."`
	JSON         bool                         `name:"json" help:"Print JSON."`
}

// linkLife is how long a sign-in link from the command line works.
const linkLife = 24 * time.Hour

// added is what userAdd tells.
type added struct {
	ID        string  `json:"id"`
	Email     string  `json:"email"`
	Account   string  `json:"account"`
	Role      string  `json:"role"`
	SigninURL *string `json:"signin_url"` // null where a password was set
}

// Run implements the command.
func (c *userAdd) Run(ctx context.Context, t terminal) error {
	hash, err := c.passwordHash(t)
	if err != nil {
		return err
	}
	out := added{Account: c.Account, Role: string(c.Role.Value)}
	err = c.change(ctx, func(tx *store.Tx, log *audit.Log) error {
		p, err := c.add(tx, log)
		if err != nil {
			return err
		}
		out.ID, out.Email = p.ID, p.Email
		if hash != "" {
			return tx.SetPassword(p.ID, hash, "")
		}
		token, err := tx.AddSignInLink(p.ID, linkLife)
		link := signInURL(c.URL, token)
		out.SigninURL = &link
		return err
	})
	if err != nil {
		return err
	}
	return c.tell(t, out)
}

// add finds or makes the person and grants the role, with its entries.
func (c *userAdd) add(tx *store.Tx, log *audit.Log) (model.Person, error) {
	p, err := tx.PersonByEmail(c.Email)
	if model.KindOf(err) == model.NotFound {
		if p, err = tx.AddPerson(c.Email, c.Name); err == nil {
			err = record(tx, log, audit.Entry{Event: "person.added", Account: c.Account, Detail: map[string]any{"person": p.ID, "email": p.Email}})
		}
	}
	if err != nil {
		return p, err
	}
	if err := tx.Grant(p.ID, c.Account, model.Role(c.Role.Value)); err != nil {
		return p, err
	}
	return p, record(tx, log, audit.Entry{Event: "role.granted", Account: c.Account,
		Detail: map[string]any{"person": p.ID, "email": p.Email, "role": string(c.Role.Value)}})
}

func (c *userAdd) passwordHash(t terminal) (string, error) {
	var password string
	var err error
	switch {
	case c.PasswordFile != "":
		password, err = t.passwordFrom(c.PasswordFile)
	case c.Password:
		password, err = t.askPassword()
	default:
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return session.Hash(password)
}

func (c *userAdd) tell(t terminal, a added) error {
	if c.JSON {
		return printJSON(t.out, a)
	}
	if a.SigninURL == nil {
		return t.line("%s is now %s of %s and signs in with that password.", a.Email, a.Role, a.Account)
	}
	return t.line("%s is now %s of %s. This link signs in once, within %s:\n%s", a.Email, a.Role, a.Account, linkLife, *a.SigninURL)
}

// signInURL is the address of a one-time sign-in link.
func signInURL(base, token string) string {
	return strings.TrimRight(base, "/") + web.SignInPath(token)
}

// userList lists people and their roles.
type userList struct {
	storage
	JSON bool `name:"json" help:"Print one JSON line per person."`
}

// listedPerson is a person as userList tells them.
type listedPerson struct {
	ID       string                  `json:"id"`
	Email    string                  `json:"email"`
	Name     string                  `json:"name"`
	Roles    map[string][]model.Role `json:"roles"`
	Disabled model.Time              `json:"disabled_at"`
}

// Run implements the command.
func (c *userList) Run(ctx context.Context, t terminal) error {
	var people []model.Person
	err := c.read(ctx, func(tx *store.Tx) (err error) {
		people, err = tx.Everybody()
		return err
	})
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(t.out, 0, 0, 2, ' ', 0)
	for _, p := range people {
		if c.JSON {
			err = printJSON(t.out, listedPerson{p.ID, p.Email, p.Name, p.Roles, p.DisabledAt})
		} else {
			_, err = fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", p.Email, p.Name, rolesText(p.Roles), disabledText(p.DisabledAt))
		}
		if err != nil {
			return err
		}
	}
	return table.Flush()
}

func rolesText(roles map[string][]model.Role) string {
	var list []string
	for _, account := range slices.Sorted(maps.Keys(roles)) {
		for _, role := range roles[account] {
			list = append(list, fmt.Sprintf("%s of %s", role, account))
		}
	}
	return strings.Join(list, ", ")
}

func disabledText(at model.Time) string {
	if at == 0 {
		return ""
	}
	return "disabled since " + at.String()
}

// userDisable shuts a person out.
type userDisable struct {
	storage
	Email string `arg:"" help:"E-mail address of the person."`
}

// Run implements the command.
func (c *userDisable) Run(ctx context.Context, t terminal) error {
	if err := c.DB.Value.mustExist(); err != nil {
		return err
	}
	err := c.change(ctx, func(tx *store.Tx, log *audit.Log) error {
		p, err := tx.PersonByEmail(c.Email)
		if err != nil {
			return err
		}
		if err := tx.Disable(p.ID); err != nil {
			return err
		}
		return record(tx, log, audit.Entry{Event: "person.disabled", Detail: map[string]any{"person": p.ID, "email": p.Email}})
	})
	if err != nil {
		return err
	}
	return t.line("%s is shut out: sessions, keys and links have ended.", store.NormalEmail(c.Email))
}
