package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"countersign/internal/alert"
)

// routes are all calls, and for each who gets which status: a service key of
// the account that writes, one that reads, an operator, an approver, an auditor,
// an administrator, and an operator of another account. Bodies are empty
// objects, so a status of 422 is one that rights let through.
var routes = map[string][7]int{
	"POST /v1/intents":                     {400, 400, 400, 400, 400, 400, 400},
	"GET /v1/intents":                      {200, 200, 200, 200, 200, 200, 200},
	"GET /v1/intents/{id}":                 {200, 200, 200, 200, 200, 200, 404},
	"POST /v1/intent-batches":              {422, 422, 422, 422, 422, 422, 422},
	"POST /v1/intents/{id}/previews":       {403, 403, 409, 403, 403, 403, 404},
	"POST /v1/intents/{id}/notes":          {403, 403, 201, 201, 403, 201, 404},
	"GET /v1/intents/{id}/notes":           {200, 200, 200, 200, 200, 200, 404},
	"POST /v1/intents/{id}/owner":          {403, 403, 200, 403, 403, 403, 404},
	"GET /v1/previews/{id}":                {404, 404, 404, 404, 404, 404, 404},
	"POST /v1/previews/{id}/confirm":       {404, 404, 404, 404, 404, 404, 404},
	"GET /v1/approvals":                    {403, 403, 200, 200, 200, 200, 200},
	"GET /v1/approvals/{id}":               {403, 403, 200, 200, 200, 200, 404},
	"POST /v1/approvals/{id}/approve":      {403, 403, 403, 409, 403, 403, 404},
	"POST /v1/approvals/{id}/reject":       {403, 403, 403, 409, 403, 403, 404},
	"POST /v1/approvals/{id}/withdraw":     {403, 403, 403, 403, 403, 403, 404},
	"POST /v1/uploads":                     {403, 403, 201, 403, 403, 403, 201},
	"GET /v1/uncertain":                    {200, 200, 200, 200, 200, 200, 200},
	"GET /v1/orphans":                      {200, 200, 200, 200, 200, 200, 200},
	"GET /v1/orphans/{id}":                 {200, 200, 200, 200, 200, 200, 404},
	"POST /v1/orphans/{id}/settle":         {403, 403, 200, 403, 403, 409, 404},
	"GET /v1/alerts":                       {403, 200, 403, 403, 200, 200, 403},
	"GET /v1/hold":                         {200, 200, 200, 200, 200, 200, 200},
	"POST /v1/hold/processes-ended":        {403, 403, 403, 403, 403, 409, 403},
	"POST /v1/hold/lift":                   {403, 403, 403, 403, 403, 409, 403},
	"GET /v1/audit":                        {403, 200, 200, 200, 200, 200, 200},
	"GET /v1/audit/{index}":                {403, 200, 200, 200, 200, 200, 404},
	"GET /v1/audit/export":                 {403, 200, 403, 403, 200, 200, 403},
	"GET /v1/audit/checkpoint":             {403, 200, 200, 200, 200, 200, 200},
	"GET /v1/audit/inclusion":              {403, 200, 200, 200, 200, 200, 404},
	"GET /v1/audit/consistency":            {403, 200, 200, 200, 200, 200, 200},
	"GET /v1/workers":                      {403, 403, 200, 200, 200, 200, 200},
	"GET /v1/workers/{id}":                 {403, 403, 200, 200, 200, 200, 200},
	"POST /v1/workers/{id}/declare-dead":   {403, 403, 403, 403, 403, 422, 403},
	"POST /v1/bulk-previews":               {403, 403, 201, 403, 403, 403, 404},
	"GET /v1/bulk-previews":                {403, 403, 200, 200, 200, 200, 200},
	"GET /v1/bulk-previews/{id}":           {404, 404, 404, 404, 404, 404, 404},
	"POST /v1/bulk-previews/{id}/confirm":  {404, 404, 404, 404, 404, 404, 404},
	"POST /v1/bulk-previews/{id}/approve":  {404, 404, 404, 404, 404, 404, 404},
	"POST /v1/bulk-previews/{id}/reject":   {404, 404, 404, 404, 404, 404, 404},
	"POST /v1/bulk-previews/{id}/withdraw": {404, 404, 404, 404, 404, 404, 404},
}

var asks = [7]string{"service", "reader", "olga", "ann", "audrey", "ada", "gus"}

