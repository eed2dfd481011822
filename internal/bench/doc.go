// Package bench measures the product against baselines taken in the same run,
// on the same disk: how fast intents are taken in and driven to their end, and
// whether pages and intents cost the same when the tables grow. Smaller sizes are
// set by COUNTERSIGN_BENCH_INTENTS, _SECONDS, _WAITING and _TURN. It asserts nothing about time; `make bench` prints
// the figures. It holds tests only.
package bench
