package actions

import (
	"encoding/hex"
	"errors"
	"net/url"
	"time"
	"unicode"

	"countersign/internal/model"
)

// The results that a person can record.
const (
	markHappened = "happened"
	markNothing  = "did_not_happen"
)

// markInput is the statement as it comes in.
type markInput struct {
	Result      string        `json:"result"`
	ExternalRef string        `json:"external_ref"`
	Amount      int64         `json:"amount"` // minor units; 0 is as asked
	Currency    string        `json:"currency"`
	Date        string        `json:"date"` // RFC 3339, or a day, which counts from its beginning in UTC
	Document    *markDocument `json:"document"`
}

// markDocument is a link, with the digest of what is there where it is known,
// or an upload.
type markDocument struct {
	URL    string `json:"url"`
	SHA256 string `json:"sha256"` // hex
	Upload string `json:"upload"`
}

// marking is a checked statement. Its digest is part of the plan's.
type marking struct {
	Result      string     `json:"result"`
	ExternalRef string     `json:"external_ref"`
	Amount      int64      `json:"amount"`
	Currency    string     `json:"currency"`
	Dated       model.Time `json:"dated"`
	Document    string     `json:"document"`
	SHA256      string     `json:"sha256"`
}

// becomes is the step's state after the statement.
func (m marking) becomes(s *model.Step) model.StepState {
	switch {
	case m.Result == markHappened:
		return model.Confirmed
	case s.State == model.Pending, s.State == model.NotNeeded:
		return s.State
	}
	return model.FailedSafely
}

// sentence says the statement in words.
func (m marking) sentence() string {
	if m.Result == markNothing {
		return "Recorded as not happened, by " + m.Document + " of " + m.Dated.String() + "."
	}
	text := "Recorded as happened: " + m.ExternalRef
	if m.Currency != "" {
		text += ", " + model.Money{Amount: m.Amount, Currency: m.Currency}.String()
	}
	return text + ", by " + m.Document + " of " + m.Dated.String() + "."
}

// marking checks the statement, all faults at once.
func (p *Planning) marking() (marking, error) {
	var in markInput
	if err := p.decode(&in); err != nil {
		return marking{}, err
	}
	if in.Document == nil || *in.Document == (markDocument{}) {
		return marking{}, &model.Refusal{Rule: "mark.no-evidence", Because: "A mark needs a document: an upload, or a link."}
	}
	m := marking{Result: in.Result, ExternalRef: in.ExternalRef}
	var faults faults
	in.checkResult(&faults)
	m.Dated = in.dated(p.Now, &faults)
	m.Amount, m.Currency = in.money(p.Step, &faults)
	if err := m.takeDocument(p, *in.Document, &faults); err != nil {
		return marking{}, err
	}
	return m, faults.err()
}

// faults collects what is wrong with an input, by member.
type faults []model.Field

func (f *faults) add(location, message string) {
	*f = append(*f, model.Field{Location: location, Message: message})
}

func (f faults) err() error {
	if len(f) == 0 {
		return nil
	}
	return model.Errorf(model.Invalid, "invalid-params", "The input is not valid.").WithFields(f...)
}

// maxRef bounds a provider's reference in bytes.
const maxRef = 255

func (in markInput) checkResult(f *faults) {
	if in.Result != markHappened && in.Result != markNothing {
		f.add("/input/result", "is neither happened nor did_not_happen")
	}
	if in.ExternalRef == "" && in.Result == markHappened {
		f.add("/input/external_ref", "is missing")
	}
	if len(in.ExternalRef) > maxRef || !plain(in.ExternalRef) {
		f.add("/input/external_ref", "is longer than 255 bytes or holds control characters")
	}
}

// plain reports whether a text is one line of visible characters.
func plain(text string) bool {
	for _, r := range text {
		if !unicode.IsPrint(r) {
			return false
		}
	}
	return true
}

// dated reads the document's date. A day alone counts from its beginning: the
// careful reading, since the document may be older than a send of that day.
func (in markInput) dated(now model.Time, f *faults) model.Time {
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if at, err := time.Parse(layout, in.Date); err == nil {
			if model.At(at) > now {
				f.add("/input/date", "lies ahead")
			}
			return model.At(at)
		}
	}
	f.add("/input/date", "is neither an RFC 3339 time nor a date")
	return 0
}

// money is what really moved; as asked for where the statement does not say.
func (in markInput) money(s *model.Step, f *faults) (int64, string) {
	if !s.HasMoney() || in.Result == markNothing {
		if in.Amount != 0 {
			f.add("/input/amount", "has no meaning here: no money moved")
		}
		return 0, ""
	}
	if in.Amount < 0 || in.Amount > model.MaxAmount {
		f.add("/input/amount", "is not between 1 and 2^53-1 minor units")
	}
	if in.Currency != "" && in.Currency != s.Currency {
		f.add("/input/currency", "is not the currency of the step")
	}
	if in.Amount == 0 {
		return s.Amount, s.Currency
	}
	return in.Amount, s.Currency
}

// takeDocument names the document and what is known of its content.
func (m *marking) takeDocument(p *Planning, d markDocument, f *faults) error {
	if d.Upload == "" {
		m.Document, m.SHA256 = d.URL, d.SHA256
		d.checkLink(f)
		return nil
	}
	u, err := p.tx.Upload(p.Case.Account, d.Upload)
	if errors.Is(err, model.NotFound) {
		f.add("/input/document/upload", "does not exist in this account")
		return nil
	}
	m.Document, m.SHA256 = "upload:"+u.ID, hex.EncodeToString(u.SHA256)
	return err
}

func (d markDocument) checkLink(f *faults) {
	link, err := url.Parse(d.URL)
	if err != nil || link.Scheme != "https" && link.Scheme != "http" || link.Host == "" || len(d.URL) > 2000 {
		f.add("/input/document/url", "is no http or https address")
	}
	if sum, err := hex.DecodeString(d.SHA256); d.SHA256 != "" && (err != nil || len(sum) != 32) {
		f.add("/input/document/sha256", "is no SHA-256 in hex")
	}
}
