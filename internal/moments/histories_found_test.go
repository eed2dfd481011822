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
