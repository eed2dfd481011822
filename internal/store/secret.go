package store

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
)

// secretChars is the length of a secret's text: 256 bits in base64url.
const secretChars = 43

// newSecret makes 256 random bits as text.
func newSecret() string {
	raw := make([]byte, 32)
	rand.Read(raw) // never fails
	return base64.RawURLEncoding.EncodeToString(raw)
}

// hashSecret is the only form in which a secret is stored. A plain hash does:
// nobody can guess 256 random bits.
func hashSecret(secret string) []byte {
	sum := sha256.Sum256([]byte(secret))
	return sum[:]
}
