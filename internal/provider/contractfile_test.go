package provider

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"countersign/internal/model"
)

// whole states every fact there is.
const whole = `
[operation."payout.create"]
source = "https://bank.example/docs"
checked = 2026-11-29
carrier = "header Idempotency-Key"
key_min = 1
key_max = 255
key_alphabet = "[ -~]"
key_form = "none"
scope = "one account"
retention = "24h"
retention_from = "completion"
stored = "all"
acts_are_stored = true
replay_marker = "Idempotent-Replayed"
on_repeat = "The first result."
other_params = "It is refused."
in_flight = "409."
stored_codes = ["closed"]
throttle_codes = ["429"]
curable_codes = ["no_funds"]
lookup = "reference"
lookup_delay = "3s"
longest_call = "30s"
settle_delay = "5s"
settlement = "later"
settle_limit = "72h"
learned_by = "A webhook."
undo = "payout.reverse"
undo_limit = "720h"
undo_states = ["paid"]
undo_while_settling = true
`

func file(text string) ContractFile { return ContractFile{Name: "bank.toml", Text: []byte(text)} }

// restated is whole with another value of one fact; "" leaves it out.
func restated(name, value string) string {
	lines := strings.Split(whole, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, name+" = ") {
			lines[i] = name + " = " + value
			if value == "" {
				lines[i] = ""
			}
		}
	}
	return strings.Join(lines, "\n")
}

// statedFacts are the names of the facts of whole.
func statedFacts() (names []string) {
	for line := range strings.Lines(whole) {
		if name, _, ok := strings.Cut(line, " = "); ok {
			names = append(names, name)
		}
	}
	return names
}

func TestContractsReadsEveryFact(t *testing.T) {
	all, err := Contracts(file(whole))
	if err != nil {
		t.Fatal(err)
	}
	got, _ := json.Marshal(all[model.PayoutCreate])
	want, _ := json.Marshal(model.Contract{
		Operation: model.PayoutCreate, Source: "https://bank.example/docs", Checked: "2026-11-29",
		Carrier: "header Idempotency-Key", KeyRule: model.WireKeyRule{MinLen: 1, MaxLen: 255, Alphabet: "[ -~]"}, Scope: "one account",
		Retention: 24 * time.Hour, RetentionFrom: model.FromCompletion, Stored: model.StoredAll, ActsAreStored: true,
		ReplayMarker: "Idempotent-Replayed", OnRepeat: "The first result.", OtherParams: "It is refused.", InFlight: "409.",
		StoredCodes: []string{"closed"}, ThrottleCodes: []string{"429"}, CurableCodes: []string{"no_funds"},
		Lookup: model.LookupReference, LookupDelay: 3 * time.Second, SettleDelay: 5 * time.Second, LongestCall: 30 * time.Second,
		Settles: true, SettleLimit: 72 * time.Hour, LearnedBy: "A webhook.",
		Undo: model.PayoutReverse, UndoLimit: 720 * time.Hour, UndoBefore: true, UndoStates: []string{"paid"},
	})
	if string(got) != string(want) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if len(all) != 1 {
		t.Errorf("%d contracts", len(all))
	}
}

