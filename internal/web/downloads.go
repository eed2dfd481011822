package web

import (
	"errors"
	"mime"
	"net/http"
	"net/url"

	"countersign/internal/authz"
	"countersign/internal/model"
	"countersign/internal/store"
)

// attach makes an answer a file to be saved, never a page to be shown.
func attach(h http.Header, name string) {
	h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": name}))
}

// document serves an issued statement, by its step key.
func (v *visit) document() error {
	key, err := url.PathUnescape(v.c.Param("stepkey"))
	if err != nil {
		return notFound("There is no such document, or it is not yours to see.")
	}
	var d store.Document
	err = v.read(func(tx *store.Tx) error {
		d, err = tx.Document(key, v.permitted(authz.ReadIntents))
		return err
	})
	if err != nil {
		return err
	}
	attach(v.c.Response().Header(), d.Name)
	return v.c.Blob(http.StatusOK, d.MediaType, d.Body)
}

// upload serves a document that somebody gave as evidence.
func (v *visit) upload() error {
	var u store.Upload
	err := v.read(func(tx *store.Tx) (err error) {
		err = notFound("There is no such upload, or it is not yours to see.")
		for _, account := range v.permitted(authz.ReadIntents) {
			if u, err = tx.Upload(account, v.c.Param("id")); !errors.Is(err, model.NotFound) {
				return err
			}
		}
		return err
	})
	if err != nil {
		return err
	}
	attach(v.c.Response().Header(), fileName(u.Name, u.MediaType))
	return v.c.Blob(http.StatusOK, u.MediaType, u.Body)
}
