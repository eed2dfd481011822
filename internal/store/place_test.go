package store

import "testing"

// OpenPlace opens a new database of the sort that the tests run on. The tests of
// package store_test set it: those of this package cannot import storetest.
var OpenPlace func(testing.TB) *DB
