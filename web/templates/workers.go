package templates

// WorkersView is who works: boots and the leases they hold.
type WorkersView struct {
	Page    Page
	Summary Text
	Boots   []BootRow
	Leases  []LeaseRow
	Failed  *FailedView
}

// BootRow is one start of one process.
type BootRow struct {
	ID, Host, Version    string
	Started, Seen, Ended Time
	Alive                bool
	Note                 Text // how its end is known
}

// LeaseRow is one intent being driven.
type LeaseRow struct {
	Href, ID, Worker string
	Fence            int64
	Until            Time
	Doing            Text
}
