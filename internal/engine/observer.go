package engine

import (
	"time"

	"countersign/internal/model"
)

// Observer is told what the engine does, for counters. Its methods may be called
// at the same time, and within transactions: they must be quick. What a
// transaction that is run again tells, it tells again.
type Observer interface {
	// Called: one attempt of an effect came back.
	Called(provider, operation string, result model.Result, took time.Duration)
	// Looked: one look-up came back.
	Looked(provider, operation string, finding model.Finding, took time.Duration)
	// Leased: an intent was taken.
	Leased()
	// WorkerLost: an attempt was closed whose worker never came back.
	WorkerLost()
	// LateResult: a worker brought a result after its lease was taken over.
	LateResult()
	// HeldBack: a send was refused by a rule at the last moment.
	HeldBack(rule string)
}

// nobody is the observer where none is set.
type nobody struct{}

func (nobody) Called(string, string, model.Result, time.Duration)  {}
func (nobody) Looked(string, string, model.Finding, time.Duration) {}
func (nobody) Leased()                                             {}
func (nobody) WorkerLost()                                         {}
func (nobody) LateResult()                                         {}
func (nobody) HeldBack(string)                                     {}
