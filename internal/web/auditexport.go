package web

import (
	"net/http"
	"strings"
	"time"

	"countersign/internal/audit"
	"countersign/internal/authz"
	"countersign/internal/model"
	"countersign/internal/store"
	"countersign/internal/web/paced"
	"countersign/internal/zone"
	"countersign/web/templates"
)

// zones are suggested; any IANA name is taken.
var zones = strings.Fields(`UTC
	Africa/Accra Africa/Algiers Africa/Cairo Africa/Casablanca Africa/Johannesburg Africa/Lagos Africa/Nairobi Africa/Tunis
	America/Anchorage America/Argentina/Buenos_Aires America/Bogota America/Caracas America/Chicago America/Denver America/Halifax
	America/Havana America/Lima America/Los_Angeles America/Mexico_City America/Montevideo America/New_York America/Panama
	America/Phoenix America/Santiago America/Sao_Paulo America/St_Johns America/Toronto America/Vancouver
	Asia/Almaty Asia/Baghdad Asia/Bangkok Asia/Colombo Asia/Dhaka Asia/Dubai Asia/Ho_Chi_Minh Asia/Hong_Kong Asia/Jakarta
	Asia/Jerusalem Asia/Kabul Asia/Karachi Asia/Kathmandu Asia/Kolkata Asia/Kuala_Lumpur Asia/Kuwait Asia/Manila Asia/Qatar
	Asia/Riyadh Asia/Seoul Asia/Shanghai Asia/Singapore Asia/Taipei Asia/Tashkent Asia/Tbilisi Asia/Tehran Asia/Tokyo Asia/Yangon
	Atlantic/Azores Atlantic/Reykjavik Australia/Adelaide Australia/Brisbane Australia/Darwin Australia/Melbourne Australia/Perth
	Australia/Sydney Europe/Amsterdam Europe/Athens Europe/Belgrade Europe/Berlin Europe/Brussels Europe/Bucharest Europe/Budapest
	Europe/Copenhagen Europe/Dublin Europe/Helsinki Europe/Istanbul Europe/Kyiv Europe/Lisbon Europe/London Europe/Luxembourg
	Europe/Madrid Europe/Oslo Europe/Paris Europe/Prague Europe/Riga Europe/Rome Europe/Sofia Europe/Stockholm Europe/Tallinn
	Europe/Vienna Europe/Vilnius Europe/Warsaw Europe/Zurich Pacific/Apia Pacific/Auckland Pacific/Chatham Pacific/Fiji
	Pacific/Honolulu`)

// auditExport asks what is to be exported.
func (v *visit) auditExport() error {
	accounts := v.permitted(authz.ExportAudit)
	if len(accounts) == 0 {
		return v.denied(authz.ExportAudit)
	}
	return v.show(http.StatusOK, templates.AuditExport(v.exportView(accounts, v.c.QueryParam("from"), v.c.QueryParam("to"), v.page.Clock.ZoneName(), nil)))
}

func (v *visit) exportView(accounts []string, from, to, zone string, faults templates.FieldErrors) templates.AuditExportView {
	return templates.AuditExportView{Page: v.titled("Export the audit log"), Action: "/audit/export/file", From: from, To: to, Zone: zone, Zones: zones, Errors: faults,
		Formats: []templates.Choice{{Value: string(audit.JSONL), Label: "JSON Lines"}, {Value: string(audit.CSV), Label: "CSV"}},
		Scope:   say("All numbered entries of ", templates.Bold(strings.Join(accounts, ", ")), " of both days and between. The export is itself an entry."),
		Verify:  say("The last line of a JSON Lines export holds the log’s size and root, so that a cut end is seen. Whoever has the file can check it without this server:"),
		Command: "console audit verify FILE",
		Bounds: []templates.Text{say("Keep the file’s last line, or a checkpoint file, somewhere else: with it a later export is compared."),
			say("What this export cannot show is that none of the accounts’ entries was left out: the log numbers all accounts’ entries in one row, and the others’ are not in your file. An export of the whole log can, since its root is recomputed from every entry. Whoever runs this installation makes one with ",
				templates.Code("console audit export"), ", which is an entry in every account’s log; verify compares your file with it.")}}
}

// auditFile streams an export, after its entry is written; that somebody was denied
// one has an entry too.
func (v *visit) auditFile() error {
	accounts := v.permitted(authz.ExportAudit)
	if len(accounts) == 0 {
		return v.Runner.NoteExportDenial(v.r.Context(), v.actor, v.actor.Accounts(), v.denied(authz.ExportAudit))
	}
	from, to, zoneName, format := v.c.QueryParam("from"), v.c.QueryParam("to"), v.c.QueryParam("zone"), audit.Format(v.c.QueryParam("format"))
	var faults templates.FieldErrors
	where, known := zone.Find(zoneName)
	if !known {
		where, faults = time.UTC, templates.FieldErrors{{Field: "zone", Message: "This zone " + zone.Unknown(zoneName)}}
	}
	if format != audit.JSONL && format != audit.CSV {
		faults = append(faults, templates.FieldError{Field: "format", Message: "Choose JSON Lines or CSV"})
	}
	begin, end, wrong := days(from, to, where)
	if faults = append(faults, wrong...); len(faults) > 0 {
		return v.show(http.StatusUnprocessableEntity, templates.AuditExport(v.exportView(accounts, from, to, zoneName, faults)))
	}
	scope := audit.Scope{Accounts: audit.Of(accounts...), From: begin, To: end, Format: format, Zone: where}
	if err := v.Log.Intact(v.r.Context(), scope); err != nil {
		return err
	}
	if err := v.noteExport(accounts, scope); err != nil {
		return err
	}
	return v.stream(scope)
}

// noteExport writes that somebody took the entries of each account away.
func (v *visit) noteExport(accounts []string, scope audit.Scope) error {
	return v.DB.Update(v.r.Context(), func(tx *store.Tx) error {
		for _, account := range accounts {
			_, err := v.Log.Append(tx, audit.Entry{Actor: v.auditActor(account), Event: "audit.exported", Account: account, Result: "done",
				Detail: map[string]any{"format": string(scope.Format), "from": scope.From.String(), "to": scope.To.String(), "zone": scope.Zone.String()}})
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// auditActor is the viewer as the audit log names them.
func (v *visit) auditActor(account string) audit.Actor {
	return audit.Actor{Type: string(v.actor.Type), ID: v.actor.ID, Name: v.actor.Name, Roles: v.actor.RolesIn(account)}
}

// stream sends an export of any size, for as long as somebody takes it.
func (v *visit) stream(scope audit.Scope) error {
	w := v.c.Response()
	kind := map[audit.Format]string{audit.JSONL: "application/jsonl", audit.CSV: "text/csv; charset=utf-8"}[scope.Format]
	w.Header().Set("Content-Type", kind)
	attach(w.Header(), "audit-"+model.Time(v.now()).Std().Format("20060102-150405")+"."+string(scope.Format))
	return v.Log.Export(v.r.Context(), paced.New(w), scope)
}
