package web

import (
	"encoding/json"
	"errors"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"countersign/internal/actions"
	"countersign/internal/authz"
	"countersign/internal/model"
	"countersign/internal/store"
	"countersign/web/templates"
)

// onceForm is what a form's own key looks like.
var onceForm = regexp.MustCompile(`^[a-z0-9]{16,40}$`)

// The limits of what a form may ask for.
const (
	labTimes = 20
	labLasts = time.Hour
)

// runLab arms a fault for an intent that does not exist yet, and then posts it:
// its id, and so its step keys, are known beforehand. The same form sent again
// leads to the same intent, and arms nothing.
func (v *visit) runLab() error {
	var typed labFields
	if err := v.bind(&typed); err != nil {
		return err
	}
	accounts := v.permitted(authz.WriteIntents)
	if len(accounts) == 0 {
		return v.labDenied()
	}
	if !oneOf(typed.Account, accounts...) {
		typed.Account = accounts[0]
	}
	in, order, faults := v.labOrder(typed)
	if len(faults) > 0 {
		return v.labFault(typed, faults)
	}
	_, used, err := v.intentIn(order.Intent, v.actor.Accounts()) // by this form, sent before
	if err != nil {
		return err
	}
	var armed []int64
	if !used {
		if armed, err = v.Demo.Lab.Arm(v.r.Context(), order); err != nil {
			return err
		}
	}
	_, err = v.Runner.Accept(v.r.Context(), v.actor, in)
	switch {
	case err == nil:
		v.wake()
		return v.to("/intents/" + order.Intent)
	case model.KindOf(err) != model.Unknown: // nothing was posted that the fault is for
		err = errors.Join(err, v.Demo.Lab.Disarm(v.r.Context(), armed...))
	}
	return v.labRefused(typed, order, err)
}

// labDenied refuses the lab to who may post no intent, with an entry.
func (v *visit) labDenied() error {
	return v.Runner.NoteLabDenial(v.r.Context(), v.actor, v.denied(authz.WriteIntents))
}

// labOrder makes of what was typed the intent and its fault, and finds everything
// that is wrong with either.
func (v *visit) labOrder(typed labFields) (in actions.Submission, o LabOrder, faults templates.FieldErrors) {
	amount, wrong := labAmount(typed)
	o, faults = v.labFaultOrder(typed)
	faults = append(faults, wrong...)
	if !onceForm.MatchString(typed.Once) {
		typed.Once = strings.Repeat("0", 16)
		faults = append(faults, templates.FieldError{Field: "fault", Message: "This form is not complete; reload the page and send it again"})
	}
	if o.Effect.Kind == "" {
		o.Effect.Kind = model.KindPayout // which has the form's fields too
	}
	in = actions.Submission{Key: labKeys + typed.Once, Kind: o.Effect.Kind, Account: typed.Account, Params: labParams(typed, o, amount, v.now().Std())}
	for _, fault := range labFaults(v.Runner.Check(v.actor, in)) {
		if faults.For(fault.Field) == "" {
			faults = append(faults, fault)
		}
	}
	o.Intent = model.IntentID(v.DB.Installation, in.Account, in.Kind, in.Key)
	return in, o, inFormOrder(faults)
}

// labFaultOrder reads which fault is meant, where, how often and for how long.
func (v *visit) labFaultOrder(typed labFields) (o LabOrder, faults templates.FieldErrors) {
	var known bool
	if o.Effect, known = v.Demo.Lab.effect(typed.Effect); !known {
		faults = labWrong(faults, "effect", "choose which call to the provider is to go wrong")
	}
	if o.Fault, known = v.Demo.Lab.fault(typed.Fault); !known {
		faults = labWrong(faults, "fault", "choose a fault")
	} else if o.Effect.Name != "" && !o.Fault.meets(o.Effect) {
		faults = labWrong(faults, "effect", "“"+o.Fault.Title+"” means nothing to this call. "+effectWords(o.Fault.Effects, 0))
	}
	o.Times = whole(typed.Times, labTimes)
	if o.Times == 0 {
		faults = labWrong(faults, "times", "give a whole number from 1 to 20")
	}
	if o.Lasts = lasting(typed.Seconds); o.Lasts < 0 {
		faults = labWrong(faults, "seconds", "give seconds from 0.1 to 3600, or nothing")
	} else if o.Fault.Most > 0 && o.Lasts > o.Fault.Most {
		faults = labWrong(faults, "seconds", "at most "+seconds(o.Fault.Most)+" for this fault: the provider promises to show within that what it did, and a “not found” after it counts as proof")
	}
	o.Blind = typed.Blind != ""
	return o, faults
}

