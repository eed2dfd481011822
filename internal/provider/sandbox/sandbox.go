// Package sandbox is the adapter for the sandbox provider: a bank, a mail
// service and a dispute portal over HTTP and JSON, in one.
package sandbox

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"countersign/internal/model"
	"countersign/internal/provider"
)

// Config says which sandbox, and how it behaves. Zero values take the sandbox's
// own defaults.
type Config struct {
	Name      string        // the configured name
	URL       string        // its base address
	Secret    string        // of its webhooks, Standard Webhooks form; "" verifies none
	Retention time.Duration // of keys; default as its contracts say
	Stores    model.Stored  // StoredAll (default) or StoredSuccesses
	// Pace divides the sandbox's waits and with them the limits that follow from
	// them; never the retention. Default 1.
	Pace int
	// SettleLimit is how long a payout or credit may take to become final, before
	// the pace; default as its contracts say.
	SettleLimit time.Duration
	// Contracts go over the built-in ones, see provider.Contracts.
	Contracts []provider.ContractFile
	// Clock is what the sandbox's Date is compared with; default time.Now.
	Clock func() time.Time
}

// Adapter is one sandbox. It may be used by many goroutines.
type Adapter struct {
	cfg       Config
	client    *provider.Client
	contracts map[string]model.Contract
}

var _ provider.Adapter = (*Adapter)(nil)

// New makes the adapter. Nothing is connected to. It panics where the contracts
// are wrong, which the built-in ones never are; Constructor refuses instead.
func New(cfg Config) *Adapter {
	a, err := newAdapter(cfg)
	if err != nil {
		panic(err)
	}
	return a
}

func newAdapter(cfg Config) (*Adapter, error) {
	cfg.URL = strings.TrimRight(cfg.URL, "/")
	if cfg.Stores == "" {
		cfg.Stores = model.StoredAll
	}
	cfg.Pace = max(cfg.Pace, 1)
	promised, err := contracts(cfg)
	if err != nil {
		return nil, err
	}
	client := provider.NewClient(nil)
	if cfg.Clock != nil {
		client.Clock = cfg.Clock
	}
	return &Adapter{cfg: cfg, client: client, contracts: promised}, nil
}

// Constructor makes sandboxes from a providers file: beside what every provider
// has, it knows retention, stores and settle_limit.
func Constructor(pace int) provider.Constructor {
	return func(s provider.Settings) (provider.Adapter, error) {
		var own struct {
			Retention   time.Duration `toml:"retention"`
			Stores      model.Stored  `toml:"stores"`
			SettleLimit time.Duration `toml:"settle_limit"`
		}
		if err := s.Decode(&own); err != nil {
			return nil, errors.New("retention and settle_limit are durations such as \"24h\", stores is a text")
		}
		cfg := Config{Name: s.Name, URL: s.URL, Secret: s.Secret, Retention: own.Retention,
			Stores: own.Stores, Pace: pace, SettleLimit: own.SettleLimit, Contracts: s.Contracts}
		if err := cfg.check(); err != nil {
			return nil, err
		}
		return newAdapter(cfg)
	}
}

func (c Config) check() error {
	var faults []error
	if c.URL == "" {
		faults = append(faults, errors.New("url is missing"))
	}
	if c.Retention < 0 || c.SettleLimit < 0 {
		faults = append(faults, errors.New("retention and settle_limit must be positive"))
	}
	if c.Stores != "" && c.Stores != model.StoredAll && c.Stores != model.StoredSuccesses {
		faults = append(faults, errors.New("stores is neither all nor successes"))
	}
	if c.Secret != "" {
		faults = append(faults, provider.CheckWebhookSecret(c.Secret))
	}
	return errors.Join(faults...)
}

// Contract gives what the sandbox promises about an operation.
func (a *Adapter) Contract(operation string) (model.Contract, bool) {
	c, ok := a.contracts[operation]
	return c, ok
}

// Send carries one effect, at most once.
func (a *Adapter) Send(ctx context.Context, call provider.Call) model.Outcome {
	header := http.Header{"User-Agent": {"countersign"}, "Accept": {"application/json"}}
	if call.KeyHeader != "" {
		header.Set(call.KeyHeader, call.WireKey)
	}
	call.Expect = expected(call.Operation, call.Expect)
	return provider.Classify(a.contracts[call.Operation], form{}, call, a.client.Send(ctx, call, header))
}

// Query reads the object where it is known, else all objects under our
// reference.
func (a *Adapter) Query(ctx context.Context, l provider.Lookup) model.Observation {
	if _, ok := collections[l.Operation]; !ok {
		return provider.NoAnswer("The sandbox does not serve " + l.Operation + ".")
	}
	l.Expect.Reference = l.StepKey
	expect := expected(l.Operation, l.Expect)
	reply := a.client.Get(ctx, a.Address(l), http.Header{"Accept": {"application/json"}, "User-Agent": {"countersign"}})
	return reply.Stamp(observe(l, expect, reply))
}

// Address is where a look-up goes: to the object where it is known, else to the
// list of those under our reference.
func (a *Adapter) Address(l provider.Lookup) string {
	address := a.cfg.URL + collections[l.Operation]
	if l.ExternalRef != "" {
		return address + "/" + url.PathEscape(l.ExternalRef)
	}
	l.Expect.Reference = l.StepKey
	return address + "?" + url.Values{"reference": {expected(l.Operation, l.Expect).Reference}}.Encode()
}

// observe judges the answer to a look-up. Only a whole answer in the sandbox's
// own form says anything.
func observe(l provider.Lookup, expect provider.Expect, reply provider.Reply) model.Observation {
	if reply.Fault != provider.NoFault {
		return provider.NoAnswer("The look-up came to nothing: " + reply.Fault.Words())
	}
	strange := provider.NoAnswer(fmt.Sprintf("The look-up was answered with status %d, which says nothing about the effect.", reply.Status))
	if reply.Status == http.StatusNotFound && l.ExternalRef != "" {
		if refusal, ok := (form{}).ReadError(reply.Status, reply.Header, reply.Body); ok && refusal.Code == "not_found" {
			return model.Observation{Finding: model.FoundNone, Detail: "The provider does not know the object."}
		}
	}
	if reply.Status != http.StatusOK {
		return strange
	}
	if l.ExternalRef != "" {
		object, ok := (form{}).ReadObject(l.Operation, reply.Body)
		if !ok || object.ID != l.ExternalRef {
			return strange
		}
		return provider.ObserveOne(object, expect)
	}
	objects, ok := readList(l.Operation, reply.Body)
	if !ok {
		return strange
	}
	return provider.Observe(objects, expect)
}

// readList reads a list. One that goes on is no answer, as what is not on this
// page may be on the next.
func readList(operation string, body []byte) ([]provider.Object, bool) {
	items, next, ok := readPage(body)
	if !ok || next != "" {
		return nil, false
	}
	objects := make([]provider.Object, 0, len(items))
	for _, item := range items {
		object, ok := (form{}).ReadObject(operation, item)
		if !ok {
			return nil, false
		}
		objects = append(objects, object)
	}
	return objects, true
}

// expected puts what an answer must name into the sandbox's form: a message is
// known by its Message-ID, and only transfers name money.
func expected(operation string, e provider.Expect) provider.Expect {
	switch operation {
	case model.MessageSend:
		return provider.Expect{Reference: provider.MessageID(e.Reference)}
	case model.DisputeRespond:
		return provider.Expect{Reference: e.Reference}
	}
	return e
}
