package model

import (
	"errors"
	"regexp"
	"strings"
)

// ErrKeyMissing says that a request names no idempotency key at all; errors.Is
// finds it in what ParseIdempotencyKey returns.
var ErrKeyMissing = errors.New("idempotency key missing")

// An RFC 9651 String is in double quotes, with only \" and \\ escaped; what may
// follow as parameters has no meaning here. A bare key is visible ASCII without
// what would make it a list, a parameter or a quotation.
const (
	quotedString = `"(?:[ !#-\[\]-~]|\\["\\])*"`
	parameter    = `; *[a-z*][a-z0-9_.*-]*(?:=(?:` + quotedString + `|[A-Za-z0-9*?@:+/=._%!#$&'^|~-]+))?`
	bareKey      = `[!#-&(-+\--:<-\[\]-~]+`
)

var (
	quotedKeyPattern = regexp.MustCompile(`^(` + quotedString + `)(?:` + parameter + `)*$`)
	bareKeyPattern   = regexp.MustCompile(`^` + bareKey + `$`)
	unescape         = strings.NewReplacer(`\"`, `"`, `\\`, `\`)
)

// ParseIdempotencyKey reads the lines of an Idempotency-Key header: a String as
// the draft standard has it, or the bare key, as most clients send it; "k" in
// quotes and k without are the same key. Whether the key will do is for
// CheckIntentKey. Errors are of kind Invalid, with the code
// "idempotency-key-missing" (no line, or an empty one) or
// "idempotency-key-invalid" (also for two lines).
func ParseIdempotencyKey(header []string) (string, error) {
	if len(header) > 1 {
		return "", keyError("is there more than once")
	}
	value := strings.Trim(strings.Join(header, ""), " ")
	if value == "" {
		missing := Errorf(Invalid, "idempotency-key-missing", "the Idempotency-Key header is missing")
		missing.Cause = ErrKeyMissing
		return "", missing
	}
	if !strings.HasPrefix(value, `"`) {
		if !bareKeyPattern.MatchString(value) {
			return "", keyError("is neither a quoted string nor a bare key of visible ASCII without , ; ' \" and \\")
		}
		return value, nil
	}
	parts := quotedKeyPattern.FindStringSubmatch(value)
	if parts == nil {
		return "", keyError("is not a well-formed quoted string")
	}
	return unescape.Replace(parts[1][1 : len(parts[1])-1]), nil
}
