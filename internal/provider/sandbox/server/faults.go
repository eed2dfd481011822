package server

import (
	"database/sql"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
)

// stage is the part of a request that a fault disturbs. At most one fault
// bites per stage and request, so faults of different stages combine and
// those of one stage take their turns in the order in which they were armed.
type stage int

const (
	stageAnswer stage = iota // whether it executes, and what the caller sees
	stageObject              // what is written into the object and the books
	stageSettlement
	stageWebhook
	stageVisibility
)

// faultKind describes one fault by name.
type faultKind struct {
	stage stage
	// executes marks faults that mean something only to a request that
	// really executes, not to a replay or a look-up.
	executes bool
	// wait is the default of ms, before the pace.
	wait time.Duration
}

const (
	refuseConnect     = "refuse_connect"
	dropBefore        = "drop_before_accept"
	dropAfter         = "drop_after_accept"
	hangAfter         = "hang_after_accept"
	error500Before    = "500_before"
	error500After     = "500_after"
	tooMany           = "429"
	truncatedBody     = "truncated_body"
	wrongAmount       = "wrong_amount_echo"
	otherKey          = "other_key_echo"
	rejectPermanent   = "reject_permanent"
	rejectCurable     = "reject_curable"
	slow              = "slow"
	settleLate        = "settle_late"
	settleNever       = "settle_never"
	settleFailed      = "settle_failed"
	settleThenReturn  = "settle_then_return"
	webhookTwice      = "webhook_twice"
	webhookLate       = "webhook_late"
	webhookOutOfOrder = "webhook_out_of_order"
	notFoundAWhile    = "not_found_for_a_while"
)

var faultKinds = map[string]faultKind{
	refuseConnect:     {stage: stageAnswer, wait: 5 * time.Second},
	dropBefore:        {stage: stageAnswer},
	dropAfter:         {stage: stageAnswer},
	hangAfter:         {stage: stageAnswer, wait: 2 * time.Minute},
	error500Before:    {stage: stageAnswer},
	error500After:     {stage: stageAnswer, executes: true},
	tooMany:           {stage: stageAnswer, wait: 20 * time.Second},
	truncatedBody:     {stage: stageAnswer},
	otherKey:          {stage: stageAnswer},
	rejectPermanent:   {stage: stageAnswer, executes: true},
	rejectCurable:     {stage: stageAnswer, executes: true},
	slow:              {stage: stageAnswer, wait: 20 * time.Second},
	wrongAmount:       {stage: stageObject, executes: true},
	settleLate:        {stage: stageSettlement, executes: true, wait: 5 * time.Minute},
	settleNever:       {stage: stageSettlement, executes: true},
	settleFailed:      {stage: stageSettlement, executes: true},
	settleThenReturn:  {stage: stageSettlement, executes: true, wait: 10 * time.Second},
	webhookTwice:      {stage: stageWebhook, executes: true},
	webhookLate:       {stage: stageWebhook, executes: true, wait: time.Minute},
	webhookOutOfOrder: {stage: stageWebhook, executes: true, wait: time.Minute},
	notFoundAWhile:    {stage: stageVisibility, executes: true, wait: 30 * time.Second},
}

// fault is one that bites: its name and its duration, whatever that means
// for it.
type fault struct {
	name string
	wait time.Duration
}

// bites are the faults of one request by stage.
type bites map[stage]fault

func (b bites) is(s stage, name string) bool { return b[s].name == name }

// subject is a request as faults see it.
type subject struct {
	operation, method, path, key, reference string
	// op is nil for a look-up.
	op *operation
	// replay says that a stored result will be answered.
	replay bool
	// own are the faults of the header Sandbox-Fault.
	own []fault
}

// match is the condition of an armed fault: all given members must match.
type match struct {
	Key       *string `json:"key"`
	Reference *string `json:"reference"`
	Operation *string `json:"operation"`
	Method    *string `json:"method"`
	Path      *string `json:"path"`
}

// fits compares exactly, the reference by prefix. A look-up is meant only by
// a match that names its method, operation or path, so that a fault armed by
// a reference waits for the POST.
func (m match) fits(s subject) bool {
	if s.op == nil && m.Method == nil && m.Operation == nil && m.Path == nil {
		return false
	}
	return (m.Key == nil || *m.Key == s.key) &&
		(m.Reference == nil || strings.HasPrefix(s.reference, *m.Reference)) &&
		(m.Operation == nil || *m.Operation == s.operation) &&
		(m.Method == nil || strings.EqualFold(*m.Method, s.method)) &&
		(m.Path == nil || *m.Path == s.path)
}

