package e2e

import (
	"net/http"
	"net/url"
	"strings"
)

// because is a reason that forms take.
const because = "Looked at in a browser, and written down for the next reader."

// huge is more than any form may hold.
var huge = strings.Repeat("0123456789", 7_000)

// typed is a form with a reason and what else is given in pairs.
func typed(pairs ...string) url.Values {
	form := url.Values{"reason": {because}}
	for i := 0; i < len(pairs); i += 2 {
		form.Set(pairs[i], pairs[i+1])
	}
	return form
}

// views is what the sweep opens. Rows of the state empty are of the demo
// without sample work.
var views = []view{
	// Signing in and out
	{"GET /signin", withData, "-", "/signin", nil, ok},
	{"GET /signin", withData, "-", "/signin?next=/intents/{unknown}", nil, ok},
	{"GET /signin", expired, "-", "/intents/{unknown}", nil, ok},
	{"POST /signin", refused, "-", "/signin", url.Values{"email": {"nobody@example.com"}, "password": {"wrong"}}, http.StatusUnauthorized},
	{"GET /signin/link", withData, "-", "{link}", nil, ok},
	{"GET /signin/link", refused, "-", "/signin/link?token=unknown", nil, http.StatusUnauthorized},
	{"POST /signin/link", refused, "-", "/signin/link", url.Values{"token": {"unknown"}}, http.StatusUnauthorized},
	{"POST /signout", expired, "-", "/signout", typed(), http.StatusUnauthorized},
	{"GET /stepup", withData, "oa", "/stepup?next=/me", nil, ok},
	{"POST /stepup", refused, "a", "/stepup", url.Values{"password": {"wrong"}}, forbidden},

	{"POST /previews/:id/confirm", expired, "-", "/previews/{fresh}/confirm", typed("digest", "{fresh digest}"), http.StatusUnauthorized},

	// The queue
	{"GET /", withData, "oaudg", "/", nil, ok},
	{"GET /", withData, "o", "/?state=all", nil, ok},
	{"GET /", withData, "o", "/?q=JPY", nil, ok},
	{"GET /", empty, "oaudg", "/", nil, ok},
	{"GET /", empty, "o", "/?state=all", nil, ok},
	{"GET /", empty, "ou", "/?q=nothing-has-this", nil, ok},
	{"GET /", faulty, "o", "/?min=wrong&currency=USD", nil, ok},
	{"GET /", faulty, "o", "/?cursor=tampered", nil, invalid},
	{"GET /", faulty, "ou", "/nothing/here", nil, missing},

	{"GET /views/:id", withData, "oaud", "/views/{view}", nil, ok},
	{"GET /views/:id", faulty, "g", "/views/{view}", nil, missing},
	{"POST /views", faulty, "o", "/views", url.Values{"query": {"kind=payout"}, "name": {""}}, invalid},
	{"POST /views/:id", faulty, "o", "/views/{view}", url.Values{"do": {"change"}, "name": {""}}, invalid},
	{"POST /views/:id", refused, "au", "/views/{view}", url.Values{"do": {"delete"}}, forbidden},

	// One intent
	{"GET /intents/:id", withData, "oaud", "/intents/{unknown}", nil, ok},
	{"GET /intents/:id", withData, "oa", "/intents/{awaiting_approval}", nil, ok},
	{"GET /intents/:id", withData, "o", "/intents/{needs_review}", nil, ok},
	{"GET /intents/:id", withData, "o", "/intents/{spent}", nil, ok},
	{"GET /intents/:id", withData, "ou", "/intents/{completed}", nil, ok},
	{"GET /intents/:id", withData, "o", "/intents/{terminal_failure}", nil, ok},
	{"GET /intents/:id", withData, "o", "/intents/{abandoned}", nil, ok},
	{"GET /intents/:id", withData, "o", "/intents/{statement}", nil, ok},
	{"GET /intents/:id", withData, "o", "/intents/{dispute}", nil, ok},
	{"GET /intents/:id", withData, "g", "/intents/{foreign}", nil, ok},
	{"GET /intents/:id", faulty, "oaud", "/intents/{foreign}", nil, missing},
	{"GET /intents/:id", faulty, "g", "/intents/{unknown}", nil, missing},
	{"POST /intents/:id/owner", refused, "o", "/intents/{unknown}/owner", url.Values{"do": {"nonsense"}}, invalid},
	{"POST /intents/:id/owner", refused, "aud", "/intents/{unknown}/owner", url.Values{"do": {"take"}}, forbidden},

	{"POST /intents/:id/notes", faulty, "o", "/intents/{unknown}/notes", url.Values{"text": {""}}, invalid},
	{"POST /intents/:id/notes", faulty, "g", "/intents/{unknown}/notes", url.Values{"text": {"Whose is this?"}}, missing},

	// Acting on it
	{"GET /intents/:id/actions/:action", withData, "o", "/intents/{unknown}/actions/reconcile?step=create-payout", nil, ok},
	{"GET /intents/:id/actions/:action", withData, "o", "/intents/{needs_review}/actions/mark_external_result?step=create-payout", nil, ok},
	{"GET /intents/:id/actions/:action", withData, "o", "/intents/{completed}/actions/compensate?step=create-payout", nil, ok},
	{"GET /intents/:id/actions/:action", withData, "o", "/intents/{unknown}/actions/abandon", nil, ok},
	{"GET /intents/:id/actions/:action", refused, "o", "/intents/{completed}/actions/retry_unfinished", nil, ok},
	{"GET /intents/:id/actions/:action", refused, "aud", "/intents/{unknown}/actions/reconcile?step=create-payout", nil, forbidden},
	{"GET /intents/:id/actions/:action", faulty, "o", "/intents/{unknown}/actions/nonsense", nil, missing},
	{"POST /intents/:id/actions/:action", refused, "o", "/intents/{completed}/actions/retry_unfinished", typed(), conflict},
	{"POST /intents/:id/actions/:action", faulty, "o", "/intents/{needs_review}/actions/mark_external_result", typed("step", "create-payout", "result", "happened", "amount", "1.234.5"), invalid},
	{"GET /previews/:id", withData, "o", "/previews/{fresh}", nil, ok},
	{"GET /previews/:id", withData, "o", "/previews/{grave}", nil, ok},
	{"GET /previews/:id", stale, "o", "/previews/{stale}", nil, ok},
	{"GET /previews/:id", expired, "o", "/previews/{expired}", nil, ok},
	{"GET /previews/:id", faulty, "aud", "/previews/{fresh}", nil, missing},
	{"POST /previews/:id/confirm", faulty, "o", "/previews/{fresh}/confirm", url.Values{"reason": {"short"}}, invalid},
	{"POST /previews/:id/confirm", stale, "o", "/previews/{stale}/confirm", typed("digest", "{stale digest}"), conflict},
	{"POST /previews/:id/confirm", expired, "o", "/previews/{expired}/confirm", typed("digest", "{expired digest}"), conflict},
	{"GET /previews/:id/result", withData, "o", "/previews/{used}/result", nil, ok},
	{"GET /previews/:id/result", withData, "o", "/previews/{waiting}/result", nil, ok},

	// Many at once
	{"POST /selections", withData, "o", "/selections", url.Values{"here": {"/"}, "intent": {"{unknown}"}}, ok},
	{"POST /selections", refused, "au", "/selections", url.Values{"here": {"/"}}, forbidden},
	{"GET /selections/:id", withData, "o", "/selections/{selection}", nil, ok},
	{"GET /selections/:id", withData, "o", "/selections/{no selection}", nil, ok},
	{"GET /selections/:id", faulty, "oaudg", "/selections/selection-of-nobody", nil, missing},
	{"POST /bulk", faulty, "o", "/bulk", url.Values{"action": {"explode"}, "intent": {"{unknown}"}}, invalid},
	{"GET /bulk/:id", withData, "o", "/bulk/{bulk}", nil, ok},
	{"GET /bulk/:id", faulty, "aud", "/bulk/{bulk}", nil, missing},
	{"POST /bulk/:id/confirm", faulty, "o", "/bulk/{bulk}/confirm", url.Values{"reason": {"short"}}, invalid},
	{"POST /bulk/:id/approve", refused, "o", "/bulk/{bulk}/approve", typed(), forbidden},
	{"POST /bulk/:id/reject", refused, "o", "/bulk/{bulk}/reject", typed(), conflict},
	{"POST /bulk/:id/withdraw", refused, "o", "/bulk/{bulk}/withdraw", typed(), conflict},
	{"POST /bulk/:id/go-on", withData, "o", "/bulk/{bulk}/go-on", typed(), ok},

	// Approvals
	{"GET /approvals", withData, "oaudg", "/approvals", nil, ok},
	{"GET /approvals", withData, "a", "/approvals?state=executed", nil, ok},
	{"GET /approvals", empty, "oaudg", "/approvals", nil, ok},
	{"GET /approvals", empty, "a", "/approvals?state=rejected", nil, ok},
	{"GET /approvals/:id", withData, "oaud", "/approvals/{open}", nil, ok},
	{"GET /approvals/:id", withData, "a", "/approvals/{rejected}", nil, ok},
	{"GET /approvals/:id", withData, "a", "/approvals/{executed}", nil, ok},
	{"GET /approvals/:id", stale, "a", "/approvals/{withdrawn}", nil, ok},
	{"GET /approvals/:id", expired, "ao", "/approvals/{late}", nil, ok},
	{"GET /approvals/:id", faulty, "g", "/approvals/{open}", nil, missing},
	{"POST /approvals/:id/approve", faulty, "a", "/approvals/{open}/approve", url.Values{"reason": {"short"}, "digest": {"{open digest}"}}, invalid},
	{"POST /approvals/:id/approve", refused, "od", "/approvals/{open}/approve", typed("digest", "{open digest}"), forbidden},
	{"POST /approvals/:id/approve", expired, "a", "/approvals/{late}/approve", typed("digest", "{late digest}"), conflict},
	{"POST /approvals/:id/reject", stale, "a", "/approvals/{executed}/reject", typed("digest", "{executed digest}"), conflict},
	{"POST /approvals/:id/withdraw", refused, "a", "/approvals/{open}/withdraw", typed("digest", "{open digest}"), forbidden},

	// The morning's number, and what belongs to nothing
	{"GET /uncertain", withData, "oaudg", "/uncertain", nil, ok},
	{"GET /uncertain", empty, "oaudg", "/uncertain", nil, ok},
	{"GET /orphans", withData, "oaud", "/orphans", nil, ok},
	{"GET /orphans", empty, "oaudg", "/orphans", nil, ok},
	{"GET /orphans/:id", withData, "oaud", "/orphans/{orphan}", nil, ok},
	{"GET /orphans/:id", faulty, "g", "/orphans/{orphan}", nil, missing},
	{"POST /orphans/:id/settle", faulty, "o", "/orphans/{orphan}/settle", url.Values{"reason": {"short"}}, invalid},
	{"POST /orphans/:id/settle", refused, "au", "/orphans/{orphan}/settle", typed(), forbidden},

	// What banks say
	{"GET /reconcile", withData, "oaudg", "/reconcile", nil, ok},
	{"GET /reconcile", empty, "oaudg", "/reconcile", nil, ok},
	{"GET /reconcile", faulty, "o", "/reconcile?cursor=tampered", nil, invalid},
	{"GET /reconcile", faulty, "g", "/reconcile?account=acme", nil, missing},
	{"POST /reconcile", faulty, "o", "/reconcile", url.Values{"account": {"acme"}}, invalid},
	{"POST /reconcile", refused, "aud", "/reconcile", url.Values{"account": {"acme"}}, forbidden},
	{"GET /reconcile/:id", withData, "oaud", "/reconcile/{bank file}", nil, ok},
	{"GET /reconcile/:id", withData, "o", "/reconcile/{bank file}?others=2", nil, ok},
	{"GET /reconcile/:id", withData, "oa", "/reconcile/{csv file}", nil, ok},
	{"GET /reconcile/:id", withData, "o", "/reconcile/{mapped file}", nil, ok},
	{"GET /reconcile/:id", withData, "oa", "/reconcile/{mapped file}?mapping=change", nil, ok},
	{"GET /reconcile/:id", refused, "o", "/reconcile/{bank file}?said=same-file", nil, ok},
	{"GET /reconcile/:id", faulty, "g", "/reconcile/{bank file}", nil, missing},
	{"POST /reconcile/:id/mapping", withData, "o", "/reconcile/{csv file}/mapping", url.Values{"do": {"look"}, "separator": {"comma"}, "encoding": {"windows-1252"}}, ok},
	{"POST /reconcile/:id/mapping", faulty, "o", "/reconcile/{csv file}/mapping", url.Values{"separator": {"semicolon"}, "skip_lines": {"some"}}, invalid},
	{"POST /reconcile/:id/mapping", faulty, "o", "/reconcile/{csv file}/mapping", url.Values{"separator": {"semicolon"}, "dates": {"DD.MM.YYYY"}, "amount": {"Betrag"}}, invalid},
	{"POST /reconcile/:id/mapping", refused, "o", "/reconcile/{bank file}/mapping", url.Values{"separator": {"semicolon"}}, conflict},
	{"POST /reconcile/:id/mapping", refused, "aud", "/reconcile/{csv file}/mapping", url.Values{"separator": {"semicolon"}}, forbidden},
	{"POST /reconcile/:id/preview", refused, "o", "/reconcile/{bank file}/preview", url.Values{"shown": {"1 2"}, "out": {"1,2"}}, ok},
	{"POST /reconcile/:id/preview", refused, "aud", "/reconcile/{bank file}/preview", url.Values{"shown": {"1"}, "line": {"1"}}, forbidden},
	{"POST /reconcile/:id/contradiction", refused, "o", "/reconcile/{bank file}/contradiction", url.Values{"line": {"1"}, "reason-1": {because}}, conflict},
	{"POST /reconcile/:id/contradiction", refused, "aud", "/reconcile/{bank file}/contradiction", url.Values{"line": {"1"}, "reason-1": {because}}, forbidden},
	{"POST /reconcile/:id/contradiction", faulty, "o", "/reconcile/{bank file}/contradiction", url.Values{"line": {"1"}, "reason-1": {"short"}}, invalid},
	{"GET /bulk/:id", withData, "o", "/bulk/{marks}", nil, ok},
	{"GET /bulk/:id", withData, "oa", "/bulk/{asked marks}", nil, ok},

	// The log
	{"GET /audit", withData, "oaudg", "/audit", nil, ok},
	{"GET /audit", withData, "u", "/audit?event=intent.accepted", nil, ok},
	{"GET /audit", empty, "u", "/audit?event=nothing.has.this", nil, ok},
	{"GET /audit", empty, "oaudg", "/audit", nil, ok},
	{"GET /audit/:index", withData, "oaud", "/audit/{act entry}", nil, ok},
	{"GET /audit/:index", withData, "u", "/audit/{intent entry}", nil, ok},
	{"GET /audit/:index", faulty, "u", "/audit/999999999", nil, missing},
	{"GET /audit/export", withData, "ud", "/audit/export", nil, ok},
	{"GET /audit/export", empty, "ud", "/audit/export", nil, ok},
	{"GET /audit/export", refused, "oag", "/audit/export", nil, forbidden},

	// Machines and people
	{"GET /providers", withData, "oaudg", "/providers", nil, ok},
	{"GET /providers", empty, "od", "/providers", nil, ok},
	{"GET /workers", withData, "oaudg", "/workers", nil, ok},
	{"GET /workers", empty, "od", "/workers", nil, ok},
	{"GET /workers/:id/declare-dead", withData, "d", "/workers/{worker}/declare-dead", nil, ok},
	{"GET /workers/:id/declare-dead", refused, "oau", "/workers/{worker}/declare-dead", nil, forbidden},
	{"POST /workers/:id/declare-dead", faulty, "d", "/workers/{worker}/declare-dead", url.Values{"reason": {"short"}}, invalid},
	{"GET /admin/alerts", withData, "ud", "/admin/alerts", nil, ok},
	{"GET /admin/alerts", empty, "ud", "/admin/alerts", nil, ok},
	{"GET /admin/alerts", refused, "oag", "/admin/alerts", nil, forbidden},
	{"GET /admin/people", withData, "d", "/admin/people", nil, ok},
	{"GET /admin/people", refused, "oaug", "/admin/people", nil, forbidden},
	{"GET /admin/hold", empty, "oaudg", "/admin/hold", nil, ok},
	{"POST /admin/hold/ended", refused, "d", "/admin/hold/ended", typed(), conflict},
	{"POST /admin/hold/ended", refused, "o", "/admin/hold/ended", typed(), forbidden},
	{"POST /admin/hold/lift", refused, "d", "/admin/hold/lift", typed(), conflict},

	// One's own, and help
	{"GET /help", withData, "oaudg", "/help", nil, ok},
	{"POST /kept", expired, "-", "/kept", url.Values{"next": {"/me"}, "person": {"somebody"}, "kept.reason": {"What the bank’s letter says"}}, http.StatusUnauthorized},
	{"GET /me", withData, "oaudg", "/me", nil, ok},
	{"POST /me/settings", faulty, "o", "/me/settings", url.Values{"zone": {"Mars/Olympus"}}, invalid},
	{"POST /me/settings", refused, "o", "/me/settings", url.Values{"csrf": {"another"}, "zone": {"Europe/Berlin"}}, forbidden},
	{"POST /me/settings", faulty, "o", "/me/settings", url.Values{"zone": {huge}}, http.StatusRequestEntityTooLarge},
	{"POST /me/keys", withData, "u", "/me/keys", url.Values{"name": {"laptop"}, "do": {"create"}}, ok},
	{"POST /me/sessions/revoke", refused, "o", "/me/sessions/revoke", url.Values{"session": {"00"}}, missing},
	{"GET /guide", withData, "oaudg", "/guide", nil, ok},
	{"GET /guide", empty, "oaudg", "/guide", nil, ok},
	{"GET /lab", withData, "oaudg", "/lab", nil, ok},
	{"GET /lab", empty, "oa", "/lab", nil, ok},
	{"POST /lab", faulty, "o", "/lab", url.Values{"fault": {"nonsense"}, "effect": {"payout"}, "times": {"many"}, "amount": {"1.2.3"}}, invalid},
	{"POST /lab", refused, "au", "/lab", url.Values{"fault": {"429"}, "effect": {"payout"}}, forbidden},
	{"POST /lab/disarm", refused, "a", "/lab/disarm", url.Values{"id": {"7"}}, forbidden},
}
