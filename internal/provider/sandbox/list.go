package sandbox

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/model"
	"countersign/internal/provider"
)

var _ provider.Lister = (*Adapter)(nil)

// Lists reports whether the sandbox lists the objects of an operation: it does
// so for all that it serves.
func (a *Adapter) Lists(operation string) bool { return collections[operation] != "" }

// List gives one page of what the sandbox made since a moment.
func (a *Adapter) List(ctx context.Context, operation string, since time.Time, cursor string) (provider.Page, error) {
	query := url.Values{}
	if !since.IsZero() {
		query.Set("since", since.UTC().Format(time.RFC3339Nano))
	}
	if cursor != "" {
		query.Set("cursor", cursor)
	}
	reply := a.client.Get(ctx, a.cfg.URL+collections[operation]+"?"+query.Encode(),
		http.Header{"Accept": {"application/json"}, "User-Agent": {"countersign"}})
	page := provider.Page{Skew: reply.Skew()}
	switch {
	case reply.Fault != provider.NoFault:
		return page, model.Errorf(model.Unknown, "outcome-unknown", "the list came to nothing: %s", reply.Fault.Words())
	case reply.Status != http.StatusOK:
		return page, model.Errorf(model.Unknown, "outcome-unknown", "the list was answered with status %d", reply.Status)
	}
	items, next, ok := readPage(reply.Body)
	if !ok {
		return page, model.Errorf(model.Unknown, "outcome-unknown", "the list is not in the sandbox's form")
	}
	page.Next = next
	for _, item := range items {
		listed, ours, err := readListed(operation, item)
		if err != nil {
			return provider.Page{Skew: page.Skew}, err
		}
		if ours {
			page.Items = append(page.Items, listed)
		}
	}
	return page, nil
}

// readPage takes a list apart.
func readPage(body []byte) (items []jsontext.Value, next string, ok bool) {
	var page struct {
		Items *[]jsontext.Value `json:"items"`
		Next  *string           `json:"next_cursor"`
	}
	switch {
	case json.Unmarshal(body, &page) != nil || page.Items == nil:
		return nil, "", false
	case page.Next != nil:
		return *page.Items, *page.Next, *page.Next != ""
	}
	return *page.Items, "", true
}

// readListed reads one object of a list; ours is false for those of the other
// operation that shares the collection. One that cannot be read fails the page:
// what a sweep cannot read it must not pass over.
func readListed(operation string, item []byte) (listed provider.Listed, ours bool, err error) {
	var more struct {
		object
		Created time.Time `json:"created"`
	}
	read, ok := (form{}).ReadObject(operation, item)
	if err := json.Unmarshal(item, &more); err != nil || !ok {
		return listed, false, fmt.Errorf("the list of %s holds something that is not one of the sandbox's objects", operation)
	}
	listed = provider.Listed{Object: read, Created: more.Created}
	if operation == model.MessageSend {
		listed.StepKey, _ = provider.StepKeyOf(read.Reference)
	} else if _, _, _, err := model.SplitStepKey(read.Reference); err == nil {
		listed.StepKey = read.Reference
	}
	return listed, operationOf(more.object) == operation, nil
}
