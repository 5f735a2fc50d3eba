# The commands of this repository. `make` alone lists them.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.PHONY: help require require-test test postgres proof soak tsan demo lint format benchmark speed gauge clean

TSAN_SUITES := '^Concurrency\.|^LiveQueries\.|^ActorModels\.|TwoContextTests|ContentionTests|LifetimeTests|OutlivingObjectTests|IdentifierHashTests|ForeignCommitTests|PlaceholderValueTests|TrackingProbeTests|PredicateKeyPathTests|PersistenceCoreTests\.(LockTests|LazyBoxTests)'
TRAITS := --traits Encryption,PostgreSQL
SWIFT_FILES := Sources Tests Examples Benchmarks Package.swift

help:  ## List the commands
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1 \2/p' $(MAKEFILE_LIST) | \
	while read -r make target text; do printf '  %s %-10s %s\n' "$$make" "$$target" "$$text"; done

require:
	@Scripts/require

require-test:
	@Scripts/require test

test: require-test  ## Run every test (TEST_FLAGS are passed on to swift test)
	@Scripts/test $(TEST_FLAGS)

postgres: require-test  ## Run all tests of stores in PostgreSQL, on a server that the tests start (TEST_FLAGS are passed on)
	swift test $(TRAITS) --filter '^PostgresTests\.' $(TEST_FLAGS)
	@Scripts/test-postgres --all

proof: require-test  ## Process stores with other programs; run all tests concurrently, on a store in JSON and on PostgreSQL, with all faults; build without traits
	swift test $(TRAITS) --no-parallel --filter '^Proof\.' $(TEST_FLAGS)
	@Scripts/test --at-once --skip-build
	@Scripts/test-json-store
	@Scripts/test-postgres --all
	OSD_SOAK=40 swift test $(TRAITS) --skip-build --filter '^PostgresTests\.PostgresDifferentialTests'
	OSD_SOAK=2 swift test $(TRAITS) --skip-build --no-parallel \
	  --filter '^PostgresTests\.(LostAnswer|ServerFault|SaveFault|FetchFault|MigrationFault|MoveFault|KilledServer|Failover|Pooler)Tests'
	OSD_SOAK=12 swift test $(TRAITS) --skip-build --no-parallel --filter '^PostgresTests\.LostUpdateTests'
	@Scripts/demo > .build/demo.log
	@Scripts/check-traits

soak: require-test  ## Run every random suite for SOAK_SECONDS (two hours), and print the amount of work
	@Scripts/soak $(SOAK_SECONDS)

tsan: require-test  ## Run the tests of threads under ThreadSanitizer, in a separate build
	swift test --sanitize=thread --scratch-path .build/tsan --no-parallel --filter $(TSAN_SUITES) $(TEST_FLAGS)

demo: require  ## Build the examples and run them on new stores
	@Scripts/demo

lint: require  ## Check the imports of modules, the language and the formatting, and fail on any difference
	@Scripts/check-rooms
	@Scripts/check-language
	swift format lint --strict --recursive $(SWIFT_FILES)

format:  ## Format every Swift file in place
	swift format format --in-place --recursive $(SWIFT_FILES)

benchmark: require  ## Compare with hand-written SQLite code and with GRDB (BENCHMARK_FLAGS are passed on)
	mkdir -p .build && Benchmarks/run --picture .build/benchmark.svg $(BENCHMARK_FLAGS)

speed: require-test  ## Measure everything that docs/speed.md says, and write the page (half an hour; SPEED_FLAGS are passed on)
	Scripts/write-speed $(SPEED_FLAGS)

gauge:  ## Count the instructions of the benchmark (GAUGE_FLAGS: --check compares, --write stores the counts)
	@Scripts/require gauge
	Benchmarks/gauge $(GAUGE_FLAGS)

clean:  ## Remove all build results
	rm -rf .build Examples/*/.build Benchmarks/.build
