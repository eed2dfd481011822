# The checks, the benchmarks and the generated files. Everything here runs
# without settings; `make test` is what continuous integration runs.

.PHONY: test soak tools lint bench generate run screens

# BOTH are the suites that run on PostgreSQL too, from the same source.
BOTH = ./internal/store/... ./internal/audit/... ./internal/engine/... ./internal/actions/... ./internal/alert/... \
	./internal/metrics/... ./internal/moments/... ./internal/web/...

# LONG are tests of everything at once, which the race detector makes five times
# as long; what they run is in others too. The browser's tests drive a program of
# its own, which the race detector cannot see into.
LONG = ^(TestHistories|TestMoments|TestMoment04DeathAtEveryCommitOfEveryKind|TestProcessesAreKilled)$$

# GOTEST leaves out what lint does already.
GOTEST = go run ./internal/house/gotest -vet=off -shuffle=on -timeout 14m

# test installs what the checks need and is missing, then runs all of them, on
# SQLite and, what touches the database, again on PostgreSQL. A test that was
# skipped is a failure here.
test: tools lint
	$(GOTEST) -race -skip '$(LONG)' $$(go list ./... | grep -v -e /internal/soak -e /internal/e2e)
	$(GOTEST) -run '$(LONG)' ./internal/moments ./internal/soak
	COUNTERSIGN_TEST_DB=postgres COUNTERSIGN_E2E=required $(GOTEST) ./internal/e2e $(BOTH)

# soak makes random histories for SOAK on each database, and then kills processes
# on PostgreSQL for as long. A history that fails names the seed that repeats it.
SOAK ?= 10m
soak: tools
	COUNTERSIGN_SOAK=$(SOAK) go test -count=1 -timeout 0 -v -run '^TestHistories$$' ./internal/moments
	COUNTERSIGN_SOAK=$(SOAK) COUNTERSIGN_TEST_DB=postgres go test -count=1 -timeout 0 -v -run '^TestHistories$$' ./internal/moments
	COUNTERSIGN_SOAK=$(SOAK) go test -count=1 -timeout 0 -v -run '^TestProcessesAreKilled$$' ./internal/soak

tools:
	scripts/install.sh

lint:
	@unformatted="$$(gofmt -l $$(git ls-files '*.go'))"; if [ -n "$$unformatted" ]; then \
		echo "not formatted with gofmt:"; echo "$$unformatted"; exit 1; fi
	go tool templ generate -check
	go tool templ fmt -fail ./web
	go vet ./...
	go vet -tags screens ./internal/e2e
	go tool staticcheck ./...

# bench prints ratios against baselines measured in the same run.
bench:
	go test -run '^$$' -bench . -benchtime 1x -timeout 30m ./internal/bench

# generate rewrites the Go files made from templates.
generate:
	go tool templ fmt ./web
	go tool templ generate

run:
	go run ./cmd/console demo

# screens takes every picture of docs/screens anew, and writes the list of them.
screens: tools
	COUNTERSIGN_E2E=required go test -tags screens -count=1 -timeout 20m -run '^TestScreens$$' ./internal/e2e
