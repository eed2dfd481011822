package model

import (
	"crypto/sha256"
	"fmt"
	"math/big"
	"regexp"
	"regexp/syntax"
	"strings"
)

// FormUUID is the Form of providers that take a UUID as the key.
const FormUUID = "uuid"

// minDerivedBits is how much of a digest a derived key must keep, so that two
// step keys never share one.
const minDerivedBits = 120

// WireKeyRule is what a provider accepts as an idempotency key. The zero value
// accepts any printable ASCII.
type WireKeyRule struct {
	MinLen   int    `json:"min_len"`  // in bytes
	MaxLen   int    `json:"max_len"`  // in bytes; 0: no limit known
	Alphabet string `json:"alphabet"` // a regexp class of ASCII, such as "[0-9A-Za-z_-]"; "": all printable ASCII
	Form     string `json:"form"`     // "", or FormUUID, where length and alphabet do not matter
}

// Validate reports a rule that no key can keep without risking that two steps
// share it: an unknown form, a class that does not compile, or too little room.
func (r WireKeyRule) Validate() error {
	if r.Form != "" {
		if r.Form != FormUUID {
			return fmt.Errorf("wire key: unknown form %q", r.Form)
		}
		return nil
	}
	if _, err := r.class(); err != nil {
		return err
	}
	if r.MinLen < 0 || r.MaxLen < 0 || r.MaxLen > 0 && r.MaxLen < r.MinLen {
		return fmt.Errorf("wire key: no length between %d and %d", r.MinLen, r.MaxLen)
	}
	symbols := r.symbols()
	if len(symbols) < 2 {
		return fmt.Errorf("wire key: alphabet %q leaves nothing to choose from", r.Alphabet)
	}
	if r.MaxLen > 0 && r.MaxLen < lengthFor(minDerivedBits, len(symbols)) {
		return fmt.Errorf("wire key: %d characters of %d hold less than %d bits", r.MaxLen, len(symbols), minDerivedBits)
	}
	return nil
}

// Allows reports whether a provider with this rule takes the key as it is.
func (r WireKeyRule) Allows(key string) bool {
	if r.Form == FormUUID {
		return uuidPattern.MatchString(key)
	}
	if key == "" || len(key) < r.MinLen || r.MaxLen > 0 && len(key) > r.MaxLen {
		return false
	}
	class, err := r.class()
	return err == nil && class.MatchString(key)
}

// WireKey gives the key under which a step is sent: the step key itself where
// the rule allows it, else one derived from its SHA-256, the same for ever. The
// rule must be Valid. A derived key never equals another step's own key, as it
// has none of the punctuation that every step key has.
func (r WireKeyRule) WireKey(stepKey string) string {
	if r.Allows(stepKey) {
		return stepKey
	}
	sum := sha256.Sum256([]byte(stepKey))
	if r.Form == FormUUID {
		return uuidOf(sum)
	}
	return r.encode(sum)
}

// encode writes the digest, or as much of it as the longest key holds, in the
// symbols of the alphabet: the whole of it is 52 characters of Crockford's.
func (r WireKeyRule) encode(sum [sha256.Size]byte) string {
	symbols := r.symbols()
	length := lengthFor(8*len(sum), len(symbols))
	if r.MaxLen > 0 {
		length = min(length, r.MaxLen)
	}
	length = max(length, r.MinLen)
	number, base, digit := new(big.Int).SetBytes(sum[:]), big.NewInt(int64(len(symbols))), new(big.Int)
	key := make([]byte, length)
	for i := range key {
		number.DivMod(number, base, digit)
		key[i] = symbols[digit.Int64()]
	}
	return string(key)
}

// symbols are the characters that derived keys are written in: Crockford's
// where the rule allows them all, else the letters and digits that it allows,
// and punctuation only where there is nothing else.
func (r WireKeyRule) symbols() string {
	class, err := r.class()
	if err != nil {
		return ""
	}
	if class.MatchString(crockfordAlphabet) {
		return crockfordAlphabet
	}
	var plain, punctuation strings.Builder
	for c := byte('!'); c <= '~'; c++ {
		switch {
		case !class.Match([]byte{c}):
		case isAlphanumeric(c):
			plain.WriteByte(c)
		default:
			punctuation.WriteByte(c)
		}
	}
	if plain.Len() > 1 {
		return plain.String()
	}
	return plain.String() + punctuation.String()
}

// class matches text made of the rule's alphabet only.
func (r WireKeyRule) class() (*regexp.Regexp, error) {
	alphabet := r.Alphabet
	if alphabet == "" {
		alphabet = "[ -~]"
	}
	if set, err := syntax.Parse(alphabet, syntax.Perl); err == nil && set.Op != syntax.OpCharClass && !(set.Op == syntax.OpLiteral && len(set.Rune) == 1) {
		return nil, fmt.Errorf("wire key: alphabet %q is not a class of characters", alphabet)
	}
	class, err := regexp.Compile("^(?:" + alphabet + ")+$")
	if err != nil {
		return nil, fmt.Errorf("wire key: alphabet: %w", err)
	}
	return class, nil
}

// lengthFor is how many symbols of an alphabet it takes to hold so many bits.
func lengthFor(bits, symbols int) int {
	limit := new(big.Int).Lsh(big.NewInt(1), uint(bits))
	length, reach, base := 0, big.NewInt(1), big.NewInt(int64(symbols))
	for reach.Cmp(limit) < 0 {
		reach.Mul(reach, base)
		length++
	}
	return length
}

func isAlphanumeric(c byte) bool {
	return '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z'
}

var uuidPattern = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)

// uuidOf puts 122 bits of a digest into a UUID. It is marked as version 4,
// though nothing here is random, because that is the version that providers ask
// for and some of them check.
func uuidOf(sum [sha256.Size]byte) string {
	sum[6] = sum[6]&0x0f | 0x40
	sum[8] = sum[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", sum[0:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])
}
