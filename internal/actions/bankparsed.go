package actions

import (
	"context"
	"slices"
	"sync"
	"unsafe"

	"countersign/internal/bankfile"
)

const (
	parsesAtOnce = 2        // files that are read at the same time
	mostParsed   = 4        // files that are kept as they were read
	mostWeight   = 64 << 20 // bytes of them in memory, about
)

// parsedFiles bounds how many banks' files are read at once, and keeps the few that
// were read last: a page of a file is asked for again and again. It is safe for
// concurrent use; nobody changes a file that it has given.
type parsedFiles struct {
	turns chan struct{}
	mu    sync.Mutex
	kept  []parsedFile // the one used last at the end
}

type parsedFile struct {
	key    string
	file   bankfile.File
	weight int
}

func newParsedFiles() *parsedFiles { return &parsedFiles{turns: make(chan struct{}, parsesAtOnce)} }

// turn runs fn when fewer than parsesAtOnce others run. The error is the context's
// where that ends before.
func (p *parsedFiles) turn(ctx context.Context, fn func()) error {
	select {
	case p.turns <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-p.turns }()
	fn()
	return nil
}

// parse reads a file's bytes, or gives them as they were read before: sum is their
// SHA-256, mapping the stored form of m. Errors are those of bankfile.Parse, and
// the context's.
func (p *parsedFiles) parse(ctx context.Context, sum, body, mapping []byte, m *bankfile.Mapping) (file bankfile.File, err error) {
	key := string(sum) + string(mapping)
	if file, ok := p.find(key); ok {
		return file, nil
	}
	waited := p.turn(ctx, func() {
		var ok bool
		if file, ok = p.find(key); ok { // read by somebody else meanwhile
			return
		}
		if file, err = bankfile.Parse(body, m); err == nil {
			p.keep(parsedFile{key, file, weigh(&file)})
		}
	})
	if waited != nil {
		err = waited
	}
	return file, err
}

func (p *parsedFiles) find(key string) (file bankfile.File, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := slices.IndexFunc(p.kept, func(f parsedFile) bool { return f.key == key })
	if i < 0 {
		return file, false
	}
	f := p.kept[i]
	p.kept = append(slices.Delete(p.kept, i, i+1), f)
	return f.file, true
}

// keep adds a file, and drops those used longest ago until the rest fits.
func (p *parsedFiles) keep(f parsedFile) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if f.weight > mostWeight {
		return
	}
	p.kept = append(p.kept, f)
	weight := 0
	for i := range p.kept {
		weight += p.kept[i].weight
	}
	for len(p.kept) > mostParsed || weight > mostWeight {
		weight -= p.kept[0].weight
		p.kept = slices.Delete(p.kept, 0, 1)
	}
}

// weigh is about how many bytes a file takes in memory.
func weigh(f *bankfile.File) (bytes int) {
	for i := range f.Statements {
		for j := range f.Statements[i].Lines {
			line := &f.Statements[i].Lines[j]
			// A row of a CSV is kept beside its texts: they count twice.
			bytes += int(unsafe.Sizeof(*line)) + 2*(len(line.Text)+len(line.Other)+len(line.OtherAccount)+len(line.BankRef)+len(line.Doubt))
			for _, ref := range line.Refs {
				bytes += int(unsafe.Sizeof(ref)) + len(ref.Kind) + len(ref.Value)
			}
		}
	}
	return bytes
}
