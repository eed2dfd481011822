package web

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"countersign/internal/audit"
	"countersign/internal/authz"
	"countersign/internal/model"
	"countersign/internal/store"
	"countersign/web/templates"
)

// entryData is one entry with its proof and its neighbours.
type entryData struct {
	item       audit.Item
	checkpoint audit.Checkpoint
	path       []string // nil where there is no proof yet
	prev, next *int64
}

func (d *entryData) read(tx *store.Tx, v *visit, name string) (err error) {
	who := audit.Of(v.permitted(authz.ReadAudit)...)
	var rooted bool
	err = tx.Together(
		func() (err error) {
			if index, bad := strconv.ParseInt(name, 10, 64); bad == nil {
				d.item, err = v.Log.ByIndex(tx, who, index)
			} else {
				d.item, err = v.Log.ByID(tx, who, name)
			}
			return err
		},
		func() (err error) { d.checkpoint, rooted, err = audit.LatestCheckpoint(tx); return err })
	if err != nil || d.item.Index == nil {
		return err
	}
	return tx.Together(
		func() (err error) {
			d.prev, err = v.neighbour(tx, audit.Filter{Accounts: who, Before: d.item.Index, Newest: true, Limit: 1})
			return err
		},
		func() (err error) {
			d.next, err = v.neighbour(tx, audit.Filter{Accounts: who, After: d.item.Index, Limit: 1})
			return err
		},
		func() error {
			if !rooted || *d.item.Index >= d.checkpoint.Size {
				return nil
			}
			return d.prove(tx, v)
		})
}

func (d *entryData) prove(tx *store.Tx, v *visit) error {
	hashes, err := v.Log.Inclusion(tx, *d.item.Index, d.checkpoint.Size)
	d.path = []string{}
	for _, hash := range hashes {
		d.path = append(d.path, hex.EncodeToString(hash))
	}
	return err
}

// contradicted says why the entry's bytes, as they are shown, do not fit the log,
// or "": they must have the hash that was stored with its number, and lead to the
// root by the stored path.
func (d *entryData) contradicted() string {
	if d.item.Changed != "" || d.path == nil {
		return d.item.Changed
	}
	if !audit.Leads(d.item, d.path, d.checkpoint) {
		return "its hash and path do not lead to the log’s root"
	}
	return ""
}

func (v *visit) neighbour(tx *store.Tx, f audit.Filter) (*int64, error) {
	items, err := v.Log.List(tx, f)
	if err != nil || len(items) == 0 {
		return nil, err
	}
	return items[0].Index, nil
}

// auditEntry shows one entry, the bytes that were hashed, and its proof.
func (v *visit) auditEntry() error {
	var d entryData
	err := v.read(func(tx *store.Tx) error { return d.read(tx, v, v.c.Param("index")) })
	if errors.Is(err, model.NotFound) {
		return notFound("There is no such audit entry, or it is not yours to see.")
	}
	if err != nil {
		return err
	}
	return v.show(http.StatusOK, templates.AuditEntry(v.entryView(d)))
}

