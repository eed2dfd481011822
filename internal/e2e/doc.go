// Package e2e walks the product as its people do: the real binary, started as
// the demo, in a real browser. It holds tests only.
//
// The tests need Chromium, and axe-core and html-validate from npm. Where one is
// missing, none of them runs and the package says so; with COUNTERSIGN_E2E set
// to "required", as `make test` does, that is a failure. With E2E_SHOTS set to
// a folder, screenshots of the pages are written there.
package e2e