// labAmount reads the money. What cannot be read is a cent, so that the rest of the
// form can be checked all the same.
func labAmount(typed labFields) (amount model.Money, faults templates.FieldErrors) {
	cent := model.Money{Amount: 1, Currency: "USD"}
	if _, known := model.Exponent(typed.Currency); !known {
		return cent, labWrong(nil, "currency", "choose one of those offered; this is no currency that can be paid in")
	}
	amount, err := model.ParseDecimal(strings.TrimSpace(typed.Amount), typed.Currency)
	switch {
	case err == nil && amount.Amount > 0:
		return amount, nil
	case err == nil:
		return cent, labWrong(nil, "amount", "give one above zero")
	}
	return cent, labWrong(nil, "amount", lower(faultOf(err)))
}

// labLabels are the fields of the form in their order, as they are labelled.
var labLabels = [][2]string{{"effect", "At which call"}, {"fault", "What goes wrong"}, {"amount", "Amount"}, {"currency", "Currency"},
	{"payee", "Payee"}, {"reference", "Payee’s reference"}, {"times", "How many calls it meets"}, {"seconds", "For how long, in seconds"}}

// labWrong adds what is wrong with a field, named as its label is.
func labWrong(faults templates.FieldErrors, field, message string) templates.FieldErrors {
	for _, f := range labLabels {
		if f[0] == field {
			message = f[1] + ": " + message
		}
	}
	return append(faults, templates.FieldError{Field: field, Message: message})
}

// inFormOrder sorts faults as their fields stand in the form.
func inFormOrder(faults templates.FieldErrors) templates.FieldErrors {
	place := func(f templates.FieldError) int {
		return slices.IndexFunc(labLabels, func(label [2]string) bool { return label[0] == f.Field })
	}
	slices.SortStableFunc(faults, func(a, b templates.FieldError) int { return place(a) - place(b) })
	return faults
}

// whole reads a number from 1 to most; 0 is none.
func whole(text string, most int) int {
	n, err := strconv.Atoi(strings.TrimSpace(text))
	if err != nil || n < 1 || n > most {
		return 0
	}
	return n
}

// lasting reads seconds; nothing is 0, what cannot be is negative.
func lasting(text string) time.Duration {
	text = strings.TrimSpace(text)
	if text == "" {
		return 0
	}
	n, err := strconv.ParseFloat(text, 64)
	d := time.Duration(n * float64(time.Second))
	if err != nil || !(n >= 0.1) || n > labLasts.Seconds() {
		return -1
	}
	return d
}

// labParams are those of the intent: a payout, or a dispute whose answer or
// credit is to go wrong.
func labParams(typed labFields, o LabOrder, amount model.Money, now time.Time) json.RawMessage {
	payee := map[string]any{"reference": strings.TrimSpace(typed.Reference), "name": strings.TrimSpace(typed.Payee), "destination": "acct_lab"}
	params := map[string]any{"amount": amount.Amount, "currency": amount.Currency, "memo": "Fault lab: " + o.Fault.Name + " at " + o.Effect.Step}
	if o.Effect.Kind == model.KindPayout {
		payee["email"] = "lab@example.com"
		params["payee"], params["period"] = payee, now.UTC().Format("2006-01")
	} else {
		params["dispute"], params["charge"], params["reason"], params["response"] = "dp_lab_"+typed.Once[:8], "ch_lab_"+typed.Once[:8], "product_not_received", "contest"
		params["due_by"] = now.UTC().Truncate(24*time.Hour).AddDate(0, 0, 14).Format(time.RFC3339)
		params["evidence"] = []map[string]any{{"type": "shipping", "text": "Delivered and signed for."}}
		if o.Effect.Name == "credit" {
			params["credit"] = map[string]any{"payee": payee, "amount": amount.Amount}
		}
	}
	text, err := json.Marshal(params)
	if err != nil {
		panic(err) // of texts and numbers
	}
	return text
}

// labFault shows the form again with what is to be mended.
func (v *visit) labFault(typed labFields, faults templates.FieldErrors) error {
	view, err := v.labView(typed, faults)
	if err != nil {
		return err
	}
	return v.show(http.StatusUnprocessableEntity, templates.Lab(view))
}

