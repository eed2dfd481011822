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

// counted are the subjects that a try counts against, without what people typed:
// the person at their network address, the person anywhere, and the address.
func counted(email, address string) (pair string, all []store.Tried) {
	email, address = "email "+store.NormalEmail(email), "address "+network(address)
	pair = digest(email + " " + address)
	return pair, []store.Tried{{Subject: pair, Most: store.MaxTries}, {Subject: digest(email), Most: store.MaxTriesWide},
		{Subject: digest(address), Most: store.MaxTriesWide}}
}

// network takes an IPv6 network for one address: a single customer has 2^64 of
// them.
func network(address string) string {
	if ip, err := netip.ParseAddr(address); err == nil && ip.Unmap().Is6() {
		if network, err := ip.WithZone("").Prefix(64); err == nil {
			address = network.String()
		}
	}
	return address
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}
