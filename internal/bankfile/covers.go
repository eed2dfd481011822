package bankfile

import "slices"

// Days are the first and the last day that the file speaks of, 2006-01-02: on which
// its lines were booked, and of its balances. They are "" where it says none.
func (f *File) Days() (first, last string) {
	for i := range f.Statements {
		from, to := f.Statements[i].Days()
		first, last = span(first, last, from)
		first, last = span(first, last, to)
	}
	return first, last
}

// Days are those of one statement, as File.Days has them.
func (s *Statement) Days() (first, last string) {
	for _, b := range []*Balance{s.Opening, s.Closing} {
		if b != nil {
			first, last = span(first, last, b.On)
		}
	}
	for i := range s.Lines {
		first, last = span(first, last, s.Lines[i].BookedOn)
	}
	return first, last
}

// span is a span of days with one more day, which may be "".
func span(first, last, day string) (from, to string) {
	if day != "" && (first == "" || day < first) {
		first = day
	}
	return first, max(last, day)
}

// Currencies are those that the file speaks of, each once: of its statements, their
// balances and their lines, also of a statement without lines.
func (f *File) Currencies() (list []string) {
	add := func(currency string) {
		if currency != "" && !slices.Contains(list, currency) {
			list = append(list, currency)
		}
	}
	for i := range f.Statements {
		s := &f.Statements[i]
		add(s.Currency)
		for _, b := range []*Balance{s.Opening, s.Closing} {
			if b != nil {
				add(b.Currency)
			}
		}
		for j := range s.Lines {
			add(s.Lines[j].Currency)
		}
	}
	return list
}
