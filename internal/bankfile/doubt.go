package bankfile

// maxDeclared is how much of what does not fit is told of a statement.
const maxDeclared = 20

// boundDeclared leaves out what is told beyond that, and says so.
func (s *Statement) boundDeclared() {
	if len(s.Declared) > maxDeclared {
		s.Declared = append(s.Declared[:maxDeclared:maxDeclared], "There is more that does not fit in this statement than is told here.")
	}
}

// doubt gives the lines of a statement that does not add up, or does not hold what
// it says of itself, a doubt: any of them may be the one that is wrong. A statement
// that says nothing of its sums has none.
func (s *Statement) doubt() {
	off := s.Check()
	if off == "" && len(s.Declared) > 0 {
		off = s.Declared[0]
	}
	if off == "" {
		return
	}
	why := "The statement is off. " + off + " Look at the line itself, and mark the payment by hand."
	for i := range s.Lines {
		if s.Lines[i].Doubt == "" {
			s.Lines[i].Doubt = why
		}
	}
}
