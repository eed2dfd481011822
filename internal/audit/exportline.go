package audit

import (
	"encoding/hex"
	"encoding/json"
	"fmt"

	"countersign/internal/model"
)

// exportedEntry is a line of an export. The members stand in this order without
// white space, so that the bytes of a line follow from its values.
type exportedEntry struct {
	Index    int64           `json:"index"`
	LeafHash string          `json:"leaf_hash"`
	Proof    *inclusion      `json:"proof"`
	Entry    json.RawMessage `json:"entry"`
}

// inclusion proves one entry against the root of a log of Size entries.
type inclusion struct {
	Size   int64    `json:"size"`
	Hashes []string `json:"hashes"`
}

// bytes gives the line without its end. The entry's own bytes are kept as they
// are, which encoding/json would not do.
func (e exportedEntry) bytes() []byte {
	line := fmt.Appendf(nil, `{"index":%d,"leaf_hash":"%s",`, e.Index, e.LeafHash)
	if e.Proof != nil {
		// A struct of numbers and hex text always encodes.
		raw, _ := json.Marshal(e.Proof)
		line = append(append(append(line, `"proof":`...), raw...), ',')
	}
	line = append(append(line, `"entry":`...), e.Entry...)
	return append(line, '}')
}

// exportedCheckpoint is what the last line of an export says, and the only line
// of a checkpoint file.
type exportedCheckpoint struct {
	Size         int64         `json:"size"`
	Root         string        `json:"root"`
	At           model.Time    `json:"at"`
	Installation string        `json:"installation"`
	Scope        exportedScope `json:"scope"`
}

// exportedScope says what an export holds. A complete one holds every entry from
// 0 to the checkpoint's size and needs no proofs. Any other has gaps: each of
// its entries carries a proof, which shows that it is in the log and where, but
// that none of the selection is missing is only as sure as the last line.
type exportedScope struct {
	Complete bool       `json:"complete"`
	Accounts []string   `json:"accounts"` // null is all
	From     model.Time `json:"from"`
	To       model.Time `json:"to"`
	Entries  int64      `json:"entries"`
}

// lastLine is the end of an export: the checkpoint, and the SHA-256 of every
// byte of the file before the member that holds it.
type lastLine struct {
	Checkpoint *exportedCheckpoint `json:"checkpoint"`
	SHA256     string              `json:"sha256"`
}

// head gives the part of the line that the digest covers.
func (c exportedCheckpoint) head() ([]byte, error) {
	raw, err := json.Marshal(c)
	return append([]byte(`{"checkpoint":`), raw...), err
}

// tail gives the part of the line behind the head.
func tail(digest string) []byte { return []byte(`,"sha256":"` + digest + `"}`) }

func hexes(hashes [][]byte) []string {
	list := make([]string, len(hashes))
	for i, h := range hashes {
		list[i] = hex.EncodeToString(h)
	}
	return list
}
