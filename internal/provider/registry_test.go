package provider

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"countersign/internal/model"
)

// stand is an adapter that serves the given operations and does nothing.
type stand struct {
	name    string
	serves  []string
	setting Settings
}

func (s *stand) Contract(operation string) (model.Contract, bool) {
	return model.Contract{Provider: s.name, Operation: operation}, slices.Contains(s.serves, operation)
}
func (s *stand) Request(Order) (Request, error)                        { return Request{}, nil }
func (s *stand) Send(context.Context, Call) model.Outcome              { return model.Outcome{} }
func (s *stand) Address(Lookup) string                                 { return "" }
func (s *stand) Query(context.Context, Lookup) model.Observation       { return model.Observation{} }
func (s *stand) Webhook(http.Header, []byte, time.Time) (Event, error) { return Event{}, nil }

func TestRegistryFor(t *testing.T) {
	bank := &stand{name: "bank", serves: []string{model.PayoutCreate, model.PayoutReverse, model.CreditCreate}}
	post := &stand{name: "post", serves: []string{model.MessageSend}}
	r, err := NewRegistry(map[string]Adapter{"bank": bank, "post": post}, map[string]Routes{
		"acme":     {Payouts: "bank", Messages: "post"},
		AnyAccount: {Payouts: "bank", Credits: "bank", Disputes: "bank"},
	})
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct{ account, operation, want string }{
		{"acme", model.PayoutCreate, "bank"},
		{"acme", model.PayoutReverse, "bank"},
		{"acme", model.MessageSend, "post"},
		{"acme", model.CreditCreate, ""}, // its own routes, not those of any account
		{"globex", model.CreditCreate, "bank"},
		{"globex", model.DisputeRespond, ""}, // routed, but the bank does not do it
		{"globex", model.MessageSend, ""},
		{"acme", "launch.rocket", ""},
	}
	for _, test := range tests {
		name, adapter, err := r.For(test.account, test.operation)
		if name != test.want || (err == nil) != (test.want != "") || (adapter != nil) != (err == nil) {
			t.Errorf("%s of %s: %q %v", test.operation, test.account, name, err)
		}
		if err != nil && !errors.Is(err, model.Invalid) {
			t.Errorf("%s of %s: %v", test.operation, test.account, err)
		}
	}
	var got []string
	for _, c := range r.Contracts() {
		got = append(got, c.Provider+" "+c.Operation)
	}
	if want := "bank credit.create,bank payout.create,bank payout.reverse,post message.send"; strings.Join(got, ",") != want {
		t.Errorf("contracts %v", got)
	}
	if _, ok := r.Adapter("nobody"); ok || strings.Join(r.Names(), " ") != "bank post" {
		t.Errorf("names %v", r.Names())
	}
}

func TestNewRegistryNamesEveryDeadRoute(t *testing.T) {
	_, err := NewRegistry(nil, map[string]Routes{"acme": {Payouts: "bank", Messages: "post"}})
	if !errors.Is(err, model.Invalid) || !strings.Contains(err.Error(), "account.acme.payouts") || !strings.Contains(err.Error(), "account.acme.messages") {
		t.Errorf("%v", err)
	}
}

var standTypes = map[string]Constructor{
	"stand": func(s Settings) (Adapter, error) {
		var own struct {
			Window time.Duration `toml:"window"`
		}
		if err := s.Decode(&own); err != nil || own.Window < 0 {
			return nil, errors.New("window is not a duration")
		}
		return &stand{name: s.Name, serves: Operations(), setting: s}, nil
	},
}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	secret := filepath.Join(dir, "secret")
	if err := os.WriteFile(secret, []byte(" from-a-file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("BANK_SECRET", "from-the-environment")
	path := filepath.Join(dir, "providers.toml")
	text := `
[provider.bank]
type = "stand"
url = "http://127.0.0.1:9090"
secret = "env:BANK_SECRET"
window = "24h"

[provider.post]
type = "stand"
secret = "file:` + secret + `"

[account.acme]
payouts = "bank"
messages = "post"

[account."*"]
payouts = "bank"
`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := Load(path, standTypes)
	if err != nil {
		t.Fatal(err)
	}
	bank, _ := r.Adapter("bank")
	post, _ := r.Adapter("post")
	if s := bank.(*stand).setting; s.Secret != "from-the-environment" || s.URL != "http://127.0.0.1:9090" || s.Type != "stand" {
		t.Errorf("%+v", s)
	}
	if s := post.(*stand).setting; s.Secret != "from-a-file" {
		t.Errorf("%+v", s)
	}
	if name, _, err := r.For("anyone", model.PayoutCreate); name != "bank" || err != nil {
		t.Errorf("%q %v", name, err)
	}
	if _, err := Load(path+"x", standTypes); !errors.Is(err, model.Invalid) {
		t.Errorf("no file: %v", err)
	}
}

func TestLoadNamesAllFaultsAndNoSecret(t *testing.T) {
	_, err := parse([]byte(`
[provider.a]
type = "unheard-of"
url = "bank"
secret = "hunter2"
[provider.b]
type = "stand"
secret = "env:NOT_SET_ANYWHERE"
[provider.c]
type = "stand"
window = "soon"
[provider.d]
type = "stand"
colour = "red"
[provider.e]
type = 7
[account.acme]
payouts = "nobody"
rockets = "a"
[extra]
`), ".", standTypes)
	if !errors.Is(err, model.Invalid) {
		t.Fatal(err)
	}
	for _, location := range []string{"provider.a.type", "provider.a.url", "provider.a.secret", "provider.b.secret", "provider.c:",
		"provider.d.colour", "provider.e:", "account.acme.payouts", "account.acme.rockets", "extra"} {
		if !strings.Contains(err.Error(), location) {
			t.Errorf("%s is not named in: %v", location, err)
		}
	}
	if strings.Contains(err.Error(), "hunter2") {
		t.Errorf("a secret is in: %v", err)
	}
	if _, err := parse([]byte("= ="), ".", standTypes); !errors.Is(err, model.Invalid) {
		t.Errorf("not TOML: %v", err)
	}
}

func TestSeal(t *testing.T) {
	c := Seal(model.Contract{Provider: "bank", Operation: model.PayoutCreate, Retention: time.Hour})
	if len(c.ID) != len("contract-")+16 || Seal(c).ID != c.ID {
		t.Errorf("id %q, again %q", c.ID, Seal(c).ID)
	}
	changed := c
	changed.Retention++
	if Seal(changed).ID == c.ID {
		t.Error("another promise has the same id")
	}
}
