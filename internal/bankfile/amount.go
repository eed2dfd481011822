package bankfile

import (
	"errors"
	"strings"

	"countersign/internal/model"
)

// amountOf reads a decimal with a dot exactly, with or without a sign. Banks may
// leave out the digits on one side of the dot ("0.", ".5") and write zeros beyond
// the decimals of the currency; anything else that model.ParseDecimal refuses is
// refused. What reason says of the error ends a sentence that begins with the
// amount as it is written.
func amountOf(text, currency string) (model.Money, error) {
	sign, unsigned := "", strings.TrimPrefix(text, "+")
	if rest, negative := strings.CutPrefix(text, "-"); negative {
		sign, unsigned = "-", rest
	}
	whole, fraction, _ := strings.Cut(unsigned, ".")
	digits, _ := model.Exponent(currency)
	for len(fraction) > digits && strings.HasSuffix(fraction, "0") {
		fraction = fraction[:len(fraction)-1]
	}
	switch {
	case strings.HasPrefix(whole, "-"):
		return model.ParseDecimal(text, currency)
	case whole == "" && unsigned != "." && unsigned != "":
		whole = "0"
	}
	if fraction != "" {
		whole += "." + fraction
	}
	return model.ParseDecimal(sign+whole, currency)
}

// reason is what the model says is wrong about an amount or its currency: the end
// of a sentence that begins with the amount as the file writes it.
func reason(err error) string {
	var fault *model.Error
	if !errors.As(err, &fault) || len(fault.Fields) == 0 {
		return "cannot be read: " + err.Error()
	}
	if fault.Fields[0].Location == "/currency" {
		return "cannot be read: its currency " + fault.Fields[0].Message
	}
	return fault.Fields[0].Message
}
