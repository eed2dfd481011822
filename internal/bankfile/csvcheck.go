package bankfile

// Validate says everything that is wrong with a mapping by itself, without its
// file, at once. The error is of kind Invalid; its fields are named by their
// JSON names.
func (m Mapping) Validate() error { return nil }
