package templates

// AuditView is the log, newest first.
type AuditView struct {
	Page       Page
	Log        []Fact // size, root, what is not yet protected
	Filter     AuditFilter
	Matched    string
	Export     *Button // the export form with this scope
	Rows       []AuditRow
	Prev, Next string
	Empty      *EmptyView
	Failed     *FailedView
}

// AuditFilter is the filter form as sent. Field names: from, to, actor, event,
// intent. Dates are inclusive, in the viewer's zone.
type AuditFilter struct {
	From, To string
	Actors   []Choice
	Actor    string // as typed, where Actors is empty
	Event    string
	Intent   string
	Errors   FieldErrors
}

// AuditRow is one entry of a list.
type AuditRow struct {
	Index      int64 // -1: not yet sequenced
	Href       string
	At         Time
	Who        string
	Role       string
	Event      string
	Intent     string // id, or ""
	IntentHref string
	Why        Text
	Outcome    Outcome
}

// AuditEntryView is one entry with its canonical bytes.
type AuditEntryView struct {
	Page       Page
	Index      int64  // -1: not yet sequenced
	Title      string // "retry unfinished, executed"
	Prev, Next *Button
	Facts      []Fact
	Changes    []Change
	Canonical  string // the bytes as they were hashed
	LeafHash   string
	Proof      []Fact // root, size, path; nil where there is none yet
	ProofNote  *Note
	Path       []string // hashes, leaf side first
	Download   *Button
}

// AuditExportView is the form of an export (GET /audit/export/file or as Action
// says; fields from, to, zone, format, event, intent, actor).
type AuditExportView struct {
	Page                 Page
	Action               string
	From, To, Zone       string
	Zones                []string
	Formats              []Choice
	Event, Intent, Actor string
	Scope                Text   // what exactly is exported, and that the export is an entry
	Verify               []Text // how to check it, step by step
	Command              string // "console audit verify FILE"
	Errors               FieldErrors
}
