package model

import (
	"slices"
	"strings"
)

// belongsTo stands in what is said of an object that another step was confirmed by.
const belongsTo = " already belongs to "

// Stands is the provider's newest word that it has an object of the step, while a
// contradiction about the step is open; nil where there is none. Such a word stands
// until the provider itself takes it back: the object failed, or a look under our
// reference found nothing when it would have shown one. A person's document takes
// nothing back, and another step's object is none of this one.
func (c *Case) Stands(s *Step) (standing *Evidence) {
	if !c.Contradicted(s) {
		return nil
	}
	for i := range s.Evidence {
		if e := &s.Evidence[i]; e.shows() && !s.takenBack(e) {
			standing = e
		}
	}
	return standing
}

// shows reports whether the provider says in it that it has an object of the step.
// What one answer said in doubt is no such word; a look at the object is.
func (e *Evidence) shows() bool {
	switch {
	case e.Says == Happened:
		return e.byProvider()
	case e.Says == Conflicting && e.Source == FromLate:
		return true
	}
	object := e.Ref != "" || e.Status == Several
	return e.look() && object && !e.Final && !strings.Contains(e.Detail, belongsTo)
}

// takenBack reports whether a later look says that what e shows came to nothing.
// One that found nothing answers for the present generation only.
func (s *Step) takenBack(e *Evidence) bool {
	for i := range s.Evidence {
		later := &s.Evidence[i]
		if !later.look() || !later.Final || later.Says == Happened || later.Says == CameBack || later.BeganAt < e.At {
			continue
		}
		if later.Ref == e.Ref || later.Ref == "" && s.Generation <= 1 || later.Status == Several {
			return true
		}
	}
	return false
}

// look reports whether the provider was asked, or told of the object by itself.
func (e *Evidence) look() bool { return e.Source == FromQuery || e.Source == FromWebhook }

// byProvider reports whether the provider's own word is in it.
func (e *Evidence) byProvider() bool {
	return e.look() || e.Source == FromResponse || e.Source == FromLate
}

// denies reports whether a piece of evidence says that nothing happened.
func (s *Step) denies(id string) bool {
	return slices.ContainsFunc(s.Evidence, func(e Evidence) bool { return e.ID == id && e.Says == DidNotHappen })
}
