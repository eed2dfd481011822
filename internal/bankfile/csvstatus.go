package bankfile

import (
	"fmt"
	"slices"
	"strings"
)

// statusHeaders are headers, in small letters, of columns that say whether a row
// is booked.
var statusHeaders = []string{"status", "buchungsstatus", "umsatzstatus", "booking status", "transaction status", "payment status", "stav", "stav transakce", "stav platby",
	"stan", "stan transakcji", "status transakcji", "statut", "état", "estado", "stato", "státusz", "állapot", "tila", "tilstand", "boekingsstatus", "booked", "gebucht", "gebucht?"}

// statusWords are what such columns say, by language: of booked rows, and of others.
var statusWords = []struct{ booked, other []string }{
	{[]string{"booked", "completed", "complete", "posted", "settled", "cleared", "executed"},
		[]string{"pending", "reserved", "authorised", "authorized", "in progress", "processing", "not booked", "expected", "reverted", "declined", "failed", "cancelled", "canceled", "rejected"}},
	{[]string{"gebucht", "verbucht", "ausgeführt"}, []string{"vorgemerkt", "reserviert", "offen", "ausstehend", "nicht gebucht", "in bearbeitung", "storniert", "abgelehnt"}},
	{[]string{"umsatz gebucht"}, []string{"umsatz vorgemerkt"}},
	{[]string{"geboekt", "verwerkt", "uitgevoerd"}, []string{"gereserveerd", "in behandeling", "niet geboekt", "geweigerd"}},
	{[]string{"zaúčtováno", "zaúčtovaná", "zaúčtovaný", "provedeno", "provedena"}, []string{"nezaúčtováno", "nezaúčtovaná", "čekající", "čeká na zpracování", "blokace", "blokováno", "zamítnuto"}},
	{[]string{"zaúčtované", "zaúčtovaná", "spracované"}, []string{"nezaúčtované", "čakajúce", "čaká na spracovanie", "blokované"}},
	{[]string{"zaksięgowana", "zaksięgowano", "zaksięgowany", "rozliczona", "rozliczono", "zrealizowana"}, []string{"oczekująca", "oczekuje", "w realizacji", "w trakcie", "blokada", "niezaksięgowana", "odrzucona"}},
	{[]string{"comptabilisé", "comptabilisée", "exécuté", "exécutée"}, []string{"en attente", "en cours", "à venir", "refusé", "rejeté"}},
	{[]string{"contabilizado", "contabilizada", "liquidado", "liquidada"}, []string{"pendiente", "retenido", "retenida", "en curso", "rechazado"}},
	{[]string{"contabilizzato", "contabilizzata", "eseguito", "eseguita"}, []string{"in sospeso", "in attesa", "non contabilizzato", "non contabilizzata", "rifiutato"}},
	{[]string{"bokförd", "bokfört", "bokført", "bogført", "utförd"}, []string{"reserverad", "reservert", "reserveret", "väntande", "venter", "ikke bokført"}},
	{[]string{"kirjattu"}, []string{"varaus", "katevaraus", "odottaa"}},
	{[]string{"könyvelt", "lekönyvelt", "teljesült"}, []string{"függőben", "zárolt", "foglalás"}},
}

// bookedWord is a word by which a status like this one says that a row is booked;
// "" where the status is none that is known. One that says so itself is that word.
func bookedWord(status string) string {
	status = strings.ToLower(strings.TrimSpace(status))
	for _, of := range statusWords {
		switch {
		case slices.Contains(of.booked, status):
			return status
		case slices.Contains(of.other, status):
			return of.booked[0]
		}
	}
	return ""
}

// statusColumn is the first column that seems to say which rows are booked, by its
// header or by a cell; -1 where none does.
func statusColumn(header []string, rows []csvRow) int {
	for at, cell := range header[:min(len(header), PreviewColumns)] {
		if slices.Contains(statusHeaders, strings.ToLower(headerName(cell))) {
			return at
		}
	}
	const longest = 24 // bytes of a word
	for _, row := range rows {
		for at, cell := range row.cells[:min(len(row.cells), PreviewColumns)] {
			if len(cell) <= longest && bookedWord(cell) != "" {
				return at
			}
		}
	}
	return -1
}

// status proposes the column that says which rows are booked, with its words.
func (g *guess) status() {
	at := statusColumn(g.header, g.rows)
	if at < 0 {
		return
	}
	g.m.Status = g.name(at)
	var instead string
	for _, row := range g.rows {
		cell := row.cell(at)
		switch word := bookedWord(cell); {
		case strings.EqualFold(word, cell) && word != "":
			if !slices.Contains(g.m.BookedWords, cell) {
				g.m.BookedWords = append(g.m.BookedWords, cell)
			}
		case instead == "":
			instead = word
		}
	}
	if len(g.m.BookedWords) == 0 && instead != "" {
		g.m.BookedWords = []string{instead}
	}
}

// checkStatus checks that a column of a status comes with its words.
func (m Mapping) checkStatus(f *faults) {
	words := slices.ContainsFunc(m.BookedWords, func(w string) bool { return strings.TrimSpace(w) != "" })
	switch {
	case m.Status == "" && words:
		f.add("status", "is needed where words for booked rows are given")
	case m.Status != "" && m.AnyStatus:
		f.add("any_status", "must not be set where a column says which rows are booked")
	case m.Status != "" && !words:
		f.add("booked_words", "are needed: what the column of the status says of a row that the bank has booked")
	}
}

// decided refuses a mapping that says nothing of a column which seems to say that
// some rows are not booked.
func (m Mapping) decided(header []string, rows []csvRow) error {
	if m.Status != "" || m.AnyStatus {
		return nil
	}
	at := statusColumn(header, rows)
	if at < 0 {
		return nil
	}
	name := fmt.Sprintf("column %d", at+1)
	if at < len(header) && headerName(header[at]) != "" {
		name = fmt.Sprintf("column %d, %s,", at+1, quoted(headerName(header[at])))
	}
	var f faults
	f.add("status", "is to be decided: "+name+" seems to say which rows are booked. Choose it with its words for booked rows, or say that it does not matter")
	return f.err()
}

// booked reports whether the bank has booked the row.
func (r *csvReader) booked(row csvRow) bool {
	if r.m.Status == "" {
		return true
	}
	status := row.cell(r.columns.of("status"))
	return status != "" && slices.ContainsFunc(r.m.BookedWords, func(w string) bool { return strings.EqualFold(strings.TrimSpace(w), status) })
}
