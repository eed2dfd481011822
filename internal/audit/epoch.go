package audit

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"countersign/internal/model"
	"countersign/internal/store"
)

// EpochOpened is the event of the entry that a restore hold begins with: from
// here on the log is another than the one that was lost.
const EpochOpened = "audit.epoch_opened"

// Epoch says how a log goes on after the database was restored: its first
// KeptSize entries are those of the log that was lost, which is known from
// outside to have had OldSize entries under OldRoot.
type Epoch struct {
	Hold         string     `json:"hold"`
	Cause        string     `json:"cause"`
	RestoredFrom model.Time `json:"restored_from"`
	KeptSize     int64      `json:"kept_size"`
	KeptRoot     string     `json:"kept_root"`
	OldSize      int64      `json:"old_size"`
	OldRoot      string     `json:"old_root"`
	// LostFrom and LostTo are the first index that was lost, and the one behind
	// the last that is known of: nobody may know how many came after it.
	LostFrom int64 `json:"lost_from"`
	LostTo   int64 `json:"lost_to"`
	// Index is where its entry stands, in the log that it is read from.
	Index int64 `json:"-"`
}

// EpochOf is what the entry of a hold says.
func EpochOf(h model.Hold) Epoch {
	from := h.KeptSize
	if h.Cause == model.HoldDiffers {
		from = 0 // somewhere before the size at which the roots differ
	}
	return Epoch{Hold: h.ID, Cause: string(h.Cause), RestoredFrom: h.RestoredFrom, KeptSize: h.KeptSize, KeptRoot: hex.EncodeToString(h.KeptRoot),
		OldSize: h.OldSize, OldRoot: hex.EncodeToString(h.OldRoot), LostFrom: from, LostTo: max(h.OldSize, h.KeptSize)}
}

// OpenEpoch records that the log goes on after a restore.
func (l *Log) OpenEpoch(tx *store.Tx, e Epoch, by Actor) error {
	raw, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("encode the epoch: %w", err)
	}
	var detail map[string]any
	if err := json.Unmarshal(raw, &detail); err != nil {
		return fmt.Errorf("encode the epoch: %w", err)
	}
	_, err = l.Append(tx, Entry{Actor: by, Event: EpochOpened, Result: "opened", Detail: detail,
		Reason: e.sentence()})
	return err
}

func (e Epoch) sentence() string {
	if e.Cause == string(model.HoldDiffers) {
		return fmt.Sprintf("The database is another than the checkpoint outside it says, which had %d entries: the log goes on from the %d that were found.", e.OldSize, e.KeptSize)
	}
	return fmt.Sprintf("The database was restored from %s: the log goes on from its first %d entries, and what stood behind them is lost.", e.RestoredFrom, e.KeptSize)
}

// epochMark is what every entry of an epoch holds.
var epochMark = []byte(`"event":"` + EpochOpened + `"`)

// epochOf reads the epoch that an entry opens; ok is false for other entries.
func epochOf(index int64, entry []byte) (e Epoch, ok bool, err error) {
	if !bytes.Contains(entry, epochMark) {
		return e, false, nil
	}
	var r record
	if err := json.Unmarshal(entry, &r); err != nil || r.Event != EpochOpened {
		return e, false, err
	}
	err = json.Unmarshal(r.Detail, &e)
	e.Index = index
	return e, err == nil, err
}

// truthful checks what the epochs of a complete export say about its own log:
// that its first entries are those that were kept.
func truthful(file File, whole Verified) error {
	for _, e := range whole.Epochs {
		roots, err := rootsAt(file, e.KeptSize)
		if err != nil {
			return err
		}
		if roots[e.KeptSize] != e.KeptRoot || e.KeptSize > e.Index {
			return &Fault{File: whole.Name, Index: e.Index, Why: "it says that the log went on from another beginning than stands before it"}
		}
	}
	return nil
}

// mostEpochs is the complete export that tells of the most restores, the largest
// among several; -1 where none tells of any.
func mostEpochs(verified []Verified) int {
	best := -1
	for i, v := range verified {
		if !v.Complete || len(v.Epochs) == 0 {
			continue
		}
		if best < 0 || len(v.Epochs) > len(verified[best].Epochs) ||
			len(v.Epochs) == len(verified[best].Epochs) && v.Size > verified[best].Size {
			best = i
		}
	}
	return best
}

func sizes(verified []Verified) (list []int64) {
	for _, v := range verified {
		list = append(list, v.Size)
	}
	return list
}

// lostIn tells in which epoch the log of a file was lost, which shows some roots;
// ok is false where none explains it. What stands before the fork is still to be
// compared: an entry of the log alone excuses nothing.
func lostIn(v Verified, roots map[int64]string, epochs []Epoch) (found Epoch, ok bool) {
	for _, e := range epochs {
		if v.Size == e.OldSize && v.Root == e.OldRoot || v.Complete && e.lost(v.Size, roots) {
			return e, true
		}
	}
	return found, false
}

// lost reports whether a complete log of a size, with its roots, is the one that
// the epoch says was lost: it has the root that was known from outside, where it
// reaches so far, and the beginning that was kept.
func (e Epoch) lost(size int64, roots map[int64]string) bool {
	known, reaches := roots[e.OldSize]
	if e.Cause == string(model.HoldDiffers) {
		return reaches && known == e.OldRoot
	}
	return size > e.KeptSize && roots[e.KeptSize] == e.KeptRoot && (!reaches || known == e.OldRoot)
}
