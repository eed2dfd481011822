package model

// BulkStand is where what an item of a list acted on stands now. That its plan
// was carried out says nothing of that: what was sent again may be as unknown as
// before.
type BulkStand struct {
	Position  int       `db:"position"`
	State     StepState `db:"state"` // of the item's step; "" where it is about the whole intent
	Settling  bool      `db:"settling"`
	Ordered   bool      `db:"ordered"`    // the engine has not begun yet what the item ordered
	Open      bool      `db:"open"`       // an attempt of the step is under way
	Uncertain int64     `db:"uncertain"`  // minor units of the item's currency that are in doubt; what is being sent is not
	Transit   int64     `db:"transit"`    // minor units that were accepted and are not final
	LookAlike string    `db:"look_alike"` // of its intent, as Intent.LookAlike
}

// Became is what a carried-out item has come to, as far as is known now.
type Became string

// What items come to.
const (
	BecameOrdered   Became = "ordered"   // not carried out by the engine yet
	BecameUnderWay  Became = "under_way" // being sent or asked now
	BecameConfirmed Became = "confirmed"
	BecameSettling  Became = "settling" // accepted, not final
	BecameUnknown   Became = "outcome_unknown"
	BecameFailed    Became = "failed_safely"
	BecameGivenUp   Became = "abandoned" // nothing more is sent; what was uncertain stays so
	BecamePending   Became = "pending"
	BecameNotNeeded Became = "not_needed"
)

// Becames lists them in the order in which pages count them.
var Becames = []Became{BecameConfirmed, BecameSettling, BecameUnknown, BecameFailed, BecameOrdered, BecameUnderWay, BecamePending, BecameNotNeeded, BecameGivenUp}

// Became is what the item has come to once its plan was carried out.
func (s BulkStand) Became() Became {
	switch {
	case s.State == "":
		return BecameGivenUp
	case s.Ordered:
		return BecameOrdered
	case s.Open:
		return BecameUnderWay
	case s.State == InProgress && s.Settling:
		return BecameSettling
	case s.State == InProgress:
		return BecameUnderWay
	}
	return Became(s.State)
}