// labField is the form's field for a fault of the params.
var labField = map[string]string{"/params/payee/name": "payee", "/params/payee/reference": "reference", "/params/credit/payee/name": "payee",
	"/params/credit/payee/reference": "reference", "/params/amount": "amount", "/params/currency": "currency"}

// labFaults are the faults of an intent's params, at the form's fields.
func labFaults(err error) (faults templates.FieldErrors) {
	var refusal *model.Error
	if !errors.As(err, &refusal) {
		return nil
	}
	for _, f := range refusal.Fields {
		if field, ok := labField[f.Location]; ok {
			faults = labWrong(faults, field, f.Message)
		}
	}
	return faults
}

// labRefused shows why the intent was not posted. A form that was used before for
// something else gets a new key: what it posted stays.
func (v *visit) labRefused(typed labFields, o LabOrder, cause error) error {
	var refusal *model.Error
	if !errors.As(cause, &refusal) {
		return cause
	}
	if refusal.Code == "idempotency-key-reused" {
		typed.Once = v.freshLab().Once
		view, err := v.labView(typed, nil)
		if err != nil {
			return err
		}
		view.Done = &templates.Note{Kind: "mind", Title: say("Nothing was posted: this form made an intent already, with other contents."),
			Text: []templates.Text{say("That one is ", templates.Link("/intents/"+o.Intent, "here"), ". What you typed stands below in a new form; send it for another intent.")}}
		return v.show(http.StatusConflict, templates.Lab(view))
	}
	if faults := labFaults(cause); len(faults) > 0 {
		return v.labFault(typed, faults)
	}
	return cause
}

// disarmLab takes an armed fault back, or all of an intent, after its entry is
// written.
func (v *visit) disarmLab() error {
	accounts := v.permitted(authz.WriteIntents)
	if len(accounts) == 0 {
		return v.labDenied()
	}
	named, done, err := v.labNamed()
	if err != nil {
		return err
	}
	armed, err := v.Demo.Lab.Armed(v.r.Context())
	if err != nil {
		return err
	}
	if armed = slices.DeleteFunc(armed, func(a LabArmed) bool { return !named(a) }); len(armed) == 0 {
		return labNotArmed()
	}
	about, err := v.labIntent(armed[0], accounts)
	if err != nil {
		return err
	}
	var ids []int64
	var faults []string
	for _, a := range armed {
		ids, faults = append(ids, a.ID), append(faults, a.Fault)
	}
	if err := v.Runner.NoteDisarm(v.r.Context(), v.actor, about, strings.Join(faults, ", ")); err != nil {
		return err
	}
	if err := v.Demo.Lab.Disarm(v.r.Context(), ids...); err != nil {
		return err
	}
	return v.to("/lab?done=" + done)
}

// labNamed tells which faults a form is about: the one with an id, or those of an
// intent; done is what the page says afterwards.
func (v *visit) labNamed() (named func(LabArmed) bool, done string, err error) {
	if intent := v.r.PostFormValue("intent"); intent != "" {
		return func(a LabArmed) bool { return strings.HasPrefix(a.StepKey, intent+":") }, "all-disarmed", nil
	}
	id, err := strconv.ParseInt(v.r.PostFormValue("id"), 10, 64)
	if err != nil {
		return nil, "", model.Errorf(model.Invalid, "invalid-params", "The form names no armed fault; nothing was changed.")
	}
	return func(a LabArmed) bool { return a.ID == id }, "disarmed", nil
}

func labNotArmed() error {
	return notFound("This fault is not armed any more, or it is not yours to see; nothing was changed.")
}

// labIntent is the intent that an armed fault is for, where the person may post
// intents; of a fault that meets everybody, which is everybody's, only the account
// is filled.
func (v *visit) labIntent(a LabArmed, accounts []string) (model.Intent, error) {
	intent, _, _ := strings.Cut(a.StepKey, ":")
	if intent == "" {
		return model.Intent{Account: accounts[0]}, nil
	}
	i, mine, err := v.intentIn(intent, accounts)
	if err == nil && !mine {
		err = labNotArmed()
	}
	return i, err
}

// intentIn reads an intent of some accounts, where it is one of theirs.
func (v *visit) intentIn(intent string, accounts []string) (i model.Intent, there bool, err error) {
	err = v.read(func(tx *store.Tx) (err error) { i, err = tx.Intent(intent, accounts); return err })
	if model.KindOf(err) == model.NotFound {
		return i, false, nil
	}
	return i, err == nil, err
}
