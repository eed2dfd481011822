package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/chromedp"
)

// TestFiveQuestionsInTheAccessibilityTree reads an intent's page as a screen
// reader has it: the five questions are headings, in order, and the text under
// each answers it.
func TestFiveQuestionsInTheAccessibilityTree(t *testing.T) {
	s, browser := theScene(t), startBrowser(t)
	b := openTab(t, browser, s.demo.Address, light)
	b.use(signIn(t, s.demo.Address, s.person('o')))
	for _, c := range []struct {
		intent string
		says   [5][]string // what the answer to each question must hold
	}{
		{"{unknown}", [5][]string{{overdue, "734.50", "EUR"}, {}, {"create-payout", "734.50"}, {"ask"}, {"Reconcile", "Retry", "Mark", "Compensate", "Abandon"}}},
		{"{completed}", [5][]string{{"Pay", "Asked by"}, {"create-payout"}, {"Nothing"}, {"Nothing"}, {"Reconcile", "Compensate"}}},
		{"{awaiting_approval}", [5][]string{{"Pay", "Asked by"}, {"No money is confirmed"}, {"Nothing"}, {"approv"}, {"Ingrid Solheim"}}},
	} {
		b.open("/intents/" + s.fill(c.intent))
		sections := b.readAloud(t)
		at := -1
		for i, question := range questions {
			next := indexOf(sections, question)
			if next <= at {
				t.Errorf("%s: %q is heading %d, after heading %d: %q", c.intent, question, next, at, headings(sections))
				continue
			}
			at = next
			answer := sections[at].text
			if len(strings.Fields(answer)) < 1 {
				t.Errorf("%s: nothing is read under %q", c.intent, question)
			}
			for _, want := range c.says[i] {
				if !strings.Contains(strings.ReplaceAll(answer, "\u00a0", " "), want) {
					t.Errorf("%s: under %q nothing says %q:\n%s", c.intent, question, want, answer)
				}
			}
		}
		if len(sections) == 0 || sections[0].level != 1 {
			t.Errorf("%s: the first heading is not the page's: %q", c.intent, headings(sections))
		}
	}
}

// section is a heading and all that is read until the next heading of its level
// or above.
type section struct {
	level         int
	heading, text string
}

func headings(list []section) (names []string) {
	for _, s := range list {
		names = append(names, s.heading)
	}
	return names
}

func indexOf(list []section, heading string) int {
	for i, s := range list {
		if strings.HasSuffix(s.heading, heading) {
			return i
		}
	}
	return -1
}

// readAloud reads Chromium's accessibility tree from top to bottom.
func (b *tab) readAloud(t *testing.T) (list []section) {
	t.Helper()
	tree := evaluate(b, "reading the accessibility tree", func(ctx context.Context, target *chromedp.Target) (accessibility.GetFullAXTreeResult, error) {
		return cdp.Call(ctx, target, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
	})
	nodes := map[accessibility.NodeID]*accessibility.Node{}
	for _, n := range tree.Nodes {
		nodes[n.NodeID] = n
	}
	var read func(n *accessibility.Node)
	read = func(n *accessibility.Node) {
		role, name := valueOf(n.Role), valueOf(n.Name)
		switch {
		case n.Ignored:
		case role == "heading":
			list = append(list, section{level: levelOf(n), heading: name})
			return
		case role == "StaticText" || role == "image":
			for i := range list { // what stands under a heading stands under those above it
				if i == len(list)-1 || open(list[i:]) {
					list[i].text += name + " "
				}
			}
			return
		}
		for _, id := range n.ChildIDs {
			if child := nodes[id]; child != nil {
				read(child)
			}
		}
	}
	if len(tree.Nodes) > 0 {
		read(tree.Nodes[0])
	}
	return list
}

// open reports whether the first section still goes on at the end of the last.
func open(list []section) bool {
	for _, later := range list[1:] {
		if later.level <= list[0].level {
			return false
		}
	}
	return true
}

func valueOf(v *accessibility.Value) string {
	if v == nil {
		return ""
	}
	var text string
	if json.Unmarshal(v.Value, &text) != nil {
		return string(v.Value)
	}
	return text
}

func levelOf(n *accessibility.Node) (level int) {
	for _, p := range n.Properties {
		if string(p.Name) == "level" {
			fmt.Sscan(valueOf(p.Value), &level)
		}
	}
	return level
}
