package provider

import (
	"fmt"

	"countersign/internal/model"
)

// Observe judges what a look-up by our reference found. All objects must carry
// that reference: one that does not says that the provider did not search as
// asked, and then an absence proves nothing. It is pure.
func Observe(objects []Object, expect Expect) model.Observation {
	for _, object := range objects {
		if object.Reference != expect.Reference {
			return NoAnswer("The look-up lists objects with other references.")
		}
	}
	switch len(objects) {
	case 0:
		return model.Observation{Finding: model.FoundNone, Detail: model.NothingFound}
	case 1:
		return ObserveOne(objects[0], expect)
	}
	o := model.Observation{Finding: model.FoundSeveral, ExternalRef: objects[0].ID,
		Detail: fmt.Sprintf("The provider has %d objects under our reference.", len(objects))}
	o.Status, o.Currency, o.Failed = model.Several, objects[0].Currency, true
	for _, object := range objects {
		o.Refs = append(o.Refs, object.ID)
		o.Failed = o.Failed && object.Phase == Failed
		if object.Currency == o.Currency {
			o.Amount += object.Amount // what may have moved in all
		}
	}
	return o
}

// ObserveOne judges one object that was read. It is pure.
func ObserveOne(object Object, expect Expect) model.Observation {
	o := model.Observation{ExternalRef: object.ID, Refs: []string{object.ID}, Amount: object.Amount,
		Currency: object.Currency, Status: object.Status, Returned: object.Returned, Failed: object.Phase == Failed,
		Detail: fmt.Sprintf("The provider says %q.", object.Status)}
	if code := mismatch(object, expect); code != "" {
		o.Finding, o.Detail = model.FoundOther, differs("The provider's object", object, expect)
		return o
	}
	switch object.Phase {
	case Happened, Taken:
		o.Finding = model.FoundHappened
	case Settling:
		o.Finding = model.FoundSettling
	case Failed:
		o.Finding = model.FoundFailed
	case CameBack:
		o.Finding = model.FoundReturned
	default:
		o.Finding = model.FoundNothing
	}
	return o
}

// NoAnswer is the observation of a look-up that failed.
func NoAnswer(detail string) model.Observation {
	return model.Observation{Finding: model.FoundNothing, Detail: detail}
}

// Stamp adds what the call itself tells to an observation.
func (r Reply) Stamp(o model.Observation) model.Observation {
	o.HTTPStatus = r.Status
	o.Skew = r.Skew()
	o.RequestID = r.Header.Get("Request-Id")
	return o
}
