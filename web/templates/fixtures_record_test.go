package templates_test

import (
	"time"

	. "countersign/web/templates"
)

func auditRows() []AuditRow {
	row := func(index int64, who, role, event string, outcome Outcome, why Text) AuditRow {
		return AuditRow{Index: index, Href: "/audit/18389", At: ago(12 * time.Minute), Who: who, Role: role, Event: event, Intent: intentID, IntentHref: "/intents/" + intentID, Why: why, Outcome: outcome}
	}
	return []AuditRow{
		row(-1, "Engine", "worker w-1", "step.confirmed", "done", Say("Query")),
		row(18412, "Priya Raman", "operator", "action.retry_unfinished.executed", "executed", Say("“Rep on the phone”")),
		row(18389, "林怡君", "administrator", "action.compensate.refused", "refused", Say("What is not known cannot be reversed")),
		row(18380, forty, "operator", "action.reconcile.denied", "denied", Say(hostile)),
		row(18333, "Ingrid Solheim", "approver", "action.compensate.requested", "requested", nil),
	}
}

func audit() AuditView {
	return AuditView{
		Page: page("Audit log", "/audit"), Matched: "100 match", Rows: auditRows(), Next: "/audit?after=1", Prev: "/audit?before=1",
		Log: []Fact{
			{Label: "Numbered", Text: Say("18,429 entries, the last ", ago(time.Minute))},
			{Label: "Root", Text: Say(Key(digest))},
			{Label: "Not yet protected", Text: Say("1 entry younger than the last root")},
		},
		Filter: AuditFilter{From: "2026-11-30", To: "2026-11-30", Actors: []Choice{{Value: "p1", Label: "Priya Raman"}, {Value: "engine", Label: "Engine"}}, Event: "action.", Errors: FieldErrors{{Field: "to", Message: "The end lies before the beginning"}}},
		Export: &Button{Href: "/audit/export?from=2026-11-30", Label: "Export these 100"},
	}
}

func auditEmpty() AuditView {
	v := audit()
	v.Filter, v.Rows = AuditFilter{Actor: "nobody"}, nil
	v.Empty = &EmptyView{Title: "No entry matches", Text: Say("The log was read to its end.")}
	return v
}

func auditEntry() AuditEntryView {
	return AuditEntryView{
		ProofTitle: "Proof that this entry is in the log", CanonicalTitle: "The entry as it was hashed", LeafLabel: "Leaf hash",
		Page: page("Entry 18,412", "/audit"), Index: 18412, Title: "retry unfinished, executed", Facts: facts(), Changes: changes(), Canonical: canonical, LeafHash: digest,
		Prev: &Button{Href: "/audit/18411", Label: "18,411"}, Next: &Button{Href: "/audit/18413", Label: "18,413"},
		Proof: []Fact{{Label: "Root", Text: Say(Key(digest)), Sub: Say("18,429 entries")}}, ProofNote: &Note{Kind: "ok", Title: Say("The path leads to the root.")},
		Path: []string{digest, digest}, Download: &Button{Href: "/audit/18412/proof", Label: "Download the proof"},
	}
}

func auditWaiting() AuditEntryView {
	return AuditEntryView{
		ProofTitle: "Proof that this entry is in the log", CanonicalTitle: "The entry as it was hashed", LeafLabel: "Leaf hash",
		Page: page("Entry not yet numbered", "/audit"), Index: -1, Title: "step confirmed", Facts: facts(), Canonical: hostile,
		ProofNote: &Note{Kind: "mind", Title: Say("This entry has no number yet."), Text: []Text{Say("It is numbered within a second.")}},
	}
}

func auditExport() AuditExportView {
	return AuditExportView{
		Page: page("Export the audit log", "/audit"), Action: "/audit/export/file", From: "2026-11-01", To: "2026-11-30", Zone: "Europe/Berlin", Zones: zones,
		Formats: []Choice{{Value: "jsonl", Label: "JSON Lines", Current: true}, {Value: "csv", Label: "CSV"}}, Scope: Say("All entries of acme of both days and between. The export is itself an entry."),
		Verify:  Say("The last line of a JSON Lines export holds size and root. Whoever has the file can check it without this server:"),
		Command: "console audit verify audit-2026-11.jsonl", Errors: FieldErrors{{Field: "zone", Message: "This zone is not known"}},
	}
}

