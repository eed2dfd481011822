package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"countersign/internal/model"
	"countersign/internal/provider"
	"countersign/internal/web"
)

// lab lets pages tell the sandbox what to do wrong.
type lab struct {
	*demo
	arming sync.Mutex // a form that is sent twice arms once
}

// lab is what the pages of the fault lab need.
func (d *demo) lab() *web.Lab {
	l := &lab{demo: d}
	return &web.Lab{Groups: labFaults, Effects: []web.LabEffect{labPayout, labMessage, labDispute, labCredit}, Arm: l.arm, Armed: l.armed, Disarm: l.disarm}
}

// orders are the faults that one order arms. What it needs besides comes first,
// so that nothing is taken for something else.
func orders(o web.LabOrder) (list []armedFault) {
	at := labOperations[o.Effect.Name]
	key := model.StepKey(o.Intent, o.Effect.Step, 1)
	lasts := o.Lasts
	if lasts == 0 {
		lasts = o.Fault.Lasts
	}
	if o.Blind {
		list = append(list, armedFault{Match: aimed(at.lookup, key), Fault: "500_before", Times: often})
	}
	if also, ok := alsoArmed[o.Fault.Name]; ok {
		list = append(list, armedFault{Match: aimed(at.call, key), Fault: also, Times: o.Times, MS: lasts.Milliseconds() / 2})
	}
	list = append(list, armedFault{Match: aimed(at.call, key), Fault: o.Fault.Name, Times: o.Times, MS: lasts.Milliseconds()})
	if o.Blind { // a webhook would lead to the object; behind the fault, which may be about webhooks itself
		list = append(list, armedFault{Match: aimed(at.call, key), Fault: "webhook_late", Times: often, MS: blindFor.Milliseconds()})
	}
	return list
}

// blindFor is how long webhooks are held back where look-ups fail too.
const blindFor = time.Hour

// beside says why a fault is armed that nobody chose by itself; "" for any other.
func (f armedFault) beside(all []armedFault) string {
	switch {
	case f.Times == often && f.Fault == "500_before" && strings.HasPrefix(f.Match.Operation, "list_"):
		return "By “Look-ups fail too”: whoever asks about this step is answered 500, until you disarm it."
	case f.Times == often && f.Fault == "webhook_late":
		return "By “Look-ups fail too”: for " + model.Lasting(blindFor) + " no event leads to what was made."
	}
	for _, g := range labFaults {
		for _, chosen := range g.Faults {
			with := func(o armedFault) bool {
				return o.Fault == chosen.Name && o.Match == f.Match && o.Times == f.Times && o.MS/2 == f.MS
			}
			if alsoArmed[chosen.Name] == f.Fault && slices.ContainsFunc(all, with) {
				return "By “" + chosen.Title + "”, which shows nothing without it."
			}
		}
	}
	return ""
}

// arm implements web.Lab.
func (l *lab) arm(ctx context.Context, o web.LabOrder) (ids []int64, err error) {
	l.arming.Lock()
	defer l.arming.Unlock()
	there, err := l.list(ctx)
	if err != nil {
		return nil, err
	}
	for _, f := range orders(o) {
		if slices.ContainsFunc(there, f.same) {
			continue
		}
		var armed armedFault
		if err := l.faults(ctx, http.MethodPost, "", f, &armed); err != nil {
			return nil, errors.Join(err, l.disarm(ctx, ids...))
		}
		ids = append(ids, armed.ID)
	}
	return ids, nil
}

func (l *lab) list(ctx context.Context) ([]armedFault, error) {
	var all struct {
		Faults []armedFault `json:"faults"`
	}
	err := l.faults(ctx, http.MethodGet, "", nil, &all)
	return all.Faults, err
}

// armed implements web.Lab.
func (l *lab) armed(ctx context.Context) (list []web.LabArmed, err error) {
	all, err := l.list(ctx)
	slices.Reverse(all)
	for _, f := range all {
		key := f.Match.Reference
		if of, ok := provider.StepKeyOf(key); ok {
			key = of
		}
		list = append(list, web.LabArmed{ID: f.ID, Fault: f.Fault, Operation: f.Match.Operation, StepKey: key, Times: int64(f.Times), Bites: f.Bites,
			Lasts: time.Duration(f.MS) * time.Millisecond, Beside: f.beside(all)})
	}
	return list, err
}

// disarm implements web.Lab.
func (l *lab) disarm(ctx context.Context, ids ...int64) error {
	for _, id := range ids {
		err := l.faults(ctx, http.MethodDelete, fmt.Sprintf("/%d", id), nil, nil)
		if err != nil && model.KindOf(err) != model.NotFound {
			return err
		}
	}
	return nil
}
