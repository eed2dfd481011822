package templates_test

import (
	"time"

	"countersign/internal/model"
	. "countersign/web/templates"
)

// The moment at which the sample pages are shown: 30 Nov 2026 09:42:18 UTC.
var shown = time.Date(2026, 11, 30, 9, 42, 18, 0, time.UTC)

var clock = Clock{Now: shown.UnixMicro(), Zone: berlin()}

func berlin() *time.Location {
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		panic(err)
	}
	return zone
}

// ago is a moment before the pages are shown, later one after it.
func ago(d time.Duration) Time   { return clock.At(shown.Add(-d).UnixMicro()) }
func later(d time.Duration) Time { return clock.At(shown.Add(d).UnixMicro()) }

func eur(amount int64) model.Money { return model.Money{Amount: amount, Currency: "EUR"} }

func some(amount int64, currency string) *model.Money {
	return &model.Money{Amount: amount, Currency: currency}
}

const (
	intentID  = "intent-01jd7k3v9q2m8x4tbw6np5ychz"
	stepKey   = intentID + ":create-payout"
	digest    = "49327839ff9bcde50f6bc7e93f344b51276bb67f2605ab2ed9f8fbc36e494b12"
	greek     = "Ελένη Παπαδοπούλου"
	arabic    = "محمد الحربي"
	forty     = "Maximiliane-Theodora von Hohenstein-Zwey"
	hostile   = `<script>alert("x")</script> "' onmouseover=alert(1) W` + longWord
	longWord  = "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee"
	canonical = `{"actor":{"id":"u_7","name":"Priya Raman","roles":["operator"],"type":"person"},"account":"acme","at":"2026-11-30T09:44:50.118Z","event":"action.retry_unfinished.executed","intent":"` + intentID + `"}`
)

func page(title, here string) Page {
	return Page{
		Title: title,
		Nav: []NavItem{
			{Href: "/", Label: "Queue", Current: here == "/"},
			{Href: "/approvals", Label: "Approvals", Count: "1", Current: here == "/approvals"},
			{Href: "/uncertain", Label: "Uncertain", Count: "7", Current: here == "/uncertain"},
			{Href: "/audit", Label: "Audit", Current: here == "/audit"},
			{Href: "/workers", Label: "Workers", Current: here == "/workers"},
			{Href: "/providers", Label: "Providers", Current: here == "/providers"},
			{Href: "/guide", Label: "Guide", Current: here == "/guide"},
		},
		Who:       &Who{Name: "Priya Raman", Role: "operator", Account: "acme"},
		Refresh:   here,
		Clock:     clock,
		RequestID: "req_01jdy3n8vq4c", Help: "/help#queue",
		CSRF:     "csrf-token",
		Settings: Settings{Zone: "Europe/Berlin"},
	}
}

func demoPage(title, here string) Page {
	p := page(title, here)
	p.Banners = []Banner{{Kind: "demo", Text: Say("This is a demo: invented people, a sandbox provider, no real money. ", Link("/guide", "Guide to its stories"))}}
	return p
}

func bare(title string) Page {
	return Page{Title: title, Clock: Clock{Now: shown.UnixMicro()}, RequestID: "req_01jdy3n8vq4c"}
}

func crumb() Text { return Say(LinkText("/intents/"+intentID, "Payout to ", Name(arabic))) }

var zones = []string{"UTC", "Europe/Berlin", "America/New_York", "Asia/Tokyo"}

func gauge() *Gauge {
	first := shown.Add(-104 * time.Minute)
	return &Gauge{
		First: first.UnixMicro(), Now: shown.UnixMicro(),
		Safe: first.Add(21*time.Hour + 36*time.Minute).UnixMicro(), End: first.Add(24 * time.Hour).UnixMicro(),
		Label: "bank remembers the key for 24 hours; 1 h 44 min have passed, the last 2 h 24 min are our margin",
		Left:  Say("first sent 30 Nov 08:58"), Right: Say("our margin, 2 h 24 min, then the key is forgotten 1 Dec 08:58"),
	}
}

func facts() []Fact {
	return []Fact{
		{Label: "Step key", Text: Say(Key(stepKey))},
		{Label: "Sent", Text: Say(Bold("6 times"), ", last ", ago(30*time.Minute), ", ", Ago(ago(30*time.Minute)))},
		{Label: "Hostile", Text: Say(hostile), Sub: Say(Name(hostile))},
	}
}

func changes() []Change {
	return []Change{
		{What: "Attempts counted", Was: "1", Now: "2", Because: Say(Link("/audit/18401", "audit 18,401"), ", attempt 2")},
		{What: "Step key", Was: "…:create-payout#2", Now: "…:create-payout#3", Because: Say("new generation"), Code: true},
		{What: "Compensation", Now: "requested"},
	}
}
