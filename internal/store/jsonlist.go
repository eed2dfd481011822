package store

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// jsonList reads an array of plain values, as the databases write it.
type jsonList struct {
	text string
	at   int
}

// jsonValue is one value of it: a text without its quotes, or a number, true,
// false or null as written.
type jsonValue struct {
	text   string
	quoted bool
}

// next gives the next value of the array.
func (l *jsonList) next() (v jsonValue, err error) {
	for l.at < len(l.text) && strings.IndexByte("[, \n", l.text[l.at]) >= 0 {
		l.at++
	}
	if l.at >= len(l.text) || l.text[l.at] == ']' {
		return v, fmt.Errorf("the row ends too early")
	}
	if l.text[l.at] == '"' {
		return l.quoted()
	}
	end := strings.IndexAny(l.text[l.at:], ",] ")
	if end < 0 {
		return v, fmt.Errorf("the row is cut off")
	}
	v.text = l.text[l.at : l.at+end]
	l.at += end
	return v, nil
}

func (l *jsonList) quoted() (v jsonValue, err error) {
	begin, escaped := l.at+1, false
	for i := begin; i < len(l.text); i++ {
		switch l.text[i] {
		case '\\':
			escaped = true
			i++
		case '"':
			l.at = i + 1
			if !escaped {
				return jsonValue{l.text[begin:i], true}, nil
			}
			v.quoted = true
			return v, json.Unmarshal([]byte(l.text[begin-1:i+1]), &v.text)
		}
	}
	return v, fmt.Errorf("a text is cut off")
}

func (v jsonValue) null() bool { return !v.quoted && v.text == "null" }

// into stores the value, exactly or not at all.
func (v jsonValue) into(to reflect.Value) error {
	if to.Kind() == reflect.Pointer {
		if v.null() {
			to.SetZero()
			return nil
		}
		to.Set(reflect.New(to.Type().Elem()))
		to = to.Elem()
	}
	if bytesLike(to.Type()) {
		return v.intoBytes(to)
	}
	if v.null() {
		return fmt.Errorf("NULL for a %s", to.Type())
	}
	switch to.Kind() {
	case reflect.String:
		to.SetString(v.text)
		return nil
	case reflect.Bool:
		to.SetBool(v.text == "true" || v.text == "1")
		return nil
	case reflect.Int, reflect.Int64, reflect.Int32:
		n, err := strconv.ParseInt(v.text, 10, to.Type().Bits())
		to.SetInt(n)
		return err
	case reflect.Uint, reflect.Uint64, reflect.Uint32:
		n, err := strconv.ParseUint(v.text, 10, to.Type().Bits())
		to.SetUint(n)
		return err
	}
	return fmt.Errorf("a %s cannot be read", to.Type())
}

func (v jsonValue) intoBytes(to reflect.Value) error {
	if v.null() {
		to.SetZero()
		return nil
	}
	raw, err := hex.DecodeString(v.text)
	to.SetBytes(raw)
	return err
}
