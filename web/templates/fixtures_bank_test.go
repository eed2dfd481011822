package templates_test

import (
	"time"

	. "countersign/web/templates"
)

// reconcilePage is the list of banks' files as an operator of two accounts sees it.
func reconcilePage() ReconcileView {
	row := func(name, what, by string, stands Text) BankFileRow {
		return BankFileRow{Href: "/reconcile/bank-file-1", Name: name, What: what, Number: "DE89370400440532013000", Period: "2026-11-29 to 2026-11-30", At: ago(time.Hour), By: by,
			Lines: "41 lines", Stands: stands}
	}
	return ReconcileView{Page: page("Reconcile", "/reconcile"), Say: []Text{Say("A bank’s file says what really moved.")}, Sample: Say(Link("/guide#bank-file", "The guide"), " has a file to try."),
		Upload:   &BankUpload{Account: "acme"},
		Errors:   FieldErrors{{Field: "file", Message: "Line 12: " + hostile}},
		Accounts: []Choice{{Href: "/reconcile?account=acme", Label: "acme", Current: true}, {Href: "/reconcile?account=globex", Label: "globex"}},
		Rows: []BankFileRow{row("statement.xml", "camt.053.001.08, 2 statements", greek, Say("12 lines recorded")),
			row(hostile, "CSV", arabic, Say(Bold("waits for its columns to be named")))},
		Prev: "/reconcile", Next: "/reconcile?cursor=b"}
}

// reconcileEmpty is the same without a file, for somebody who may only read.
func reconcileEmpty() ReconcileView {
	v := reconcilePage()
	v.Upload, v.Errors, v.Accounts, v.Rows, v.Prev, v.Next = nil, nil, nil, nil, "", ""
	v.NotYou = &Note{Kind: "q", Title: Say("You may read the files of acme and not upload one.")}
	v.Empty = &EmptyView{Title: "No file yet", Text: Say("Nobody has uploaded a bank’s file of acme.")}
	return v
}

// bankFile is a file with lines of every sort.
func bankFile() BankFileView {
	proves := func(line int, name string) ProvingRow {
		return ProvingRow{Line: line, Ticked: line != 12, Booked: "2026-11-29", Ref: "20261129-0004", Money: eur(-6190000), By: stepKey, ByKind: "text", Bank: name, Ours: greek,
			Href: "/intents/" + intentID, Key: stepKey, State: "outcome_unknown"}
	}
	match := func(line int, what string) MatchRow {
		return MatchRow{Line: line, Booked: "2026-11-29", Money: eur(-6190100), What: what, Says: Say("The line is of 61,901.00 EUR, and the step of 61,900.00 EUR."), Other: arabic,
			Text: hostile, Href: "/intents/" + intentID, Key: stepKey, Do: &Choice{Href: "/intents/" + intentID, Label: "Look at its intent"}}
	}
	contradicts, typed := match(7, "The step had ended without effect"), match(8, "The step had ended without effect")
	contradicts.Contradicting = &Contradicting{Page: page("", ""), Post: "/reconcile/bank-file-1/contradiction?person=1", Line: 7, Step: stepKey, Field: "reason-7", StepUp: Say("You will be asked for your password.")}
	typed.Contradicting = &Contradicting{Page: page("", ""), Post: "/reconcile/bank-file-1/contradiction?person=1", Line: 8, Step: stepKey, Field: "reason-8", Typed: hostile,
		Errors: FieldErrors{{Field: "reason-8", Message: "The reason is shorter than 8 characters"}}}
	nobody := match(9, "Names no step of ours")
	nobody.Href, nobody.Key, nobody.Do, nobody.Booked, nobody.Ref = "", "", nil, "", "with blanks in it"
	return BankFileView{Page: page("Bank file statement.xml", "/reconcile/bank-file-1"), ID: "bank-file-1", Name: hostile, Meta: []Text{Say("camt.053.001.08"), Say("uploaded by ", Name(arabic))},
		Sums:  Sums{Heading: "It proves", Figure: "2 uncertain steps", Calm: true, Note: Say("nothing is recorded before you confirm it"), Columns: []SumColumn{{Money: eur(12380000), Note: Say("2 lines")}}},
		Parts: []Choice{{Href: "#what", Label: "What the file is"}, {Href: "#proves", Label: "What it proves: 2"}, {Href: "#lists", Label: "What was made of it: 1"}},
		Facts: []Fact{{Label: "Format", Text: Say("camt.053.001.08")}, {Label: "Its bytes", Text: Say(Link("/uploads/upload-1", "Download the file")), Sub: Say("SHA-256 ", Key(digest))}},
		Odd:   []Text{Say("The check digits of the account are wrong.")},
		Statements: []StatementRow{
			{ID: "STMT-1", Account: "DE89370400440532013000", Kind: "statement", Period: Say("2026-11-29"), Opening: Say(eur(1000000)), Closing: Say(eur(900000)), Lines: "41", AddsUp: true, Sum: Say("opening, booked lines and closing fit")},
			{Account: "not said", Kind: "notice", Lines: "1", Cannot: true, Sum: Say("It gives no two booked balances.")},
			{ID: hostile, Account: hostile, Kind: "statement", Lines: "1", Sum: Say("It is off by 300.08 EUR."), Declared: []Text{Say("The file says 3 entries and has 2.")}}},
		Pages: Paging{Shown: "Statements 1–3 of 23", Next: "/reconcile/bank-file-1?statements=21#statements"},
		Proves: Proving{Say: Say("Each of these lines names one uncertain step."), Rows: []ProvingRow{proves(4, ""), proves(12, forty)}, At: Paging{Shown: "Lines 1–2 of 22", Prev: "/reconcile/bank-file-1", Next: "/reconcile/bank-file-1?proves=21#proves"},
			Post: "/reconcile/bank-file-1/preview", Out: "12", From: "/reconcile/bank-file-1", Button: "Preview marks for 21 lines, 61,900.00 EUR", Ticked: "21 ticked over all pages", StepUp: Say("You will be asked for your password.")},
		Person:  Matches{Say: Say("These lines name steps of ours and do not simply confirm them."), Rows: []MatchRow{match(5, "Another amount or currency"), match(6, "Money came back"), contradicts, typed}, At: Paging{Shown: "Lines 1–2 of 40", Prev: "/reconcile/bank-file-1"}},
		OursSay: Say("Uncertain steps that none of its lines names."), Ours: []OurRow{{Href: "/intents/" + intentID, Who: greek, What: "create-payout", Key: stepKey, Money: eur(731500), State: "outcome_unknown", Since: ago(26 * time.Hour)}},
		OursAt: Paging{Shown: "Steps 1–1 of 21", Next: "/reconcile/bank-file-1?ours=21#ours"},
		Others: Others{Counts: []Text{Say("2 lines name no step of ours")}, Open: true, Rows: []MatchRow{nobody, match(10, "Known already")}, At: Paging{Shown: "Lines 1–2 of 30"}},
		Lists:  []Line{{Text: Say(Link("/bulk/bulk-1", "Record 12 payments as happened"), ", 12,345.00 EUR"), Sub: Say(Name(arabic), ": carried out")}}}
}

