package actions

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"countersign/internal/bankfile"
)

// Of the files that were read, the few used last are kept, and none is read twice
// while it is.
func TestFewParsedFilesAreKept(t *testing.T) {
	p := newParsedFiles()
	keys := func() (list []string) {
		for _, f := range p.kept {
			list = append(list, f.key)
		}
		return list
	}
	for i := range 5 {
		p.keep(parsedFile{key: fmt.Sprint(i), weight: 1})
		p.find("0")
	}
	if got := keys(); !slices.Equal(got, []string{"2", "3", "4", "0"}) {
		t.Errorf("kept %v", got)
	}
	p.keep(parsedFile{key: "heavy", weight: mostWeight - 1})
	if got := keys(); !slices.Equal(got, []string{"0", "heavy"}) {
		t.Errorf("kept %v", got)
	}
	if p.keep(parsedFile{key: "too heavy", weight: mostWeight + 1}); len(p.kept) != 2 {
		t.Errorf("kept %v", keys())
	}
	body := camt(entry{ref: "x", bankRef: "BANKREF-1", amount: 1})
	for _, bytes := range [][]byte{body, nil} { // the second time nothing is read
		if f, err := p.parse(t.Context(), []byte("sum"), bytes, nil, nil); err != nil || len(f.Statements) != 1 {
			t.Errorf("%+v, %v", f, err)
		}
	}
	if _, err := p.parse(t.Context(), []byte("sum"), nil, []byte("{}"), &bankfile.Mapping{}); err == nil {
		t.Error("a file was found under another mapping")
	}
}

// Whoever waits for a turn does so no longer than their request.
func TestAParseWaitsForItsTurn(t *testing.T) {
	p := newParsedFiles()
	for range parsesAtOnce {
		p.turns <- struct{}{}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.parse(ctx, nil, camt(), nil, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	<-p.turns
	if _, err := p.parse(t.Context(), nil, camt(), nil, nil); err != nil || len(p.turns) != parsesAtOnce-1 {
		t.Errorf("%v, %d turns taken", err, len(p.turns))
	}
}
