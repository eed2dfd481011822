package provider

import (
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"countersign/internal/model"
)

// webhookVectors is testdata/webhooks-standard.json, which names its source.
type webhookVectors struct {
	Symmetric struct {
		Secret    string `json:"secret"`
		ID        string `json:"webhook-id"`
		Timestamp string `json:"webhook-timestamp"`
		Body      string `json:"body"`
		Signature string `json:"webhook-signature"`
	} `json:"symmetric"`
	Cases []map[string]string `json:"cases"`
}

func readVectors(t *testing.T) webhookVectors {
	t.Helper()
	raw, err := os.ReadFile("testdata/webhooks-standard.json")
	if err != nil {
		t.Fatal(err)
	}
	var v webhookVectors
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func (v webhookVectors) header() http.Header {
	h := http.Header{}
	h.Set("webhook-id", v.Symmetric.ID)
	h.Set("webhook-timestamp", v.Symmetric.Timestamp)
	h.Set("webhook-signature", v.Symmetric.Signature)
	return h
}

var vectorTime = time.Unix(1614265330, 0)

func TestVerifyWebhookVectors(t *testing.T) {
	v := readVectors(t)
	if len(v.Cases) < 13 {
		t.Fatalf("%d cases", len(v.Cases))
	}
	for _, c := range v.Cases {
		header, now := v.header(), vectorTime
		for name, value := range c {
			if strings.HasPrefix(name, "webhook-") {
				header.Set(name, value)
			}
		}
		if missing, ok := strings.CutSuffix(c["name"], " missing"); ok {
			header.Del(missing)
		}
		switch c["name"] {
		case "clock more than 5 minutes after the timestamp":
			now = now.Add(5*time.Minute + time.Second)
		case "clock more than 5 minutes before the timestamp":
			now = now.Add(-5*time.Minute - time.Second)
		}
		id, signed, err := VerifyWebhook(v.Symmetric.Secret, header, []byte(v.Symmetric.Body), now)
		if c["result"] == "accept" {
			if err != nil || id != v.Symmetric.ID || !signed.Equal(vectorTime) {
				t.Errorf("%s: %q %s %v", c["name"], id, signed, err)
			}
			continue
		}
		if !errors.Is(err, model.Unauthenticated) || id != "" {
			t.Errorf("%s: %q %v", c["name"], id, err)
		}
	}
}

func TestVerifyWebhookWindowAndSecret(t *testing.T) {
	v := readVectors(t)
	verify := func(secret, body string, offset time.Duration) error {
		_, _, err := VerifyWebhook(secret, v.header(), []byte(body), vectorTime.Add(offset))
		return err
	}
	bare := strings.TrimPrefix(v.Symmetric.Secret, "whsec_")
	for _, offset := range []time.Duration{-5 * time.Minute, 0, 5 * time.Minute} {
		if err := verify(bare, v.Symmetric.Body, offset); err != nil {
			t.Errorf("%s from the signature: %v", offset, err)
		}
	}
	for name, err := range map[string]error{
		"another body":   verify(bare, v.Symmetric.Body+" ", 0),
		"another secret": verify("whsec_AAAA", v.Symmetric.Body, 0),
		"no secret":      verify("", v.Symmetric.Body, 0),
		"not base64":     verify("whsec_!", v.Symmetric.Body, 0),
	} {
		if !errors.Is(err, model.Unauthenticated) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if CheckWebhookSecret(bare) != nil || CheckWebhookSecret("") == nil || CheckWebhookSecret("whsec_!") == nil {
		t.Error("CheckWebhookSecret disagrees with what can be verified")
	}
}

func TestMessageID(t *testing.T) {
	for _, key := range []string{"intent-0abc:send-statement", "intent-0abc:send-remittance#2"} {
		id := MessageID(key)
		if strings.ContainsAny(id, ": ") || !strings.HasPrefix(id, "<") || !strings.HasSuffix(id, "@countersign.invalid>") {
			t.Errorf("not a Message-ID: %s", id)
		}
		if back, ok := StepKeyOf(id); !ok || back != key {
			t.Errorf("%s came back as %q", id, back)
		}
	}
	for _, id := range []string{"", "intent-0abc:send", "<a@b.example>", "a.b@countersign.invalid>"} {
		if key, ok := StepKeyOf(id); ok {
			t.Errorf("%q became the step key %q", id, key)
		}
	}
}
