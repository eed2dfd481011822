package session

import "net/http"

// Note gives a text that the session keeps under a name; "" is none.
func (s *Store) Note(r *http.Request, name string) string {
	session, err := s.Get(r, s.Name())
	if err != nil {
		return ""
	}
	text, _ := session.Values[name].(string)
	return text
}

// SetNote keeps a text under a name for as long as the session lives, through a
// step-up too; "" forgets it. The error is of kind Unauthenticated when nobody is
// signed in.
func (s *Store) SetNote(w http.ResponseWriter, r *http.Request, name, text string) error {
	session, err := s.Get(r, s.Name())
	if err != nil {
		return err
	}
	session.Values[name] = text
	if text == "" {
		delete(session.Values, name)
	}
	return s.Save(r, w, session)
}
