package provider

import (
	"bytes"
	"fmt"
	"maps"
	"net/url"
	"os"
	"slices"
	"strings"

	"countersign/internal/model"
	"github.com/BurntSushi/toml"
)

// Settings is what the file says about one provider. A constructor reads the
// members of its own type with Decode.
type Settings struct {
	Name   string
	Type   string
	URL    string
	Secret string // the value, already fetched from where the file points to
	decode func(into any) error
}

// Decode reads the provider's whole table into a struct with toml tags. Members
// that no Decode asked for, beyond type, url and secret, are faults of the file.
func (s Settings) Decode(into any) error {
	if s.decode == nil {
		return nil
	}
	return s.decode(into)
}

// Constructor makes the adapter of one type of provider.
type Constructor func(Settings) (Adapter, error)

// configFile is the form of the providers file.
type configFile struct {
	Provider map[string]toml.Primitive `toml:"provider"`
	Account  map[string]Routes         `toml:"account"`
}

// common are the members that every provider has.
type common struct {
	Type   string `toml:"type"`
	URL    string `toml:"url"`
	Secret string `toml:"secret"`
}

// Load reads a providers file. The types map names the constructors that the
// file may ask for. The error is of kind Invalid, holds all faults at once, and
// names no secret.
func Load(path string, types map[string]Constructor) (*Registry, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, model.Errorf(model.Invalid, "invalid-params", "the providers file cannot be read: %w", err)
	}
	return parse(raw, types)
}

// parse is Load without the file.
func parse(raw []byte, types map[string]Constructor) (*Registry, error) {
	var file configFile
	meta, err := toml.Decode(string(bytes.TrimPrefix(raw, []byte("\ufeff"))), &file)
	if err != nil {
		return nil, model.Errorf(model.Invalid, "invalid-params", "the providers file is not TOML: %w", err)
	}
	r := &Registry{adapters: map[string]Adapter{}, routes: file.Account}
	var faults []model.Field
	for _, name := range slices.Sorted(maps.Keys(file.Provider)) {
		adapter, wrong := construct(name, meta, file.Provider[name], types)
		faults = append(faults, wrong...)
		r.adapters[name] = adapter // also a faulty one, so that its routes are not reported too
	}
	for _, key := range meta.Undecoded() {
		faults = append(faults, model.Field{Location: key.String(), Message: "is not a known setting"})
	}
	if faults = append(faults, r.deadRoutes()...); len(faults) > 0 {
		return nil, configError(faults)
	}
	return r, nil
}

// construct makes one adapter, or tells everything that is wrong with its table.
func construct(name string, meta toml.MetaData, table toml.Primitive, types map[string]Constructor) (Adapter, []model.Field) {
	location := "provider." + name
	fault := func(member, message string) model.Field {
		return model.Field{Location: location + member, Message: message}
	}
	decode := func(into any) error { return meta.PrimitiveDecode(table, into) }
	var c common
	if err := decode(&c); err != nil {
		return nil, []model.Field{fault("", "type, url and secret are texts")}
	}
	var faults []model.Field
	build, known := types[c.Type]
	if !known {
		faults = append(faults, fault(".type", "is none of "+strings.Join(slices.Sorted(maps.Keys(types)), ", ")))
	}
	if !validURL(c.URL) {
		faults = append(faults, fault(".url", "is not an absolute address"))
	}
	secret, err := ReadSecret(c.Secret)
	if err != nil {
		faults = append(faults, fault(".secret", err.Error()))
	}
	if len(faults) > 0 {
		return nil, faults
	}
	adapter, err := build(Settings{Name: name, Type: c.Type, URL: c.URL, Secret: secret, decode: decode})
	if err != nil {
		return nil, []model.Field{fault("", strings.ReplaceAll(err.Error(), "\n", "; "))} // joined errors stand on lines
	}
	return adapter, nil
}

// validURL accepts absolute addresses only; an empty one is the type's concern.
func validURL(address string) bool {
	if address == "" {
		return true
	}
	u, err := url.Parse(address)
	return err == nil && u.Host != "" && (u.Scheme == "http" || u.Scheme == "https" || u.Scheme == "smtp" || u.Scheme == "smtps")
}

// ReadSecret fetches what env:NAME or file:PATH points to. Errors never hold
// the text of the setting: it may be the secret itself.
func ReadSecret(setting string) (string, error) {
	where, rest, _ := strings.Cut(setting, ":")
	switch {
	case setting == "":
		return "", nil
	case where == "env" && rest != "":
		if value := os.Getenv(rest); value != "" {
			return value, nil
		}
		return "", fmt.Errorf("names an environment variable that is not set")
	case where == "file" && rest != "":
		raw, err := os.ReadFile(rest)
		if value := strings.TrimSpace(string(raw)); err == nil && value != "" {
			return value, nil
		}
		return "", fmt.Errorf("names a file that cannot be read or is empty")
	}
	return "", fmt.Errorf("is neither env:NAME nor file:PATH")
}
