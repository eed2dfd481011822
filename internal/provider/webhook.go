package provider

import (
	"net/http"
	"strconv"
	"time"

	"countersign/internal/model"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// webhookWindow is how far a notice's time may be from ours, either way.
const webhookWindow = 5 * time.Minute

// VerifyWebhook checks a notice by the Standard Webhooks scheme and gives its id
// and the time it was signed. The secret may begin with "whsec_". The error is
// of kind Unauthenticated and does not say what was wrong, except for the time.
func VerifyWebhook(secret string, header http.Header, raw []byte, now time.Time) (id string, signed time.Time, err error) {
	refused := model.Errorf(model.Unauthenticated, "unauthenticated", "the webhook is not signed by the provider")
	verifier, err := standardwebhooks.NewWebhook(secret)
	if err != nil || secret == "" {
		return "", time.Time{}, refused // an empty key is one that everybody has
	}
	// The library's own check of the time reads the system clock.
	if err := verifier.VerifyIgnoringTimestamp(raw, header); err != nil {
		return "", time.Time{}, refused
	}
	seconds, err := strconv.ParseInt(header.Get(standardwebhooks.HeaderWebhookTimestamp), 10, 64)
	if err != nil {
		return "", time.Time{}, refused
	}
	signed = time.Unix(seconds, 0).UTC()
	if signed.Before(now.Add(-webhookWindow)) || signed.After(now.Add(webhookWindow)) {
		return "", time.Time{}, model.Errorf(model.Unauthenticated, "unauthenticated",
			"the webhook was signed more than five minutes from now")
	}
	return header.Get(standardwebhooks.HeaderWebhookID), signed, nil
}

// CheckWebhookSecret reports a secret that VerifyWebhook could never use.
func CheckWebhookSecret(secret string) error {
	if _, err := standardwebhooks.NewWebhook(secret); err != nil || secret == "" {
		return model.Errorf(model.Invalid, "invalid-params", "the webhook secret is not base64, with or without whsec_ before it")
	}
	return nil
}
