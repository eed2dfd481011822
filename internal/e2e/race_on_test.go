//go:build race

package e2e

// raceFlag makes the binary under test watch for races as the tests do.
const raceFlag = "-race=true"
