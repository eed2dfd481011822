package web

import (
	"encoding/hex"

	"countersign/internal/bankfile"
	"countersign/internal/model"
	"countersign/web/templates"
)

// bankMeta says in one line what is in the file.
func (v *visit) bankMeta(p bankPage) []templates.Text {
	if p.Waiting {
		return []templates.Text{say("Waits for its columns to be named. Nothing is read from it yet.")}
	}
	meta := []templates.Text{say(p.Format), say(counted(p.Statements, "statement")), say(counted(p.Lines, "line"))}
	if p.Recorded > 0 {
		meta = append(meta, say(counted(p.Recorded, "line"), " recorded"))
	}
	return meta
}

func (v *visit) bankFacts(p bankPage) []templates.Fact {
	facts := []templates.Fact{{Label: "Uploaded", Text: say(v.at(p.UploadedAt), " by ", templates.Name(p.PersonName), " for ", p.Account)},
		{Label: "Its bytes", Text: say(templates.Link("/uploads/"+p.Upload, "Download the file"), ", ", sizeWords(p.Size)), Sub: say("SHA-256 ", templates.Key(hex.EncodeToString(p.SHA256)))}}
	if p.MappedAt != 0 {
		facts = append(facts, templates.Fact{Label: "Columns", Text: say("named ", v.at(p.MappedAt), " by ", templates.Name(p.MapperName)), Sub: v.mappingLink(p)})
	}
	return facts
}

// mappingLink leads to how the columns are read, of a CSV that is read already.
func (v *visit) mappingLink(p bankPage) templates.Text {
	switch {
	case p.MayMap && p.may.Allowed:
		return say(templates.Link(bankFilePath(p.ID)+"?mapping=change", "Change how its columns are read"))
	}
	return say(templates.Link(bankFilePath(p.ID)+"?mapping=show", "See how its columns are read"))
}

// sizeWords writes a number of bytes as people read it.
func sizeWords(bytes int) string {
	if bytes < 10_000 {
		return counted(bytes, "byte")
	}
	return grouped(int64(bytes+512)/1024) + " KiB"
}

// kindWords say what a statement's lines are worth.
var kindWords = map[bankfile.Kind]string{bankfile.Booked: "statement", bankfile.Interim: "interim report, not final", bankfile.Notice: "notice"}

// statementRow tells one statement: what it covers, and whether it adds up.
func statementRow(s bankfile.Statement) templates.StatementRow {
	row := templates.StatementRow{ID: s.ID, Account: s.Account, Kind: kindWords[s.Kind], Opening: balance(s.Opening), Closing: balance(s.Closing), Lines: grouped(int64(len(s.Lines)))}
	if row.Account == "" {
		row.Account = "not said"
	}
	first, last := s.Days()
	if period := daysFrom(first, last); period != "" {
		row.Period = say(period)
	}
	switch check := s.Check(); {
	case check != "":
		row.Sum = say(check)
	case s.Opening == nil || s.Closing == nil:
		row.Cannot, row.Sum = true, say("It gives no two booked balances to add up between.")
	default:
		row.AddsUp, row.Sum = true, say("opening, booked lines and closing fit")
	}
	for _, sentence := range s.Declared {
		row.Declared = append(row.Declared, say(sentence))
	}
	return row
}

func balance(b *bankfile.Balance) templates.Text {
	if b == nil {
		return nil
	}
	return say(b.Money)
}

// bankLists are the lists that were confirmed of the file.
func (v *visit) bankLists(p bankPage) (lines []templates.Line) {
	for _, b := range p.Lists {
		lines = append(lines, templates.Line{Text: say(templates.Link("/bulk/"+b.ID, upper(recordWords(b.Planned))), amountWords(b.Sums())),
			Sub: say(templates.Name(b.ActorName), ", ", v.at(b.UsedAt), ": ", v.listStands(b, p.Now))})
	}
	return lines
}

// listStands says how a list stands, in words.
func (v *visit) listStands(b model.Bulk, now model.Time) templates.Text {
	switch b.Standing(now) {
	case model.BulkOpen:
		return say("waits for another person until ", v.at(b.ExpiresAt))
	case model.BulkRunning:
		return say("being carried out")
	case model.BulkDone:
		return say("carried out")
	}
	return say(words(string(b.Standing(now))), "; nothing of it was done")
}

// recordWords are what a list of marks does: "record 12 payments as happened".
func recordWords(n int) string { return "record " + counted(n, "payment") + " as happened" }
