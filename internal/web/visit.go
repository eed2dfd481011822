package web

import (
	"bytes"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"countersign/internal/authz"
	"countersign/internal/model"
	"countersign/internal/store"
	"countersign/internal/web/session"
	"countersign/web/templates"
)

// visit is one request: who makes it, and what every page shares.
type visit struct {
	*Server
	c      echo.Context
	r      *http.Request
	actor  authz.Actor
	person model.Person
	counts store.NavCounts
	hold   *model.Hold // the newest restore hold, or nil
	file   *sentFile   // that came with the form, or nil
	view   store.View  // that the address names, on the pages of views
	page   templates.Page
	live   url.Values // what the page listens to; nil is by its address
	// typedBefore is what stands again in the page's forms; nil is nothing.
	typedBefore url.Values
}

// visit begins a request of whoever is signed in. The error is of kind
// Unauthenticated when nobody is.
func (s *Server) visit(c echo.Context) (*visit, error) { return s.visitWith(c, nil) }

// visitWith is visit, and reads something else in one statement with the session;
// beside may be nil.
func (s *Server) visitWith(c echo.Context, beside func(*visit, *store.Tx) error) (*visit, error) {
	v := s.stranger(c)
	if beside != nil {
		v.r = session.Beside(v.r, func(tx *store.Tx) error { return beside(v, tx) })
		c.SetRequest(v.r) // whoever asks for the session later gets the one that is read here
	}
	visitor, actor, err := s.sessions.Visitor(v.r)
	if err != nil {
		return nil, err
	}
	v.actor, v.person, v.hold, v.counts = actor, visitor.Person, visitor.Hold, visitor.Counts
	v.fillPage(visitor.Insecure)
	v.holdBanner()
	v.fullBanner()
	return v, nil
}

// fullBanner says what a full disk means for whoever reads the page.
func (v *visit) fullBanner() {
	if v.DB.Full() != 0 {
		v.page.Banners = append(v.page.Banners, templates.Banner{Kind: "full", Text: templates.Say(
			"The disk of the database is full: nothing new is accepted, stored or sent. What was accepted is safe, and work goes on by itself when there is room.")})
	}
}

// stranger begins a request of nobody in particular.
func (s *Server) stranger(c echo.Context) *visit {
	v := &visit{Server: s, c: c, r: c.Request()}
	v.page = templates.Page{Clock: templates.Clock{Now: int64(s.DB.Now())}, RequestID: requestID(v.r)}
	if s.Demo != nil {
		v.page.Banners = append(v.page.Banners, templates.Banner{Kind: "demo",
			Text: templates.Say("A demo: the provider is a sandbox, and no real money moves.")})
	}
	return v
}

func (v *visit) fillPage(insecure bool) {
	zone, err := time.LoadLocation(v.person.Zone)
	if err != nil {
		zone = time.UTC
	}
	p := &v.page
	p.Clock.Zone = zone
	p.CSRF = v.sessions.Token(v.r)
	p.Who = &templates.Who{ID: v.actor.ID, Name: v.person.Name, Role: v.roles(), Account: strings.Join(v.actor.Accounts(), ", ")}
	p.Settings = templates.Settings{Theme: v.person.Theme, Density: v.person.Density, KeysOff: !v.person.Keyboard, Zone: v.person.Zone}
	p.Nav, p.Help = v.navigation(), helpOf(v.r.URL.Path)
	if insecure && v.Demo == nil {
		p.Banners = append(p.Banners, templates.Banner{Kind: "insecure",
			Text: templates.Say("Insecure: a person’s API key exists that passes step-up without a fresh sign-in.")})
	}
}

// roles names what the person is, in all accounts.
func (v *visit) roles() string {
	var list []string
	for _, role := range model.Roles {
		for _, account := range v.actor.Accounts() {
			if hasRole(v.actor.Roles[account], role) {
				list = append(list, string(role))
				break
			}
		}
	}
	return strings.Join(list, ", ")
}

func hasRole(roles []model.Role, role model.Role) bool {
	for _, r := range roles {
		if r == role {
			return true
		}
	}
	return false
}

// navigation lists the pages that the person may open.
func (v *visit) navigation() []templates.NavItem {
	items := []templates.NavItem{{Href: "/", Label: "Queue"}, {Href: "/approvals", Label: "Approvals", Count: shortCount(v.counts.Approvals)},
		{Href: "/uncertain", Label: "Uncertain", Count: shortCount(v.counts.Uncertain)}, {Href: reconcilePath, Label: "Reconcile"}}
	if len(v.permitted(authz.SettleOrphans)) > 0 || len(v.permitted(authz.ExportAudit)) > 0 {
		items = append(items, templates.NavItem{Href: "/orphans", Label: "Orphans"})
	}
	if len(v.permitted(authz.ReadAudit)) > 0 {
		items = append(items, templates.NavItem{Href: "/audit", Label: "Audit"})
	}
	items = append(items, templates.NavItem{Href: "/providers", Label: "Providers"}, templates.NavItem{Href: "/workers", Label: "Workers"})
	if len(v.permitted(authz.ExportAudit)) > 0 {
		items = append(items, templates.NavItem{Href: "/admin/alerts", Label: "Alerts"})
	}
	if len(v.permitted(authz.ManagePeople)) > 0 {
		items = append(items, templates.NavItem{Href: "/admin/people", Label: "People"})
	}
	if v.Demo != nil {
		items = append(items, templates.NavItem{Href: "/guide", Label: "Guide"})
	}
	if v.Demo != nil && v.Demo.Lab != nil {
		items = append(items, templates.NavItem{Href: "/lab", Label: "Fault lab"})
	}
	for i := range items {
		here := items[i].Href
		items[i].Current = v.r.URL.Path == here || here != "/" && strings.HasPrefix(v.r.URL.Path, here+"/")
	}
	return items
}

// read runs fn on one snapshot of the database.
func (v *visit) read(fn func(*store.Tx) error) error { return v.DB.View(v.r.Context(), fn) }

// now is the moment at which the page is shown.
func (v *visit) now() model.Time { return model.Time(v.page.Clock.Now) }

// at is a stored moment as this viewer sees it.
func (v *visit) at(t model.Time) templates.Time { return v.page.Clock.At(int64(t)) }

// titled is the frame of a page that can be read again at its address.
func (v *visit) titled(title string) templates.Page {
	p := v.page
	p.Title = title
	if v.typedBefore = v.recall(); v.typedBefore != nil {
		p.Flash = recalledNote()
	}
	if v.r.Method == http.MethodGet {
		p.Refresh, p.Live = v.r.URL.RequestURI(), v.liveAddress()
	}
	if note, ok := saids[v.c.QueryParam(saidParam)]; ok {
		p.Flash = &note
		p.Refresh = withSaid(p.Refresh, "") // it is said once
	}
	return p
}

// show renders a page whole before its first byte is written, so that a fault
// in it becomes an error page and not half a page.
func (v *visit) show(status int, page templ.Component) error {
	var body bytes.Buffer
	ctx := v.r.Context()
	if v.typedBefore != nil {
		ctx = templates.WithTyped(ctx, v.typedBefore)
	}
	if err := page.Render(ctx, &body); err != nil {
		return err
	}
	return v.c.HTMLBlob(status, body.Bytes())
}

// to answers a POST: 303 to a page of this console.
func (v *visit) to(path string) error { return v.c.Redirect(http.StatusSeeOther, path) }

// bind reads the form of the body, and nothing else, into a form struct.
func (v *visit) bind(form any) error { return (&echo.DefaultBinder{}).BindBody(v.c, form) }
