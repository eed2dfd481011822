// Command console is Countersign: pages, API, workers and the demo in one binary.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	_ "time/tzdata" // periods name their zones; the host may have none
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// Once the first signal has come the default is back: a second one ends the
	// process at once, and the next start recovers what was in flight.
	context.AfterFunc(ctx, stop)
	code := run(ctx, os.Args[1:], terminal{os.Stdin, os.Stdout, os.Stderr})
	os.Exit(code)
}
