package web

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"countersign/internal/model"
	"countersign/web/templates"
)

// A thousand attempts are read page by page, each once, and no page is heavy.
func TestALongRecordIsPaged(t *testing.T) {
	const many = 1000
	n := told(func(_ *model.Case, s *model.Step) {
		s.Attempts = nil
		for i := range many {
			s.Attempts = append(s.Attempts, tried(i+1, shownAt-model.Time(many-i)*1_000_000, wasReset))
			s.Evidence = append(s.Evidence, model.Evidence{ID: fmt.Sprint("e", i), Source: model.FromQuery, Says: model.Inconclusive, At: shownAt - model.Time(many-i)*1_000_000})
		}
	})
	seen := map[string]bool{}
	query := url.Values{}
	for range 2 * many / shownAttempts {
		var view templates.IntentView
		n.record(&view, query)
		for _, a := range view.Attempts {
			if seen[a.ID] {
				t.Fatalf("%s is on two pages", a.ID)
			}
			seen[a.ID] = true
		}
		if len(view.Attempts) > shownAttempts || len(view.Evidence) > shownEvidence {
			t.Fatalf("a page of %d attempts and %d pieces of evidence", len(view.Attempts), len(view.Evidence))
		}
		_, next, older := strings.Cut(view.MoreAttempts.Href, "?")
		if !older {
			break
		}
		next, _, _ = strings.Cut(next, "#")
		var err error
		if query, err = url.ParseQuery(next); err != nil {
			t.Fatal(err)
		}
	}
	if len(seen) != many {
		t.Errorf("%d of %d attempts were shown", len(seen), many)
	}
	if view := n.overTime(nil); len(view.Rows) > shownEvents || len(view.Drawing.Shapes) > 80 || view.Note == nil {
		t.Errorf("the drawing has %d shapes and its table %d rows, note %v", len(view.Drawing.Shapes), len(view.Rows), view.Note)
	}
}

func TestAnUnknownPlaceInTheRecordIsItsBeginning(t *testing.T) {
	n := told(func(*model.Case, *model.Step) {})
	var view templates.IntentView
	n.record(&view, url.Values{"attempts": {"attempt-nothing-7' OR 1=1"}, "evidence": {"\x00"}})
	if len(view.Attempts) != 1 || view.MoreAttempts != nil {
		t.Errorf("%d attempts, %+v", len(view.Attempts), view.MoreAttempts)
	}
}
