package api

import (
	"maps"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"countersign/internal/model"
)

// strict is a JSON body that is read by model.DecodeStrict: no duplicate and no
// unknown members, names in their exact spelling.
type strict[T any] struct {
	value T
	fault error
}

// Schema documents the body as what it holds.
func (strict[T]) Schema(r huma.Registry) *huma.Schema { return schemaOf[T](r) }

func (s *strict[T]) decode(raw []byte) { s.fault = model.DecodeStrict(raw, &s.value) }

// Resolve tells huma what was wrong with the body.
func (s *strict[T]) Resolve(huma.Context) []error {
	if s.fault == nil {
		return nil
	}
	return []error{s.fault}
}

// strictJSON reads bodies strictly. huma knows only that reading fails, not why:
// a strict body keeps that for Resolve.
var strictJSON = huma.Format{
	Marshal: huma.DefaultJSONFormat.Marshal,
	Unmarshal: func(raw []byte, into any) error {
		if body, ok := into.(interface{ decode([]byte) }); ok {
			body.decode(raw)
			return nil
		}
		return model.DecodeStrict(raw, into)
	},
}

// mediaTypes lists what a body may come as.
func mediaTypes(body *huma.RequestBody) []string { return slices.Sorted(maps.Keys(body.Content)) }

// missing is a member that must be given.
func missing(location string) error {
	return model.Errorf(model.Invalid, "invalid-params", "The input is not valid.").
		WithFields(model.Field{Location: location, Message: "is missing"})
}
