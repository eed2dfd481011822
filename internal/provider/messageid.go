package provider

import "strings"

// messageHost is the right side of our message ids. It names no host on purpose:
// the id must be the same wherever the product runs.
const messageHost = "@countersign.invalid>"

// MessageID is the Message-ID of the mail of a message step, the same for every
// send: RFC 5322 allows everything of a step key but its colon.
func MessageID(stepKey string) string {
	return "<" + strings.Replace(stepKey, ":", ".", 1) + messageHost
}

// StepKeyOf gives the step key that MessageID made an id from.
func StepKeyOf(messageID string) (stepKey string, ok bool) {
	local, rest, ok := strings.Cut(messageID, "@")
	if !ok || "@"+rest != messageHost || !strings.HasPrefix(local, "<") {
		return "", false
	}
	return strings.Replace(local[1:], ".", ":", 1), true
}
