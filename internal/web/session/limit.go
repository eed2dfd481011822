package session

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/netip"

	"countersign/internal/model"
	"countersign/internal/store"
)

// tooMany is the refusal of a try before the moment wait.
func tooMany(wait model.Time) error {
	return model.Errorf(model.Busy, "busy", "Too many tries to sign in; no password was checked.").With("wait", wait)
}

// Wait tells from a refused sign-in the moment from which the next try is taken;
// ok is false when it was refused for another reason.
func Wait(err error) (at model.Time, ok bool) {
	var refusal *model.Error
	if !errors.As(err, &refusal) {
		return 0, false
	}
	at, ok = refusal.Extra["wait"].(model.Time)
	return at, ok
}

// emailSubject and addressSubject name what tries are counted against, without
// storing what people typed.
func emailSubject(email string) string { return digest("email " + store.NormalEmail(email)) }

// addressSubject takes an IPv6 network for one address: a single customer has
// 2^64 of them.
func addressSubject(address string) string {
	if ip, err := netip.ParseAddr(address); err == nil && ip.Unmap().Is6() {
		if network, err := ip.WithZone("").Prefix(64); err == nil {
			address = network.String()
		}
	}
	return digest("address " + address)
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}
