package session

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"

	"countersign/internal/model"
)

// Cost of a new hash: OWASP's choice for argon2id, about 75 ms.
const (
	costTime   = 2
	costMemory = 19 * 1024 // KiB
	costLanes  = 1
	saltBytes  = 16
	hashBytes  = 32
)

// Bounds of a stored hash, so that a damaged one cannot exhaust the machine.
const (
	maxTime   = 10
	maxMemory = 256 * 1024 // KiB
	maxLanes  = 8
)

// Bounds of a password.
const (
	minPassword = 12   // characters
	maxPassword = 1024 // bytes
)

// phcHash is an argon2id hash in parts.
type phcHash struct {
	time, memory uint32
	lanes        uint8
	salt, sum    []byte
}

// Hash gives the argon2id hash of a password in PHC form. The error is of kind
// Invalid when the password is too short or too long.
func Hash(password string) (string, error) {
	if utf8.RuneCountInString(password) < minPassword || len(password) > maxPassword {
		return "", model.Errorf(model.Invalid, "invalid-params", "A password has at least %d characters and at most %d bytes", minPassword, maxPassword).
			WithFields(model.Field{Location: "password", Message: "is too short or too long"})
	}
	return hash(password), nil
}

func hash(password string) string {
	h := phcHash{time: costTime, memory: costMemory, lanes: costLanes, salt: make([]byte, saltBytes)}
	rand.Read(h.salt) // never fails
	h.sum = h.derive(password, hashBytes)
	return h.String()
}

// dummy stands for the hash of somebody who has none.
var dummy = sync.OnceValue(func() string { return hash("") })

// Verify reports whether a password fits a stored hash, in constant time. For a
// hash that is empty or damaged it works as long, and says no.
func Verify(stored, password string) bool {
	if len(password) > maxPassword {
		return false
	}
	h, ok := parsePHC(stored)
	if !ok {
		h, _ = parsePHC(dummy())
	}
	same := subtle.ConstantTimeCompare(h.sum, h.derive(password, len(h.sum))) == 1
	return same && ok
}

// slots bounds how many hashes are made at once: each takes its memory.
var slots = make(chan struct{}, runtime.NumCPU())

func (h phcHash) derive(password string, length int) []byte {
	slots <- struct{}{}
	defer func() { <-slots }()
	return argon2.IDKey([]byte(password), h.salt, h.time, h.memory, h.lanes, uint32(length))
}

var b64 = base64.RawStdEncoding.Strict()

func (h phcHash) String() string {
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, h.memory, h.time, h.lanes,
		b64.EncodeToString(h.salt), b64.EncodeToString(h.sum))
}

// parsePHC reads "$argon2id$v=19$m=…,t=…,p=…$salt$hash", exactly as written by
// String, within the bounds.
func parsePHC(text string) (h phcHash, ok bool) {
	parts := strings.Split(text, "$")
	if len(parts) != 6 {
		return h, false
	}
	if _, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &h.memory, &h.time, &h.lanes); err != nil {
		return h, false
	}
	var err1, err2 error
	h.salt, err1 = b64.DecodeString(parts[4])
	h.sum, err2 = b64.DecodeString(parts[5])
	ok = err1 == nil && err2 == nil && h.inBounds() && h.String() == text
	return h, ok
}

func (h phcHash) inBounds() bool {
	return h.time >= 1 && h.time <= maxTime && h.lanes >= 1 && h.lanes <= maxLanes && h.memory >= 8*uint32(h.lanes) && h.memory <= maxMemory &&
		len(h.salt) >= 8 && len(h.sum) >= 16 && len(h.sum) <= 64
}
