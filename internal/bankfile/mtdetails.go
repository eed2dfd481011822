package bankfile

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// mtInfo is what :86: says of an entry.
type mtInfo struct {
	refs                []Ref
	other, otherAccount string
	text                string
	back                bool
	code                string
}

// fill adds it to the entry's line. A line whose :86: comes in two has both.
func (i mtInfo) fill(line *Line) {
	for _, r := range i.refs {
		line.Refs = addRef(line.Refs, r.Kind, r.Value)
	}
	if line.Other == "" {
		line.Other = oneLine(i.other)
	}
	if line.OtherAccount == "" {
		line.OtherAccount = oneLine(i.otherAccount)
	}
	line.Text = oneLine(line.Text + " " + i.text)
	line.Back = line.Back || i.back
	if line.Back && line.Code == "" {
		line.Code = i.code
	}
}

// maxDetails is how much of a :86: is read, in bytes: ten times what SWIFT allows.
const maxDetails = 4000

// mtDetails reads :86:. Its lines are cut anywhere, so they are joined without
// adding anything before they are split into what they are made of: numbered
// sub-fields, code words between slashes, or free text.
func mtDetails(lines []string) mtInfo {
	text := strings.Join(lines, "")
	text = text[:min(len(text), maxDetails)]
	if code, parts := mtSubfields(text); parts != nil {
		return mtStructured(code, parts)
	}
	if places := mtSlashWord.FindAllStringSubmatchIndex(text, -1); places != nil && strings.HasPrefix(text, "/") {
		return mtSlashed(text, places)
	}
	return mtInfo{
		text: text,
		// Some banks cut between words and leave out the blank there.
		refs: addWords(addWords(nil, text), strings.Join(lines[:min(len(lines), maxDetails/65)], " ")),
	}
}

// mtSubfield is one numbered sub-field of :86:.
type mtSubfield struct{ number, text string }

// mtSubfields splits a text of the form "166?00TRANSFER?20…": three digits, which
// may be missing, and sub-fields of two digits behind a sign that the text itself
// shows. It gives nothing for any other text.
func mtSubfields(text string) (code string, parts []mtSubfield) {
	rest := text
	if len(rest) > 3 && digitsOnly(rest[:3]) {
		code, rest = rest[:3], rest[3:]
	}
	sign, size := utf8.DecodeRuneInString(rest)
	if size == 0 || strings.ContainsRune(" ,.;:+-()'", sign) || sign == utf8.RuneError || isWordRune(sign) {
		return "", nil
	}
	separator := string(sign)
	pieces := strings.Split(rest, separator)[1:]
	if len(pieces[0]) < 2 || !digitsOnly(pieces[0][:2]) || code == "" && !slices.Contains([]string{"00", "10", "20"}, pieces[0][:2]) {
		return "", nil
	}
	for _, piece := range pieces {
		if len(piece) >= 2 && digitsOnly(piece[:2]) {
			parts = append(parts, mtSubfield{piece[:2], piece[2:]})
			continue
		}
		parts[len(parts)-1].text += separator + piece // the sign as a sign
	}
	return code, parts
}

