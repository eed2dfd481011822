package api

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"reflect"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humaecho"
	"github.com/labstack/echo/v4"

	"countersign/internal/actions"
	"countersign/internal/audit"
	"countersign/internal/authz"
	"countersign/internal/model"
	"countersign/internal/store"
)

// Deps are what the interface stands on. All members are needed but the last
// three.
type Deps struct {
	DB     *store.DB
	Runner *actions.Runner
	Log    *audit.Log
	Timing model.Timing
	Tiers  authz.Tiers
	Wake   func() // tells the engine that there is something to do
	Logger *slog.Logger
	Wait   time.Duration // how long a confirmation waits for the engine's result; two seconds when 0
}

// api is the registered interface. It is safe for concurrent use.
type api struct {
	Deps
	huma huma.API
	used sync.Map // key id → model.Time of the use that was noted last
}

// Register adds every route under /v1 to e. It is called once per server,
// before the first request.
func Register(e *echo.Echo, deps Deps) {
	if deps.Wake == nil {
		deps.Wake = func() {}
	}
	if deps.Logger == nil {
		deps.Logger = slog.New(slog.DiscardHandler)
	}
	if deps.Wait == 0 {
		deps.Wait = 2 * time.Second
	}
	a := &api{Deps: deps, huma: humaecho.New(e, config())}
	a.huma.UseMiddleware(a.identify, a.authenticate, checkMedia)
	a.intentRoutes()
	a.batchRoutes()
	a.previewRoutes()
	a.approvalRoutes()
	a.bulkRoutes()
	a.uploadRoutes()
	a.uncertainRoutes()
	a.noteRoutes()
	a.orphanRoutes()
	a.holdRoutes()
	a.workerRoutes()
	a.alertRoutes()
	a.auditRoutes()
	e.GET("/v1/openapi.json", a.openapi())
}

// config is huma without what it would add by itself: pages, schema links and
// other formats than JSON.
func config() huma.Config {
	components := &huma.Components{
		Schemas: huma.NewMapRegistry("#/components/schemas/", huma.DefaultSchemaNamer),
		SecuritySchemes: map[string]*huma.SecurityScheme{"key": {Type: "http", Scheme: "bearer",
			Description: "A service key, or a person's own key."}},
	}
	return huma.Config{
		OpenAPI: &huma.OpenAPI{OpenAPI: "3.1.0", Components: components,
			Security: []map[string][]string{{"key": {}}},
			Info: &huma.Info{Title: "Countersign", Version: "1", Description: "Intents, their steps and evidence, " +
				"and the actions of operators and approvers on them. Amounts are integers in minor units, times RFC 3339 in UTC. " +
				"Members are always present; null is nothing."}},
		Formats:                      map[string]huma.Format{"application/json": strictJSON, "json": strictJSON},
		DefaultFormat:                "application/json",
		RejectUnknownQueryParameters: true,
	}
}

// Limits of a request's body, in bytes, and of the time in which it is read.
const (
	maxBody   = 1 << 20
	maxBatch  = 8 << 20
	maxUpload = 5<<20 + 1<<16 // the file, and the form around it
	bodyTime  = 30 * time.Second
)

// common are the problems that any call may come back with.
var common = []int{http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusUnprocessableEntity,
	http.StatusInternalServerError, http.StatusServiceUnavailable}

// operation describes a call: its id, method and path, and in a sentence what
// it does. further are the statuses of its own problems.
func operation(id, method, path, description string, further ...int) huma.Operation {
	errors := append(append([]int{}, common...), further...)
	op := huma.Operation{OperationID: id, Method: method, Path: "/v1" + path, Summary: summary(id), Description: description, Errors: errors}
	if method == http.MethodPost {
		op.Errors = append(op.Errors, http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType)
		op.MaxBodyBytes, op.BodyReadTimeout = maxBody+1, bodyTime // huma refuses what reaches its limit
		op.SkipValidateBody = true                                // bodies are decoded strictly, which says more
	}
	return op
}

// created also documents the answer 201 of a call whose usual answer is another.
func created[T any](a *api, op huma.Operation, description string) huma.Operation {
	schema := a.huma.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[T](), true, "")
	op.Responses = map[string]*huma.Response{"201": {Description: description,
		Headers: map[string]*huma.Header{"Location": {Schema: &huma.Schema{Type: "string"}, Description: "The path of what was made."}},
		Content: map[string]*huma.MediaType{"application/json": {Schema: schema}}}}
	return op
}

// openapi serves the description of the interface, made at the first request.
func (a *api) openapi() echo.HandlerFunc {
	text := sync.OnceValues(func() ([]byte, error) { return json.Marshal(a.huma.OpenAPI()) })
	return func(c echo.Context) error {
		raw, err := text()
		if err != nil {
			return err
		}
		return c.Blob(http.StatusOK, "application/openapi+json", raw)
	}
}
