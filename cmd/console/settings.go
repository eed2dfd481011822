package main

import (
	"encoding"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"countersign/internal/model"
	"countersign/internal/provider/sandbox/server"
	"countersign/internal/store"
)

// setting is the value of a flag or argument. A wrong text does not end the
// parsing, so that all faults of a command line are told at once.
type setting[T any, P interface {
	*T
	encoding.TextUnmarshaler
}] struct {
	Value T
	fault error
}

// Decode implements kong.MapperValue.
func (s *setting[T, P]) Decode(parsing *kong.DecodeContext) error {
	var text string
	if err := parsing.Scan.PopValueInto("a", &text); err != nil {
		return err
	}
	s.fault = P(&s.Value).UnmarshalText([]byte(text))
	return nil
}

func (s *setting[T, P]) wrong() error { return s.fault }

// The settings that commands share.
type (
	databaseSetting = setting[database, *database]
	addressSetting  = setting[address, *address]
	paceSetting     = setting[pace, *pace]
	countSetting    = setting[count, *count]
	spanSetting     = setting[span, *span]
)

// database names the database, as "sqlite:FILE".
type database string

func (d *database) UnmarshalText(text []byte) error {
	*d = database(text)
	if d.shared() {
		if u, err := url.Parse(string(text)); err != nil || u.Host == "" {
			return errors.New("must be postgres://USER:PASSWORD@HOST:PORT/NAME; characters such as @ or / in a password are written as %40 or %2F")
		}
		return nil
	}
	if scheme, file, _ := strings.Cut(string(text), ":"); scheme != "sqlite" || file == "" {
		return errors.New("must be sqlite:FILE or postgres://USER:PASSWORD@HOST:PORT/NAME")
	}
	return nil
}

func (d database) dsn() string  { return string(d) }
func (d database) file() string { return strings.TrimPrefix(string(d), "sqlite:") }

// shared reports whether other processes may drive the database too.
func (d database) shared() bool { return store.IsPostgres(string(d)) }

// place says where the database is, never with a password.
func (d database) place() string {
	if !d.shared() {
		return d.file()
	}
	u, err := url.Parse(string(d))
	if err != nil {
		return "PostgreSQL"
	}
	return strings.TrimPrefix(u.Path, "/") + " on " + u.Host
}

// copyName is what a copy is called in a directory: a file by its own name, a
// server's database by its name as a script.
func (d database) copyName() string {
	if !d.shared() {
		return filepath.Base(d.file())
	}
	u, err := url.Parse(string(d))
	if err != nil || strings.Trim(u.Path, "/") == "" {
		return "countersign.sql"
	}
	return strings.ReplaceAll(strings.Trim(u.Path, "/"), "/", "_") + ".sql"
}

// mustExist is for commands that only read: they make no database.
func (d database) mustExist() error {
	if d.shared() {
		return nil // whoever opens it says so
	}
	if _, err := os.Stat(d.file()); err != nil {
		return model.Errorf(model.Invalid, "database", "database %s is not there; name it with --db, or make one with console serve", d.file())
	}
	return nil
}

// address is where to listen: host:port, port 0 picks a free one.
type address string

func (a *address) UnmarshalText(text []byte) error {
	*a = address(text)
	_, port, err := net.SplitHostPort(string(text))
	if n, bad := strconv.Atoi(port); err != nil || bad != nil || n < 0 || n > 65535 {
		return errors.New("must be host:port, such as 127.0.0.1:8080; port 0 picks a free one")
	}
	return nil
}

// pace says how long the engine and the sandbox wait.
type pace string

func (p *pace) UnmarshalText(text []byte) error {
	*p = pace(text)
	if *p != "normal" && *p != "fast" {
		return errors.New("must be normal or fast")
	}
	return nil
}

func (p pace) timing() model.Timing {
	if p == "fast" {
		return model.FastPace()
	}
	return model.NormalPace()
}

// factor is by how much the sandbox divides its waits.
func (p pace) factor() int {
	if p == "fast" {
		return model.FastFactor
	}
	return 1
}

// count is a number of things.
type count int

func (c *count) UnmarshalText(text []byte) error {
	n, err := strconv.Atoi(string(text))
	if *c = count(n); err != nil || n < 0 || n > 10_000 {
		return errors.New("must be a number from 0 to 10000")
	}
	return nil
}

// span is a length of time.
type span time.Duration