// bankFileRead is the same for somebody who may not record it, with nothing in it.
func bankFileRead() BankFileView {
	v := bankFile()
	v.Proves.Post, v.Person.Rows, v.Ours, v.Others.Rows, v.Lists, v.Parts = "", nil, nil, nil, nil, v.Parts[:2]
	v.Page.Flash = &Note{Kind: "mind", Title: Say("This very file was uploaded before; nothing was stored.")}
	return v
}

// bankFileWaiting is a CSV whose columns are to be named.
func bankFileWaiting() BankFileView {
	v := bankFile()
	options := []Choice{{Value: "", Label: "none"}, {Value: "Datum", Label: "1  Datum", Current: true}, {Value: hostile, Label: "2  " + hostile}}
	v.Mapping = &BankMapping{Say: Say("A CSV says by itself neither what its columns are nor how its numbers are written."), Heads: []string{"Datum", hostile, ""},
		Rows: [][]string{{"28.02.2026", "-3,40", arabic}, {"", hostile, ""}}, Errors: FieldErrors{{Field: "booked_on", Message: "The booking day is missing"}, {Field: "turned", Message: "The sign is not needed"}, {Field: "refs", Message: "The references are not in the header"}, {Field: "currency", Message: "The currency is none of ISO 4217"}},
		Groups: []MappingGroup{{Legend: "What moved, and when", Hint: "Of each row", Fields: []MappingField{{Name: "booked_on", Label: "Booking day", Hint: "A column", Options: options},
			{Name: "currency", Label: "or the currency", Value: hostile}, {Name: "turned", Label: "The sign is turned", Hint: "Money out has no minus", Value: "yes", Box: true}}},
			{Legend: "Where our references may stand", Name: "refs", Boxes: options[1:]}},
		Cancel: "/reconcile/bank-file-1"}
	return v
}

// bankFileFixed is one whose mapping cannot be changed any more.
func bankFileFixed() BankFileView {
	v := bankFileWaiting()
	v.Mapping.Refused, v.Mapping.Errors = &Note{Kind: "no", Title: Say("How the columns are read cannot be changed any more.")}, nil
	v.Mapping.Facts = []Fact{{Label: "Booking day", Text: Say("column 1, ", Name("Datum"))}, {Label: "Text", Text: Say("column 2, ", Name(hostile))}}
	return v
}
