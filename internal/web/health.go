package web

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"countersign/internal/model"
	"countersign/internal/store"
	"countersign/web/static"
)

// static serves the embedded files.
func (v *visit) static() error {
	static.Handler().ServeHTTP(v.c.Response(), v.r)
	return nil
}

// healthz says that the process answers.
func (v *visit) healthz() error { return v.c.String(http.StatusOK, "ok\n") }

// clockSlack is how far the clock may be behind the latest stored time.
const clockSlack = 5 * time.Second

// readyz says whether the process can do its work, a line for each check.
func (v *visit) readyz() error {
	lines, status := strings.Builder{}, http.StatusOK
	check := func(name string, err error) {
		if err == nil {
			fmt.Fprintf(&lines, "%s: ok\n", name)
			return
		}
		status = http.StatusServiceUnavailable
		v.Logger.Warn("not ready", "check", name, "error", err)
		fmt.Fprintf(&lines, "%s: not ready\n", name)
	}
	check("database and schema", v.DB.Ping(v.r.Context()))
	check("disk", v.diskFault())
	check("clock", v.clockFault())
	check("audit log", v.Log.Trouble().Err())
	v.readyHold(&lines, &status)
	if v.Health != nil {
		check("engine", v.Health())
	}
	return v.c.String(status, lines.String())
}

// readyHold says whether a restore hold is on. Pages and intake go on under one,
// so the line says more than that something is not ready.
func (v *visit) readyHold(lines *strings.Builder, status *int) {
	var h *model.Hold
	err := v.read(func(tx *store.Tx) (err error) { h, err = tx.Hold(); return err })
	switch {
	case err != nil:
		*status = http.StatusServiceUnavailable
		v.Logger.Warn("not ready", "check", "hold", "error", err)
		lines.WriteString("hold: not ready\n")
	case h.On():
		*status = http.StatusServiceUnavailable
		fmt.Fprintf(lines, "hold: held since %s, restored from %s; nothing is sent until two administrators lift it\n", h.Since, h.RestoredFrom)
	default:
		lines.WriteString("hold: ok\n")
	}
}

func (v *visit) diskFault() error {
	if since := v.DB.Full(); since != 0 {
		return fmt.Errorf("the disk has been full since %s", since)
	}
	return nil
}

func (v *visit) clockFault() error {
	if behind := v.DB.Behind(); behind > clockSlack {
		return fmt.Errorf("the clock is %s behind the latest stored time", behind.Round(time.Second))
	}
	return nil
}

// metrics gives the numbers of this process in the form of Prometheus.
func (v *visit) metrics() error {
	if v.Metrics == nil {
		return notFound("This process has no metrics.")
	}
	v.Metrics.ServeHTTP(v.c.Response(), v.r)
	return nil
}

// webhook takes one event of a provider, unread but for its signature.
func (v *visit) webhook() error {
	if v.Webhooks == nil {
		return notFound("There is no provider here.")
	}
	raw, err := io.ReadAll(v.r.Body)
	if err != nil {
		return err
	}
	name := v.c.Param("provider")
	if err := v.Webhooks.Receive(v.r.Context(), name, v.r.Header, raw); err != nil {
		v.Logger.Warn("webhook refused", "security", model.KindOf(err) == model.Unauthenticated, "provider", name, "request_id", requestID(v.r), "address", v.c.RealIP(), "error", err)
		return err
	}
	return v.c.NoContent(http.StatusNoContent)
}