// bodies are what calls need to get as far as rights.
var bodies = map[string]any{
	"POST /v1/intents":                     payout(5000),
	"POST /v1/intents/{id}/previews":       map[string]any{"action": "retry_unfinished"},
	"POST /v1/intents/{id}/notes":          map[string]any{"text": "called the rep"},
	"POST /v1/intents/{id}/owner":          map[string]any{"owner": nil},
	"POST /v1/previews/{id}/confirm":       map[string]any{"reason": "long enough", "digest": "x"},
	"POST /v1/hold/processes-ended":        map[string]any{"reason": "long enough"},
	"POST /v1/hold/lift":                   map[string]any{"reason": "long enough"},
	"POST /v1/approvals/{id}/approve":      map[string]any{"reason": "long enough", "digest": "x"},
	"POST /v1/approvals/{id}/reject":       map[string]any{"reason": "long enough", "digest": "x"},
	"POST /v1/approvals/{id}/withdraw":     map[string]any{"reason": "long enough", "digest": "x"},
	"POST /v1/orphans/{id}/settle":         map[string]any{"reason": "long enough"},
	"POST /v1/workers/{id}/declare-dead":   map[string]any{"reason": "long enough"},
	"POST /v1/bulk-previews/{id}/confirm":  map[string]any{"reason": "long enough", "digest": "x"},
	"POST /v1/bulk-previews/{id}/approve":  map[string]any{"reason": "long enough", "digest": "x"},
	"POST /v1/bulk-previews/{id}/reject":   map[string]any{"reason": "long enough", "digest": "x"},
	"POST /v1/bulk-previews/{id}/withdraw": map[string]any{"reason": "long enough", "digest": "x"},
}

// media are the types of bodies that are no JSON.
var media = map[string][]string{"POST /v1/uploads": {"Content-Type", "text/csv"}}

func TestEveryRouteForEveryRole(t *testing.T) {
	w := newWorld(t)
	intent, approval := w.waitingForApproval("pay-1")
	orphan := w.missingObject(intent)
	w.sequence()
	for _, route := range served(w) {
		want, listed := routes[route]
		if !listed {
			t.Errorf("%s is served and not in the table", route)
			continue
		}
		method, path, _ := strings.Cut(route, " ")
		id := intent
		switch {
		case strings.Contains(path, "approvals"):
			id = approval
		case strings.Contains(path, "workers"):
			id = w.elsewhere("boot-b")
		case strings.Contains(path, "orphans"):
			id = orphan
		case strings.Contains(path, "previews/"):
			id = "preview-x"
		}
		path = strings.NewReplacer("{id}", id, "{index}", "0", "inclusion", "inclusion?index=0", "consistency", "consistency?from=1").Replace(path)
		body := bodies[route]
		if route == "POST /v1/bulk-previews" {
			body = map[string]any{"action": "retry_unfinished", "intents": []string{intent}}
		}
		if body == nil && method == "POST" {
			body = map[string]any{}
		}
		for i, who := range asks {
			a := w.call(who, method, path, body, media[route]...)
			if a.status != want[i] {
				t.Errorf("%s by %s: %d, want %d: %s", route, who, a.status, want[i], a.raw)
			}
		}
		if a := w.call("", method, path, body, media[route]...); a.status != 401 {
			t.Errorf("%s by nobody: %d", route, a.status)
		}
	}
}

// served lists the calls that the server describes.
func served(w *world) (list []string) {
	w.Helper()
	for path, methods := range w.call("", "GET", "/v1/openapi.json", nil).is(200, "").at("paths").(map[string]any) {
		for method := range methods.(map[string]any) {
			list = append(list, strings.ToUpper(method)+" "+path)
		}
	}
	slices.Sort(list)
	return list
}

func TestOpenAPI(t *testing.T) {
	w := newWorld(t)
	a := w.call("", "GET", "/v1/openapi.json", nil).is(200, "")
	if a.text("openapi") != "3.1.0" || len(served(w)) != len(routes) {
		t.Errorf("openapi %s with %d calls, want 3.1.0 with %d", a.text("openapi"), len(served(w)), len(routes))
	}
	ids := map[string]bool{}
	for path, methods := range a.at("paths").(map[string]any) {
		for method, value := range methods.(map[string]any) {
			op := value.(map[string]any)
			id, _ := op["operationId"].(string)
			if description, _ := op["description"].(string); id == "" || ids[id] || description == "" {
				t.Errorf("%s %s: operationId %q, description %q", method, path, id, description)
			}
			ids[id] = true
			checkResponses(t, method+" "+path, op["responses"].(map[string]any))
			if method == "post" && op["requestBody"] == nil {
				t.Errorf("%s %s documents no body", method, path)
			}
		}
	}
	checkSchemas(t, a)
}

