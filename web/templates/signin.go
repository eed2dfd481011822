package templates

// SignInView is the form for e-mail and password (POST /signin, fields email,
// password, next).
type SignInView struct {
	Page   Page
	Email  string      // as typed before
	Next   string      // the path to open afterwards, or ""
	Intro  Text        // why one is here: "You were signed out after 30 minutes", or nil
	Errors FieldErrors // Field: email, password
	Failed Text        // wrong address or password, the same words for both; or nil
	Wait   *Time       // too many tries: none is taken before this moment
}

// SignInLinkView is the page of a one-time link: one button (POST /signin/link,
// fields token, next). Opening it uses nothing up.
type SignInLinkView struct {
	Page   Page
	Token  string
	Next   string
	Person string
	Email  string
	Role   string // "Operator of acme"
	Ends   Time
	Opens  string // "Queue"
	Failed *Note  // the link was used, has ended or is unknown: no button
}