func (v *visit) entryView(d entryData) templates.AuditEntryView {
	item := d.item
	view := templates.AuditEntryView{Page: v.titled("Audit entry"), Index: -1, ProofTitle: "Proof that this entry is in the log", CanonicalTitle: "The entry as it was hashed", LeafLabel: "Leaf hash", Title: eventWords(item.Event), Facts: v.entryFacts(item),
		Canonical: string(item.Canonical), LeafHash: item.LeafHash, Path: d.path, Prev: entryLink(d.prev), Next: entryLink(d.next)}
	if from, ok := detailOf(item)["from"]; ok {
		view.Changes = []templates.Change{{What: item.StepKey, Was: words(from), Now: words(item.Result), Because: narrator{clock: v.page.Clock}.prose(item.Reason)}}
	}
	if item.Index == nil {
		view.ProofNote = &templates.Note{Kind: "mind", Title: say("This entry has no number yet."), Text: []templates.Text{say("It is numbered within a second.")}}
		return view
	}
	view.Index = *item.Index
	if why := d.contradicted(); why != "" {
		view.ProofNote = &templates.Note{Kind: "no", Title: say("Not proven: this entry is not what was written."), Text: []templates.Text{say("What this page shows does not fit the log: ", why, "."),
			say("Do not rely on any word of it. Keep the database as evidence; whoever runs this installation should run ", templates.Code("console doctor"), " and compare an earlier export with ", templates.Code("console audit verify"), ".")}}
		view.ProofTitle, view.CanonicalTitle, view.LeafLabel, view.Path = "This entry is not proven", "The bytes that are stored now", "Hash of these bytes", nil
		return view
	}
	if d.path == nil {
		view.ProofNote = &templates.Note{Kind: "mind", Title: say("It is younger than the last root."), Text: []templates.Text{say("The proof is there once the next root is made, within seconds.")}}
		return view
	}
	view.Proof = []templates.Fact{{Label: "Root", Text: say(templates.Key(hex.EncodeToString(d.checkpoint.Root))), Sub: say(grouped(d.checkpoint.Size), " entries, ", v.at(d.checkpoint.At))}}
	return view
}

func entryLink(index *int64) *templates.Button {
	if index == nil {
		return nil
	}
	return &templates.Button{Href: fmt.Sprintf("/audit/%d", *index), Label: grouped(*index)}
}

// eventWords spells "action.retry_unfinished.executed" as "Retry unfinished: executed".
func eventWords(event string) string {
	parts := strings.Split(strings.Replace(strings.TrimPrefix(event, "action."), "bankfile", "bank file", 1), ".")
	return upper(words(strings.Join(parts, ": ")))
}

// detailOf are the members of an entry's detail that are texts or numbers, as text.
func detailOf(item audit.Item) map[string]string {
	var raw map[string]any
	_ = json.Unmarshal(item.Detail, &raw) // other shapes are in the canonical bytes, which the page shows
	members := map[string]string{}
	for name, value := range raw {
		switch value := value.(type) {
		case string:
			members[name] = value
		case float64:
			members[name] = strconv.FormatFloat(value, 'f', -1, 64)
		}
	}
	return members
}

func (v *visit) entryFacts(item audit.Item) []templates.Fact {
	facts := []templates.Fact{{Label: "At", Text: say(v.at(item.At))},
		{Label: "Who", Text: say(templates.Name(item.Actor.Name)), Sub: say(strings.Join(append([]string{item.Actor.Type}, item.Actor.Roles...), ", "))},
		{Label: "Event", Text: say(templates.Code(item.Event))}}
	add := func(label, text string, part func(string) templates.Part) {
		if text != "" {
			facts = append(facts, templates.Fact{Label: label, Text: say(part(text))})
		}
	}
	add("Account", item.Account, templates.Code)
	add("Intent", item.Intent, func(id string) templates.Part { return templates.LinkText("/intents/"+id, templates.Code(id)) })
	add("Step key", item.StepKey, templates.Key)
	if item.Attempt != 0 {
		add("Attempt", fmt.Sprint(item.Attempt), templates.Code)
	}
	add("Preview", item.Preview, templates.Key)
	add("Reason", item.Reason, templates.Name)
	detail := detailOf(item)
	add("The bank’s file", detail["bank_file"], func(id string) templates.Part { return templates.LinkText(bankFilePath(id), templates.Code(id)) })
	add("Because", detail["because"], templates.Name)
	add("Signed by", detail["approved_by"], templates.Name)
	add("List", detail["bulk"], func(id string) templates.Part { return templates.LinkText("/bulk/"+id, templates.Code(id)) })
	add("Result", words(item.Result), templates.Bold)
	add("Rule", item.Policy, templates.Code)
	add("Made for show", audit.StagedBy(item), templates.Name)
	return facts
}
