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
	Amount      *int64        `json:"amount"` // minor units; absent is as asked, or as came back
	Currency    string        `json:"currency"`
	Date        string        `json:"date"` // RFC 3339, or a day
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
	Back        bool       `json:"back,omitempty"` // the amount is what came back
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
	if m.Back {
		text = "Recorded as come back: " + m.ExternalRef
	}
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
	m := marking{Result: in.Result, ExternalRef: in.ExternalRef, Back: in.Result == markHappened && p.Step.Returned > 0}
	var faults faults
	in.checkResult(&faults)
	m.Dated = in.dated(p, &faults)
	m.Amount, m.Currency = in.money(p, &faults)
	if in.Document == nil || *in.Document == (markDocument{}) {
		if len(faults) == 0 {
			return marking{}, &model.Refusal{Rule: "mark.no-evidence", Because: "A mark needs a document: an upload, or a link."}
		}
		faults.add("/input/document", "is missing: give a file, or a link")
		return marking{}, faults.err()
	}
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
		f.add("/input/result", "says neither that it happened (happened) nor that it did not (did_not_happen)")
	}
	if model.Visible(in.ExternalRef) == 0 && in.Result == markHappened {
		f.add("/input/external_ref", "is missing: what happened has a reference at the provider or the bank")
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

// dated reads the document's date. A day alone is kept as its beginning in UTC,
// wherever it was written, and read with care: see begun.
func (in markInput) dated(p *Planning, f *faults) model.Time {
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		std, err := time.Parse(layout, in.Date)
		if err != nil {
			continue
		}
		at := model.At(std)
		switch first := firstSend(p.Step); {
		case begun(at) > p.Now:
			f.add("/input/date", "lies in the future")
		case at.Add(anyZone) < first:
			f.add("/input/date", "lies before the first send: a document of that day cannot know of it")
		}
		return at
	}
	f.add("/input/date", "is missing or unreadable: give a day (2026-11-30) or a moment (RFC 3339)")
	return 0
}

// begun is when the document can first have been written: of a day alone, which
// names no zone, its beginning where days begin first. The document may be older
// than a send of that day.
func begun(dated model.Time) model.Time {
	if dated.IsDay() {
		return dated.Add(-firstZone)
	}
	return dated
}

// firstZone is how far ahead of UTC the zone is where days begin first.
const firstZone = 14 * time.Hour

// anyZone is by how much a day given without a zone may seem too early: the day
// itself, and the furthest zone.
const anyZone = 38 * time.Hour

// markDays are the first and the last day, as 2006-01-02, that a mark may give for a
// step which was first sent at a moment; the first is "" where it never was sent.
func markDays(sent, now model.Time) (first, last string) {
	if sent != 0 {
		const day = 24 * time.Hour
		first = sent.Add(day - anyZone - time.Microsecond).Std().UTC().Truncate(day).Format(time.DateOnly)
	}
	return first, now.Add(firstZone).Std().UTC().Format(time.DateOnly)
}

// firstSend is when the step can first have acted, 0 where it never was sent.
func firstSend(s *model.Step) model.Time {
	if len(s.Attempts) == 0 {
		return 0
	}
	return s.Attempts[0].StartedAt
}

// money is what really moved, or came back; as known where the statement does
// not say. Between contradicting observations nothing is known.
func (in markInput) money(p *Planning, f *faults) (int64, string) {
	s := p.Step
	if !s.HasMoney() || in.Result == markNothing {
		if in.Amount != nil {
			f.add("/input/amount", "has no place here: no money moves with this")
		}
		return 0, ""
	}
	if in.Amount != nil && (*in.Amount <= 0 || *in.Amount > model.MaxAmount) {
		f.add("/input/amount", "must be positive and at most 9,007,199,254,740,991 minor units")
	}
	if in.Currency != "" && in.Currency != s.Currency {
		f.add("/input/currency", "must be that of the step, "+s.Currency)
	}
	if in.Amount == nil && p.Case.Contradicted(s) && s.Returned == 0 {
		f.add("/input/amount", "is missing: the observations differ, so say what really moved")
	}
	if in.Amount == nil {
		return expectedAmount(s), s.Currency
	}
	return *in.Amount, s.Currency
}

// takeDocument names the document and what is known of its content.
func (m *marking) takeDocument(p *Planning, d markDocument, f *faults) error {
	if d.Upload == "" {
		m.Document, m.SHA256 = d.URL, d.SHA256
		d.checkLink(f)
		return nil
	}
	sum, err := p.tx.UploadDigest(p.Case.Account, d.Upload)
	if errors.Is(err, model.NotFound) {
		f.add("/input/document/upload", "does not exist in this account")
		return nil
	}
	m.Document, m.SHA256 = "upload:"+d.Upload, hex.EncodeToString(sum)
	return err
}

func (d markDocument) checkLink(f *faults) {
	link, err := url.Parse(d.URL)
	if err != nil || link.Scheme != "https" && link.Scheme != "http" || link.Host == "" || len(d.URL) > 2000 {
		f.add("/input/document/url", "must be an address that begins with https:// or http://")
	}
	if sum, err := hex.DecodeString(d.SHA256); d.SHA256 != "" && (err != nil || len(sum) != 32) {
		f.add("/input/document/sha256", "must be 64 hexadecimal digits")
	}
}
