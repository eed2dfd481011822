package templates

import (
	"context"
	"net/url"
	"slices"
)

type typedKey struct{}

// WithTyped gives the forms of a page what somebody typed into them before, when
// it could not be taken. It goes before the values that the page itself brings.
func WithTyped(ctx context.Context, fields url.Values) context.Context {
	return context.WithValue(ctx, typedKey{}, fields)
}

// typed is what stands in a field: what was typed before, else the page's value.
func typed(ctx context.Context, name, value string) string {
	fields, _ := ctx.Value(typedKey{}).(url.Values)
	if list, ok := fields[name]; ok && len(list) > 0 {
		return list[0]
	}
	return value
}

// typedAny reports whether a field of the name was typed into before.
func typedAny(ctx context.Context, name string) bool {
	fields, _ := ctx.Value(typedKey{}).(url.Values)
	return len(fields[name]) > 0
}

// chosen reports whether one of several boxes of a name is ticked. A form that
// was typed before says so for all of them, since empty boxes are not sent.
func chosen(ctx context.Context, name, value string, ticked bool) bool {
	fields, ok := ctx.Value(typedKey{}).(url.Values)
	if !ok {
		return ticked
	}
	return slices.Contains(fields[name], value)
}

// chosenOf is a list of options with the one that was chosen before.
func chosenOf(ctx context.Context, name string, list []Choice) []Choice {
	fields, _ := ctx.Value(typedKey{}).(url.Values)
	if len(fields[name]) == 0 {
		return list
	}
	list = slices.Clone(list)
	for i := range list {
		list[i].Current = list[i].Value == fields[name][0]
	}
	return list
}
