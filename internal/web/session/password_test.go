package session

import (
	"errors"
	"strings"
	"testing"

	"countersign/internal/model"
	"countersign/internal/store"
)

// vector is from the tests of the argon2 reference implementation.
const vector = "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4"

func TestVerify(t *testing.T) {
	const password = "correct horse battery"
	own, err := Hash(password)
	if err != nil || !strings.HasPrefix(own, "$argon2id$v=19$m=19456,t=2,p=1$") {
		t.Fatalf("hash %q, %v", own, err)
	}
	defer func(real func() string) { dummy = real }(dummy)
	dummy = func() string { return vector }
	for _, test := range []struct {
		name, stored, password string
		want                   bool
	}{
		{"own", own, password, true},
		{"own, other password", own, password + " ", false},
		{"reference", vector, "password", true},
		{"reference, other password", vector, "differentpassword", false},
		{"none", "", "", false},
		{"none, the dummy's password", "", "password", false},
		{"other salt", strings.Replace(vector, "c29tZX", "c29uZX", 1), "password", false},
		{"other sum", strings.Replace(vector, "$nf65", "$nf66", 1), "password", false},
		{"other cost", strings.Replace(vector, "t=2", "t=3", 1), "password", false},
		{"other variant", strings.Replace(vector, "argon2id", "argon2i", 1), "password", false},
		{"other version", strings.Replace(vector, "v=19", "v=16", 1), "password", false},
		{"cut sum", vector[:len(vector)-42], "password", false},
		{"no sum", vector[:strings.LastIndex(vector, "$")+1], "password", false},
		{"one more part", vector + "$", "password", false},
		{"spaces", strings.Replace(vector, "t=2", "t= 2", 1), "password", false},
		{"cost of zero", strings.Replace(vector, "t=2", "t=0", 1), "password", false},
		{"no lanes", strings.Replace(vector, "p=1", "p=0", 1), "password", false},
		{"all memory", strings.Replace(vector, "m=256", "m=4294967295", 1), "password", false},
		{"too long", own, strings.Repeat("a", maxPassword+1), false},
	} {
		if got := Verify(test.stored, test.password); got != test.want {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}

func TestHashesDiffer(t *testing.T) {
	one, _ := Hash("correct horse battery")
	two, _ := Hash("correct horse battery")
	if one == two {
		t.Error("two hashes of one password are equal: no salt")
	}
}

func TestHashRefuses(t *testing.T) {
	for password, ok := range map[string]bool{
		"": false, "12345678901": false, "123456789012": true, "äöüäöüäöüäöü": true,
		strings.Repeat("a", maxPassword): true, strings.Repeat("a", maxPassword+1): false,
	} {
		if _, err := Hash(password); (err == nil) != ok || !ok && !errors.Is(err, model.Invalid) {
			t.Errorf("%d bytes: %v", len(password), err)
		}
	}
}

func TestSubjects(t *testing.T) {
	for _, test := range []struct {
		one, two string
		same     bool
	}{
		{"2001:db8::1", "2001:db8::ffff:1", true},
		{"2001:db8::1", "2001:db8:0:1::1", false},
		{"192.0.2.1", "192.0.2.2", false},
		{"192.0.2.1", "192.0.2.1", true},
		{"::ffff:192.0.2.1", "::ffff:192.0.2.2", false},
	} {
		if got := network(test.one) == network(test.two); got != test.same {
			t.Errorf("%s and %s: the same %v, want %v", test.one, test.two, got, test.same)
		}
	}
	one, list := counted(" A@b.com", "192.0.2.1")
	other, _ := counted("a@B.com ", "192.0.2.1")
	if one != other || len(list) != 3 {
		t.Errorf("%q and %q are two, in %+v", one, other, list)
	}
	seen := map[string]bool{}
	for i, tried := range list {
		if want := []int{store.MaxTries, store.MaxTriesWide, store.MaxTriesWide}[i]; tried.Most != want || seen[tried.Subject] {
			t.Errorf("subject %d has %d tries, want %d, or is another's", i, tried.Most, want)
		}
		seen[tried.Subject] = true
	}
}
