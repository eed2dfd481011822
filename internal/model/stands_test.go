package model

import "testing"

// seen is a case whose step was looked at so, a second apart; an outcome of another
// worker's answer or a person's mark may come between.
func seen(t *testing.T, given func(*Case, *Step), looks ...Look) (*Case, *Step) {
	t.Helper()
	c, s := caseOf(bank, unknown(0, 2))
	if given != nil {
		given(c, s)
	}
	for i, l := range looks {
		at := sec(float64(100 + i))
		l.Began, l.EvidenceID = at, "ev-"+string(rune('a'+i))
		observe(t, c, s, l, at+1)
	}
	return c, s
}

// What the provider says that it has stands, until the provider itself takes it
// back.
func TestTheProvidersObjectStands(t *testing.T) {
	failed := func(ref string) Look {
		l := look(FoundOther, ref, 900)
		l.Failed = true
		return l
	}
	taken := look(FoundHappened, "po_1", 1000)
	taken.Taken = "intent-y:create-payout"
	several := look(FoundSeveral, "po_1", 2000)
	several.Status = Several
	older := look(FoundHappened, "po_1", 1000)
	older.Generation = 1
	ended := func(_ *Case, s *Step) { s.State, s.Failure = FailedSafely, Retryable }
	paid := func(_ *Case, s *Step) { s.State, s.ExternalRef, s.Moved = Confirmed, "po_1", 1000 }
	marked := func(c *Case, s *Step) {
		m := Mark{Happened: true, ExternalRef: "line-7", Amount: 1000, Currency: "USD", EvidenceID: "ev-mark"}
		if _, err := c.ApplyMark(s, m, NormalPace(), 0.5, sec(50)); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		name  string
		given func(*Case, *Step)
		looks []Look
		ref   string // of what stands
	}{
		{"another amount", nil, []Look{look(FoundOther, "po_1", 900)}, "po_1"},
		{"another amount, and no answer since", nil, []Look{look(FoundOther, "po_1", 900), look(FoundNothing, "", 0)}, "po_1"},
		{"another amount that failed since", nil, []Look{look(FoundOther, "po_1", 900), failed("po_1")}, ""},
		{"another amount, and another object failed", nil, []Look{look(FoundOther, "po_1", 900), failed("po_2")}, "po_1"},
		{"another amount that was failed all along", nil, []Look{failed("po_1")}, ""},
		{"another amount, gone since", nil, []Look{look(FoundOther, "po_1", 900), look(FoundNone, "", 0)}, ""},
		{"another amount, gone and there again", nil, []Look{look(FoundOther, "po_1", 900), look(FoundNone, "", 0), look(FoundOther, "po_1", 900)}, "po_1"},
		{"several", nil, []Look{several}, "po_1"},
		{"done though it had ended", ended, []Look{look(FoundHappened, "po_1", 1000)}, "po_1"},
		{"under way though it had ended", ended, []Look{look(FoundSettling, "po_1", 1000)}, "po_1"},
		{"under way though it had ended, then failed", ended, []Look{look(FoundSettling, "po_1", 1000), look(FoundFailed, "po_1", 1000)}, ""},
		{"a second object", paid, []Look{look(FoundHappened, "po_2", 1000)}, "po_2"},
		{"a second object that failed, the first stands", paid, []Look{look(FoundHappened, "po_1", 1000), look(FoundHappened, "po_2", 1000), look(FoundFailed, "po_2", 1000)}, "po_1"},
		{"paid, then failed", paid, []Look{look(FoundHappened, "po_1", 1000), look(FoundFailed, "po_1", 1000)}, ""},
		{"of an older generation", func(_ *Case, s *Step) { s.Generation = 2 }, []Look{older, look(FoundNone, "", 0)}, "po_1"},
		{"another step's", nil, []Look{taken}, ""},
		{"marked, and the provider does not know it", marked, []Look{look(FoundNone, "", 0)}, ""},
		{"no contradiction", nil, []Look{look(FoundHappened, "po_1", 1000)}, ""},
	} {
		c, s := seen(t, test.given, test.looks...)
		got := ""
		if e := c.Stands(s); e != nil {
			got = e.Ref
		}
		if got != test.ref {
			t.Errorf("%s: %q stands, want %q", test.name, got, test.ref)
		}
	}
}

func TestALateAnswersObjectStands(t *testing.T) {
	c, s := caseOf(bank, lost(0, 60))
	s.State, s.Failure = FailedSafely, Retryable
	c.Late(s, &s.Attempts[0], Outcome{Result: ResultConfirmed, ExternalRef: "po_1"}, "ev-late", sec(70))
	if e := c.Stands(s); e == nil || e.Ref != "po_1" {
		t.Errorf("%+v stands", e)
	}
}

// Where a person recorded that nothing happened, an object that the provider shows
// all the same is said aloud each time; one that is another step's is decided.
func TestThatNothingHappenedDecidesOverNoObject(t *testing.T) {
	taken := look(FoundHappened, "po_1", 1000)
	taken.Taken = "intent-y:create-payout"
	for name, test := range map[string]struct {
		look Look
		open bool
	}{"another amount": {look(FoundOther, "po_1", 900), true}, "another step's": {taken, false}} {
		c, s := seen(t, nil, test.look)
		if _, err := c.ApplyMark(s, Mark{EvidenceID: "ev-mark"}, NormalPace(), 0.5, sec(200)); err != nil {
			t.Fatal(err)
		}
		test.look.EvidenceID, test.look.Began = "ev-again", sec(300)
		if observe(t, c, s, test.look, sec(301)); (c.OpenConflict() != nil) != test.open {
			t.Errorf("%s: conflict %+v", name, c.OpenConflict())
		}
	}
}