// What is not known never allows more than what is: "?" in the place of any
// fact is refused, or sends no longer and believes no more.
func TestUnknownFactsAreTakenCarefully(t *testing.T) {
	known, err := Contracts(file(whole))
	if err != nil {
		t.Fatal(err)
	}
	full := known[model.PayoutCreate]
	for _, name := range statedFacts() {
		all, err := Contracts(file(restated(name, `"?"`)))
		switch name {
		case "source", "checked":
			if err == nil || !strings.Contains(err.Error(), "bank.toml: operation.payout.create."+name) {
				t.Errorf("%s may not be unknown: %v", name, err)
			}
			continue
		case "carrier", "stored", "lookup", "undo": // what rests on them says nothing then
			if err == nil {
				t.Errorf("%s is unknown, and facts that rest on it are not refused", name)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		c := all[model.PayoutCreate]
		if c.ResendFor(time.Minute) > full.ResendFor(time.Minute) || c.KeyRule.MaxLen > full.KeyRule.MaxLen ||
			len(c.StoredCodes) > len(full.StoredCodes) || len(c.ThrottleCodes) > len(full.ThrottleCodes) || !c.Settles {
			t.Errorf("%s unknown promises more: %+v", name, c)
		}
		cautious := map[string]bool{
			"retention": c.ResendFor(time.Minute) == 0, "acts_are_stored": c.ResendFor(time.Minute) == 0,
			"longest_call": c.ResendFor(time.Minute) == 0 && !c.NotFoundCanBeFinal(),
			"settle_delay": !c.NotFoundCanBeFinal(), "lookup_delay": !c.NotFoundCanBeFinal(),
			"undo_while_settling": !c.UndoBefore, "settle_limit": c.SettleLimit == 0, "replay_marker": c.ReplayMarker == "",
			"key_max": c.KeyRule.MaxLen == 36, "key_alphabet": c.KeyRule.Alphabet == "[0-9A-Za-z]",
		}
		if careful, listed := cautious[name]; listed && !careful {
			t.Errorf("%s unknown is not taken carefully: %+v", name, c)
		}
	}
}

func TestEveryFactMustBeStated(t *testing.T) {
	for _, name := range statedFacts() {
		_, err := Contracts(file(restated(name, "")))
		if !errors.Is(err, model.Invalid) || !strings.Contains(err.Error(), "bank.toml: operation.payout.create."+name) {
			t.Errorf("without %s: %v", name, err)
		}
	}
}

func TestContractsNamesAllFaults(t *testing.T) {
	text := `
[all]
source = "docs"
checked = "yesterday"
colour = "red"
[like.nobody]
scope = "x"
[operation."rocket.launch"]
like = "orbit"
` + strings.NewReplacer(
		`retention = "24h"`, `retention = "long"`,
		`key_max = 255`, `key_max = 8`,
		`stored = "all"`, `stored = "some"`,
		`undo_while_settling = true`, `undo_while_settling = "often"`,
		`carrier = "header Idempotency-Key"`, `carrier = "pigeon"`,
		`stored_codes = ["closed"]`, `stored_codes = [7]`,
		`lookup = "reference"`, `lookup = "crystal ball"`,
		`settle_delay = "5s"`, `settle_delay = "-5s"`,
		"checked = 2026-11-29\n", "like = \"orbit\"\n",
	).Replace(whole) + "[strange]\n"
	_, err := Contracts(file(text))
	var known *model.Error
	if !errors.As(err, &known) || known.Kind != model.Invalid {
		t.Fatal(err)
	}
	own := "bank.toml: operation.payout.create."
	for _, at := range []string{own + "retention", own + "stored", own + "undo_while_settling", own + "carrier", own + "stored_codes",
		own + "lookup", own + "like", own + "settle_delay", own + "key", "bank.toml: all.checked", "bank.toml: all.colour", "bank.toml: like.nobody",
		"bank.toml: operation.rocket.launch", "bank.toml: strange"} {
		found := 0
		for _, f := range known.Fields {
			if f.Location == at {
				found++
			}
		}
		if found != 1 {
			t.Errorf("%s is named %d times in %+v", at, found, known.Fields)
		}
	}
	if _, err := Contracts(file("[all]\nsource = \n")); err == nil || !strings.Contains(err.Error(), "bank.toml: is not a contracts file: line 2") {
		t.Errorf("not TOML: %v", err)
	}
}

func TestALaterFileGoesBeforeAndNamesItsSource(t *testing.T) {
	over := func(text string) (model.Contract, error) {
		all, err := Contracts(file(whole), ContractFile{Name: "ours.toml", Text: []byte(text)})
		return all[model.PayoutCreate], err
	}
	c, err := over("[operation.\"payout.create\"]\nsource = \"our contract, section 4\"\nchecked = 2026-12-01\nretention = \"48h\"\n")
	if err != nil || c.Retention != 48*time.Hour || c.Source != "our contract, section 4" || c.Checked != "2026-12-01" || c.Scope != "one account" {
		t.Errorf("%+v %v", c, err)
	}
	_, err = over("[operation.\"payout.create\"]\nretention = \"48h\"\n")
	for _, name := range []string{"source", "checked"} {
		if err == nil || !strings.Contains(err.Error(), "ours.toml: operation.payout.create."+name) {
			t.Errorf("a fact without its own %s: %v", name, err)
		}
	}
}

// Contracts that were stored before a fact was added still load, as themselves.
func TestStoredContractsStillLoad(t *testing.T) {
	raw, err := os.ReadFile("testdata/contracts-stored.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	read := 0
	for lines := bufio.NewScanner(bytes.NewReader(raw)); lines.Scan(); read++ {
		var c model.Contract
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		if sealed := Seal(c); sealed.ID != c.ID || c.ID == "" {
			t.Errorf("%s became %s", c.ID, sealed.ID)
		}
	}
	if read != 2 {
		t.Errorf("%d contracts", read)
	}
}
