package alert

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	mathrand "math/rand/v2"
	"sync"
	"time"

	"countersign/internal/model"
	"countersign/internal/store"
)

// Channel is a way to tell people. Its methods may be called at the same time.
type Channel interface {
	// Name is webhook or mail, as deliveries name it.
	Name() string
	// Most is how many alerts one round takes, and Rest how long it waits after
	// a round that told any.
	Most() int
	Rest() time.Duration
	// Group splits a round into what goes out together.
	Group(round []Notice) [][]Notice
	// Send tells one group. An error means that nobody can be sure they were told.
	Send(ctx context.Context, group []Notice) error
}

// Notice is an alert as a channel tells it.
type Notice struct {
	store.DueDelivery
	Now  model.Time
	Link string // absolute, where to look at it
	All  string // absolute, where all alerts are
}

// age is since when the alert stands, to the second.
func (n Notice) age() time.Duration { return n.Now.Sub(n.RaisedAt).Round(time.Second) }

// Config is what a Sender needs.
type Config struct {
	DB         *store.DB
	Channels   []Channel // none: alerts are raised and shown, and told to nobody
	Conditions []Condition
	PublicURL  string // of the console, without a slash at its end
	Logger     *slog.Logger
	Clock      func() time.Time // time.Now when nil
	Spread     func() float64   // jitter in [0, 1); random when nil
}

// Sender raises what time alone brings about and delivers alerts. Any number
// may run on one database: a lease lets one of them work. Its methods are not
// to be called at the same time on one Sender.
type Sender struct {
	Config
	holder    string
	rested    map[string]time.Time // until when a channel rests
	lookAfter time.Time            // when conditions are looked at again
	troubled  string               // the last failure, said once
}

const (
	leaseName   = "alert-sender"
	leaseLength = time.Minute // longer than any one try
	tick        = time.Second // how soon a new alert is seen
	lookEvery   = 15 * time.Second
	tryLimit    = 10 * time.Second // of one try
	atOnce      = 4                // tries of a channel under way at once
	planBatch   = 500
	// giveUpAfter is how long a delivery is tried.
	giveUpAfter = 24 * time.Hour
	backoffBase = 5 * time.Second
	backoffCap  = time.Hour
)

