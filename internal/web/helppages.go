package web

import (
	"strings"

	"countersign/internal/model"
	"countersign/web/templates"
)

// helpPages say what each page is for. An id is what the pages' own link leads to.
var helpPages = []templates.HelpPage{
	{ID: "queue", Label: "Queue", Text: say(templates.Link("/", "What needs somebody"), ", the oldest uncertainty first. Filters and searches are addresses: send one to a colleague, and each sees their own rows. A filter can be saved as a view, under a name.")},
	{ID: "intent", Label: "An intent", Text: say("Five questions are answered first: what was intended, what is confirmed, what is uncertain, what happens next, who may decide. The record of every attempt and observation follows, and is never changed.")},
	{ID: "bulk", Label: "Several at once", Text: say("Tick rows of the queue over its pages: each is previewed by itself, one code stands for the whole list, and what moved meanwhile is left out and said.")},
	{ID: "approvals", Label: "Approvals", Text: say(templates.Link("/approvals", "What waits for a signature"), ". Compare the plan’s code with whoever asked; a request says who has signed and of whom the rest can come. Whoever asked for something never signs it.")},
	{ID: "uncertain", Label: "Uncertain", Text: say(templates.Link("/uncertain", "All that is not certain"), ", by provider, currency and age: the number of the morning. Each row leads to the effects that it counts.")},
	{ID: "bank-files", Label: "Reconcile", Text: say(templates.Link(reconcilePath, "What banks say"), ". Upload a statement: each line is set beside our steps by its references. Lines that prove an uncertain step are ticked, previewed as marks and confirmed together; what differs, came back or is named twice is for a person. The same file again changes nothing.")},
	{ID: "orphans", Label: "Orphans", Text: say("Objects that a provider has and no intent accounts for. A person settles each, with a reason: it is recorded as somebody’s, or as none of ours.")},
	{ID: "audit", Label: "Audit", Text: say("Every act and refusal, numbered, in a log from which nothing can be taken without notice. An export can be checked without this console, and is an entry itself.")},
	{ID: "providers", Label: "Providers", Text: say(templates.Link("/providers", "What each provider promises"), ", and how its calls of the last day went. How long a key is safe and when “not found” is final follow from the promises.")},
	{ID: "workers", Label: "Workers", Text: say(templates.Link("/workers", "The processes that send"), ". One that is silent may still send: only a person can know that it is over. An administrator declares it dead, once its process has ended.")},
	{ID: "alerts", Label: "Alerts", Text: say("What was told to people, to whom, and what could not be delivered; each cause once.")},
	{ID: "people", Label: "People", Text: say("Who has which role, in which account, and which keys there are.")},
	{ID: "hold", Label: "Restore hold", Text: say("After a database was restored nothing is sent before somebody has ended the older processes and looked at what the copy does not know.")},
	{ID: "settings", Label: "Your settings", Text: say(templates.Link("/me", "Your time zone"), ", the look of the pages, your keys and your sessions. All times on your pages are in your zone, and say their offset.")},
	{ID: "demo", Label: "Guide and fault lab", Text: say("Of a demo: stories to try, each as the person who may, and a form that has the sandbox do something wrong.")},
	{ID: "live", Label: "Live", Text: say("Lists and intents keep themselves up to date. They pause while you type, tick rows or select text, and a list never moves under your hand: it says what is new and shows it when you ask.")},
}

// helpParts are the parts of the help by the beginnings of the addresses that they
// speak of; the first that fits counts.
var helpParts = []struct{ path, part string }{
	{"/views/", "queue"}, {"/intents/", "intent"}, {"/previews/", "five-actions"}, {"/approvals", "approvals"}, {"/selections", "bulk"}, {"/bulk", "bulk"},
	{"/uncertain", "uncertain"}, {"/orphans", "orphans"}, {reconcilePath, "bank-files"}, {"/audit", "audit"}, {"/documents/", "intent"}, {"/uploads/", "intent"}, {"/providers", "providers"},
	{"/workers", "workers"}, {"/admin/alerts", "alerts"}, {"/admin/people", "people"}, {"/admin/hold", "hold"}, {"/me", "settings"}, {"/guide", "demo"},
	{"/lab", "demo"}, {"/stepup", "session"}, {"/kept", "session"},
}

// helpOf is the address of the part of the help that speaks of a page.
func helpOf(path string) string {
	if _, action, is := strings.Cut(path, "/actions/"); is && oneOf(action, model.ActionNames...) {
		return "/help#" + action
	}
	for _, p := range helpParts {
		if strings.HasPrefix(path, p.path) {
			return "/help#" + p.part
		}
	}
	if path == "/" {
		return "/help#queue"
	}
	return "/help"
}
