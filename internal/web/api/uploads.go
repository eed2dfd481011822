package api

import (
	"bytes"
	"context"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"countersign/internal/actions"
	"countersign/internal/model"
)

func (a *api) uploadRoutes() {
	op := operation("create-upload", http.MethodPost, "/uploads", "Stores a document of at most 5 MiB for a mark to rest on: "+
		"PDF, PNG, JPEG, XML or plain text such as CSV. It comes as the body itself, or as the part file of a form.")
	op.DefaultStatus, op.MaxBodyBytes = http.StatusCreated, maxUpload
	file := &huma.Schema{Type: "string", Format: "binary"}
	form := &huma.Schema{Type: "object", Required: []string{"file"}, Properties: map[string]*huma.Schema{"file": file, "account": {Type: "string"}}}
	op.RequestBody = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{"multipart/form-data": {Schema: form}}}
	for _, media := range []string{"application/pdf", "image/png", "image/jpeg", "application/xml", "text/xml", "text/csv", "text/plain"} {
		op.RequestBody.Content[media] = &huma.MediaType{Schema: file}
	}
	route(a, op, a.createUpload)
}

type uploadInput struct {
	Account string `query:"account" doc:"Needed by those who work for several accounts."`
	Name    string `query:"name" maxLength:"255" default:"document" doc:"The file's name, where the body is the file itself."`
	Type    string `header:"Content-Type"`
	RawBody []byte
}

// uploadAnswer names the stored document.
type uploadAnswer struct{ Body actions.Uploaded }

func (a *api) createUpload(ctx context.Context, in *uploadInput) (*uploadAnswer, error) {
	account, name, body, err := in.file()
	if err != nil {
		return nil, err
	}
	actor := actorOf(ctx)
	if account == "" {
		account = actor.Account
	}
	if account == "" {
		return nil, missing("query.account")
	}
	stored, err := a.Runner.Upload(ctx, actor, account, name, body)
	return &uploadAnswer{stored}, err
}

// file takes the document out of the form, where it comes in one.
func (in *uploadInput) file() (account, name string, body []byte, err error) {
	media, options, err := mime.ParseMediaType(in.Type)
	if err != nil || media != "multipart/form-data" {
		return in.Account, in.Name, in.RawBody, nil
	}
	account = in.Account
	form := multipart.NewReader(bytes.NewReader(in.RawBody), options["boundary"])
	for {
		part, err := form.NextPart()
		if errors.Is(err, io.EOF) && name != "" {
			return account, name, body, nil
		}
		if err != nil {
			return "", "", nil, model.Errorf(model.Invalid, "invalid-body", "The form cannot be read, or has no part named file: %w", err)
		}
		content, err := io.ReadAll(part) // within the limit of the whole body
		if err != nil {
			return "", "", nil, model.Errorf(model.Invalid, "invalid-body", "The form is cut short.")
		}
		switch part.FormName() {
		case "file":
			name, body = part.FileName(), content
		case "account":
			account = string(content)
		}
	}
}
