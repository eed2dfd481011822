package web

import (
	"net/http"

	"countersign/internal/model"
	"countersign/web/templates"
)

// help explains what pages mean, for whoever is new or in a hurry.
func (v *visit) help() error {
	view := templates.HelpView{Page: v.titled("Help"), Groups: helpGroups, Terms: helpTerms, Actions: helpActions, Keys: helpKeys, Pages: helpPages}
	for _, text := range helpUnknown {
		view.Unknown = append(view.Unknown, say(text))
	}
	view.Phone = []templates.Text{
		say(templates.Bold("Find the payout. "), "Paste whatever they have into the search: a name (its words in any order), a reference, a key, the Message-ID of a mail, the address of a page."),
		say(templates.Bold("Read question 3, “What is uncertain”. "), "It says what was sent, when, what came back, and when it can be certain at the latest."),
		say(templates.Bold("Say what is known, and no more: "), "“We sent it; the bank has not said whether it took it; we ask again at …”. Never “it failed” while the triangle is there."),
		say(templates.Bold("Do not make a new payout. "), "If the first one did happen, a new one pays twice: it has another key, and no bank would notice."),
		say(templates.Bold("Ask the bank’s people if it cannot wait. "), "With their answer in writing, record it by ", templates.Link("#mark_external_result", "mark external result"), "."),
		say(templates.Bold("Leave a note and take it over, "), "so that the next one who looks knows what was said."),
	}
	view.KeysNote = say("No key starts an action. Keys can be switched off in ", templates.Link("/me", "your settings"), ".")
	if !v.person.Keyboard {
		view.KeysNote = say("You have switched them off; they can be switched on in ", templates.Link("/me", "your settings"), ".")
	}
	view.Account = []templates.Text{
		say("A session ends after an hour without a request, and after twelve hours in any case. A page that keeps itself up to date does not count as a request."),
		say("What was typed into a form when the session ended is not lost: the page that says so carries it through the sign-in and back into the same form, for the same person only. Passwords, codes and files are given anew."),
		say("What moves money or closes a question about money needs a sign-in of the last minutes: the console asks for your password once more."),
	}
	return v.show(http.StatusOK, templates.Help(view))
}

var helpUnknown = []string{
	"A connection can break after the bank took a payout and before it said so. Nobody on this side of the line can then tell whether the money moved. That is “unknown”: neither done nor failed.",
	"Sending again may pay twice; not sending may not pay at all. So nothing is guessed. The provider is asked by its own look-up, and where a key protects the payment, the same request may be sent again under the same key while the provider surely still knows it.",
	"“Not found” becomes final only after the time in which a late request could still arrive. Until then an unknown amount counts as exposure, in every sum of this console.",
	"When the provider cannot say, people decide, by a document. Two of them, where it opens the way to sending money again.",
}

var helpGroups = []templates.HelpGroup{
	{Title: "Steps", States: []templates.HelpState{
		{State: "pending", Text: "Not begun. Nothing was sent."},
		{State: "in_progress", Text: "Being done now, or about to be."},
		{State: "settling", Text: "The provider has taken it and will say later how it ended."},
		{State: "confirmed", Text: "It happened, and there is evidence that says so."},
		{State: "failed_safely", Text: "It certainly did not happen."},
		{State: "outcome_unknown", Text: "It was sent, and nobody knows whether it happened."},
		{State: "not_needed", Text: "A decision made it moot. It was never sent."},
	}},
	{Title: "Intents", States: []templates.HelpState{
		{State: "received", Text: "Accepted and stored. Its key is taken for ever."},
		{State: "processing", Text: "The engine works on it, or waits for a provider."},
		{State: "awaiting_approval", Text: "Somebody must sign before it goes on."},
		{State: "needs_review", Text: "The engine has stopped; a person decides."},
		{State: "retryable_failure", Text: "It failed safely, and the next try has its time."},
		{State: "completed", Text: "All of it is done and certain."},
		{State: "terminal_failure", Text: "It failed safely, and trying again cannot help."},
		{State: "undo_asked", Text: "An undo of what happened is asked for; nothing is undone before a second person signs."},
		{State: "compensating", Text: "What happened is being undone."},
		{State: "compensated", Text: "What happened was undone, with evidence."},
		{State: "abandoned", Text: "Given up by people. What happened before stays as it is."},
	}},
}

var helpTerms = []templates.HelpTerm{
	{Word: "Executed", Text: "Of a request or an act: it was signed, and what it ordered was set going. It says nothing about money: whether that moved is the state of the step."},
	{Word: "Generation", Text: "The number of the key under which a step is sent. Every try of a generation has the same key and the same bytes, so that the provider does it once at most. A retry opens the next one only where the provider refused the old key for good, or its object failed, and nothing sent under the old one can still arrive."},
	{Word: "Step key, wire key", Text: "The name under which a step is known here, and the same name in the form that its provider takes."},
	{Word: "Exposure", Text: "What is confirmed, less what came back, and what is uncertain or on its way. Every limit and every sum counts it so."},
}

var helpActions = []templates.HelpAction{
	{ID: model.RetryUnfinished, Label: title(model.RetryUnfinished), Does: "Tries the first unfinished step exactly once more, with the same bytes under the same key.",
		Allowed: "It failed safely; or it is unknown, the provider acts at most once per key, and its memory of the key surely lasts still.",
		Refused: "It is unknown and has no key, the window of the key is over, it was refused for good, it waits for a signature, or the log contradicts itself."},
	{ID: model.Reconcile, Label: title(model.Reconcile), Does: "Asks the provider what it knows, and writes down the answer. Sends nothing that could move money.",
		Allowed: "A step is unknown, settling or confirmed, and the provider can be asked.",
		Refused: "There is nothing to ask about, or the provider has no look-up for it: then a document has to say it."},
	{ID: model.MarkExternalResult, Label: title(model.MarkExternalResult), Does: "Records what a document outside proves: it happened, or it did not. Sends nothing.",
		Allowed: "A step is unknown, has been settling for too long, or is contradicted. “Did not happen” only once every request that was ever sent must have ended.",
		Refused: "Without a document, for a reference that belongs to another step, or “did not happen” while a request may still be on its way."},
	{ID: model.Compensate, Label: title(model.Compensate), Does: "Undoes a confirmed step and those after it, the last one first, by an intent of its own.",
		Allowed: "The step is confirmed and the provider has an undo for it. It always takes two people.",
		Refused: "What is not known cannot be undone; nor can what was undone before, or whose time for that is over."},
	{ID: model.Abandon, Label: title(model.Abandon), Does: "Nothing more is sent under this intent, ever. What happened stays; what is uncertain stays open.",
		Allowed: "No request is on its way. Each effect that happened or may have is acknowledged one by one.",
		Refused: "It is completed, abandoned or failed for good already."},
}

var helpKeys = []templates.HelpKey{
	{Keys: []string{"/"}, Does: "to the search"},
	{Keys: []string{"j", "k"}, Does: "to the next row of a list, to the one before"},
	{Keys: []string{"Enter"}, Does: "opens the row’s intent"},
	{Keys: []string{"a"}, Does: "on an intent: to what may be done about it"},
	{Keys: []string{"?"}, Does: "shows the keys"},
	{Keys: []string{"g", "q"}, Does: "goes to the queue; g a to approvals, g u to what is uncertain, g l to the log, g m to your settings, g h to this page"},
}
