package model

// The operations of steps. Which of those with effects outside a provider serves,
// and how, is in its contracts.
const (
	PayoutCreate   = "payout.create"
	PayoutReverse  = "payout.reverse"
	CreditCreate   = "credit.create"
	CreditReverse  = "credit.reverse"
	DisputeRespond = "dispute.respond"
	MessageSend    = "message.send"

	LedgerPost    = "ledger.post"
	LedgerReverse = "ledger.reverse"
	DocumentIssue = "document.issue"
	DocumentVoid  = "document.void"
	DisputeRecord = "dispute.record"
)

// undoes tells which operation an undo takes back. A kind has at most one step
// of each.
var undoes = map[string]string{PayoutReverse: PayoutCreate, CreditReverse: CreditCreate, LedgerReverse: LedgerPost,
	DocumentVoid: DocumentIssue, MessageSend: MessageSend}

// TakesBack gives the operation that a confirmed undo takes back, "" for none.
func TakesBack(undo string) string { return undoes[undo] }

// MovesMoney reports whether the step's own effect is a movement of money.
func (s *Step) MovesMoney() bool {
	switch s.Operation {
	case PayoutCreate, PayoutReverse, CreditCreate, CreditReverse:
		return true
	}
	return false
}

// TakesMoneyBack reports whether the step's own effect is to bring money back that
// another one moved.
func (s *Step) TakesMoneyBack() bool { return s.MovesMoney() && TakesBack(s.Operation) != "" }

// HasUndo reports whether the step can be undone at all.
func (s *Step) HasUndo() bool {
	switch s.Operation {
	case LedgerPost, DocumentIssue:
		return true
	}
	return s.Class == Message || s.Contract.Undo != ""
}
