package provider

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"countersign/internal/model"
	"github.com/gowebpki/jcs"
)

// Seal fills in the contract's id: a digest of everything it promises, so that
// a changed promise is another contract and a bound step keeps the old one.
func Seal(c model.Contract) model.Contract {
	c.ID = ""
	raw, err := json.Marshal(c)
	if err != nil {
		panic(fmt.Sprintf("contract of %s: %v", c.Operation, err)) // plain fields always marshal
	}
	canonical, err := jcs.Transform(raw)
	if err != nil {
		panic(fmt.Sprintf("contract of %s: %v", c.Operation, err))
	}
	sum := sha256.Sum256(canonical)
	c.ID = "contract-" + hex.EncodeToString(sum[:])[:16]
	return c
}
