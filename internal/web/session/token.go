package session

import (
	"crypto/rand"
	"crypto/subtle"
	"net/http"

	"countersign/internal/model"
)

// tokenKey names the form token in a session's values.
const tokenKey = "form token"

// newToken is 130 random bits as text.
func newToken() string { return rand.Text() }

// Token is what every form of the session carries; "" when nobody is signed in.
func (s *Store) Token(r *http.Request) string {
	session, err := s.Get(r, s.Name())
	if err != nil {
		return ""
	}
	token, _ := session.Values[tokenKey].(string)
	return token
}

// CheckToken refuses, with kind Denied, a form that was not made for this session.
func (s *Store) CheckToken(r *http.Request, given string) error {
	token := s.Token(r)
	if token == "" || subtle.ConstantTimeCompare([]byte(token), []byte(given)) != 1 {
		return model.Errorf(model.Denied, "denied", "This form was made for another sign-in; nothing was done: open the page again.")
	}
	return nil
}