func (s *span) UnmarshalText(text []byte) error {
	d, err := time.ParseDuration(string(text))
	if *s = span(d); err != nil || d <= 0 {
		return errors.New("must be a positive length of time, such as 24h or 1m30s")
	}
	return nil
}

// roleName is a role that a person can be given.
type roleName string

func (r *roleName) UnmarshalText(text []byte) error {
	*r = roleName(text)
	if !slices.Contains(model.Roles, model.Role(text)) {
		return errors.New("must be operator, approver, auditor or administrator")
	}
	return nil
}

// abilities are what a service key can be given.
type abilities []model.Ability

func (a *abilities) UnmarshalText(text []byte) error {
	for word := range strings.SplitSeq(string(text), ",") {
		ability := model.Ability(strings.TrimSpace(word))
		if !slices.Contains(model.Abilities, ability) {
			return errors.New("must be some of intents:read, intents:write and audit:read, parted by commas")
		}
		*a = append(*a, ability)
	}
	return nil
}

// stores is what the sandbox keeps under a key.
type stores string

func (s *stores) UnmarshalText(text []byte) error {
	if *s = stores(text); *s != server.StoresAll && *s != server.StoresSuccesses {
		return errors.New("must be all or successes")
	}
	return nil
}

// logLevel is the least level that is logged.
type logLevel struct {
	slog.Level
	auto bool // info, or warn where somebody is looking on
}

func (l *logLevel) UnmarshalText(text []byte) error {
	if l.auto = string(text) == "auto"; l.auto {
		return nil
	}
	if l.Level.UnmarshalText(text) != nil {
		return errors.New("must be auto, debug, info, warn or error")
	}
	return nil
}

// least is the level for a log that goes to w.
func (l *logLevel) least(w io.Writer) slog.Level {
	file, ok := w.(*os.File)
	if !l.auto || !ok {
		return l.Level
	}
	if info, err := file.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
		return slog.LevelWarn
	}
	return l.Level
}

// logForm is the form of a log line.
type logForm string

func (f *logForm) UnmarshalText(text []byte) error {
	if *f = logForm(text); *f != "text" && *f != "json" {
		return errors.New("must be text or json")
	}
	return nil
}

// logging are the settings of the log, which goes to standard error.
type logging struct {
	LogLevel  setting[logLevel, *logLevel] `default:"auto" help:"Least level to log: debug, info, warn or error; auto is info, or warn on a terminal."`
	LogFormat setting[logForm, *logForm]   `default:"text" help:"Form of the log on standard error: text or json."`
}

func (l logging) logger(w io.Writer) *slog.Logger {
	opts := &slog.HandlerOptions{Level: l.LogLevel.Value.least(w)}
	if l.LogFormat.Value == "json" {
		return slog.New(slog.NewJSONHandler(w, opts))
	}
	return slog.New(slog.NewTextHandler(w, opts))
}

// storage are the settings of a command that touches the database.
type storage struct {
	DB      databaseSetting `name:"db" default:"sqlite:countersign.db" help:"The database: sqlite:FILE, or postgres://USER:PASSWORD@HOST:PORT/NAME, best given by the environment so that no other user of the machine reads the password."`
	KeyFile string          `type:"path" placeholder:"FILE" help:"The key that authenticates audit entries; default countersign.key beside the database file, or in the working directory with PostgreSQL, where every process needs the same one."`
}

func (s storage) keyPath() string {
	if s.KeyFile != "" {
		return s.KeyFile
	}
	if s.DB.Value.shared() {
		return "countersign.key"
	}
	return filepath.Join(filepath.Dir(s.DB.Value.file()), "countersign.key")
}

// describe says where the storage is, for people.
func (s storage) describe() string {
	return fmt.Sprintf("database %s, key file %s", s.DB.Value.place(), s.keyPath())
}

// machine are the settings of a process that drives the database.
type machine struct {
	StateDir string `name:"state-dir" type:"path" placeholder:"DIR" help:"Where this machine's processes on PostgreSQL keep their locks, on its own disk; default countersign in the user's cache directory."`
}

func (m machine) stateDir() string {
	if m.StateDir != "" {
		return m.StateDir
	}
	if dir, err := os.UserCacheDir(); err == nil {
		return filepath.Join(dir, "countersign")
	}
	return filepath.Join(os.TempDir(), fmt.Sprintf("countersign-%d", os.Getuid()))
}
