package model

import (
	"bytes"
	"errors"
	"io"
	"reflect"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

const (
	// maxJSONDepth is how deeply objects and arrays may be nested.
	maxJSONDepth = 64
	// maxLocation bounds a location in bytes: member names come from outside.
	maxLocation = 200
)

// DecodeStrict reads one JSON value into a struct. Members are matched by their
// exact name. Errors are of kind Invalid and name the place as a JSON pointer,
// never the value: "invalid-body" for what is not JSON, duplicate members,
// trailing data, invalid UTF-8 and nesting over 64 levels; "invalid-params" for
// unknown members and values of the wrong type.
func DecodeStrict(raw []byte, into any) error {
	if err := checkJSON(raw); err != nil {
		return err
	}
	return decodeError(json.Unmarshal(raw, into, json.RejectUnknownMembers(true)))
}

// checkJSON reads the whole text once as JSON and nothing more.
func checkJSON(raw []byte) error {
	return walkJSON(raw, func(*jsontext.Decoder, jsontext.Token) error { return nil })
}

// walkJSON calls visit for every token of exactly one JSON value.
func walkJSON(raw []byte, visit func(*jsontext.Decoder, jsontext.Token) error) error {
	decoder := jsontext.NewDecoder(bytes.NewReader(raw))
	for first := true; first || decoder.StackDepth() > 0; first = false {
		token, err := decoder.ReadToken()
		if err != nil {
			return syntaxError(err)
		}
		if decoder.StackDepth() > maxJSONDepth {
			return bodyError(string(decoder.StackPointer()), "is nested too deeply")
		}
		if err := visit(decoder, token); err != nil {
			return err
		}
	}
	if _, err := decoder.ReadToken(); !errors.Is(err, io.EOF) {
		return bodyError("", "has more after the first value")
	}
	return nil
}

// syntaxError tells what is wrong with the text itself. The library's own words
// are not passed on: they quote the input.
func syntaxError(err error) error {
	var syntax *jsontext.SyntacticError
	switch {
	case errors.Is(err, io.EOF):
		return bodyError("", "is empty")
	case !errors.As(err, &syntax):
		return bodyError("", "cannot be read")
	case errors.Is(err, jsontext.ErrDuplicateName):
		return bodyError(string(syntax.JSONPointer), "is there twice")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return bodyError(string(syntax.JSONPointer), "is cut short")
	}
	return bodyError(string(syntax.JSONPointer), "is not well-formed JSON in UTF-8")
}

// decodeError tells what in well-formed JSON does not fit the Go type.
func decodeError(err error) error {
	var semantic *json.SemanticError
	var known *Error
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &semantic):
		return syntaxError(err)
	case errors.Is(err, json.ErrUnknownName):
		return invalidMember(string(semantic.JSONPointer), "is not a known member")
	case errors.As(err, &known) && known.Kind == Invalid:
		return invalidMember(string(semantic.JSONPointer), "%s", known.Message)
	}
	return invalidMember(string(semantic.JSONPointer), "is not %s", expected(semantic.GoType))
}

// expected describes in JSON's terms what a Go type reads.
func expected(t reflect.Type) string {
	if t == nil {
		return "of the right type"
	}
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return "an integer in range"
	case reflect.Float32, reflect.Float64:
		return "a number in range"
	case reflect.Slice, reflect.Array:
		return "an array of the right type"
	}
	if t.String() == "time.Time" {
		return "an RFC 3339 time"
	}
	return "of the right type"
}

func bodyError(location, message string) error {
	return Errorf(Invalid, "invalid-body", "the body cannot be read").
		WithFields(Field{Location: bounded(location), Message: message})
}

func invalidMember(location, format string, args ...any) error {
	reason := Errorf(Invalid, "", format, args...).Message
	return Errorf(Invalid, "invalid-params", "the input is not valid").
		WithFields(Field{Location: bounded(location), Message: reason})
}

// bounded cuts a location that outside names made too long.
func bounded(location string) string {
	if len(location) <= maxLocation {
		return location
	}
	return string(bytes.ToValidUTF8([]byte(location[:maxLocation]), nil)) + "…"
}
