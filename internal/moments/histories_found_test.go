package moments

import (
	"testing"
	"time"

	"countersign/internal/model"
)

// What random histories found, played plainly.

// A compensation that nobody decides about in time holds nothing up any more: the
// message that failed meanwhile goes out in the very transaction that says so.
func TestHistoryExpiredCompensationLetsTheIntentGoOn(t *testing.T) {
	h := newHistory(t)
	h.arm("drop_before_accept", "messages", 1)
	h.submit(model.KindStatement, 3, "same", "")
	h.run(5 * time.Second)
	id := h.nth(0).ID
	h.expect(id, model.Processing, "send-statement", model.OutcomeUnknown)
	h.do(h.people.operator, id, model.Compensate, "issue-statement", "")
	h.run(time.Hour)
	h.expect(id, model.Compensating, "send-statement", model.FailedSafely)
	h.run(73 * time.Hour)
	h.expect(id, model.Completed, "send-statement", model.Confirmed)
	h.checkInvariants(t)
	if n := h.effects("messages"); n != 1 {
		t.Errorf("the books show %d messages", n)
	}
}

// A message that bounced reached nobody: a person may send it again, and then
// one stands in the books.
func TestHistoryBouncedMessageIsSentAgainByAPerson(t *testing.T) {
	h := newHistory(t)
	h.arm("settle_failed", "messages", 1)
	h.arm("drop_after_accept", "messages", 1)
	h.submit(model.KindStatement, 2, "same", "")
	h.run(time.Hour)
	id := h.nth(0).ID
	h.expect(id, model.NeedsReview, "send-statement", model.FailedSafely)
	h.do(h.people.operator, id, model.RetryUnfinished, "", "")
	h.run(5 * time.Minute)
	h.expect(id, model.Completed, "send-statement", model.Confirmed)
	h.checkInvariants(t)
	if n := h.effects("messages"); n != 1 {
		t.Errorf("the books show %d messages", n)
	}
}
