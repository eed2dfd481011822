package bankfile

import (
	"fmt"

	"countersign/internal/model"
)

// Check says in a full sentence what does not add up: by how much the opening
// balance with the booked lines differs from the closing balance, or that they
// cannot be added. It is "" where they fit, and where a balance is missing.
func (s Statement) Check() string {
	if s.Opening == nil || s.Closing == nil {
		return ""
	}
	currency := s.Opening.Currency
	if s.Closing.Currency != currency {
		return fmt.Sprintf("It cannot be added up: the opening balance is in %s and the closing balance in %s.",
			currency, s.Closing.Currency)
	}
	sum := s.Opening.Amount
	for _, line := range s.Lines {
		if !line.Booked {
			continue
		}
		if line.Currency != currency {
			return fmt.Sprintf("It cannot be added up: the balances are in %s and line %d is in %s.",
				currency, line.Number, line.Currency)
		}
		var ok bool
		if sum, ok = add(sum, line.Amount); !ok {
			return "It cannot be added up: the sum is too large."
		}
	}
	return unlike(model.Money{Amount: sum, Currency: currency}, s.Closing.Money)
}

// unlike says by how much the closing balance is off, or nothing.
func unlike(sum, closing model.Money) string {
	off := model.Money{Amount: closing.Amount - sum.Amount, Currency: sum.Currency}
	if off.Amount == 0 {
		return ""
	}
	sign := ""
	if off.Amount > 0 {
		sign = "+"
	}
	return fmt.Sprintf("It does not add up: the opening balance and the booked lines give %s, the closing balance is %s, off by %s%s.",
		sum, closing, sign, off)
}

// add adds two amounts of minor units. It is not ok where the sum is out of the
// range of amounts; within it nothing overflows.
func add(a, b int64) (sum int64, ok bool) {
	sum = a + b
	return sum, -model.MaxAmount <= sum && sum <= model.MaxAmount
}
