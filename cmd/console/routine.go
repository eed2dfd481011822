package main

import (
	"time"

	"countersign/internal/model"
	"countersign/internal/workflow"
)

// routine are the samples that go as they should, and the work of a second
// account, which the first must never see.
var routine = []sample{
	{key: "2026-oct-rep-201", kind: model.KindPayout, starts: 3 * time.Minute, params: payout("Amélie Rousseau", "rep-201", 48_020, "EUR")},
	{key: "2026-oct-rep-202", kind: model.KindPayout, starts: 8 * time.Minute, params: payout("佐藤 美咲", "rep-202", 980, "JPY")},
	{key: "2026-oct-rep-203", kind: model.KindPayout, starts: 16 * time.Minute, params: payout("فاطمة العتيبي", "rep-203", 412_500, "KWD")},
	{key: "2026-oct-rep-204", kind: model.KindPayout, starts: 24 * time.Minute, params: payout("김서준", "rep-204", 77_715, "USD")},
	{key: "2026-oct-rep-205", kind: model.KindPayout, starts: 33 * time.Minute, params: payout("Zoë Österreicher", "rep-205", 1_250_000, "USD"),
		deeds: []deed{{9 * time.Minute, ingrid, approve, "", "Matches the signed contract of October."}}},
	{key: "2026-oct-rep-206", kind: model.KindPayout, starts: 41 * time.Minute, poster: tomas, params: payout("प्रिया शर्मा", "rep-206", 64_800, "USD")},
	{key: "2026-oct-rep-207", kind: model.KindPayout, starts: 52 * time.Minute, params: payout("Björn Þórsson", "rep-207", 29_990, "EUR")},
	{key: "2026-oct-rep-208", kind: model.KindPayout, starts: 105 * time.Minute, params: payout("สมชาย ใจดี", "rep-208", 50_150, "USD")},
	{key: "2026-oct-stmt-201", kind: model.KindStatement, starts: 64 * time.Minute, params: statement("Amélie Rousseau", "rep-201", "EUR", "Europe/Paris",
		line{"s-11", "Sale 11", 52_300}, line{"c-3", "Chargeback", -4_280})},
	{key: "2026-oct-stmt-204", kind: model.KindStatement, starts: 75 * time.Minute, params: statement("김서준", "rep-204", "USD", "America/New_York",
		line{"s-21", "Sale 21", 61_000}, line{"s-22", "Sale 22", 18_000}, line{"f-1", "Fee", -1_285})},
	{key: "dispute-dp-41", kind: model.KindDispute, starts: 85 * time.Minute, params: dispute("dp_41", "contest", 42_00, "EUR", params{
		"credit": params{"payee": params{"reference": "rep-207", "destination": "acct_rep_207"}, "amount": 4200},
		"notify": []string{"rep-207@example.com"}})},
	{key: "dispute-dp-42", kind: model.KindDispute, starts: 115 * time.Minute, params: dispute("dp_42", "accept", 18_50, "USD", nil)},
	{key: "dispute-dp-43", kind: model.KindDispute, starts: 125 * time.Minute, params: dispute("dp_43", "contest", 99_00, "USD", params{
		"credit": params{"payee": params{"reference": "rep-208", "destination": "acct_rep_208"}, "amount": 9900}}),
		faults: []sampleFault{{workflow.SubmitResponse, atDisputes, "settle_failed", 1, 0, 0}}},
	{key: "oct-01", kind: model.KindPayout, account: globex, poster: mohammed, starts: 36 * time.Minute, params: payout("ليلى حداد", "agent-1", 55_000, "USD")},
	{key: "oct-02", kind: model.KindPayout, account: globex, poster: mohammed, starts: 130 * time.Minute, params: payout("Rania Khoury", "agent-2", 71_200, "USD"),
		faults: []sampleFault{{workflow.CreatePayout, atPayouts, "reject_curable", 1, 0, 0}}},
}
