package audit

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/transparency-dev/merkle/rfc6962"

	"countersign/internal/model"
)

// Actor is who did it.
type Actor struct {
	Type  string   `json:"type"` // person, key, engine or system
	ID    string   `json:"id"`
	Name  string   `json:"name"`
	Roles []string `json:"roles"` // as they were at that moment
}

// Entry is what a caller records. Everything but Actor.Type and Event may be
// empty. Detail must be plain JSON: a number in it that a double cannot hold
// exactly is refused, and so is an entry of more than 1 MiB.
type Entry struct {
	Actor
	Event   string // "action.retry.executed", "signin.ok", …
	Account string // whose log it appears in; "" is the installation's own
	Intent  string
	StepKey string
	Attempt int
	Preview string
	Reason  string // what the person gave as the reason
	Result  string
	Policy  string // the rule that allowed or refused it
	Detail  map[string]any
}

// record is the canonical form of an entry. Every member is always there, so
// that readers need not guess what an absent one means.
type record struct {
	ID      string          `json:"id"`
	At      model.Time      `json:"at"`
	Actor   Actor           `json:"actor"`
	Event   string          `json:"event"`
	Account string          `json:"account"`
	Intent  string          `json:"intent"`
	StepKey string          `json:"step_key"`
	Attempt int             `json:"attempt"`
	Preview string          `json:"preview"`
	Reason  string          `json:"reason"`
	Result  string          `json:"result"`
	Policy  string          `json:"policy"`
	Detail  json.RawMessage `json:"detail"`
}

// Item is an entry as it is read: the API's audit item.
type Item struct {
	Index *int64 `json:"index"` // nil until it is numbered
	record
	LeafHash string `json:"leaf_hash"` // hex of SHA-256(0x00 || canonical)
	// Canonical are the bytes as they are stored.
	Canonical []byte `json:"-"`
	// Changed says why the bytes are not those that were hashed when the entry got
	// its number; "" where they are, and while it has none.
	Changed string `json:"-"`
}

// maxEntry bounds an entry in bytes.
const maxEntry = 1 << 20

// canonical gives the bytes of an entry that is recorded under id at a moment.
func (e Entry) canonical(id string, at model.Time) ([]byte, error) {
	if e.Event == "" {
		return nil, fmt.Errorf("audit entry: no event")
	}
	switch e.Actor.Type {
	case "person", "key", "engine", "system":
	default:
		return nil, fmt.Errorf("audit entry %s: actor type %q", e.Event, e.Actor.Type)
	}
	detail, err := encodeDetail(e.Detail)
	if err != nil {
		return nil, fmt.Errorf("audit entry %s: detail: %w", e.Event, err)
	}
	actor := e.Actor
	if actor.Roles == nil {
		actor.Roles = []string{}
	}
	raw, err := json.Marshal(record{ID: id, At: at, Actor: actor, Event: e.Event, Account: e.Account,
		Intent: e.Intent, StepKey: e.StepKey, Attempt: e.Attempt, Preview: e.Preview, Reason: e.Reason,
		Result: e.Result, Policy: e.Policy, Detail: detail})
	if err != nil {
		return nil, fmt.Errorf("audit entry %s: %w", e.Event, err)
	}
	if len(raw) > maxEntry {
		return nil, fmt.Errorf("audit entry %s: %d bytes are too many", e.Event, len(raw))
	}
	return model.Canonical(raw)
}

// plain gives the entry with what its columns hold made storable: texts may come
// from outside, and a column must say the same as the bytes.
func (e Entry) plain() Entry {
	for _, text := range []*string{&e.ID, &e.Event, &e.Account, &e.Intent} {
		*text = strings.ReplaceAll(strings.ToValidUTF8(*text, "\uFFFD"), "\x00", "\uFFFD")
	}
	return e
}

// encodeDetail refuses numbers that RFC 8785 would silently change.
func encodeDetail(detail map[string]any) (json.RawMessage, error) {
	if len(detail) == 0 {
		return json.RawMessage("{}"), nil
	}
	raw, err := json.Marshal(detail)
	if err != nil {
		return nil, err
	}
	_, err = model.Fingerprint(raw)
	return raw, err
}

// itemOf reads an entry back from its bytes.
func itemOf(index *int64, canonical []byte) (Item, error) {
	item := Item{Index: index, LeafHash: hex.EncodeToString(leafHash(canonical)), Canonical: canonical}
	if err := json.Unmarshal(canonical, &item.record); err != nil {
		return Item{}, fmt.Errorf("read audit entry: %w", err)
	}
	return item, nil
}

func leafHash(canonical []byte) []byte {
	return rfc6962.DefaultHasher.HashLeaf(canonical)
}
