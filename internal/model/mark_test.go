package model

import "testing"

// markedOtherwise is a payout of 10.00 that a person marked as 12.50 under a line of
// a bank file, before the provider showed the object of what was asked for.
func markedOtherwise(t *testing.T, ref string) (*Case, *Step) {
	t.Helper()
	c, s := caseOf(bank, unknown(0, 2))
	s.Operation = PayoutCreate
	m := Mark{Happened: true, ExternalRef: ref, Amount: 1250, Currency: "USD", EvidenceID: "ev-mark"}
	if _, err := c.ApplyMark(s, m, NormalPace(), 0.5, sec(100)); err != nil {
		t.Fatal(err)
	}
	observe(t, c, s, look(FoundOther, "po_1", 1000), sec(200))
	c.Derive(NormalPace(), sec(300))
	return c, s
}

// What a person marked, what the provider shows and what was asked for are three
// things, each named as what it is.
func TestAContradictedMarkIsTold(t *testing.T) {
	c, _ := markedOtherwise(t, "line-7")
	want := "A person marked 12.50 USD (line-7); the provider shows 10.00 USD as po_1; 10.00 USD was asked for."
	if k := c.OpenConflict(); k == nil || k.Reason != want || c.Reason != want {
		t.Errorf("the conflict is %+v, the intent says %q", k, c.Reason)
	}
	c, s := caseOf(bank, unknown(0, 2))
	if observe(t, c, s, look(FoundOther, "po_1", 1250), sec(101)); c.OpenConflict().Reason != "seen" {
		t.Errorf("nobody marked it: %q", c.OpenConflict().Reason)
	}
}

// Another amount under another reference may be a second payment, and is uncertain
// from the moment at which it was seen; the same object moved but once.
func TestWhatIsSeenBesideAMarkIsUncertain(t *testing.T) {
	for ref, open := range map[string]int64{"line-7": 1000, "po_1": 0} {
		c, s := markedOtherwise(t, ref)
		since := Time(0)
		if open > 0 {
			since = sec(200)
		}
		if c.Confirmed != 1250 || c.Uncertain != open || s.Open != open || s.InDoubt() != (open > 0) {
			t.Errorf("%s: %d confirmed, %d uncertain, %d of the step", ref, c.Confirmed, c.Uncertain, s.Open)
		}
		if s.UncertainSince != since || c.UncertainSince != since || open > 0 && c.SortOpen != int64(since) {
			t.Errorf("%s: uncertain since %s and %s, at %d in the queue", ref, s.UncertainSince, c.UncertainSince, c.SortOpen)
		}
		if _, err := c.ApplyMark(s, Mark{Happened: true, ExternalRef: "po_1", Amount: 1000, Currency: "USD", EvidenceID: "ev-again"}, NormalPace(), 0.5, sec(400)); err != nil {
			t.Fatal(err)
		}
		if c.Derive(NormalPace(), sec(400)); c.Exposure() != 1000 || s.InDoubt() || s.UncertainSince != 0 || c.UncertainSince != 0 {
			t.Errorf("%s, decided: exposure %d, since %s", ref, c.Exposure(), c.UncertainSince)
		}
	}
}