// checkResponses wants a documented success and documented problems.
func checkResponses(t *testing.T, call string, responses map[string]any) {
	t.Helper()
	success := false
	for status, value := range responses {
		content, _ := value.(map[string]any)["content"].(map[string]any)
		if strings.HasPrefix(status, "2") {
			success = success || len(content) > 0
			continue
		}
		if problem, _ := content["application/problem+json"].(map[string]any); fmt.Sprint(problem["schema"]) != "map[$ref:#/components/schemas/Problem]" {
			t.Errorf("%s %s is no documented problem: %v", call, status, content)
		}
	}
	for _, status := range []string{"401", "403", "404", "422", "503"} {
		if responses[status] == nil {
			t.Errorf("%s does not document %s", call, status)
		}
	}
	if !success {
		t.Errorf("%s documents no success: %v", call, responses)
	}
}

// checkSchemas wants every reference to lead somewhere, and every member of an
// answer to be required: members are always present.
func checkSchemas(t *testing.T, a answer) {
	t.Helper()
	schemas := a.at("components", "schemas").(map[string]any)
	for _, part := range strings.Split(string(a.raw), `"$ref":"#/components/schemas/`)[1:] {
		if name, _, _ := strings.Cut(part, `"`); schemas[name] == nil {
			t.Errorf("nothing at the reference %s", name)
		}
	}
	for _, name := range []string{"Intent", "Step", "Attempt", "Evidence", "Verdict", "Preview", "Call", "Approval", "AuditItem", "Receipt", "Problem"} {
		schema, _ := schemas[name].(map[string]any)
		if properties, _ := schema["properties"].(map[string]any); len(properties) == 0 || len(properties) != len(schema["required"].([]any)) {
			t.Errorf("%s: %d members, required are %v", name, len(properties), schema["required"])
		}
	}
	if strings.Contains(string(a.raw), "$schema") {
		t.Error("answers would carry $schema links")
	}
}

func TestAnswersFitTheirSchemas(t *testing.T) {
	w := newWorld(t)
	var document struct {
		Components struct {
			Schemas map[string]struct {
				Properties map[string]json.RawMessage `json:"properties"`
			} `json:"schemas"`
		} `json:"components"`
	}
	w.must(json.Unmarshal(w.call("", "GET", "/v1/openapi.json", nil).raw, &document))
	intent, approval := w.waitingForApproval("pay-1")
	orphan := w.missingObject(intent)
	list := w.listCarriedOut()
	item := list.items()[0]
	w.raise(alert.Cause{Key: "a", Kind: alert.Review, Account: "acme", Text: "waits"})
	list.json["elsewhere"] = []any{} // which only a list of two accounts has
	w.sequence()
	for schema, answer := range map[string]any{
		"Intent":    w.call("olga", http.MethodGet, "/v1/intents", nil).items()[0],
		"Approval":  w.call("olga", http.MethodGet, "/v1/approvals/"+approval, nil).json,
		"Orphan":    w.call("olga", http.MethodGet, "/v1/orphans/"+orphan, nil).json,
		"Worker":    w.call("olga", http.MethodGet, "/v1/workers", nil).items()[0],
		"AuditItem": w.call("olga", http.MethodGet, "/v1/audit/0", nil).json,
		"Problem":   w.call("olga", http.MethodGet, "/v1/audit/99", nil).json,
		"Alert":     w.call("audrey", http.MethodGet, "/v1/alerts", nil).items()[0],

		"BulkPreview": list.json, "BulkItem": item, "BulkResult": item["result"], "BulkPlan": item["plan"],
	} {
		var documented []string
		for name := range document.Components.Schemas[schema].Properties {
			documented = append(documented, name)
		}
		slices.Sort(documented)
		if got := members(answer); !slices.Equal(got, documented) {
			t.Errorf("%s: answered %v, documented %v", schema, got, documented)
		}
	}
}

// listCarriedOut is the answer about a list of one intent that is carried out.
func (w *world) listCarriedOut() answer {
	w.Helper()
	p := w.bulk("olga", "reconcile", w.lost("pay-2")).is(201, "")
	w.word("olga", "confirm", p.text("id"), p.text("digest")).is(200, "")
	w.carryOut()
	return w.call("olga", "GET", "/v1/bulk-previews/"+p.text("id"), nil).is(200, "")
}
