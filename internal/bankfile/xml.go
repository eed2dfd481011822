package bankfile

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"

	"countersign/internal/model"

	"golang.org/x/text/encoding/charmap"
)

// maxDepth is how deep elements may stand in each other; a camt file needs about 15.
const maxDepth = 64

// isXML reports a text that begins as XML does.
func isXML(body []byte) bool { return bytes.HasPrefix(bytes.TrimSpace(body), []byte("<")) }

// readXML reads an XML file: a camt message, or the refusal of another one.
func readXML(body []byte) (File, error) {
	body = plainLineEnds(body)
	message, err := outline(body)
	if err != nil {
		return File{}, err
	}
	kind, err := camtKind(message)
	if err != nil {
		return File{}, err
	}
	decoder := newDecoder(body)
	for {
		token, err := decoder.Token()
		if err != nil {
			return File{}, brokenXML(err)
		}
		if start, ok := token.(xml.StartElement); ok && start.Name == message {
			var m camtMessage
			if err := decoder.DecodeElement(&m, &start); err != nil {
				return File{}, brokenXML(err)
			}
			return m.file(message.Space[len(camtNamespace):], kind)
		}
	}
}

// plainLineEnds turns every line end into LF, as XML demands; lines are counted by it.
func plainLineEnds(body []byte) []byte {
	body = bytes.ReplaceAll(bytes.TrimSpace(body), []byte("\r\n"), []byte("\n"))
	return bytes.ReplaceAll(body, []byte("\r"), []byte("\n"))
}

// newDecoder reads UTF-8, by its wrong name too, and the two one-byte encodings that
// banks declare.
func newDecoder(body []byte) *xml.Decoder {
	decoder := xml.NewDecoder(bytes.NewReader(body))
	decoder.CharsetReader = func(name string, in io.Reader) (io.Reader, error) {
		switch strings.ToLower(name) {
		case "us-ascii", "utf8":
			return in, nil
		case "iso-8859-1", "latin1":
			return charmap.ISO8859_1.NewDecoder().Reader(in), nil
		case "windows-1252", "cp1252":
			return charmap.Windows1252.NewDecoder().Reader(in), nil
		}
		return nil, refuse("The file says that it is written in %s, which is not taken. Save it as UTF-8 and upload it again.", oneLine(name))
	}
	return decoder
}

// messages are the elements that hold a message of ISO 20022 about payments, by
// local name.
var messages = map[string]string{
	"BkToCstmrAcctRpt": "camt.052", "BkToCstmrStmt": "camt.053", "BkToCstmrDbtCdtNtfctn": "camt.054",
	"CstmrPmtStsRpt": "pain.002", "CstmrCdtTrfInitn": "pain.001", "CstmrDrctDbtInitn": "pain.008",
}

// outline reads a file once without keeping anything: it refuses what is broken,
// declares a document type or is out of bounds, and finds its one message.
// The name is empty where there is none.
func outline(body []byte) (message xml.Name, err error) {
	decoder := newDecoder(body)
	found, seen := 0, map[string]int{}
	for depth := 0; ; {
		token, err := decoder.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			return xml.Name{}, brokenXML(err)
		}
		switch t := token.(type) {
		case xml.Directive:
			return xml.Name{}, refuse("The file declares a document type (DTD), which no file of a bank needs and which is not taken.")
		case xml.EndElement:
			depth--
		case xml.StartElement:
			depth++
			if messages[t.Name.Local] != "" {
				message, found = t.Name, found+1
			}
			if err := inBounds(t.Name.Local, depth, seen); err != nil {
				return xml.Name{}, err
			}
		}
	}
	if found > 1 {
		return xml.Name{}, refuse("The file holds %d messages. Upload each of them as a file of its own.", found)
	}
	return message, nil
}

// counted are the elements of which a file has at most MaxLines, and how people
// call them.
var counted = map[string]string{
	"Ntry": "entries", "TxDtls": "payments", "Bal": "balances", "Stmt": "statements", "Rpt": "reports", "Ntfctn": "notices",
}

// inBounds refuses an element that stands too deep or is one too many.
func inBounds(name string, depth int, seen map[string]int) error {
	if depth > maxDepth {
		return refuse("The elements of the file stand more than %d deep in each other: it is no file of a bank.", maxDepth)
	}
	if what := counted[name]; what != "" {
		if seen[name]++; seen[name] > MaxLines {
			return tooMany(what)
		}
	}
	return nil
}

// brokenXML is the refusal of XML that cannot be read to its end.
func brokenXML(err error) error {
	var own *model.Error
	if errors.As(err, &own) {
		return own
	}
	var syntax *xml.SyntaxError
	if errors.As(err, &syntax) {
		return refuse("The XML is broken at line %d: %s. Get the file from the bank again.", syntax.Line, oneLine(syntax.Msg))
	}
	return refuse("The XML is broken: %s. Get the file from the bank again.", oneLine(err.Error()))
}
