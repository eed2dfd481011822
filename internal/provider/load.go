package provider

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
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
	// Contracts go over those that the type has built in, see Contracts.
	Contracts []ContractFile
	decode    func(into any) error
}

// Decode reads the provider's whole table into a struct with toml tags. Members
// that no Decode asked for, beyond type, url, secret and contracts, are faults of the
// file.
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
	// Contracts names a file of contracts, seen from the providers file.
	Contracts string `toml:"contracts"`
}

// Load reads a providers file. The types map names the constructors that the
// file may ask for. The error is of kind Invalid, holds all faults at once, and
// names no secret.
func Load(path string, types map[string]Constructor) (*Registry, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, model.Errorf(model.Invalid, "invalid-params", "the providers file cannot be read: %w", err)
	}
	return parse(raw, filepath.Dir(path), types)
}

// parse is Load without the file; dir is where it lies.
func parse(raw []byte, dir string, types map[string]Constructor) (*Registry, error) {
	var file configFile
	meta, err := toml.Decode(string(bytes.TrimPrefix(raw, []byte("\ufeff"))), &file)
	if err != nil {
		return nil, model.Errorf(model.Invalid, "invalid-params", "the providers file is not TOML: %w", err)
	}
	r := &Registry{adapters: map[string]Adapter{}, routes: file.Account}
	var faults []model.Field
	for _, name := range slices.Sorted(maps.Keys(file.Provider)) {
		adapter, wrong := construct(source{name, dir, meta, file.Provider[name]}, types)
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

// source is one provider's table of the file.
type source struct {
	name  string
	dir   string // where the file lies
	meta  toml.MetaData
	table toml.Primitive
}

func (s source) decode(into any) error { return s.meta.PrimitiveDecode(s.table, into) }

func (s source) fault(member, message string) model.Field {
	return model.Field{Location: "provider." + s.name + member, Message: message}
}

// construct makes one adapter, or tells everything that is wrong with its table.
func construct(s source, types map[string]Constructor) (Adapter, []model.Field) {
	var c common
	if err := s.decode(&c); err != nil {
		return nil, []model.Field{s.fault("", "type, url, secret and contracts are texts")}
	}
	var faults []model.Field
	build, known := types[c.Type]
	if !known {
		faults = append(faults, s.fault(".type", "is none of "+strings.Join(slices.Sorted(maps.Keys(types)), ", ")))
	}
	if !validURL(c.URL) {
		faults = append(faults, s.fault(".url", "is not an absolute address"))
	}
	secret, err := ReadSecret(c.Secret)
	if err != nil {
		faults = append(faults, s.fault(".secret", err.Error()))
	}
	contracts, err := readContracts(s.dir, c.Contracts)
	if err != nil {
		faults = append(faults, s.fault(".contracts", err.Error()))
	}
	if len(faults) > 0 {
		return nil, faults
	}
	adapter, err := build(Settings{Name: s.name, Type: c.Type, URL: c.URL, Secret: secret, Contracts: contracts, decode: s.decode})
	if err != nil {
		return nil, s.faultsOf(err)
	}
	return adapter, nil
}

// faultsOf are the faults that a constructor found, each with its own place
// where it has one.
func (s source) faultsOf(err error) []model.Field {
	var known *model.Error
	if !errors.As(err, &known) || len(known.Fields) == 0 {
		return []model.Field{s.fault("", strings.ReplaceAll(err.Error(), "\n", "; "))} // joined errors stand on lines
	}
	faults := make([]model.Field, len(known.Fields))
	for i, f := range known.Fields {
		faults[i] = s.fault(".contracts", f.Location+" "+f.Message)
	}
	return faults
}

// readContracts reads the file of contracts that a provider names, if it does.
func readContracts(dir, path string) ([]ContractFile, error) {
	if path == "" {
		return nil, nil
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("names a file that cannot be read: %w", err)
	}
	return []ContractFile{{Name: path, Text: raw}}, nil
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
