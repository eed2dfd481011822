package templates

import (
	"countersign/internal/model"
	"slices"
)

// Text is one sentence or paragraph, made of parts that keep their meaning
// (money stays money, a moment stays a moment), so that callers write the
// words and templates only show them. Build one with Say.
type Text []Part

// Part is one piece of a Text. Make it with Bold, Strong, Name, Code, Key, Link,
// LinkApart, LinkText, Moment, Clocktime, Ago or Left; plain strings and model.Money need
// no constructor.
type Part struct {
	kind  partKind
	text  string
	href  string
	money model.Money
	time  Time
	inner Text
}

type partKind int

const (
	partPlain partKind = iota
	partBold
	partName
	partCode
	partKey
	partLink
	partLinkText
	partLinkApart
	partStrong
	partMoney
	partMoment
	partClock
	partDay
	partColumn
	partAgo
	partLeft
)

// Say joins parts into a Text. An argument is a string (plain words), a
// model.Money, a Time (written in full), a Part, a Text, or nil (nothing).
// Anything else panics: it is a mistake of the caller's code.
func Say(parts ...any) Text {
	var text Text
	for _, part := range parts {
		switch p := part.(type) {
		case nil:
		case string:
			text = append(text, Part{text: p})
		case model.Money:
			text = append(text, Part{kind: partMoney, money: p})
		case Time:
			text = append(text, Moment(p))
		case Part:
			text = append(text, p)
		case Text:
			text = append(text, p...)
		default:
			panic("templates.Say: an argument is no part of a sentence")
		}
	}
	return text
}

// Bold is emphasised plain text.
func Bold(s string) Part { return Part{kind: partBold, text: s} }

// Name is a person's or payee's name in any script, isolated from the
// direction of the words around it.
func Name(s string) Part { return Part{kind: partName, text: s} }

// Code is a short technical word: a rule, a status, a file name.
func Code(s string) Part { return Part{kind: partCode, text: s} }

// Key is an id, key or digest that can be copied whole.
func Key(s string) Part { return Part{kind: partKey, text: s} }

// Link is a link to a path of this console.
func Link(href, text string) Part { return Part{kind: partLink, href: href, text: text} }

// LinkApart is a Link that opens in a tab of its own, where a page holds what
// somebody typed.
func LinkApart(href, text string) Part { return Part{kind: partLinkApart, href: href, text: text} }

// LinkText is a link whose words are made of parts, as by Say: a name in any
// script, an amount.
func LinkText(href string, parts ...any) Part {
	return Part{kind: partLinkText, href: href, inner: Say(parts...)}
}

// Strong is emphasised text made of parts, as by Say: an amount, a name.
func Strong(parts ...any) Part { return Part{kind: partStrong, inner: Say(parts...)} }

// Moment is a time with its date, clock and offset.
func Moment(t Time) Part { return Part{kind: partMoment, time: t} }

// Clocktime is a time of day with its offset; the date is added when it is not
// the day on which the page is shown.
func Clocktime(t Time) Part { return Part{kind: partClock, time: t} }

// Day is a day that was written without a clock, kept as its beginning in UTC: the
// same day in every reader's zone.
func Day(t Time) Part { return Part{kind: partDay, time: t} }

// InColumn writes the times of a text as a table does whose column head names the
// zone: with their day and to the minute.
func (t Text) InColumn() Text {
	short := slices.Clone(t)
	for i, p := range short {
		if p.kind == partClock || p.kind == partMoment {
			short[i].kind = partColumn
		}
	}
	return short
}

// Ago is the distance to a time: "3 h 12 min ago" or "in 29 min".
func Ago(t Time) Part { return Part{kind: partAgo, time: t} }

// Left is the rest of a window that ends at t: "19 h 51 min left", or "ended
// 2 h ago".
func Left(t Time) Part { return Part{kind: partLeft, time: t} }
