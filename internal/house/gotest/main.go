// Command gotest runs `go test -json` with its arguments, prints what a person
// needs (go test's own line of each package, and all that a failed test said),
// and fails when a test failed, when one was skipped, or when none ran.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

func main() {
	cmd := exec.Command("go", append([]string{"test", "-json"}, os.Args[1:]...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "gotest:", err)
		os.Exit(1)
	}
	report := newReport(os.Stdout)
	readErr := report.read(out)
	waitErr := cmd.Wait()
	report.close()
	if readErr != nil {
		fmt.Fprintln(os.Stderr, "gotest: reading go test:", readErr)
	}
	if readErr != nil || waitErr != nil || !report.good() {
		os.Exit(1)
	}
}

// event is a line of `go test -json`.
type event struct {
	Action, Package, Test, Output string
}

// report collects events. A test's output is kept until it has ended and shown
// only if it failed.
type report struct {
	out                     io.Writer
	held                    map[[2]string]*strings.Builder
	passed, failed, skipped int
	skips                   []string
	empty                   []string
}

func newReport(out io.Writer) *report {
	return &report{out: out, held: map[[2]string]*strings.Builder{}}
}

// read takes events until the end. Lines that are not events (the go command
// prints some) are passed on.
func (r *report) read(in io.Reader) error {
	dec := json.NewDecoder(in)
	for {
		var e event
		if err := dec.Decode(&e); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		r.take(e)
	}
}

func (r *report) take(e event) {
	at := [2]string{e.Package, e.Test}
	switch e.Action {
	case "output", "build-output":
		r.output(at, e)
	case "pass":
		r.end(at, &r.passed)
	case "fail":
		if b := r.held[at]; b != nil {
			fmt.Fprint(r.out, b.String())
		}
		r.end(at, &r.failed)
	case "skip":
		if e.Test != "" {
			r.skips = append(r.skips, e.Package+" "+e.Test)
		}
		r.end(at, &r.skipped)
	}
}

// output holds a test's text back and prints a package's closing line.
func (r *report) output(at [2]string, e event) {
	if e.Test != "" {
		if r.held[at] == nil {
			r.held[at] = &strings.Builder{}
		}
		r.held[at].WriteString(e.Output)
		return
	}
	if strings.Contains(e.Output, "[no tests to run]") {
		r.empty = append(r.empty, e.Package)
	}
	if e.Output != "PASS\n" {
		fmt.Fprint(r.out, e.Output)
	}
}

// end counts a test that is over; packages are not counted.
func (r *report) end(at [2]string, count *int) {
	if at[1] != "" {
		*count++
	}
	delete(r.held, at)
}

// close prints the sums and names what was not run.
func (r *report) close() {
	for _, b := range r.held {
		fmt.Fprint(r.out, b.String())
	}
	for _, s := range r.skips {
		fmt.Fprintln(r.out, "skipped:", s)
	}
	for _, p := range r.empty {
		fmt.Fprintln(r.out, "ran no test:", p)
	}
	fmt.Fprintf(r.out, "%d passed, %d failed, %d skipped\n", r.passed, r.failed, r.skipped)
}

// good says whether tests ran, and every one to its end.
func (r *report) good() bool {
	return r.passed > 0 && r.failed == 0 && r.skipped == 0 && len(r.empty) == 0
}
