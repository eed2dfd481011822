package e2e

import (
	"context"
	"database/sql"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"countersign/internal/web"
)

// TestPagesWhenTheDatabaseFails looks at what people get while the database is
// held by somebody else and when it cannot answer at all: a page that says what
// was not done, with the request's id, as right in its looks as any other.
func TestPagesWhenTheDatabaseFails(t *testing.T) {
	demo, browser := startHarmed(t), startBrowser(t)
	b := openTab(t, browser, demo.Address, light)
	b.keepsBody = true
	v := signIn(t, demo.Address, demo.of(t, "operator"))
	b.use(v)
	pages := map[string]string{}
	look := func(name string, status, want int64, says string) {
		t.Helper()
		said := b.text("main")
		if status != want || !strings.Contains(said, says) || !strings.Contains(said, "req_") {
			t.Errorf("%s: status %d, want %d, %q and the request's id:\n%s", name, status, want, says, said)
		}
		b.examine(name)
		pages[name] = b.body
	}

	free := hold(t, demo.database())
	status := b.post("/me/settings", url.Values{"zone": {"Europe/Oslo"}})
	look("a held database", status, http.StatusServiceUnavailable, "Nothing was done")
	free()
	pages["a held database, with a bank's file"] = heldWithAFile(t, b, demo)

	change(t, demo.database(), "ALTER TABLE intents RENAME TO intents_away")
	status = b.open("/?state=all")
	change(t, demo.database(), "ALTER TABLE intents_away RENAME TO intents")
	look("a database without its table", status, http.StatusInternalServerError, "Internal error")

	if status := b.open("/?state=all"); status != http.StatusOK {
		t.Errorf("afterwards: status %d", status)
	}
	for range 10 {
		b.post("/stepup", url.Values{"password": {"wrong"}})
	}
	status = b.post("/stepup", url.Values{"password": {"wrong"}})
	look("too many tries", status, http.StatusTooManyRequests, "No password was checked, and nothing was done.")

	if complaints := validate(t, pages); complaints != "" {
		t.Errorf("html-validate:\n%s", complaints)
	}
}

// heldWithAFile uploads a bank's file while the database is held, and gives the
// page that says what was not done.
func heldWithAFile(t *testing.T, b *tab, demo *product) (page string) {
	file := filepath.Join(t.TempDir(), "statement.xml")
	if err := os.WriteFile(file, []byte(statementOf("EUR", bankLine{"-1.00", "x"})), 0o600); err != nil {
		t.Fatal(err)
	}
	b.open("/reconcile")
	b.call("choosing a file", chromedp.SetUploadFiles(chromedp.CSS(`input[name="file"]`), []string{file}))
	free := hold(t, demo.database())
	defer free()
	status := b.press(`form[action="/reconcile"] button.main`)
	if said := b.text("main"); status != http.StatusServiceUnavailable || !strings.Contains(said, "Nothing was done") || !strings.Contains(said, "Back to Reconcile") || strings.Contains(said, "Send it again") {
		t.Errorf("a held database, with a bank's file: status %d:\n%s", status, said)
	}
	b.examine("a held database, with a bank's file")
	return b.body
}

// TestPagesBeforeTheDatabaseIsThere looks at what people get while a console that
// has started cannot reach its database.
func TestPagesBeforeTheDatabaseIsThere(t *testing.T) {
	door := web.NewStarting()
	door.Trouble()
	server := httptest.NewServer(door)
	defer server.Close()
	b := openTab(t, startBrowser(t), server.URL, light)
	b.keepsBody = true
	if status, said := b.open("/"), b.text("main"); status != http.StatusServiceUnavailable || !strings.Contains(said, "Nothing was read, stored or sent.") || !strings.Contains(said, "req_") {
		t.Errorf("status %d: %s", status, said)
	}
	b.examine("a database that is not there")
	if complaints := validate(t, map[string]string{"starting": b.body}); complaints != "" {
		t.Errorf("html-validate:\n%s", complaints)
	}
}

// hold takes the only right to write, as another program could, until it is
// given back.
func hold(t *testing.T, file string) (free func()) {
	t.Helper()
	db, err := sql.Open("sqlite3", "file:"+file+"?_busy_timeout=10000")
	if err != nil {
		t.Fatal(err)
	}
	held, err := db.Conn(context.Background())
	if err == nil {
		_, err = held.ExecContext(t.Context(), "BEGIN IMMEDIATE")
	}
	if err != nil {
		t.Fatal(err)
	}
	free = func() {
		held.Close()
		db.Close()
	}
	t.Cleanup(free)
	return free
}