func digitsOnly(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

func isWordRune(r rune) bool {
	return r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' || r >= utf8.RuneSelf && r != '§'
}

// mtReturns are the German codes of transactions that are returns: of direct
// debits (108, 109), of credit transfers (159), and refunds of returned debits
// (181, 184).
var mtReturns = []string{"108", "109", "159", "181", "184"}

// mtStructured reads numbered sub-fields: 00 names the transaction, 20 to 29 and
// 60 to 63 are one text, 31 to 33 are the other side, 34 is the reason of a return.
func mtStructured(code string, parts []mtSubfield) mtInfo {
	info := mtInfo{back: slices.Contains(mtReturns, code)}
	var name, purpose, further string
	var pieces []string
	for _, p := range parts {
		switch {
		case p.number == "00":
			name += p.text
		case p.number >= "20" && p.number <= "29", p.number >= "60" && p.number <= "63":
			purpose += p.text
			pieces = append(pieces, p.text)
		case p.number == "31":
			info.otherAccount += p.text
		case p.number == "32", p.number == "33":
			info.other += p.text
		case p.number == "34":
			info.code += strings.TrimSpace(p.text)
		case p.number != "10" && p.number != "30":
			further += p.text
		}
	}
	info.back = info.back || strings.HasPrefix(name, "RETOURE")
	info.purpose(purpose)
	info.text = strings.Join([]string{name, info.text, further}, " ")
	info.cutWords(pieces)
	return info
}

// cutWords adds the words of the single sub-fields, as a text that is cut between
// words may lack the blank there. Parts of a reference are none.
func (i *mtInfo) cutWords(pieces []string) {
	words := addWords(nil, mtWord.ReplaceAllString(strings.Join(pieces, " "), " "))
	for _, w := range words {
		if !slices.ContainsFunc(i.refs, func(r Ref) bool { return r.Kind != wordKind && strings.Contains(r.Value, w.Value) }) {
			i.refs = addRef(i.refs, w.Kind, w.Value)
		}
	}
}

// mtWord are the words of a purpose that say what follows them, up to the next.
var mtWord = regexp.MustCompile(`(?:EREF|KREF|MREF|CRED|DEBT|COAM|OAMT|SVWZ|ABWA|ABWE)\+|\b(?:IBAN|BIC)\+|MTLG:`)

// purpose reads the words of a purpose, which may run over sub-fields.
func (i *mtInfo) purpose(text string) {
	places := mtWord.FindAllStringIndex(text, -1)
	before := text
	if places != nil {
		before = text[:places[0][0]]
	}
	i.say(before)
	for n, place := range places {
		end := len(text)
		if n+1 < len(places) {
			end = places[n+1][0]
		}
		word, value := text[place[0]:place[1]-1], text[place[1]:end]
		switch word {
		case "EREF", "KREF", "MREF":
			i.refs = addRef(i.refs, word, value)
		case "IBAN":
			i.otherAccount = strings.TrimSpace(value)
		case "CRED", "DEBT", "BIC", "COAM", "OAMT": // who the collector is, and amounts of others
		default:
			i.say(value)
		}
	}
}

// say adds a text for a person, with the references in it.
func (i *mtInfo) say(text string) {
	i.refs = addWords(i.refs, text)
	i.text = strings.TrimSpace(i.text + " " + text)
}

// mtSlashWord are the code words of the Netherlands and others, up to the next.
var mtSlashWord = regexp.MustCompile(`/(TRTP|TRCD|CNTP|IBAN|BIC|NAME|REMI|EREF|PREF|IREF|KREF|MARF|CSID|RTRN|PURP|ISDT|ULTD|ULTB|ULTC|ORDP|BENM|INIT|ADDR|ID)/`)

// mtSlashed reads code words between slashes.
func mtSlashed(text string, places [][]int) mtInfo {
	var info mtInfo
	for n, place := range places {
		end := len(text)
		if n+1 < len(places) {
			end = places[n+1][0]
		}
		word, value := text[place[2]:place[3]], strings.Trim(text[place[1]:end], "/")
		switch word {
		case "EREF", "PREF", "IREF", "KREF", "MARF":
			info.refs = addRef(info.refs, word, value)
		case "NAME":
			info.other = value
		case "IBAN":
			info.otherAccount = value
		case "CNTP": // account, bank, name and town
			parts := append(strings.Split(value, "/"), "", "", "")
			info.otherAccount, info.other = parts[0], parts[2]
		case "RTRN":
			info.back, info.code = true, value
		case "REMI":
			info.say(strings.NewReplacer("USTD//", "", "STRD/CUR/", "").Replace(value))
		case "TRTP", "PURP":
			info.text = strings.TrimSpace(info.text + " " + value)
		}
	}
	return info
}
