package store_test

import (
	"testing"

	"countersign/internal/store"
	"countersign/internal/store/storetest"
)

func init() {
	store.OpenPlace = func(t testing.TB) *store.DB { return storetest.Open(t, store.Options{}) }
}
