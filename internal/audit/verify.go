package audit

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"

	"github.com/transparency-dev/merkle/compact"
	"github.com/transparency-dev/merkle/proof"
	"github.com/transparency-dev/merkle/rfc6962"

	"countersign/internal/model"
)

// File is an export or a checkpoint file. Open may be called more than once.
type File struct {
	Name string
	Open func() (io.ReadCloser, error)
}

// Path is the file at a path.
func Path(path string) File {
	return File{path, func() (io.ReadCloser, error) { return os.Open(path) }}
}

// Fault says that a file, or the database, is not what was written.
type Fault struct {
	File  string // "" is the database
	Index int64  // the first bad index, or -1 where none can be told
	Why   string
}

// Error names file, index and reason.
func (f *Fault) Error() string {
	text := f.Why
	if f.Index >= 0 {
		text = fmt.Sprintf("entry %d: %s", f.Index, f.Why)
	}
	if f.File == "" {
		return text
	}
	return f.File + ": " + text
}

// Verified is what one file has been shown to be.
type Verified struct {
	Name         string
	Size         int64 // of the log
	Root         string
	At           model.Time
	Installation string
	Entries      int64 // in the file
	// LastOf is how many entries the export held of which the file is only the
	// last line, kept as a checkpoint; 0 for any other file.
	LastOf int64
	// Complete: every entry from 0 to Size is there. Otherwise each entry of the
	// file is in the log, but the file cannot show that it left none out.
	Complete bool
	// Epochs are the restores that its entries tell of.
	Epochs []Epoch
	// Lost: its log was lost in a restore, which another file tells of.
	Lost bool
	// Compared: of this file and every other one, the log of one has been shown
	// to be the beginning of the other's.
	Compared bool
	// Partly are the files of which only a part could be compared with this one,
	// and is the same; Apart those of which nothing could be.
	Partly, Apart []string
}

// Report is the result of Verify, a member per file.
type Report struct{ Files []Verified }

// maxLine bounds a line of an export in bytes.
const maxLine = 16 << 20

// Verify checks exports and checkpoint files with nothing but themselves: that
// each entry has its hash, each number its place, that the root follows, that no
// end is cut; and that no two files contradict each other. What could not be
// compared the report says.
// What is wrong is a *Fault; a CSV export, which cannot be verified, is of kind
// Invalid. Memory does not grow with the files.
func Verify(files ...File) (Report, error) {
	var report Report
	for _, file := range files {
		v, err := verifyFile(file, nil)
		if err != nil {
			return report, err
		}
		report.Files = append(report.Files, v)
	}
	return report, compare(files, report.Files)
}

// verifyFile reads one file through. each, where given, is called with what every
// line shows of the log's tree.
func verifyFile(file File, each func(shown) error) (Verified, error) {
	in, err := file.Open()
	if err != nil {
		return Verified{}, fmt.Errorf("open %s: %w", file.Name, err)
	}
	defer in.Close()
	v := &verifier{digest: sha256.New(), edge: hashes.NewEmptyRange(0), last: -1, each: each}
	err = v.read(bufio.NewReaderSize(in, 1<<16))
	var fault *Fault
	if errors.As(err, &fault) {
		fault.File = file.Name
	}
	if errors.Is(err, errCSV) {
		err = model.Errorf(model.Invalid, "csv", "%s: %w", file.Name, err)
	}
	v.result.Name = file.Name
	return v.result, err
}

// verifier is the state of reading one file.
type verifier struct {
	digest  hash.Hash
	edge    *compact.Range // of the entries so far, where they are contiguous
	last    int64          // the last index read
	entries int64
	proofs  bool   // the entries carry proofs
	size    int64  // of the log that the proofs are for
	root    []byte // that the proofs lead to
	epochs  []Epoch
	each    func(shown) error
	result  Verified
}

// next is the index that a fault in the coming line is told for.
func (v *verifier) next() int64 { return v.last + 1 }

func (v *verifier) bad(format string, args ...any) error {
	return &Fault{Index: v.next(), Why: fmt.Sprintf(format, args...)}
}

func (v *verifier) whole(format string, args ...any) error {
	return &Fault{Index: -1, Why: fmt.Sprintf(format, args...)}
}

func (v *verifier) read(in *bufio.Reader) error {
	for {
		line, err := readLine(in)
		if errors.Is(err, io.EOF) {
			return v.bad("the file ends here, without its last line: it is cut")
		}
		if err != nil {
			return v.bad("%v", err)
		}
		if v.entries == 0 && startsCSV(line) {
			return errCSV
		}
		if !bytes.HasPrefix(line, []byte(`{"index":`)) {
			return v.end(line, in)
		}
		if err := v.entry(line); err != nil {
			return err
		}
		v.digest.Write(line)
		v.digest.Write([]byte{'\n'})
	}
}

// readLine reads a line without its end; io.EOF is the file's end.
func readLine(in *bufio.Reader) (line []byte, err error) {
	for {
		part, err := in.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case err == nil:
			return line[:len(line)-1], nil
		case errors.Is(err, bufio.ErrBufferFull) && len(line) <= maxLine:
		case errors.Is(err, bufio.ErrBufferFull):
			return nil, errors.New("the line is too long")
		case errors.Is(err, io.EOF) && len(line) > 0:
			return nil, errors.New("the line is cut")
		default:
			return nil, err
		}
	}
}

