package bankfile

import "fmt"

// outOfTime says why a line cannot be the payment of its step by the day on which it
// was booked; "" where it can.
func outOfTime(m *Match) string {
	const look = " Ask the bank about the line; it proves nothing."
	switch day := m.BookedOn; {
	case day == "":
		return "It says no day on which it was booked, and what is recorded of a payment needs one: mark the step on the page of its intent."
	case m.Step.LastDay != "" && day > m.Step.LastDay:
		return fmt.Sprintf("It is booked on %s, which lies in the future.%s", day, look)
	case day < m.Step.FirstDay:
		return fmt.Sprintf("It is booked on %s, before the step was first sent, so it cannot be its payment.%s", day, look)
	}
	return ""
}
