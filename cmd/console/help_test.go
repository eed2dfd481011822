package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// grammar is the command line's own description.
func grammar(t *testing.T) *kong.Kong {
	t.Helper()
	parser, err := kong.New(&commands{}, kong.Name("console"), kong.DefaultEnvars("COUNTERSIGN"))
	if err != nil {
		t.Fatal(err)
	}
	return parser
}

func TestEveryFlagIsExplained(t *testing.T) {
	for _, command := range grammar(t).Model.Leaves(true) {
		if command.Help == "" {
			t.Errorf("%s has no help", command.FullPath())
		}
		for _, group := range command.AllFlags(true) {
			for _, flag := range group {
				checkFlag(t, command.Path(), flag)
			}
		}
	}
}

// checkFlag wants help, a variable of ours, and a word for the value.
func checkFlag(t *testing.T, command string, flag *kong.Flag) {
	t.Helper()
	if flag.Name == "help" {
		return
	}
	if flag.Help == "" || len(flag.Envs) != 1 || !strings.HasPrefix(flag.Envs[0], "COUNTERSIGN_") {
		t.Errorf("%s --%s: help %q, environment %v", command, flag.Name, flag.Help, flag.Envs)
	}
	if shown := flag.FormatPlaceHolder(); !flag.IsBool() && (strings.Contains(shown, "SETTING") || shown == "STRING") {
		t.Errorf("%s --%s=%s says nothing about the value", command, flag.Name, shown)
	}
}

// A password that was put where a switch belongs is not repeated.
func TestPasswordIsNoSwitch(t *testing.T) {
	t.Setenv("COUNTERSIGN_PASSWORD", "hunter2")
	got := call(t, "", "user", "add", "a@example.com", "--role", "operator", "--account", "acme", "--db", "sqlite:"+t.TempDir()+"/c.db")
	if strings.Contains(got.err+got.out, "hunter2") {
		t.Errorf("exit %d, said %q", got.code, got.err)
	}
}

func TestWelcome(t *testing.T) {
	var out bytes.Buffer
	ready := readyLine{Address: "http://127.0.0.1:1", Sandbox: "http://127.0.0.1:2", APIKey: "csk_x", password: "pass-word",
		People: []readyPerson{{Email: "a@example.com", Role: "operator", SigninURL: "http://127.0.0.1:1/signin/link?token=t", APIKey: "csp_y"}}}
	if err := writeWelcome(&out, ready, "demo-dir"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"http://127.0.0.1:1/guide", "http://127.0.0.1:2/books", "token=t", "pass-word", "csk_x", "csp_y", "demo-dir"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}

// A day on the command line is the whole day, in the zone.
func TestExportOfDays(t *testing.T) {
	c := auditExport{}
	for value, text := range map[interface{ UnmarshalText([]byte) error }]string{
		&c.From.Value: "2026-11-29", &c.To.Value: "2026-11-29", &c.Zone.Value: "Asia/Kuwait"} {
		if err := value.UnmarshalText([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	scope, err := c.scope()
	if err != nil || scope.From.String() != "2026-11-28T21:00:00.000000Z" || scope.To.String() != "2026-11-29T21:00:00.000000Z" {
		t.Errorf("from %s to %s, %v", scope.From, scope.To, err)
	}
}

func TestCSVIsNotVerified(t *testing.T) {
	file := t.TempDir() + "/log.csv"
	good(t, "", "audit", "export", "--format", "csv", "-o", file, "--db", newDatabase(t))
	got := call(t, "", "audit", "verify", file)
	if got.code != exitUsage || strings.Count(got.err, "\n") != 1 || !strings.Contains(got.err, "CSV export cannot be verified") {
		t.Errorf("exit %d, said %q", got.code, got.err)
	}
}

// A running console is no fault, and is named.
func TestDoctorBesideARunningConsole(t *testing.T) {
	db := newDatabase(t)
	p := launch(t, "serve", "--json", "--addr", "127.0.0.1:0", "--db", db)
	p.ready()
	out := good(t, "", "doctor", "--db", db)
	p.stop()
	if !strings.Contains(out, "ok    driver: process ") || strings.Contains(out, "stop that process") {
		t.Errorf("doctor said\n%s", out)
	}
	missing := call(t, "", "doctor", "--db", "sqlite:"+t.TempDir()+"/none.db")
	if missing.code != exitFailed || !strings.Contains(missing.out, "none.db is not there. What to do: name another") {
		t.Errorf("exit %d, said %q", missing.code, missing.out)
	}
}