// New makes a sender. Run starts it.
func New(cfg Config) *Sender {
	if cfg.Clock == nil {
		cfg.Clock = time.Now
	}
	if cfg.Spread == nil {
		cfg.Spread = mathrand.Float64
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	return &Sender{Config: cfg, holder: rand.Text(), rested: map[string]time.Time{}}
}

// Run works until ctx ends and then returns nil. What fails is tried again.
func (s *Sender) Run(ctx context.Context) error {
	defer s.release(ctx)
	for ctx.Err() == nil {
		tried, err := s.Round(ctx)
		s.note(ctx, err)
		if tried > 0 && err == nil {
			continue // there may be more
		}
		select {
		case <-time.After(tick):
		case <-ctx.Done():
		}
	}
	return nil
}

// note logs a failure when it is new.
func (s *Sender) note(ctx context.Context, err error) {
	text := ""
	if err != nil && ctx.Err() == nil {
		text = err.Error()
	}
	if text != "" && text != s.troubled {
		s.Logger.ErrorContext(ctx, "alerts cannot be worked on; trying again", "err", err)
	}
	s.troubled = text
}

// release lets the next sender begin at once. When it fails the lease runs out.
func (s *Sender) release(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	if err := s.DB.Update(ctx, func(tx *store.Tx) error { return tx.EndLease(leaseName, s.holder) }); err != nil {
		s.Logger.WarnContext(ctx, "the lease of the alert sender was not released", "err", err)
	}
}

// Round does once what is to be done now, and tells how many alerts it tried to
// tell. It does nothing while another sender is at work.
func (s *Sender) Round(ctx context.Context) (tried int, err error) {
	if err := s.look(ctx); err != nil {
		return 0, err
	}
	var work bool
	err = s.DB.View(ctx, func(tx *store.Tx) error {
		if busy, err := tx.LeaseElsewhere(leaseName, s.holder); err != nil || busy {
			return err
		}
		work, err = tx.AlertsDue(len(s.Channels) > 0)
		return err
	})
	if err != nil || !work {
		return 0, err
	}
	rounds, err := s.reserve(ctx)
	if err != nil {
		return 0, err
	}
	var all sync.WaitGroup
	faults := make([]error, len(s.Channels))
	for i, channel := range s.Channels {
		tried += len(rounds[i])
		all.Go(func() { faults[i] = s.tell(ctx, channel, rounds[i]) })
	}
	all.Wait()
	return tried, errors.Join(faults...)
}

// reserve raises what has become overdue, plans new alerts, and takes the
// deliveries that are due: a round for each channel.
func (s *Sender) reserve(ctx context.Context) (rounds [][]Notice, err error) {
	err = s.DB.Update(ctx, func(tx *store.Tx) error {
		rounds = make([][]Notice, len(s.Channels))
		mine, err := tx.TakeLease(leaseName, s.holder, leaseLength)
		if err != nil || !mine {
			return err
		}
		if err := raiseLapsed(tx); err != nil {
			return err
		}
		if len(s.Channels) == 0 {
			return nil
		}
		if _, err := tx.PlanDeliveries(s.channelNames(), planBatch); err != nil {
			return err
		}
		for i, channel := range s.Channels {
			if rounds[i], err = s.take(tx, channel); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for i, channel := range s.Channels {
		if len(rounds[i]) > 0 {
			s.rested[channel.Name()] = s.Clock().Add(channel.Rest())
		}
	}
	return rounds, nil
}

func (s *Sender) channelNames() (names []string) {
	for _, channel := range s.Channels {
		names = append(names, channel.Name())
	}
	return names
}

// raiseLapsed raises the overdue reviews: their deadlines alone pass unseen.
func raiseLapsed(tx *store.Tx) error {
	lapsed, err := tx.LapsedAlerts(planBatch)
	if err != nil {
		return err
	}
	for _, a := range lapsed {
		if err := Raise(tx, overdueReview(a)); err != nil {
			return err
		}
		if err := tx.AlertReminded(a.ID); err != nil {
			return err
		}
	}
	return nil
}

// overdueReview is the cause that an alert's passed deadline makes. An intent
// with two alerts under one deadline has one such cause.
func overdueReview(a store.Alert) Cause {
	return Cause{Key: "overdue:" + a.IntentID + ":" + a.Deadline.String(), Kind: ReviewOverdue, Account: a.Account, Intent: a.IntentID, Step: a.Step,
		Text: "Nobody decided by " + a.Deadline.Std().Format("2006-01-02 15:04 UTC") + ". " + a.Text, Amount: a.Amount, Currency: a.Currency}
}

// take reserves what a channel is to tell in this round.
func (s *Sender) take(tx *store.Tx, channel Channel) ([]Notice, error) {
	if s.Clock().Before(s.rested[channel.Name()]) {
		return nil, nil
	}
	due, err := tx.DueDeliveries(channel.Name(), channel.Most())
	if err != nil {
		return nil, err
	}
	list := make([]Notice, len(due))
	for i, d := range due {
		list[i] = Notice{DueDelivery: d, Now: tx.Now(), Link: s.PublicURL + place(d.Alert), All: s.PublicURL + "/admin/alerts"}
	}
	return list, tx.ReserveDeliveries(channel.Name(), ids(list), tx.Now().Add(leaseLength))
}

// place is the page on which an alert is dealt with.
func place(a store.Alert) string {
	switch {
	case a.IntentID != "":
		return "/intents/" + a.IntentID
	case a.Kind == string(Orphan):
		return "/orphans"
	case a.Kind == string(Hold):
		return "/admin/hold"
	}
	return "/admin/alerts"
}

func ids(list []Notice) []string {
	out := make([]string, len(list))
	for i, n := range list {
		out[i] = n.ID
	}
	return out
}

// tell sends a round's groups, a few at once, and records how each ended.
func (s *Sender) tell(ctx context.Context, channel Channel, round []Notice) error {
	groups := channel.Group(round)
	faults := make([]error, len(groups))
	slots := make(chan struct{}, atOnce)
	var all sync.WaitGroup
	for i, group := range groups {
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			faults[i] = s.tellGroup(ctx, channel, group)
		})
	}
	all.Wait()
	return errors.Join(faults...)
}

func (s *Sender) tellGroup(ctx context.Context, channel Channel, group []Notice) error {
	limited, cancel := context.WithTimeout(ctx, tryLimit)
	failure := channel.Send(limited, group)
	cancel()
	if ctx.Err() != nil && failure != nil {
		return nil // told to stop: it was reserved, and is tried again after the restart
	}
	return s.settle(context.WithoutCancel(ctx), channel.Name(), group, failure)
}

// settle records a try's end. Those that are given up part from those that are
// tried again: a digest holds young and old ones.
func (s *Sender) settle(ctx context.Context, channel string, group []Notice, failure error) error {
	return s.DB.Update(ctx, func(tx *store.Tx) error {
		if failure == nil {
			return tx.SettleDeliveries(channel, ids(group), "", 0)
		}
		why := oneLine(failure.Error())
		for _, n := range group {
			next := tx.Now().Add(s.backoff(n.Tries))
			if tx.Now().Sub(n.PlannedAt) >= giveUpAfter {
				next = 0
			}
			s.Logger.WarnContext(ctx, "alert not delivered", "alert", n.ID, "channel", channel, "tries", n.Tries+1, "given_up", next == 0, "error", why)
			if err := tx.SettleDeliveries(channel, []string{n.ID}, why, next); err != nil {
				return err
			}
		}
		return nil
	})
}

// backoff is the wait after a failed try that had so many before it: between
// half and the whole of a span that doubles.
func (s *Sender) backoff(before int) time.Duration {
	span := min(backoffBase<<min(before, 20), backoffCap)
	return time.Duration(float64(span) * (0.5 + s.Spread()/2))
}
