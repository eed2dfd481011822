package store_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
	"time"

	"countersign/internal/model"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
)

func TestServiceKey(t *testing.T) {
	db, _ := openAt(t)
	boss := addPerson(t, db, "boss@example.com", model.RoleAdministrator)
	can := []model.Ability{model.CanReadIntents, model.CanWriteIntents}
	update(t, db, func(tx *store.Tx) error {
		id, key, err := tx.AddServiceKey("initech", "payroll", boss.ID, can)
		if err != nil || !regexp.MustCompile(`^csk_[A-Za-z0-9_-]{43}$`).MatchString(key) {
			t.Fatalf("key %q, %v", key, err)
		}
		a, err := tx.ActorByKey(key)
		if err != nil || a.Type != model.ActorKey || a.ID != id || a.Account != "initech" || a.Key.Person ||
			a.Responsible() != boss.ID || !slices.Equal(a.Key.Abilities, can) || len(a.Roles) != 0 {
			t.Errorf("actor %+v, %v", a, err)
		}
		if listed, err := tx.ServiceKeys("initech"); err != nil || len(listed) != 1 || listed[0].Prefix != key[:8] {
			t.Errorf("listed %+v, %v", listed, err)
		}
		if err := tx.RevokeKey(id); err != nil {
			t.Error(err)
		}
		if _, err := tx.Refresh(a); !errors.Is(err, model.Unauthenticated) {
			t.Errorf("a revoked key's request goes on: %v", err)
		}
		return nil
	})
}

func TestPersonKeyReachesWhatItsPersonDoes(t *testing.T) {
	db, _ := openAt(t)
	olga := addPerson(t, db, "olga@example.com", model.RoleOperator)
	update(t, db, func(tx *store.Tx) error {
		_, key, err := tx.AddPersonKey(olga.ID, "laptop", 0)
		if err != nil || !regexp.MustCompile(`^csp_[A-Za-z0-9_-]{43}$`).MatchString(key) {
			t.Fatalf("key %q, %v", key, err)
		}
		if err := tx.Grant(olga.ID, "globex", model.RoleAuditor); err != nil {
			t.Error(err)
		}
		a, err := tx.ActorByKey(key)
		if err != nil || a.Type != model.ActorPerson || a.ID != olga.ID || !a.Key.Person || a.SteppedUpAt != 0 ||
			len(a.Roles) != 2 || len(a.Key.Abilities) != 0 || a.Account != "" {
			t.Errorf("actor %+v, %v", a, err)
		}
		return nil
	})
}

func TestKeysThatAreRefused(t *testing.T) {
	db, _ := openAt(t)
	olga := addPerson(t, db, "olga@example.com", model.RoleOperator)
	update(t, db, func(tx *store.Tx) error {
		_, key, err := tx.AddPersonKey(olga.ID, "laptop", 0)
		for _, bad := range []string{"", "csk_", key[:len(key)-1], key + "A", "csk_" + key[4:], key[4:] + key[:4]} {
			if _, err := tx.ActorByKey(bad); !errors.Is(err, model.Unauthenticated) {
				t.Errorf("%q: %v", bad, err)
			}
		}
		if _, _, err := tx.AddServiceKey("acme", "x", olga.ID, []model.Ability{"approvals:decide"}); !errors.Is(err, model.Invalid) {
			t.Errorf("an ability to approve: %v", err)
		}
		if _, _, err := tx.AddPersonKey(olga.ID, " ", 0); !errors.Is(err, model.Invalid) {
			t.Errorf("no name: %v", err)
		}
		if err := tx.RevokeKey("key-0"); !errors.Is(err, model.NotFound) {
			t.Errorf("revoke an unknown key: %v", err)
		}
		return err
	})
}

func TestKeysAreListed(t *testing.T) {
	db, _ := openAt(t)
	olga := addPerson(t, db, "olga@example.com", model.RoleOperator)
	update(t, db, func(tx *store.Tx) error {
		service, _, err1 := tx.AddServiceKey("acme", "payroll", olga.ID, nil)
		own, _, err2 := tx.AddPersonKey(olga.ID, "laptop", 0)
		k, err3 := tx.Key(own)
		if k.Person != olga.ID || k.Account != "" || k.Name != "laptop" || k.RevokedAt != 0 {
			t.Errorf("found %+v", k)
		}
		if _, err := tx.Key("key-0"); !errors.Is(err, model.NotFound) {
			t.Errorf("an unknown key: %v", err)
		}
		mine, err4 := tx.PersonKeys(olga.ID)
		acmes, err5 := tx.ServiceKeys("acme")
		all, err6 := tx.EveryKey()
		if len(mine) != 1 || mine[0].ID != own || len(acmes) != 1 || acmes[0].ID != service || len(all) != 2 || all[0].ID != service {
			t.Errorf("listed %v, %v and %v", mine, acmes, all)
		}
		return errors.Join(err1, err2, err3, err4, err5, err6)
	})
}

func TestStepUpOfKeys(t *testing.T) {
	db, c := openAt(t)
	olga := addPerson(t, db, "olga@example.com", model.RoleOperator)
	var plain, granted, cookie string
	until := model.At(c.now().Add(24 * time.Hour))
	update(t, db, func(tx *store.Tx) error {
		var err1, err2, err3 error
		_, plain, err1 = tx.AddPersonKey(olga.ID, "plain", 0)
		_, granted, err2 = tx.AddPersonKey(olga.ID, "granted", until)
		cookie, err3 = tx.AddSession(store.Session{Person: olga.ID, Data: []byte{}}, "")
		return errors.Join(err1, err2, err3)
	})
	c.forward(10 * time.Minute)
	update(t, db, func(tx *store.Tx) error {
		if insecure, err := tx.InsecurePersonKeys(); !insecure || err != nil {
			t.Errorf("insecure keys: %v, %v", insecure, err)
		}
		if _, err := tx.StepUp(cookie); err != nil {
			return err
		}
		for key, want := range map[string]model.Time{plain: tx.Now(), granted: until} {
			if a, err := tx.ActorByKey(key); err != nil || a.SteppedUpAt != want {
				t.Errorf("%s: stepped up at %v, want %v (%v)", a.Key.Name, a.SteppedUpAt, want, err)
			}
		}
		return nil
	})
}

func TestSecretsAreNotStored(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.db")
	db := storetest.OpenAt(t, "sqlite:"+file, store.Options{})
	olga := addPerson(t, db, "olga@example.com", model.RoleOperator)
	var secrets [4]string
	update(t, db, func(tx *store.Tx) error {
		var errs [4]error
		_, secrets[0], errs[0] = tx.AddServiceKey("acme", "a", olga.ID, nil)
		_, secrets[1], errs[1] = tx.AddPersonKey(olga.ID, "b", 0)
		secrets[2], errs[2] = tx.AddSession(store.Session{Person: olga.ID, Data: []byte{}}, "")
		secrets[3], errs[3] = tx.AddSignInLink(olga.ID, time.Hour)
		return errors.Join(errs[:]...)
	})
	db.Close()
	content, err := os.ReadFile(file)
	if err != nil || !bytes.Contains(content, []byte(olga.ID)) {
		t.Fatalf("the file does not hold the data: %v", err)
	}
	for i, secret := range secrets {
		if secret == "" || bytes.Contains(content, []byte(secret[10:])) {
			t.Errorf("secret %d is in the file", i)
		}
	}
}
