package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// writeWelcome tells a person where the demo is and what to try.
func writeWelcome(out io.Writer, ready readyLine, dir string) error {
	var text strings.Builder
	fmt.Fprintf(&text, "\nCountersign runs at %s\n", ready.Address)
	fmt.Fprintf(&text, "The guide, with what each story shows, what to try, and three walks: %s/guide\n", ready.Address)
	fmt.Fprintf(&text, "The fault lab, where you break the provider and watch what becomes of it: %s/lab\n", ready.Address)
	fmt.Fprintf(&text, "The sandbox provider's books, which hold what really happened: %s/books\n", ready.Sandbox)
	fmt.Fprintf(&text, "Files are in %s; the next start goes on with them.\n\n", dir)
	fmt.Fprintln(&text, "Sign in by opening one of these links; each works once:")
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	for _, p := range ready.People {
		fmt.Fprintf(table, "  %s\t%s of %s\t%s\t%s\n", p.Email, p.Role, p.account, p.SigninURL, p.name)
	}
	table.Flush() // into memory, which cannot fail
	fmt.Fprintf(&text, "\nTheir password, asked for again before grave acts: %s\n", ready.password)
	fmt.Fprintln(&text, "\nAPI keys (those of people pass step-up, which only a demo hands out):")
	for _, p := range ready.People {
		fmt.Fprintf(table, "  %s\t%s\n", p.Email, p.APIKey)
	}
	fmt.Fprintf(table, "  service key of %s\t%s\n", acme, ready.APIKey)
	table.Flush()
	fmt.Fprint(&text, `
What to try first: sign in as priya@example.com, open the guide and one of its
stories, read what is confirmed and what is not, preview "reconcile" and confirm
it. Compare the result with the sandbox's books, and as lin@example.com look at
the audit entries. Stop with Ctrl-C.
`)
	_, err := io.WriteString(out, text.String())
	return err
}
