# The commands of this repository. `make` alone lists them.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.PHONY: help require test soak tsan demo lint format benchmark gauge clean

TSAN_SUITES := '^Concurrency\.|^ActorModels\.|TwoContextTests|ContentionTests|LifetimeTests|OutlivingObjectTests|IdentifierHashTests|ForeignCommitTests|PlaceholderValueTests|TrackingProbeTests|PredicateKeyPathTests|PersistenceCoreTests\.(LockTests|LazyBoxTests)'
SWIFT_FILES := Sources Tests Examples Benchmarks Package.swift

help:  ## List the commands
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1 \2/p' $(MAKEFILE_LIST) | \
	while read -r make target text; do printf '  %s %-10s %s\n' "$$make" "$$target" "$$text"; done

require:
	@Scripts/require

# Suites that wait for compilers and programs have a run of their own: they keep the threads that other tests run on. So have
# those that measure the memory of their process, which other tests take too.
WAITING_SUITES := '^(CompileFail|Disturbance|Growth|Interleaving)\.|\.(EnumerateTests|ScaleTests)'

test: require  ## Run every test (TEST_FLAGS are passed on to swift test)
	@SECONDS=0; status=0; \
	if [ -n "$(strip $(TEST_FLAGS))" ]; then swift test --traits Encryption $(TEST_FLAGS) || status=$$?; else \
	  swift test --traits Encryption --skip $(WAITING_SUITES) || status=$$?; \
	  swift test --traits Encryption --skip-build --no-parallel --filter $(WAITING_SUITES) || status=$$?; \
	  swift test --package-path Tests/Macros --scratch-path .build/macros || status=$$?; fi; \
	echo "swift test ended with exit code $$status after $$SECONDS s"; exit $$status

soak: require  ## Run every random suite for SOAK_SECONDS (two hours), and count what was done
	@Scripts/soak $(SOAK_SECONDS)

tsan: require  ## Run the tests of threads under ThreadSanitizer, in a build of its own
	swift test --sanitize=thread --scratch-path .build/tsan --no-parallel --filter $(TSAN_SUITES) $(TEST_FLAGS)

demo: require  ## Build the examples and run them on new stores
	@Scripts/demo

lint: require  ## Check what modules import and the formatting, and fail on any difference
	@Scripts/check-rooms
	swift format lint --strict --recursive $(SWIFT_FILES)

format:  ## Format every Swift file in place
	swift format format --in-place --recursive $(SWIFT_FILES)

benchmark: require  ## Compare with hand-written SQLite code and with GRDB (BENCHMARK_FLAGS are passed on)
	mkdir -p .build && Benchmarks/run --picture .build/benchmark.svg $(BENCHMARK_FLAGS)

gauge:  ## Count the instructions of the benchmark (GAUGE_FLAGS: --check compares, --write stores)
	@Scripts/require gauge
	Benchmarks/gauge $(GAUGE_FLAGS)

clean:  ## Remove everything that was built
	rm -rf .build Examples/*/.build Benchmarks/.build
