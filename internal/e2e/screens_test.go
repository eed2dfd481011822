//go:build screens

package e2e

import (
	"bytes"
	"cmp"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// screens is the folder of the pictures, seen from this package.
const screens = root + "/docs/screens"

// How large a picture may be: higher pages are cut, larger files are a failure.
const (
	tallest  = 1800
	largest  = 150_000
	together = 4_000_000
)

// screen is one picture of the documentation.
type screen struct {
	name, who string // the file without its ending; a letter of viewers
	at        string
	looks     []look
	shows     string
}

var (
	once   = []look{light}
	both   = []look{light, dark}
	onAll  = []look{light, dark, phone}
	inHand = []look{light, phone}
)

// pictures are all of them, in the order in which the folder's README names them.
var pictures = []screen{
	{"queue", "o", "/", onAll, "The queue as an operator opens it: what needs them, what is uncertain in each currency, and the oldest first"},
	{"queue-all", "o", "/?state=all", once, "Every intent, whatever its state"},
	{"intent-unknown", "o", "/intents/{unknown}", onAll, "A payout whose outcome is unknown: the five questions, the drawing of what happened, the record"},
	{"intent-cut", "o", "/intents/{cut}", both, "A payout whose connection broke: what was sent, what was asked, how long it is safe to send again"},
	{"intent-completed", "o", "/intents/{completed}", inHand, "A completed payout: nothing is uncertain, nothing happens next"},
	{"intent-waiting", "a", "/intents/{awaiting_approval}", once, "A payout that waits for an approver, as the approver sees it"},
	{"intent-dispute", "o", "/intents/{dispute}", once, "A dispute's response, which its portal takes without a key"},
	{"action", "o", "/intents/{unknown}/actions/mark_external_result?step=create-payout", inHand, "The form in which a document states what happened outside"},
	{"action-refused", "o", "/intents/{completed}/actions/retry_unfinished", once, "An action that is refused, and why"},
	{"preview", "o", "/previews/{grave}", onAll, "A plan before it is confirmed: the call, byte for byte, what is not touched, the code to be typed"},
	{"preview-stale", "o", "/previews/{stale}", once, "A plan that was overtaken while its reader decided"},
	{"preview-expired", "o", "/previews/{expired}", once, "A plan that is too old"},
	{"result", "o", "/previews/{used}/result", inHand, "What a confirmed plan came to"},
	{"selection", "o", "/selections/{selection}", once, "What was ticked over the pages of the queue, before an action on it is previewed"},
	{"bulk", "o", "/bulk/{bulk}", inHand, "A list of intents to act on: the plan of each, and those left out with why"},
	{"approvals", "a", "/approvals", inHand, "The inbox of an approver"},
	{"approval", "a", "/approvals/{open}", onAll, "One request: the plan, who asked and why, what changed since, how long it can be signed"},
	{"uncertain", "o", "/uncertain", onAll, "The number of the morning"},
	{"reconcile", "o", "/reconcile", once, "Banks' files, and the form that takes another one"},
	{"bank-file", "o", "/reconcile/{bank file}", onAll, "A bank's statement: what it proves, what needs a person, what of ours it does not name"},
	{"bank-columns", "o", "/reconcile/{csv file}", inHand, "A CSV, whose columns are named once"},
	{"bank-marks", "o", "/bulk/{marks}", once, "What a statement proves, before it is recorded"},
	{"orphans", "o", "/orphans", once, "Objects that belong to nothing"},
	{"audit", "u", "/audit", both, "The log by number"},
	{"audit-entry", "u", "/audit/{act entry}", inHand, "An entry with its proof"},
	{"audit-export", "u", "/audit/export", once, "An export and its exact scope"},
	{"providers", "o", "/providers", once, "What each provider promises, and since when that is held"},
	{"workers", "d", "/workers", once, "Who drives intents now, and which claims they hold"},
	{"worker-dead", "d", "/workers/{worker}/declare-dead", once, "Declaring a process of another machine dead"},
	{"people", "d", "/admin/people", once, "People, their roles and keys"},
	{"alerts", "d", "/admin/alerts", once, "Who was told what"},
	{"hold", "d", "/admin/hold", once, "Whether a restored copy is held back"},
	{"me", "o", "/me", both, "One's own zone, theme, keys and sessions"},
	{"guide", "o", "/guide", once, "The demo's stories, and what to try"},
	{"lab", "o", "/lab", both, "The demo's fault lab: any fault of the provider, for an intent of one's own"},
	{"help", "o", "/help", once, "States, actions, keys, and what to say to a rep on the phone"},
	{"signin", "-", "/signin", both, "Signing in"},
	{"not-found", "o", "/intents/{foreign}", once, "What belongs to another account is not there"},
	{"not-allowed", "o", "/admin/people", once, "A page that the role does not allow"},
}

// TestScreens takes every picture of docs/screens anew, and writes its README.
func TestScreens(t *testing.T) {
	s, browser := theScene(t), startBrowser(t)
	old, err := filepath.Glob(filepath.Join(screens, "*.png"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range old {
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	}
	tabs := map[string]*tab{}
	list, sum := "", 0
	for _, p := range pictures {
		list += "\n| " + p.shows + " |"
		for _, l := range p.looks {
			key := p.who + l.name
			if tabs[key] == nil {
				tabs[key] = openTab(t, browser, s.demo.Address, l)
				if p.who != "-" {
					tabs[key].use(signIn(t, s.demo.Address, s.person([]rune(p.who)[0])))
				}
			}
			b := tabs[key]
			b.open(s.fill(p.at))
			file := p.name + map[look]string{dark: "-dark", phone: "-phone"}[l] + ".png"
			sum += b.draw(t, file)
			list += fmt.Sprintf(" [%s](%s)", l.name, file)
		}
		list += " |"
	}
	tabs["olight"].open(s.fill("/intents/{cut}"))
	sum += tabs["olight"].drawPart(t, "intent.png", 1060)
	if sum > together {
		t.Errorf("all pictures have %d bytes", sum)
	}
	text := "# Every page\n\nTaken by `make screens` from the demo. The README of the repository shows [intent.png](intent.png).\n\n| what it shows | pictures |\n|---|---|" + list + "\n"
	if err := os.WriteFile(filepath.Join(screens, "README.md"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// draw takes a picture of the page and gives its size.
func (b *tab) draw(t *testing.T, file string) int { return b.drawPart(t, file, tallest) }

// drawPart takes a picture of the page down to a height.
func (b *tab) drawPart(t *testing.T, file string, height int) int {
	t.Helper()
	raw := evaluate(b, "taking "+file, chromedp.FullScreenshot(100))
	picture, err := png.Decode(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	area := picture.Bounds()
	area.Max.Y = min(area.Max.Y, height)
	var small bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&small, fewColours(picture, area)); err != nil {
		t.Fatal(err)
	}
	if small.Len() > largest {
		t.Errorf("%s has %d bytes", file, small.Len())
	}
	if err := os.WriteFile(filepath.Join(screens, strings.TrimPrefix(file, "/")), small.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return small.Len()
}

// fewColours paints a picture with at most 256 colours: the most frequent ones
// that differ visibly from each other, so that a rare accent keeps its own and
// the edges of letters share theirs.
func fewColours(from image.Image, area image.Rectangle) image.Image {
	exact := image.NewRGBA(area)
	draw.Draw(exact, area, from, area.Min, draw.Src)
	used := byFrequency(exact)
	var palette color.Palette
	for _, c := range used {
		if len(palette) < 256 && !slices.ContainsFunc(palette, func(p color.Color) bool { return near(p.(color.RGBA), c) }) {
			palette = append(palette, c)
		}
	}
	index := map[color.RGBA]uint8{}
	for _, c := range used {
		index[c] = uint8(palette.Index(c))
	}
	painted := image.NewPaletted(area, palette)
	for i := range painted.Pix {
		painted.Pix[i] = index[color.RGBA{exact.Pix[4*i], exact.Pix[4*i+1], exact.Pix[4*i+2], 255}]
	}
	return painted
}

// byFrequency lists the colours of a picture, the most frequent first.
func byFrequency(exact *image.RGBA) (used []color.RGBA) {
	count := map[color.RGBA]int{}
	for i := 0; i < len(exact.Pix); i += 4 {
		count[color.RGBA{exact.Pix[i], exact.Pix[i+1], exact.Pix[i+2], 255}]++
	}
	for c := range count {
		used = append(used, c)
	}
	number := func(c color.RGBA) int { return int(c.R)<<16 + int(c.G)<<8 + int(c.B) }
	slices.SortFunc(used, func(a, b color.RGBA) int { return cmp.Or(count[b]-count[a], number(a)-number(b)) })
	return used
}

// near reports whether nobody sees a difference between two colours.
func near(a, b color.RGBA) bool {
	r, g, l := int(a.R)-int(b.R), int(a.G)-int(b.G), int(a.B)-int(b.B)
	return r*r+g*g+l*l < 20*20
}
