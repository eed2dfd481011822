package web

import (
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"

	"countersign/internal/actions"
	"countersign/internal/model"
)

// sentFile is the file that came with a form.
type sentFile struct {
	name string
	body []byte // its beginning, too large as well, where it has more than is taken
}

// readForm reads the form of the body. One with a file is read part by part, in
// the order in which the browser sends it: a file that is too large is read away,
// and what was typed before it stands.
func (v *visit) readForm() error {
	parts, err := v.r.MultipartReader()
	if errors.Is(err, http.ErrNotMultipart) {
		_, err = v.c.FormParams()
		return unreadable(err)
	}
	if err != nil {
		return unreadable(err)
	}
	if err := v.r.ParseForm(); err != nil { // of the address
		return unreadable(err)
	}
	fields := url.Values{}
	err = v.readParts(parts, fields)
	// However it ended, whoever asks for the form now gets what was read.
	v.r.MultipartForm = &multipart.Form{Value: fields}
	for name, values := range fields {
		v.r.Form[name] = append(v.r.Form[name], values...)
		v.r.PostForm[name] = values
	}
	return err
}

// readParts reads fields, of formLimit in all, and one file.
func (v *visit) readParts(parts *multipart.Reader, fields url.Values) error {
	room := int64(formLimit)
	for {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return unreadable(err)
		}
		if part.FileName() != "" {
			if over, err := v.readFile(part); over || err != nil {
				return err
			}
			continue
		}
		value, err := io.ReadAll(io.LimitReader(part, room+1))
		if err != nil {
			return unreadable(err)
		}
		if room -= int64(len(value) + len(part.FormName())); room < 0 {
			return &http.MaxBytesError{Limit: formLimit}
		}
		fields.Add(part.FormName(), string(value))
	}
}

// readFile keeps as much of a file as is taken, and reads the rest away. It is
// over where the file has not ended at the limit of the body: what was typed
// after it is not known then.
func (v *visit) readFile(part *multipart.Part) (over bool, err error) {
	body, err := io.ReadAll(io.LimitReader(part, actions.MaxUpload+1))
	if err != nil {
		return false, unreadable(err)
	}
	v.file = &sentFile{name: part.FileName(), body: body}
	_, err = io.Copy(io.Discard, part)
	var limit *http.MaxBytesError
	if len(body) > actions.MaxUpload && errors.As(err, &limit) {
		return true, nil
	}
	return false, unreadable(err)
}

// unreadable is what a fault of reading means; nil stays nil.
func unreadable(err error) error {
	var limit *http.MaxBytesError
	var known *model.Error
	if err == nil || errors.As(err, &limit) || errors.As(err, &known) {
		return err
	}
	return model.Errorf(model.Invalid, "invalid-body", "The form cannot be read, or is cut short: %w", err)
}
