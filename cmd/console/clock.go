package main

import (
	"sync"
	"time"
)

// demoClock is the time of a demo: the real one, but while sample work is made,
// when it starts hours ago and is moved from one due moment to the next. It may
// be used by many goroutines.
type demoClock struct {
	mu     sync.Mutex
	staged time.Time // zero: the real time
}

// Now is the demo's time.
func (c *demoClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.staged.IsZero() {
		return time.Now()
	}
	return c.staged
}

// stage stops the clock at a moment; a staged clock never goes back.
func (c *demoClock) stage(at time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if at.After(c.staged) {
		c.staged = at
	}
}

// release lets the real time run.
func (c *demoClock) release() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.staged = time.Time{}
}
