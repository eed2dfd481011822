package api

import (
	"context"
	"encoding/hex"

	"countersign/internal/audit"
	"countersign/internal/store"
)

// Checkpoint is the log's size and root at a moment.
type Checkpoint struct {
	Size int64   `json:"size"`
	Root string  `json:"root" doc:"RFC 6962, hex."`
	At   *string `json:"at" format:"date-time" doc:"Null before the first one."`
}

type checkpointAnswer struct{ Body Checkpoint }

func (a *api) getCheckpoint(ctx context.Context, _ *struct{}) (*checkpointAnswer, error) {
	if _, err := readableLog(actorOf(ctx)); err != nil {
		return nil, err
	}
	out := &checkpointAnswer{}
	err := a.read(ctx, func(tx *store.Tx) error {
		last, ok, err := audit.LatestCheckpoint(tx)
		if err == nil && !ok {
			last.Root, err = a.Log.Root(tx, 0)
		}
		out.Body = Checkpoint{Size: last.Size, Root: hex.EncodeToString(last.Root), At: moment(last.At)}
		return err
	})
	return out, err
}

// Inclusion proves that an entry is in the log of a size.
type Inclusion struct {
	Index    int64    `json:"index"`
	Size     int64    `json:"size"`
	LeafHash string   `json:"leaf_hash"`
	Hashes   []string `json:"hashes" nullable:"false" doc:"From the leaf to the root."`
	Root     string   `json:"root"`
}

type inclusionInput struct {
	Index int64 `query:"index" minimum:"0" required:"true"`
	Size  int64 `query:"size" minimum:"0" doc:"The log's present size when absent."`
}

type inclusionAnswer struct{ Body Inclusion }

func (a *api) proveInclusion(ctx context.Context, in *inclusionInput) (*inclusionAnswer, error) {
	who, err := readableLog(actorOf(ctx))
	if err != nil {
		return nil, err
	}
	size, err := a.size(ctx, in.Size)
	if err != nil {
		return nil, err
	}
	out := &inclusionAnswer{}
	err = a.read(ctx, func(tx *store.Tx) error {
		item, err := a.Log.ByIndex(tx, who, in.Index)
		if err != nil {
			return err
		}
		hashes, err := a.Log.Inclusion(tx, in.Index, size)
		if err != nil {
			return outOfRange(err, "query.size")
		}
		root, err := a.Log.Root(tx, size)
		out.Body = Inclusion{Index: in.Index, Size: size, LeafHash: item.LeafHash, Hashes: hexes(hashes), Root: hex.EncodeToString(root)}
		return err
	})
	return out, err
}

// size is the size asked for, or the log's present one.
func (a *api) size(ctx context.Context, asked int64) (int64, error) {
	if asked != 0 {
		return asked, nil
	}
	return a.Log.Size(ctx)
}

// Consistency proves that the log of one size is the beginning of a later one.
type Consistency struct {
	From     int64    `json:"from"`
	To       int64    `json:"to"`
	Hashes   []string `json:"hashes" nullable:"false"`
	FromRoot string   `json:"from_root"`
	ToRoot   string   `json:"to_root"`
}

type consistencyInput struct {
	From int64 `query:"from" minimum:"0" required:"true"`
	To   int64 `query:"to" minimum:"0" doc:"The log's present size when absent."`
}

type consistencyAnswer struct{ Body Consistency }

func (a *api) proveConsistency(ctx context.Context, in *consistencyInput) (*consistencyAnswer, error) {
	if _, err := readableLog(actorOf(ctx)); err != nil {
		return nil, err
	}
	to, err := a.size(ctx, in.To)
	if err != nil {
		return nil, err
	}
	out := &consistencyAnswer{}
	err = a.read(ctx, func(tx *store.Tx) error {
		hashes, err := a.Log.Consistency(tx, in.From, to)
		if err != nil {
			return outOfRange(err, "query.from")
		}
		before, err := a.Log.Root(tx, in.From)
		if err != nil {
			return err
		}
		after, err := a.Log.Root(tx, to)
		out.Body = Consistency{From: in.From, To: to, Hashes: hexes(hashes), FromRoot: hex.EncodeToString(before), ToRoot: hex.EncodeToString(after)}
		return err
	})
	return out, err
}

func hexes(hashes [][]byte) []string {
	list := make([]string, len(hashes))
	for i, h := range hashes {
		list[i] = hex.EncodeToString(h)
	}
	return list
}
