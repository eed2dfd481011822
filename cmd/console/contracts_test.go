package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// contractsFiles writes a providers file whose bank has contracts of its own.
func contractsFiles(t *testing.T, contracts string) (providers, db string) {
	t.Helper()
	dir := t.TempDir()
	providers = filepath.Join(dir, "providers.toml")
	write(t, providers, "[provider.bank]\ntype = \"sandbox\"\nurl = \"http://127.0.0.1:1\"\ncontracts = \"bank.toml\"\n[account.\"*\"]\npayouts = \"bank\"\n")
	write(t, filepath.Join(dir, "bank.toml"), contracts)
	return providers, "sqlite:" + filepath.Join(dir, "c.db")
}

// Wrong contracts are refused before anything is opened, all faults at once.
func TestServeRefusesWrongContracts(t *testing.T) {
	tests := []struct {
		name, contracts string
		says            []string
	}{
		{"facts that cannot be", "[like.transfer]\nsource = \"ours\"\nchecked = 2026-12-01\nkey_max = 9\nretention = \"a day\"\nstored = \"successes\"\n",
			[]string{"like.transfer.retention is not a length", "payout.create.key wire key: 9 characters", "acts_are_stored contradicts", "stored_codes names refusals"}},
		{"facts without a source", "[operation.\"message.send\"]\nlookup_delay = \"1h\"\n",
			[]string{"message.send.source is missing", "message.send.checked is missing"}},
		{"no TOML", "[operation\n", []string{"is not a contracts file: line"}},
		{"an undo nobody serves", "[operation.\"payout.create\"]\nsource = \"ours\"\nchecked = 2026-12-01\nundo = \"refund\"\n", []string{"payout.create.undo is none of"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			providers, db := contractsFiles(t, tt.contracts)
			got := call(t, "", "serve", "--addr", "127.0.0.1:0", "--db", db, "--providers", providers)
			if got.code != exitUsage || got.out != "" {
				t.Errorf("exit %d, output %q; want %d and none", got.code, got.out, exitUsage)
			}
			for _, says := range tt.says {
				if !strings.Contains(got.err, says) || !strings.Contains(got.err, "bank.toml") {
					t.Errorf("%q is not in %q", says, got.err)
				}
			}
			if contents := filepath.Join(filepath.Dir(providers), "c.db"); exists(contents) {
				t.Error("a database was made")
			}
		})
	}
}

// The doctor says of each contract what it rests on and what follows from it.
func TestDoctorListsContracts(t *testing.T) {
	providers, db := contractsFiles(t, "[operation.\"payout.create\"]\nsource = \"our contract, section 4\"\nchecked = 2026-12-01\nretention = \"4m\"\n")
	got := call(t, "", "doctor", "--db", db, "--providers", providers)
	for _, says := range []string{
		"ok    contract bank, payout.create: our contract, section 4; checked 2026-12-01. Step keys are sent as they are.",
		"it is never re-sent while unknown",
		"contract bank, payout.reverse: Countersign API, The sandbox provider; checked 2026-11-29.",
		"sent again for 21 h 36 min",
		"contract bank, dispute.respond",
		"It takes no key",
	} {
		if !strings.Contains(got.out, says) {
			t.Errorf("%q is not in:\n%s%s", says, got.out, got.err)
		}
	}
	if strings.Count(got.out, "ok    contract bank, ") != 6 {
		t.Errorf("not every contract is told:\n%s", got.out)
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
