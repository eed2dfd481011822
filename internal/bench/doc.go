// Package bench measures the product against baselines taken in the same run,
// on the same disk: how fast intents are taken in, and whether pages stay as
// fast when the tables grow. It asserts nothing about time; `make bench` prints
// the figures. It holds tests only.
package bench
