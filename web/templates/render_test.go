package templates_test

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"testing"

	. "countersign/web/templates"

	"github.com/a-h/templ"
)

// keep writes the pages to a folder, to be looked at in a browser.
var keep = flag.String("pages", "", "write the rendered sample pages to this folder")

var pages = map[string]templ.Component{
	"queue":            Queue(queue()),
	"queue-view":       Queue(openedView()),
	"queue-empty":      Queue(emptyQueue()),
	"queue-faulty":     Queue(faultyQueue()),
	"intent-unknown":   Intent(unknownIntent()),
	"intent-calm":      Intent(calmIntent()),
	"action-mark":      Action(markForm()),
	"action-errors":    Action(markErrors()),
	"action-abandon":   Action(abandonForm()),
	"action-plain":     Action(plainForm()),
	"action-refused":   Action(refusedForm()),
	"preview":          Preview(preview()),
	"preview-errors":   Preview(previewErrors()),
	"preview-closed":   Preview(previewClosed()),
	"stale":            Stale(stale()),
	"stale-refused":    Stale(staleRefused()),
	"result":           Result(result()),
	"approvals":        Approvals(approvals()),
	"approval":         Approval(approval()),
	"approval-own":     Approval(ownApproval()),
	"selection":        Selection(selection()),
	"selection-empty":  Selection(SelectionView{Page: page("What is selected", "/selections/selection-1"), ID: "selection-1", List: "/", Gone: 2}),
	"bulk":             Bulk(bulk()),
	"bulk-asked":       Bulk(bulkAsked()),
	"bulk-running":     Bulk(bulkRunning()),
	"audit":            Audit(audit()),
	"audit-empty":      Audit(auditEmpty()),
	"audit-entry":      AuditEntry(auditEntry()),
	"audit-waiting":    AuditEntry(auditWaiting()),
	"audit-export":     AuditExport(auditExport()),
	"me":               Me(me()),
	"error-refused":    Error(refusal()),
	"error-unknown":    Error(unknownCommit()),
	"uncertain":        Uncertain(uncertainPage()),
	"workers":          Workers(workers()),
	"workers-none":     Workers(WorkersView{Page: page("Workers", "/workers")}),
	"declare":          Declare(declare()),
	"declare-refused":  Declare(declareRefused()),
	"providers":        Providers(providers()),
	"guide":            Guide(guide()),
	"guide empty":      Guide(guideEmpty()),
	"lab":              Lab(faultLab()),
	"lab refused":      Lab(faultLabRefused()),
	"people":           People(people()),
	"hold":             Hold(held()),
	"hold-fault":       Hold(heldFault()),
	"hold-never":       Hold(neverHeld()),
	"alerts":           Alerts(alerts()),
	"alerts-empty":     Alerts(noAlerts()),
	"orphans":          Orphans(orphans()),
	"orphans-empty":    Orphans(noOrphans()),
	"orphan":           Orphan(orphan()),
	"orphan-settled":   Orphan(settledOrphan()),
	"reconcile":        Reconcile(reconcilePage()),
	"reconcile-empty":  Reconcile(reconcileEmpty()),
	"bank-file":        BankFile(bankFile()),
	"bank-file-read":   BankFile(bankFileRead()),
	"bank-file-csv":    BankFile(bankFileWaiting()),
	"bank-file-fixed":  BankFile(bankFileFixed()),
	"step-up":          StepUp(stepUp()),
	"step-up-link":     StepUp(StepUpView{Page: page("Confirm that it is you", "/"), Next: "/", NoPassword: true}),
	"signin":           SignIn(signIn()),
	"signin-link":      SignInLink(signInLink()),
	"signin-link-used": SignInLink(signInLinkUsed()),
}

func render(t *testing.T, c templ.Component) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := c.Render(context.Background(), &b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestPages(t *testing.T) {
	for name, component := range pages {
		t.Run(name, func(t *testing.T) {
			html := render(t, component)
			checkPage(t, html)
			if *keep == "" {
				return
			}
			if err := os.WriteFile(filepath.Join(*keep, name+".html"), html, 0o644); err != nil {
				t.Fatal(err)
			}
		})
	}
}