func me() MeView {
	return MeView{
		Page: page("Your settings", "/me"), Zone: "Europe/Berlin", Zones: zones, MayKey: true, KeyName: "laptop",
		Facts:     []Fact{{Label: "Person", Text: Say(Name("Priya Raman")), Sub: Say("priya.raman@acme.example")}, {Label: "Roles", Text: Say("operator of acme")}},
		Themes:    []Choice{{Value: "", Label: "As the system"}, {Value: "light", Label: "Light"}, {Value: "dark", Label: "Dark", Current: true}},
		Densities: []Choice{{Value: "", Label: "Comfortable"}, {Value: "compact", Label: "Compact"}},
		NewKey:    &NewKey{Name: "laptop", Key: "csp_01jdy3n8vq4c9q2m8x4tbw6np5ychzcsp_01jdy3n8vq4c"}, KeyNote: Say("A person’s key does what you may do on the pages."),
		Keys:     []KeyRow{{ID: "k1", Name: hostile, Prefix: "csp_01jd…", Made: ago(90 * time.Hour), Used: ago(time.Hour)}, {ID: "k2", Name: "old", Prefix: "csp_01ab…", Made: ago(900 * time.Hour), Revoked: ago(time.Hour)}},
		Sessions: []SessionRow{{ID: "s1", Device: "Firefox on Linux", Address: "127.0.0.1", Begun: ago(3 * time.Hour), Seen: ago(0), Ends: later(5 * time.Hour), This: true}, {ID: "s2", Device: hostile, Address: "127.0.0.1", Begun: ago(30 * time.Hour), Seen: ago(20 * time.Hour), Ends: later(time.Hour)}},
		Saved:    &Note{Kind: "ok", Title: Say("Saved.")}, Errors: FieldErrors{{Field: "zone", Message: "This zone is not known"}},
	}
}

func workers() WorkersView {
	return WorkersView{
		Page: page("Workers", "/workers"), Summary: Say("1 process, 4 workers, 2 leases"),
		Boots: []BootRow{
			{ID: "boot-01jdy3n8vq4c", Host: "finance-1", Process: "4711", Started: ago(3 * time.Hour), Seen: ago(0), State: "alive", Workers: "8", Leases: "2", Note: Say("it answers you")},
			{ID: "boot-01jdy3n8vq4d", Host: hostile, Process: "12", Started: ago(3 * time.Hour), Seen: ago(2 * time.Minute), State: "silent", Workers: "8", Leases: "1",
				Note: Say("for longer than a lease"), Declare: &Button{Href: "/workers/boot-01jdy3n8vq4d/declare-dead", Label: "Declare dead"}},
		},
		Dead:   []BootRow{{ID: "boot-01jdx0000000", Host: hostile, Process: "12", Started: ago(30 * time.Hour), Seen: ago(4 * time.Hour), Ended: ago(4 * time.Hour), State: "dead", Note: Say("its lock was taken over")}},
		Leases: []LeaseRow{{Href: "/intents/" + intentID, ID: intentID, Worker: "boot-01jdy3n8vq4c/w-2", Fence: 1210, Until: later(40 * time.Second), Doing: Say("create-payout, attempt 2")}},
	}
}

func declare() DeclareView {
	return DeclareView{
		Page: page("Declare a process dead", "/workers"), Title: "Declare a process dead", ID: "boot-01jdy3n8vq4d", Post: "/workers/boot-01jdy3n8vq4d/declare-dead", Typed: hostile,
		Facts:   []Fact{{Label: "Boot", Text: Say(Key("boot-01jdy3n8vq4d"))}, {Label: "Host", Text: Say(hostile)}, {Label: "Last seen", Text: Say(ago(time.Minute))}},
		Meaning: []Line{{Text: Say(Bold("First end the process on its machine"), "."), Sub: Say("Nobody here can do that for you.")}},
		Warning: &Note{Kind: "mind", Title: Say("It is very likely alive.")}, Reason: ReasonField{Value: "no", Hint: "How you know that it has ended."},
		Errors: FieldErrors{{Field: "reason", Message: "The reason is too short"}, {Field: "confirm", Message: "What you typed is not its id"}},
	}
}

func declareRefused() DeclareView {
	v := declare()
	v.Errors, v.Warning = nil, nil
	v.Refused = &Note{Kind: "no", Title: Say("Refused: it answers you.")}
	return v
}

