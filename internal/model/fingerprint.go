package model

import (
	"crypto/sha256"
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/gowebpki/jcs"
)

// Canonical gives the RFC 8785 form of a JSON text: members sorted, no
// whitespace, one spelling per value. Numbers become doubles, as that RFC has
// it; for what must be told apart exactly use Fingerprint. Errors are those of
// DecodeStrict.
func Canonical(raw []byte) ([]byte, error) {
	if err := checkJSON(raw); err != nil {
		return nil, err
	}
	return transform(raw)
}

// transform is for text that checkJSON has passed: what jcs can still refuse is
// a number that no double holds.
func transform(raw []byte) ([]byte, error) {
	canonical, err := jcs.Transform(raw)
	if err != nil {
		return nil, invalidMember("", "holds a number that is out of range")
	}
	return canonical, nil
}

// Fingerprint is the SHA-256 of the RFC 8785 form of an object without the named
// top-level members. The order of members and the spelling of values never
// matter; two different numbers never become one, because a number that a double
// would change, and an integer outside ±(2^53-1), is refused. Errors are those
// of DecodeStrict.
func Fingerprint(params json.RawMessage, notMeaningful ...string) ([32]byte, error) {
	if err := walkJSON(params, checkNumber); err != nil {
		return [32]byte{}, err
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(params, &members); err != nil || members == nil {
		return [32]byte{}, invalidMember("", "is not an object")
	}
	for _, name := range notMeaningful {
		delete(members, name)
	}
	meaningful, err := json.Marshal(members)
	if err != nil {
		return [32]byte{}, Errorf(Internal, "", "encode params: %w", err)
	}
	canonical, err := transform(meaningful)
	return sha256.Sum256(canonical), err
}

// checkNumber refuses a number whose canonical form is another number.
func checkNumber(decoder *jsontext.Decoder, token jsontext.Token) error {
	if token.Kind() != '0' {
		return nil
	}
	written := decimalOf(token.String())
	double, err := strconv.ParseFloat(token.String(), 64)
	if err != nil || decimalOf(strconv.FormatFloat(double, 'e', -1, 64)) != written {
		return invalidMember(string(decoder.StackPointer()), "is a number that cannot be kept exactly")
	}
	if written.exponent >= 0 && math.Abs(double) > MaxAmount {
		return invalidMember(string(decoder.StackPointer()), "is an integer outside ±(2^53-1)")
	}
	return nil
}

// decimal is a number as ±digits × 10^exponent, without zeros at either end of
// its digits: equal numbers are equal decimals. Zero is the zero value.
type decimal struct {
	negative bool
	digits   string
	exponent int
}

// decimalOf reads a number by JSON's grammar. An exponent beyond an int counts
// as the largest one; such numbers are no doubles anyway.
func decimalOf(number string) decimal {
	unsigned, negative := strings.CutPrefix(number, "-")
	mantissa, power, _ := strings.Cut(strings.ToLower(unsigned), "e")
	exponent, _ := strconv.ParseInt(power, 10, 32)
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	trimmed := strings.TrimRight(digits, "0")
	if trimmed == "" {
		return decimal{}
	}
	return decimal{negative, trimmed, int(exponent) - len(fraction) + len(digits) - len(trimmed)}
}
