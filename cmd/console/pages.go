package main

import (
	"context"
	"io"
	"net/http"
	"time"

	"countersign/internal/web/problem"
)

// maxWebhook bounds the body of a webhook in bytes.
const maxWebhook = 1 << 20

// receiver takes the webhooks of providers.
type receiver interface {
	Receive(ctx context.Context, provider string, header http.Header, raw []byte) error
}

// pages is the HTTP server of the app.
func (a *app) pages() *http.Server {
	mux := http.NewServeMux()
	mux.Handle("POST /webhooks/{provider}", webhooks(a.engine))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
	return &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
}

// webhooks answers providers that report what became of an effect.
func webhooks(to receiver) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /webhooks/{provider}", func(w http.ResponseWriter, r *http.Request) {
		raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxWebhook))
		if err == nil {
			err = to.Receive(r.Context(), r.PathValue("provider"), r.Header, raw)
		}
		if err != nil {
			problem.Write(w, r, err, "")
			return
		}
		w.WriteHeader(http.StatusNoContent)
	})
	return mux
}
