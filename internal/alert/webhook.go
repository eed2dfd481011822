package alert

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"countersign/internal/model"
)

// Webhook tells a program: one POST for each alert, signed by the Standard
// Webhooks scheme. The id of a message is the alert's, at every try, so that a
// receiver knows a repeat.
type Webhook struct {
	url    string
	signer *standardwebhooks.Webhook
	client *http.Client
	clock  func() time.Time
}

// maxAnswer is how much of a receiver's answer is read: nothing of it matters.
const maxAnswer = 64 << 10

// NewWebhook makes the channel. The error, of kind Invalid, says what is wrong
// with the address or the secret, and holds neither's text. clock is time.Now
// when nil.
func NewWebhook(address, secret string, clock func() time.Time) (*Webhook, error) {
	if err := CheckWebhookURL(address); err != nil {
		return nil, err
	}
	if secret == "" {
		return nil, model.Errorf(model.Invalid, "settings", "an alert webhook needs a secret that signs it: whsec_ and base64")
	}
	signer, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		return nil, model.Errorf(model.Invalid, "settings", "the secret of the alert webhook is not base64, with or without whsec_ before it")
	}
	if clock == nil {
		clock = time.Now
	}
	return &Webhook{url: address, signer: signer, clock: clock, client: &http.Client{
		// A redirect would take the alert to an address that nobody set.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

// CheckWebhookURL reports an address that no alert could be posted to.
func CheckWebhookURL(address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" || u.User != nil {
		return model.Errorf(model.Invalid, "settings", "must be an absolute http or https address without a user in it")
	}
	return nil
}

// Name implements Channel.
func (w *Webhook) Name() string { return "webhook" }

// Most implements Channel.
func (w *Webhook) Most() int { return 16 }

// Rest implements Channel.
func (w *Webhook) Rest() time.Duration { return 0 }

// Group implements Channel: programs are told of each alert by itself.
func (w *Webhook) Group(round []Notice) (groups [][]Notice) {
	for i := range round {
		groups = append(groups, round[i:i+1])
	}
	return groups
}

// Send implements Channel. Only a 2xx counts as told.
func (w *Webhook) Send(ctx context.Context, group []Notice) error {
	n := group[0]
	body, err := json.Marshal(newMessage(n))
	if err != nil {
		return err
	}
	r, err := w.request(ctx, n.ID, body)
	if err != nil {
		return err
	}
	resp, err := w.client.Do(r)
	if err != nil {
		var of *url.Error
		if errors.As(err, &of) {
			err = of.Err // without the address, which may hold a token
		}
		return fmt.Errorf("post: %w", err)
	}
	defer resp.Body.Close()
	// Read so that the connection can be used again; what it says decides nothing.
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, maxAnswer))
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		return fmt.Errorf("the receiver answered %s", http.StatusText(resp.StatusCode)+" ("+strconv.Itoa(resp.StatusCode)+")")
	}
	return nil
}

// request is the signed POST of a message.
func (w *Webhook) request(ctx context.Context, id string, body []byte) (*http.Request, error) {
	now := w.clock()
	signature, err := w.signer.Sign(id, now, body)
	if err != nil {
		return nil, fmt.Errorf("sign: %w", err)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, w.url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", "Countersign-Alerts/1")
	r.Header.Set(standardwebhooks.HeaderWebhookID, id)
	r.Header.Set(standardwebhooks.HeaderWebhookTimestamp, strconv.FormatInt(now.Unix(), 10))
	r.Header.Set(standardwebhooks.HeaderWebhookSignature, signature)
	return r, nil
}

// message is the body of a webhook. All members are always there, null where
// there is nothing.
type message struct {
	Type      string      `json:"type"`
	Timestamp model.Time  `json:"timestamp"`
	Data      messageData `json:"data"`
}

type messageData struct {
	Alert      string     `json:"alert"`
	Account    *string    `json:"account"`
	Intent     *string    `json:"intent"`
	Kind       *string    `json:"kind"`
	Step       *string    `json:"step"`
	Amount     *int64     `json:"amount"`
	Currency   *string    `json:"currency"`
	Reason     string     `json:"reason"`
	Owner      *string    `json:"owner"` // null: the account's operators
	Since      model.Time `json:"since"`
	AgeSeconds int64      `json:"age_seconds"`
	Deadline   model.Time `json:"deadline"`
	EndedAt    model.Time `json:"ended_at"`
	Link       string     `json:"link"`
}

func newMessage(n Notice) message {
	d := messageData{Alert: n.ID, Account: orNull(n.Account), Intent: orNull(n.IntentID), Kind: orNull(n.IntentKind), Step: orNull(n.Step),
		Currency: orNull(n.Currency), Reason: n.Text, Owner: orNull(n.Owner), Since: n.RaisedAt,
		AgeSeconds: int64(n.age() / time.Second), Deadline: n.Deadline, EndedAt: n.EndedAt, Link: n.Link}
	if n.Currency != "" {
		d.Amount = &n.Amount
	}
	return message{Type: Kind(n.Kind).EventType(), Timestamp: n.RaisedAt, Data: d}
}

func orNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
