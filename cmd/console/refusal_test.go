package main

import (
	"bytes"
	"database/sql"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	_ "github.com/mattn/go-sqlite3"
)

// write makes a file.
func write(t *testing.T, path string, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// execute runs a statement on a database file.
func execute(t *testing.T, file, statement string) {
	t.Helper()
	raw, err := sql.Open("sqlite3", file)
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	if _, err := raw.Exec(statement); err != nil {
		t.Fatal(err)
	}
}

// What stands in the way of a start is told in one line, and left as it is.
func TestStartIsRefused(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	tests := []struct {
		name    string
		prepare func(t *testing.T, file string) (watched string, args []string)
		says    string
	}{
		{"port taken", func(*testing.T, string) (string, []string) { return "", []string{"--addr", taken.Addr().String()} }, "cannot be listened on"},
		{"directory is not writable", func(t *testing.T, file string) (string, []string) {
			plain := filepath.Join(filepath.Dir(file), "plain")
			write(t, plain, "a file")
			return plain, []string{"--db", "sqlite:" + filepath.Join(plain, "c.db")}
		}, "cannot be opened"},
		{"damaged", func(t *testing.T, file string) (string, []string) {
			write(t, file, "SQLite format 3\x00"+strings.Repeat("rubbish ", 2000))
			return file, nil
		}, "is damaged"},
		{"not a database", func(t *testing.T, file string) (string, []string) {
			write(t, file, strings.Repeat("Dear diary. ", 500))
			return file, nil
		}, "is damaged"},
		{"another program's", func(t *testing.T, file string) (string, []string) {
			execute(t, file, "CREATE TABLE theirs (x)")
			return file, nil
		}, "belongs to another program"},
		{"newer", func(t *testing.T, file string) (string, []string) {
			good(t, "", "migrate", "--db", "sqlite:"+file)
			execute(t, file, "INSERT INTO goose_db_version (version_id, is_applied) VALUES (9999, 1)")
			execute(t, file, "PRAGMA wal_checkpoint(TRUNCATE)")
			return file, nil
		}, "newer version"},
		{"key file is gone", func(t *testing.T, file string) (string, []string) {
			good(t, "", "user", "add", "a@example.com", "--role", "operator", "--account", "acme", "--db", "sqlite:"+file)
			if err := os.Remove(filepath.Join(filepath.Dir(file), "countersign.key")); err != nil {
				t.Fatal(err)
			}
			return "", nil
		}, "put the file back"},
		{"key file is not one", func(t *testing.T, file string) (string, []string) {
			key := filepath.Join(filepath.Dir(file), "countersign.key")
			write(t, key, "open sesame\n")
			return key, nil
		}, "does not hold a key"},
		{"database is gone, key is there", func(t *testing.T, file string) (string, []string) {
			good(t, "", "user", "add", "a@example.com", "--role", "operator", "--account", "acme", "--db", "sqlite:"+file)
			write(t, file, "")
			return file, nil
		}, "missing or empty"},
		{"no providers file", func(*testing.T, string) (string, []string) { return "", []string{"--providers", "/nowhere.toml"} }, "providers file cannot be read"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "c.db")
			watched, more := tt.prepare(t, file)
			before := contents(t, watched)
			got := call(t, "", append([]string{"serve", "--addr", "127.0.0.1:0", "--db", "sqlite:" + file}, more...)...)
			if got.code != exitUsage || got.out != "" {
				t.Errorf("exit %d, output %q; want %d and none", got.code, got.out, exitUsage)
			}
			if strings.Count(got.err, "\n") != 1 || !strings.Contains(got.err, tt.says) {
				t.Errorf("said %q, want one line with %q", got.err, tt.says)
			}
			if !bytes.Equal(contents(t, watched), before) {
				t.Errorf("%s was changed", watched)
			}
		})
	}
}

func contents(t *testing.T, path string) []byte {
	t.Helper()
	if path == "" {
		return nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestDemoIsRefused(t *testing.T) {
	plain := filepath.Join(t.TempDir(), "plain")
	write(t, plain, "a file")
	got := call(t, "", "demo", "--addr", "127.0.0.1:0", "--data", filepath.Join(plain, "demo"))
	if got.code != exitUsage || strings.Count(got.err, "\n") != 1 {
		t.Errorf("exit %d, said %q", got.code, got.err)
	}
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	dir := t.TempDir()
	_, port, _ := net.SplitHostPort(taken.Addr().String())
	write(t, filepath.Join(dir, "sandbox.port"), port+"\n")
	got = call(t, "", "demo", "--addr", "127.0.0.1:0", "--data", dir)
	if got.code != exitUsage || !strings.Contains(got.err, "the sandbox cannot listen") {
		t.Errorf("sandbox port taken: exit %d, said %q", got.code, got.err)
	}
}
