package moments

import (
	"context"
	"slices"
	"testing"
	"time"

	"countersign/internal/model"
	"countersign/internal/provider"
)

// eager is a way to the provider that sends again by itself, as some clients do
// on a connection that broke.
type eager struct{ provider.Adapter }

func (e eager) Send(ctx context.Context, call provider.Call) model.Outcome {
	out := e.Adapter.Send(ctx, call)
	if out.Result == model.ResultUnknown {
		return e.Adapter.Send(ctx, call)
	}
	return out
}

// The check after each move sees what went wrong in it: here a message that a
// client sent twice behind the engine's back.
func TestHistoriesSeeASecondSend(t *testing.T) {
	h := newHistory(t)
	h.between = func(a provider.Adapter) provider.Adapter { return eager{a} }
	h.restart()
	h.submit(model.KindStatement, 0, "same", "")
	h.arm("drop_after_accept", "messages", 1)
	if b := h.breaches(t); len(b) > 0 {
		t.Fatalf("before: %+v", b)
	}
	h.pass("", 0)
	if b := h.breaches(t); !slices.ContainsFunc(b, func(b breach) bool { return b.number == 2 }) {
		t.Errorf("seen were only %+v", b)
	}
}

// The end of a history sees what nobody goes on with.
func TestHistoriesSeeWhatIsDropped(t *testing.T) {
	h := newHistory(t)
	h.arm("reject_curable", "payouts", 1)
	h.submit(model.KindPayout, 0, "same", "")
	h.run(time.Hour)
	if d := h.dropped(); len(d) > 0 {
		t.Fatalf("what waits for a person is called dropped: %s", d[0].State)
	}
	for _, plant := range []string{"UPDATE intents SET review_due = 0", "UPDATE intents SET state = 'processing', wake_at = 0"} {
		h.exec(plant)
		if len(h.dropped()) != 1 {
			t.Errorf("after %q nothing is missed", plant)
		}
	}
}
