// Package templates holds the console's pages: for each a view struct of plain
// data and the markup that shows it. Whoever makes a view has decided what it
// says; nothing is decided here.
package templates

// Page is what every page shares.
type Page struct {
	Title     string // of the document, without the product's name
	Nav       []NavItem
	Who       *Who   // nil when nobody is signed in
	Query     string // what stands in the search box
	Refresh   string // path and query of this page, for its Refresh link; "" for none
	Live      string // where the page hears of changes; "" for a page that is not kept up to date
	Help      string // the part of the help that speaks of this page; "" where nobody is signed in
	Clock     Clock
	RequestID string
	CSRF      string // bound to the session; hidden field "csrf" of every POST form
	Banners   []Banner
	Flash     *Note // what came of the last request, when it was refused or done
	Settings  Settings
}

// printedBy says on paper who printed the page, and where it is found.
func (p Page) printedBy() Text {
	text := Say("Printed by ", Name(p.Who.Name), ", ", p.Who.Role, " · ", p.Who.Account)
	if p.Refresh != "" {
		text = Say(text, ", from ", p.Refresh)
	}
	return text
}

// NavItem is one entry of the main navigation. The caller lists only those that
// the person may open.
type NavItem struct {
	Href, Label string
	Count       string // "7", "10,000+", or "" for none
	Current     bool
}

// Who is the signed-in person.
type Who struct{ ID, Name, Role, Account string }

// Banner stands above everything: the demo, insecure settings, a restore hold.
type Banner struct {
	Kind string // demo, insecure, hold, full
	Text Text
}

// Settings are a person's choices on /me. Zone is an IANA name.
type Settings struct {
	Theme   string // "", light, dark
	Density string // "", compact
	KeysOff bool
	Zone    string
}
