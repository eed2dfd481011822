package bankfile

import (
	"encoding/xml"
	"strings"
)

// The types below may stand once in their place: encoding/xml takes the last of
// several, and a file that says two things says nothing for certain.

type camtAmount struct {
	Ccy   string `xml:"Ccy,attr"`
	Value string `xml:",chardata"`
	seen  bool
}

// UnmarshalXML reads an amount, once in its place.
func (a *camtAmount) UnmarshalXML(d *xml.Decoder, start xml.StartElement) error {
	type plain camtAmount
	if err := saidTwice(a.seen, d, start); err != nil {
		return err
	}
	a.seen = true
	return d.DecodeElement((*plain)(a), &start)
}

// camtWord is a text that stands once in its place.
type camtWord struct {
	Text string `xml:",chardata"`
	seen bool
}

// UnmarshalXML reads the text, once in its place.
func (w *camtWord) UnmarshalXML(d *xml.Decoder, start xml.StartElement) error {
	type plain camtWord
	if err := saidTwice(w.seen, d, start); err != nil {
		return err
	}
	w.seen = true
	return d.DecodeElement((*plain)(w), &start)
}

// String is the text without blanks around it.
func (w camtWord) String() string { return strings.TrimSpace(w.Text) }

// saidTwice refuses an element that stands a second time where one is allowed: which
// of the two is true cannot be told.
func saidTwice(seen bool, d *xml.Decoder, start xml.StartElement) error {
	if !seen {
		return nil
	}
	line, _ := d.InputPos()
	return refuse("Line %d of the file says %s a second time, where it may stand once. Ask the bank for a correct file.", line, start.Name.Local)
}

// camtStatus is a text up to version 07 and a code from 08 on.
type camtStatus struct {
	Text string `xml:",chardata"`
	Cd   camtWord
	seen bool
}

// UnmarshalXML reads the status, once in its place.
func (s *camtStatus) UnmarshalXML(d *xml.Decoder, start xml.StartElement) error {
	type plain camtStatus
	if err := saidTwice(s.seen, d, start); err != nil {
		return err
	}
	s.seen = true
	return d.DecodeElement((*plain)(s), &start)
}

// booked reports whether the bank has booked the entry.
func (s camtStatus) booked() bool { return strings.TrimSpace(s.Text+s.Cd.Text) == "BOOK" }
