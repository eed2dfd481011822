package model

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"regexp"
	"strconv"
	"strings"
)

const (
	// maxIntentKey is the longest intent key in bytes.
	maxIntentKey = 255
	// compensationPrefix begins the keys of the engine's own compensations.
	compensationPrefix = "compensate:"
	// intentIDChars are 26 characters of 5 bits: 130 bits of the digest.
	intentIDChars = 26
)

// crockfordAlphabet is Crockford's base 32 in lower case: no i, l, o and u to misread.
const crockfordAlphabet = "0123456789abcdefghjkmnpqrstvwxyz"

var crockford = base32.NewEncoding(crockfordAlphabet).WithPadding(base32.NoPadding)

// CheckIntentKey refuses a caller's key that is empty, over 255 bytes, not
// printable ASCII, looks like it carries an address of a person, or could be
// mistaken for a compensation's. The error is of kind Invalid and has the reason.
func CheckIntentKey(key string) error {
	switch {
	case key == "":
		return keyError("is empty")
	case len(key) > maxIntentKey:
		return keyError("is longer than 255 bytes")
	case !printableASCII(key):
		return keyError("holds something other than printable ASCII")
	case strings.Contains(key, "@"):
		return keyError("holds an @: keys are kept for ever and must carry no personal data")
	case strings.HasPrefix(key, compensationPrefix):
		return keyError("begins with compensate:, which names the console's own compensations")
	}
	return nil
}

func keyError(reason string) error {
	return Errorf(Invalid, "idempotency-key-invalid", "the idempotency key %s", reason)
}

func printableASCII(s string) bool {
	for _, c := range []byte(s) {
		if c < ' ' || c > '~' {
			return false
		}
	}
	return true
}

// IntentID names an intent: the same four inputs give the same id on every
// machine and after every restore, and a different installation another one.
// It is "intent-" and 26 lower-case Crockford characters, 130 bits of SHA-256.
func IntentID(installation, account, kind, key string) string {
	sum := lengthPrefixedHash(installation, account, kind, key)
	return "intent-" + crockford.EncodeToString(sum[:])[:intentIDChars]
}

// lengthPrefixedHash digests the parts each behind its length, so that no two
// different lists of parts are the same bytes.
func lengthPrefixedHash(parts ...string) [sha256.Size]byte {
	var buffer []byte
	for _, part := range parts {
		buffer = binary.BigEndian.AppendUint64(buffer, uint64(len(part)))
		buffer = append(buffer, part...)
	}
	return sha256.Sum256(buffer)
}

// StepKey names one step of an intent towards the outside: "<intent id>:<step>",
// with "#2", "#3" … from the second generation on.
func StepKey(intentID, step string, generation int) string {
	key := intentID + ":" + step
	if generation < 2 {
		return key
	}
	return key + "#" + strconv.Itoa(generation)
}

var stepKeyPattern = regexp.MustCompile(
	`^(intent-[0-9a-hjkmnp-tv-z]{26}):([a-z][a-z0-9-]*)(?:#([1-9][0-9]{0,8}))?$`)

// SplitStepKey takes a step key apart again. It accepts exactly what StepKey
// writes; the error is of kind Invalid.
func SplitStepKey(key string) (intentID, step string, generation int, err error) {
	parts := stepKeyPattern.FindStringSubmatch(key)
	if parts == nil || parts[3] == "1" {
		return "", "", 0, Errorf(Invalid, "invalid-params", "not a step key")
	}
	generation = 1
	if parts[3] != "" {
		// The pattern leaves at most nine digits: Atoi cannot fail.
		generation, _ = strconv.Atoi(parts[3])
	}
	return parts[1], parts[2], generation, nil
}