// means says whether the fault can do anything to this request; one that
// cannot stays armed.
func (k faultKind) means(name string, s subject) bool {
	switch {
	case k.executes && (s.op == nil || s.replay):
		return false
	case name == wrongAmount:
		return s.op.money()
	case name == settleThenReturn:
		return s.op.returns()
	case k.stage == stageSettlement:
		return s.op.settles()
	}
	return true
}

// takeFaults chooses the faults of a request, its own before the armed, and
// counts the bites of the armed ones.
func takeFaults(tx *sql.Tx, s subject) (bites, error) {
	taken := bites{}
	for _, f := range s.own {
		taken.take(f, s)
	}
	armed, err := loadFaults(tx, `WHERE bites < times`)
	if err != nil {
		return nil, err
	}
	for _, a := range armed {
		if !a.Match.fits(s) || !taken.take(fault{a.Fault, a.wait()}, s) {
			continue
		}
		if _, err := tx.Exec(`UPDATE faults SET bites=bites+1 WHERE id=?`, a.ID); err != nil {
			return nil, err
		}
	}
	return taken, nil
}

func (b bites) take(f fault, s subject) bool {
	kind := faultKinds[f.name]
	if _, taken := b[kind.stage]; taken || !kind.means(f.name, s) {
		return false
	}
	b[kind.stage] = f
	return true
}

// armed is a fault as /faults shows it.
type armed struct {
	ID    int64  `json:"id"`
	Match match  `json:"match"`
	Fault string `json:"fault"`
	Times int64  `json:"times"`
	MS    int64  `json:"ms"`
	Bites int64  `json:"bites"`
}

func (a armed) wait() time.Duration { return time.Duration(a.MS) * time.Millisecond }

func loadFaults(tx *sql.Tx, where string) ([]armed, error) {
	rows, err := tx.Query(`SELECT id, match, fault, times, ms, bites FROM faults ` + where + ` ORDER BY id`)
	return collect(rows, err, func(rows *sql.Rows) (armed, error) {
		var a armed
		var text string
		if err := rows.Scan(&a.ID, &text, &a.Fault, &a.Times, &a.MS, &a.Bites); err != nil {
			return a, err
		}
		return a, json.Unmarshal([]byte(text), &a.Match)
	})
}

// readFault reads the body of POST /faults.
func (c Config) readFault(body []byte) (armed, error) {
	var b struct {
		Match match  `json:"match"`
		Fault string `json:"fault"`
		Times *int64 `json:"times"`
		MS    *int64 `json:"ms"`
	}
	if err := decode(body, &b); err != nil {
		return armed{}, err
	}
	a := armed{Match: b.Match, Fault: b.Fault, Times: 1}
	if b.Times != nil {
		a.Times = *b.Times
	}
	kind, known := faultKinds[b.Fault]
	a.MS = c.pause(kind.wait).Milliseconds()
	if b.MS != nil {
		a.MS = *b.MS
	}
	if b.Match.Operation != nil {
		name := operationName(*b.Match.Operation)
		a.Match.Operation = &name
	}
	return a, firstOf(
		check(b.Match.Operation == nil || *a.Match.Operation != "", "match.operation: must be one of "+strings.Join(operationNames(), ", ")),
		check(known, "fault: must be one of "+strings.Join(faultNames(), ", ")),
		check(a.Times > 0, "times: must be at least 1"),
		checkMS(a.MS),
	)
}

func checkMS(ms int64) error {
	const year = 365 * 24 * 60 * 60 * 1000
	return check(ms >= 0 && ms <= year, "ms: must be from 0 to a year of milliseconds")
}

// FaultNames lists every fault that can be armed, in the order of the alphabet.
func FaultNames() []string { return faultNames() }

func faultNames() []string {
	names := make([]string, 0, len(faultKinds))
	for name := range faultKinds {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// headerFaults reads Sandbox-Fault: names parted by commas, each with an
// optional ";ms=N".
func (c Config) headerFaults(r *http.Request) ([]fault, error) {
	var own []fault
	for _, part := range strings.Split(strings.Join(r.Header.Values("Sandbox-Fault"), ","), ",") {
		name, option, given := strings.Cut(strings.TrimSpace(part), ";")
		if name == "" {
			continue
		}
		kind, known := faultKinds[name]
		f := fault{name: name, wait: c.pause(kind.wait)}
		if given {
			ms, err := strconv.ParseInt(strings.TrimPrefix(strings.TrimSpace(option), "ms="), 10, 64)
			if err != nil || checkMS(ms) != nil {
				return nil, invalid("Sandbox-Fault: after the semicolon stands ms=N")
			}
			f.wait = time.Duration(ms) * time.Millisecond
		}
		if !known {
			return nil, invalid(fmt.Sprintf("Sandbox-Fault: must name one of %s", strings.Join(faultNames(), ", ")))
		}
		own = append(own, f)
	}
	return own, nil
}
