package main

import (
	"io"
	"net/http"
	"time"

	"countersign/internal/model"
	"countersign/internal/web/problem"
	"countersign/internal/workflow"
)

// maxWebhook bounds the body of a webhook in bytes.
const maxWebhook = 1 << 20

// pages is the HTTP server of the app.
func (a *app) pages(*workflow.Book) *http.Server {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /webhooks/{provider}", a.webhook)
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
	return &http.Server{Handler: a.gate(mux), ReadHeaderTimeout: 10 * time.Second}
}

func (a *app) webhook(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxWebhook))
	if err == nil {
		err = a.engine.Receive(r.Context(), r.PathValue("provider"), r.Header, raw)
	}
	if err != nil {
		problem.Write(w, r, err, "")
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// gate lets only providers in until the app is ready.
func (a *app) gate(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !a.ready.Load() && !isWebhook(r) {
			problem.Write(w, r, model.Errorf(model.Busy, "busy", "The console is starting; try again in a moment."), "")
			return
		}
		next.ServeHTTP(w, r)
	})
}

func isWebhook(r *http.Request) bool {
	return r.Method == http.MethodPost && len(r.URL.Path) > len("/webhooks/") && r.URL.Path[:len("/webhooks/")] == "/webhooks/"
}
