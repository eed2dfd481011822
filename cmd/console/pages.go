package main

import (
	"net"
	"net/http"

	"github.com/labstack/echo/v4"

	"countersign/internal/actions"
	"countersign/internal/authz"
	"countersign/internal/model"
	"countersign/internal/web"
	"countersign/internal/web/api"
	"countersign/internal/workflow"
)

// pages answers for the app: pages, API and webhooks.
func (a *app) pages(book *workflow.Book) http.Handler {
	runner := actions.New(a.db, a.log, book, a.Timing, authz.DefaultTiers).ServedBy(a.engine.Boot())
	a.runner = runner
	return web.New(web.Config{DB: a.db, Log: a.log, Runner: runner, Timing: a.Timing, Tiers: authz.DefaultTiers, Logger: a.Logger,
		Plain: loopback(a.listener.Addr()), Demo: a.Guide, Webhooks: a.engine, Wake: a.engine.Wake, Health: a.engine.Healthy, AlertChannels: a.alertChannels(),
		Follows: func(c model.Contract) []string { return workflow.Follows(c, a.Timing.Call) },
		Metrics: a.metrics.Handler(), Observe: a.metrics.Answered,
		API: func(e *echo.Echo) {
			api.Register(e, api.Deps{DB: a.db, Runner: runner, Log: a.log, Timing: a.Timing, Tiers: authz.DefaultTiers,
				Wake: a.engine.Wake, Logger: a.Logger})
		}}).Handler()
}

// probes answers monitors of a process that has no pages.
func (a *app) probes() http.Handler {
	return web.New(web.Config{DB: a.db, Log: a.log, Timing: a.Timing, Logger: a.Logger, Plain: true, Probes: true,
		Health: a.engine.Healthy, Metrics: a.metrics.Handler(), Observe: a.metrics.Answered}).Handler()
}

// loopback reports whether only this machine can reach the address. Elsewhere
// cookies are Secure, so that a proxy with TLS must stand before us.
func loopback(addr net.Addr) bool {
	tcp, ok := addr.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}
