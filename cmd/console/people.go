package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"countersign/internal/audit"
	"countersign/internal/model"
	"countersign/internal/store"
	"countersign/internal/web/session"
)

// The accounts of the demo.
const (
	acme   = "acme"
	globex = "globex"
)

// samplePerson is one of the demo's people.
type samplePerson struct {
	email, name, account string
	role                 model.Role
}

// The addresses of those who act in the samples.
const (
	priya    = "priya@example.com"
	tomas    = "tomas@example.com"
	ingrid   = "ingrid@example.com"
	kwabena  = "kwabena@example.com"
	eleni    = "eleni@example.com"
	mohammed = "mohammed@example.com"
)

// samplePeople are the demo's people, in the order in which they are shown.
// Eleni answers for the service key.
var samplePeople = []samplePerson{
	{priya, "Priya Raman", acme, model.RoleOperator},
	{tomas, "Tomáš Dvořák", acme, model.RoleOperator},
	{ingrid, "Ingrid Solheim", acme, model.RoleApprover},
	{kwabena, "Kwabena Mensah", acme, model.RoleApprover},
	{"lin@example.com", "林怡君", acme, model.RoleAuditor},
	{eleni, "Ελένη Παπαδοπούλου", acme, model.RoleAdministrator},
	{"hanh@example.com", "Nguyễn Thị Hạnh", acme, model.RoleAdministrator},
	{mohammed, "محمد الحربي", globex, model.RoleOperator},
}

// demoLinkLife is how long the sign-in links of one start work.
const demoLinkLife = 12 * time.Hour

// demoKeys are the API keys that the demo hands out: by the address of a person,
// and the service key under its own name. They are kept, so that programs go on
// with them after a restart.
type demoKeys map[string]string

const (
	demoServiceKey = "demo"
	demoPassword   = "password" // the one password of all sample people
)

// makePeople makes the sample people where they are missing, and their keys.
func (d *demo) makePeople(ctx context.Context) error {
	keyFile := filepath.Join(d.command.Data, "demo-keys.json")
	kept, err := readDemoKeys(keyFile)
	if err != nil {
		return err
	}
	password, hash, err := demoPasswordOf(kept)
	if err != nil {
		return err
	}
	err = d.db.Update(ctx, func(tx *store.Tx) (err error) {
		d.keys = demoKeys{demoPassword: password}
		for _, sample := range samplePeople {
			if d.keys[sample.email], err = d.person(tx, sample, kept[sample.email], hash); err != nil {
				return fmt.Errorf("sample person %s: %w", sample.email, err)
			}
		}
		d.keys[demoServiceKey], err = d.serviceKey(tx, kept[demoServiceKey])
		return err
	})
	if err != nil {
		return err
	}
	return writeDemoKeys(keyFile, d.keys)
}

// demoPasswordOf gives the kept password of the sample people, or a new one with
// the hash that they get. One for all: hashing eight would slow the first start.
func demoPasswordOf(kept demoKeys) (password, hash string, err error) {
	if password = kept[demoPassword]; password != "" {
		return password, "", nil
	}
	text := strings.ToLower(rand.Text())
	password = text[:4] + "-" + text[4:8] + "-" + text[8:12] + "-" + text[12:16]
	hash, err = session.Hash(password)
	return password, hash, err
}

// person makes one sample person where they are missing, sets their password
// where it is new, and gives their key.
func (d *demo) person(tx *store.Tx, sample samplePerson, kept, hash string) (key string, err error) {
	add := userAdd{Email: sample.email, Account: sample.account, Name: sample.name}
	add.Role.Value = roleName(sample.role)
	p, err := tx.PersonByEmail(sample.email)
	if model.KindOf(err) == model.NotFound {
		p, err = add.add(tx, d.log)
	}
	if err == nil && hash != "" {
		err = tx.SetPassword(p.ID, hash, "")
	}
	if err != nil {
		return "", err
	}
	if _, err := tx.ActorByKey(kept); err == nil {
		return kept, nil
	}
	return d.personKey(tx, p)
}

// invite gives everyone a new sign-in link.
func (d *demo) invite(ctx context.Context) (ready readyLine, err error) {
	err = d.db.Update(ctx, func(tx *store.Tx) error {
		ready = readyLine{Address: d.url(), Sandbox: d.sandbox.URL(), APIKey: d.keys[demoServiceKey], password: d.keys[demoPassword]}
		for _, sample := range samplePeople {
			p, err := tx.PersonByEmail(sample.email)
			if err != nil {
				return err
			}
			token, err := tx.AddSignInLink(p.ID, demoLinkLife)
			if err != nil {
				return err
			}
			ready.People = append(ready.People, readyPerson{Email: p.Email, Role: string(sample.role), SigninURL: signInURL(d.url(), token),
				APIKey: d.keys[p.Email], name: p.Name, account: sample.account})
		}
		return nil
	})
	return ready, err
}

// personKey makes a key that passes step-up, which only a demo hands out.
func (d *demo) personKey(tx *store.Tx, p model.Person) (string, error) {
	id, key, err := tx.AddPersonKey(p.ID, "demo", tx.Now().Add(stepUpFor))
	if err != nil {
		return "", err
	}
	return key, record(tx, d.log, audit.Entry{Event: "key.issued",
		Detail: map[string]any{"key": id, "name": "demo", "person": p.ID, "email": p.Email}})
}

// serviceKey is the account's key for programs.
func (d *demo) serviceKey(tx *store.Tx, kept string) (string, error) {
	if _, err := tx.ActorByKey(kept); err == nil {
		return kept, nil
	}
	add := apikeyAdd{Name: "demo", Account: acme, IssuedBy: eleni}
	add.Can.Value = model.Abilities
	_, key, err := add.addOfAccount(tx, d.log)
	return key, err
}

func readDemoKeys(path string) (keys demoKeys, err error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &keys)
	}
	if err != nil {
		return nil, model.Errorf(model.Invalid, "data", "the demo's keys cannot be read: %w; remove %s and new ones are made", err, path)
	}
	return keys, nil
}

func writeDemoKeys(path string, keys demoKeys) error {
	text, err := json.MarshalIndent(keys, "", "  ")
	if err != nil {
		return err
	}
	draft := path + ".new"
	if err := os.WriteFile(draft, append(text, '\n'), 0o600); err != nil {
		return fmt.Errorf("keep the demo's keys: %w", err)
	}
	return os.Rename(draft, path)
}