// entry checks one entry and takes it into the tree.
func (v *verifier) entry(line []byte) error {
	var e exportedEntry
	if err := json.Unmarshal(line, &e); err != nil || !bytes.Equal(e.bytes(), line) {
		return v.bad("the line is not as an export writes it")
	}
	if v.entries > 0 && v.proofs != (e.Proof != nil) {
		return v.bad("some entries carry proofs and some do not")
	}
	v.proofs = e.Proof != nil
	leaf := leafHash(e.Entry)
	if hex.EncodeToString(leaf) != e.LeafHash {
		return v.bad("its bytes do not have its hash")
	}
	if err := v.place(e, leaf); err != nil {
		return err
	}
	epoch, opens, err := epochOf(e.Index, e.Entry)
	if err != nil {
		return v.bad("it cannot be read as an entry")
	}
	if opens {
		v.epochs = append(v.epochs, epoch)
	}
	v.last = e.Index
	v.entries++
	return nil
}

// place checks that the entry is in the log under its index.
func (v *verifier) place(e exportedEntry, leaf []byte) error {
	if e.Proof != nil {
		return v.proven(e, leaf)
	}
	if e.Index != v.next() {
		return v.bad("index %d stands in its place", e.Index)
	}
	var grew []subtree
	err := v.edge.Append(leaf, func(id compact.NodeID, hash []byte) {
		if v.each != nil {
			grew = append(grew, subtree{id, string(hash)})
		}
	})
	if err != nil || v.each == nil {
		return err
	}
	return v.each(shown{e.Index, grew})
}

// proven checks an entry's own proof: all must lead to one root.
func (v *verifier) proven(e exportedEntry, leaf []byte) error {
	if e.Index < v.next() {
		return v.bad("index %d stands in its place", e.Index)
	}
	bad := func(why string) error { return &Fault{Index: e.Index, Why: why} }
	path, err := unhex(e.Proof.Hashes)
	if err != nil || e.Proof.Size <= e.Index {
		return bad("its proof cannot be read")
	}
	root, err := proof.RootFromInclusionProof(rfc6962.DefaultHasher, uint64(e.Index), uint64(e.Proof.Size), leaf, path)
	if err != nil {
		return bad("its proof does not fit its place")
	}
	if v.root == nil {
		v.size, v.root = e.Proof.Size, root
	}
	if e.Proof.Size != v.size || !bytes.Equal(root, v.root) {
		return bad("its proof leads to another root than those before")
	}
	if v.each == nil {
		return nil
	}
	return v.each(shown{e.Index, pathOf(e.Index, e.Proof.Size, leaf, path)})
}

func unhex(list []string) ([][]byte, error) {
	found := make([][]byte, len(list))
	for i, text := range list {
		raw, err := hex.DecodeString(text)
		if err != nil || len(raw) != sha256.Size || hex.EncodeToString(raw) != text {
			return nil, errors.New("not a hash")
		}
		found[i] = raw
	}
	return found, nil
}

// end checks the last line, and that it is the last.
func (v *verifier) end(line []byte, in *bufio.Reader) error {
	var last lastLine
	if err := model.DecodeStrict(line, &last); err != nil || last.Checkpoint == nil {
		return v.bad("the line is neither an entry nor a checkpoint")
	}
	head, err := last.Checkpoint.head()
	if err != nil {
		return fmt.Errorf("encode checkpoint: %w", err)
	}
	v.digest.Write(head)
	if !bytes.Equal(append(head, tail(last.SHA256)...), line) {
		return v.whole("the last line is not as an export writes it")
	}
	if _, err := in.ReadByte(); !errors.Is(err, io.EOF) {
		return v.whole("something stands behind the last line")
	}
	if err := v.totals(*last.Checkpoint); err != nil {
		return err
	}
	if v.result.LastOf > 0 {
		return nil // its digest is of lines that are not here
	}
	if last.SHA256 != hex.EncodeToString(v.digest.Sum(nil)) {
		return v.whole("the file's digest is another: something was changed, added or taken away")
	}
	return nil
}

// totals compares what was read with what the checkpoint says.
func (v *verifier) totals(c exportedCheckpoint) error {
	v.result = Verified{Size: c.Size, Root: c.Root, At: c.At, Installation: c.Installation,
		Entries: v.entries, Complete: c.Scope.Complete, Epochs: v.epochs}
	if v.entries == 0 && c.Scope.Entries > 0 {
		v.result.LastOf, v.result.Complete = c.Scope.Entries, false
		return v.rootIs(nil, c)
	}
	if v.entries != c.Scope.Entries && v.proofs {
		return v.whole("the file holds %d entries and should hold %d", v.entries, c.Scope.Entries)
	}
	if v.entries != c.Scope.Entries {
		return v.bad("the file holds %d entries and should hold %d", v.entries, c.Scope.Entries)
	}
	if v.entries > 0 && v.proofs == c.Scope.Complete {
		return v.whole("the last line does not fit the entries")
	}
	root := v.root
	if c.Scope.Complete {
		if v.entries != c.Size {
			return v.bad("the log has %d entries, the file %d", c.Size, v.entries)
		}
		var err error
		if root, err = rootOf(v.edge); err != nil {
			return err
		}
	}
	return v.rootIs(root, c)
}

func (v *verifier) rootIs(root []byte, c exportedCheckpoint) error {
	if v.proofs && v.size != c.Size {
		return v.whole("the proofs are for a log of %d entries, the checkpoint for %d", v.size, c.Size)
	}
	if root != nil && hex.EncodeToString(root) != c.Root {
		return v.whole("the entries do not lead to the checkpoint's root: an entry and its hash were changed together, or the root was")
	}
	if _, err := unhex([]string{c.Root}); err != nil || c.Size < 0 {
		return v.whole("the checkpoint cannot be read")
	}
	return nil
}
