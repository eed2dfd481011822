package bankfile

// cellKind is what the cells of a column look like.
type cellKind int

const (
	anyCells    cellKind = iota
	dayCells             // days in one of DateFormats
	amountCells          // numbers
	codeCells            // currencies
)

// role is a member of a mapping with the headers that banks give its column, in
// small letters, the surest first, and what its cells must look like.
type role struct {
	member string
	cells  cellKind
	words  []string
}

// roles are in the order in which they choose their columns, each column once.
var roles = []role{
	{"currency_column", codeCells, []string{"buchungswährung", "currency", "currency code", "währung", "waehrung", "munt", "muntsoort", "měna účtu", "měna", "mena", "waluta", "divisa", "moneda", "devise", "valuta", "valuutta", "deviza", "devizanem", "pénznem"}},
	{"valued_on", dayCells, []string{"value date", "valutadatum", "valuta", "wertstellung", "wertstellungsdatum", "rentedatum", "date de valeur", "date valeur", "fecha valor", "f. valor", "data valuta", "data waluty", "datum valuty", "valuutapäivä", "arvopäivä", "rentedato", "értéknap"}},
	{"booked_on", dayCells, []string{"booking date", "posting date", "buchungstag", "buchungsdatum", "boekdatum", "boekingsdatum", "datum zaúčtování", "datum zauctovania", "data księgowania", "data ksiegowania", "bokföringsdag", "bokføringsdato", "bogføringsdato", "kirjauspäivä", "data contabile", "fecha operación", "fecha de operación", "date de comptabilisation", "date opération", "date d'opération", "transaction date", "könyvelés dátuma", "completed date", "datum", "date", "fecha", "data", "dato", "dátum", "pvm", "päivä", "datum provedení", "data operacji", "data transakcji"}},
	{"amount", amountCells, []string{"buchungsbetrag", "bedrag in eur", "amount", "betrag", "bedrag", "zaúčtovaná částka", "částka", "castka", "suma", "kwota", "importe", "importo", "montant", "belopp", "beløb", "beløp", "summa", "määrä", "valor", "összeg", "bedrag (eur)", "betrag (eur)", "amount (eur)", "umsatz", "kwota operacji", "objem"}},
	{"debit", amountCells, []string{"debit", "debits", "debet", "débit", "soll", "belastung", "lastschrift", "money out", "paid out", "withdrawal", "withdrawals", "debit amount", "obciążenia", "obciążenie", "cargo", "debe", "addebiti", "dare", "uscite", "výdaj", "ut", "uit", "af"}},
	{"credit", amountCells, []string{"credit", "credits", "kredit", "crédit", "haben", "gutschrift", "money in", "paid in", "deposit", "deposits", "credit amount", "uznania", "uznanie", "abono", "haber", "accrediti", "avere", "entrate", "příjem", "in", "bij"}},
	{"balance", amountCells, []string{"balance", "running balance", "saldo", "saldo po operacji", "saldo na mutatie", "kontostand", "solde", "zůstatek", "zostatok", "egyenleg", "saldo nach buchung"}},
	{"other_account", anyCells, []string{"rekeningnummer tegenpartij", "tegenrekening", "tegenrekening iban/bban", "číslo protiúčtu", "protiúčet", "counterparty account", "beneficiary account", "account number of counterparty", "iban zahlungsbeteiligter", "kontonummer/iban", "gegenkonto", "konto kontrahenta", "rachunek kontrahenta", "compte contrepartie", "cuenta contraparte"}},
	{"account_column", anyCells, []string{"account", "account number", "rekeningnummer", "rekening", "iban/bban", "číslo účtu", "iban auftraggeberkonto", "auftragskonto", "iban auftragskonto", "konto", "kontonummer", "numer rachunku", "nr rachunku", "cuenta", "compte", "numéro de compte", "conto", "iban", "számlaszám"}},
	{"other", anyCells, []string{"naam tegenpartij", "counterparty", "counterparty name", "counterparty's name", "název protiúčtu", "name zahlungsbeteiligter", "auftraggeber/empfänger", "begünstigter/zahlungspflichtiger", "beguenstigter/zahlungspflichtiger", "zahlungsempfänger", "empfänger", "beneficiary", "beneficiary name", "payee", "payer", "nadawca/odbiorca", "odbiorca", "nazwa kontrahenta", "beneficiario", "bénéficiaire", "mottagare", "modtager", "saaja/maksaja", "naam / omschrijving", "partnernév", "name"}},
	{"bank_ref", anyCells, []string{"id transakce", "id operace", "transaction id", "transaction reference", "bank reference", "bankreferenz", "transaktions-id", "transactie id", "transactiereferentie", "archivierungskennung", "arkistointitunnus", "numer referencyjny", "movement id", "umsatz-id", "tranzakció azonosító"}},
	{"text", anyCells, []string{"description", "verwendungszweck", "buchungstext", "omschrijving", "omschrijving-1", "mededelingen", "vrije mededeling", "zpráva", "zpráva pro příjemce", "poznámka", "details", "memo", "tytuł", "tytułem", "opis operacji", "opis", "concepto", "libellé", "communication", "communications", "descrizione", "causale", "meddelande", "tekst", "text", "viesti", "selite", "közlemény", "narrative", "transaction details", "typ transakce"}},
}

// foreignWords begin headers of amounts and currencies that are not the account's.
var foreignWords = []string{"fremd", "original", "foreign", "původní", "quell", "source"}

// refWords are headers of columns of references; a file may have several.
var refWords = []string{"reference", "customer reference", "payment reference", "your reference", "our reference", "end-to-end id", "end to end id", "end-to-end reference", "endtoendid", "end-to-end-ref.", "e2e reference", "eref", "referenz", "kundenreferenz", "kundenreferenz (end-to-end)", "mandatsreferenz", "zahlungsreferenz", "referentie", "kenmerk", "betalingskenmerk", "gestructureerde mededeling", "communication structurée", "structured communication", "référence", "referencia", "riferimento", "vs", "variabilní symbol", "variabilny symbol", "ks", "ss", "viite", "viitenumero", "ocr", "kid", "referens", "hivatkozás"}

// directionWords are headers of columns that say the direction.
var directionWords = []string{"af bij", "af/bij", "debit/credit", "credit/debit", "debit or credit", "debet/credit", "soll/haben", "haben/soll", "s/h", "d/c", "c/d", "dr/cr", "cr/dr", "dc", "cd", "direction", "sens", "type", "transaction type", "wn/ma", "credit debit indicator"}

// directions are what such columns say for money that came in and that went out.
var directions = [][2]string{{"bij", "af"}, {"c", "d"}, {"cr", "dr"}, {"credit", "debit"}, {"credit", "debet"}, {"crdt", "dbit"}, {"h", "s"}, {"haben", "soll"}, {"k", "d"}, {"in", "out"}, {"ma", "wn"}, {"+", "-"}}
