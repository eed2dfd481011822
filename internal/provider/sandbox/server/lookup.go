package server

import (
	"database/sql"
	"encoding/base64"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

const pageSize = 100

// collection is a list of objects of one kind.
type collection struct {
	path, name, kind string
}

var (
	payouts     = collection{"/payouts", "payouts", kindPayout}
	credits     = collection{"/credits", "credits", kindCredit}
	reversals   = collection{"/reversals", "reversals", kindReversal}
	responses   = collection{"/disputes/responses", "disputes", kindResponse}
	messages    = collection{"/messages", "messages", kindMessage}
	collections = []collection{payouts, credits, reversals, responses, messages}
)

// findOne returns one object by its id.
func (s *Server) findOne(tx *sql.Tx, kind, id string) (answer, error) {
	var text string
	err := tx.QueryRow(`SELECT document FROM objects WHERE id=? AND kind=? AND shown_at<=?`,
		id, kind, micros(s.cfg.Now())).Scan(&text)
	if errors.Is(err, sql.ErrNoRows) {
		return answer{}, notFound("There is no such object.")
	}
	return answer{status: http.StatusOK, body: []byte(text)}, err
}

// filter is what a list is asked for; zero members do not narrow it.
type filter struct {
	kind, parent, reference string
	since, after, limit     int64
}

func readFilter(query url.Values) (filter, error) {
	f := filter{limit: pageSize}
	for name, values := range query {
		value := values[0]
		var err error
		switch name {
		case "reference":
			f.reference = value
		case "since":
			var t time.Time
			t, err = time.Parse(time.RFC3339, value)
			f.since = micros(t)
		case "cursor":
			f.after, err = readCursor(value)
		case "limit":
			f.limit, err = strconv.ParseInt(value, 10, 64)
		default:
			return f, invalid(name + ": is not a parameter of this list")
		}
		if err != nil || len(values) > 1 || f.limit < 1 || f.limit > pageSize {
			return f, invalid(name + ": is not valid")
		}
	}
	return f, nil
}

// page is a list as it is answered.
type page struct {
	Items []*object `json:"items"`
	Next  *string   `json:"next_cursor"`
}

func (s *Server) list(tx *sql.Tx, f filter) (answer, error) {
	rows, err := tx.Query(`SELECT seq, document FROM objects WHERE kind=? AND (?='' OR parent=?) AND (?='' OR reference=?)
		AND created>=? AND seq>? AND listed_at<=? ORDER BY seq LIMIT ?`, f.kind, f.parent, f.parent, f.reference, f.reference,
		f.since, f.after, micros(s.cfg.Now()), f.limit+1)
	var last int64
	items, err := collect(rows, err, func(rows *sql.Rows) (*object, error) {
		var text string
		var seq int64
		if err := rows.Scan(&seq, &text); err != nil {
			return nil, err
		}
		if f.limit > 0 {
			last = seq
		}
		f.limit--
		return parseObject(text)
	})
	p := page{Items: items}
	if f.limit < 0 {
		next := cursor(last)
		p.Items, p.Next = items[:len(items)-1], &next
	}
	return jsonAnswer(http.StatusOK, p), err
}

func cursor(seq int64) string {
	return base64.RawURLEncoding.EncodeToString([]byte(strconv.FormatInt(seq, 10)))
}

func readCursor(text string) (int64, error) {
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(string(raw), 10, 64)
}

// effect is a line of the books.
type effect struct {
	Operation  string  `json:"operation"`
	Key        *string `json:"key"`
	Reference  string  `json:"reference"`
	BodySHA256 string  `json:"body_sha256"`
	Amount     *int64  `json:"amount"`
	Currency   *string `json:"currency"`
	At         string  `json:"at"`
	UndoneAt   *string `json:"undone_at"`
}

func readBooks(tx *sql.Tx) (answer, error) {
	rows, err := tx.Query(`SELECT operation, key, reference, body_sha256, amount, currency, at, undone_at FROM effects ORDER BY seq`)
	effects, err := collect(rows, err, func(rows *sql.Rows) (effect, error) {
		var e effect
		var at int64
		var undone sql.Null[int64]
		err := rows.Scan(&e.Operation, &e.Key, &e.Reference, &e.BodySHA256, &e.Amount, &e.Currency, &at, &undone)
		e.At = stamp(at)
		if undone.Valid {
			text := stamp(undone.V)
			e.UndoneAt = &text
		}
		return e, err
	})
	return jsonAnswer(http.StatusOK, map[string]any{"effects": effects}), err
}