func providers() ProvidersView {
	contract := ContractView{
		Operation: "payouts", Source: "API.md of the sandbox, as built", Checked: "2026-11-12", Follows: []string{"Step keys are sent as they are.", "It is undone by payout.reverse."}, Warning: Say("Accepted only for steps that may go to review."),
		Facts: []Fact{{Label: "Key", Text: Say("header ", Code("Idempotency-Key"), ", 1 to 255 characters")}, {Label: "Kept", Text: Say("24 h from the first send")}, {Label: "A repeat", Text: Say("the first result, with ", Code("Idempotent-Replayed: true"))}, {Label: "Look-up", Text: Say("by our reference; “not found” is final after 2 s")}},
	}
	rates := Rates{How: Say("Calls of your accounts since ", ago(24*time.Hour)), Rows: []RateRow{
		{Provider: "bank", Operation: "payout.create", Calls: "12,000", Went: "11,990 (99.9 %)", Refused: "7 (0.1 %)", Unknown: "3 (0.0 %)", AnyUnknown: true, Open: "1", Link: "/?provider=bank"},
		{Provider: hostile, Operation: "message.send", Calls: "1", Went: "1 (100.0 %)", Refused: "0", Unknown: "0", Open: "0"}}}
	return ProvidersView{Page: page("Providers", "/providers"), Rates: rates, Providers: []ProviderView{{Name: "bank", Anchor: "provider-bank", Summary: Say("sandbox at ", Code("http://127.0.0.1:9090"), "; payouts, credits, disputes and messages of acme"), Contracts: []ContractView{contract, contract, contract}}}}
}

func people() PeopleView {
	return PeopleView{
		Page: page("People", "/"), Summary: Say("2 people, 1 service key"), How: Say("People are added with ", Code("console user")),
		Rows: []PersonRow{
			{Name: greek, Email: "eleni@acme.example", Account: "acme", Roles: "administrator", Since: ago(900 * time.Hour)},
			{Name: hostile, Email: "x@acme.example", Account: "acme", Roles: "operator, approver", Since: ago(90 * time.Hour), Disabled: ago(time.Hour)},
		},
		Keys: []ServiceKeyRow{{Name: hostile, Prefix: "csk_01jd…", Account: "acme", May: "intents:read, intents:write", Issuer: greek, Made: ago(90 * time.Hour)}, {Name: "old", Prefix: "csk_01ab…", Account: "acme", May: "audit:read", Made: ago(900 * time.Hour), Revoked: ago(time.Hour)}},
	}
}

func stepUp() StepUpView {
	wait := later(time.Minute)
	return StepUpView{Page: page("Confirm that it is you", "/"), Next: "/approvals", Failed: Say("The password is wrong. Nothing was done."), Wait: &wait}
}

func signIn() SignInView {
	wait := Clock{Now: shown.UnixMicro()}.At(shown.Add(time.Minute).UnixMicro())
	return SignInView{
		Page: bare("Sign in"), Email: "priya@acme.example", Next: "/approvals", Intro: Say("You were signed out after 30 minutes without a request."), Wait: &wait,
		Failed: Say("Address or password is wrong. Nobody was signed in."), Errors: FieldErrors{{Field: "email", Message: "This is no e-mail address"}},
	}
}

func signInLink() SignInLinkView {
	return SignInLinkView{Page: bare("Sign in"), Token: "token", Person: greek, Email: "eleni@acme.example", Role: "Operator of acme", Ends: Clock{Now: shown.UnixMicro()}.At(shown.Add(14 * time.Minute).UnixMicro()), Opens: "Queue"}
}

func signInLinkUsed() SignInLinkView {
	return SignInLinkView{Page: bare("Sign in"), Failed: &Note{Kind: "no", Title: Say("This link was used before."), Text: []Text{Say("Nobody was signed in by it now.")}}}
}

func refusal() ErrorView {
	return ErrorView{
		Page: page("Refused", "/"), Crumb: crumb(), Title: "Refused: what is not known cannot be reversed", Text: []Text{Say("You asked to compensate create-payout while its outcome is unknown.")},
		NotDone: Say("Nothing was sent, no step changed, no approval was asked for."), Facts: []Fact{{Label: "Rule", Text: Say(Code("compensate.unknown"))}, {Label: "Recorded as", Text: Say(Link("/audit/18389", "audit 18,389"))}},
		Next: []Line{{Text: Say(Link("/intents/"+intentID, "Reconcile")), Sub: Say("ask bank again")}}, Back: &Button{Href: "/", Label: "Back to the queue"},
	}
}

func unknownCommit() ErrorView {
	return ErrorView{Page: bare("Not known"), Title: "It is not known whether this was done", Unknown: true, NotDone: Say("The database did not answer the commit."), Text: []Text{Say("Open the preview again: it says what was stored.")}}
}
