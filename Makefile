# Thin front end of CMake. `make demo` and `make test` first install whatever is missing (Debian).
# All output goes to build/ and out/.
.DEFAULT_GOAL := release
.PHONY: release demo test asan tsan tsan-threads fuzz fuzz-short valgrind studies bench examples install deb docs animation pictures papers \
	mutations references energy-table model-page api-page viewer check-viewer test-viewer gallery format check-format check-layers tidy clean help setup cross-check

MAKEFLAGS += --no-print-directory
PREFIX ?= /usr/local
CC_JOBS := $(shell nproc 2>/dev/null || echo 2)
BUILD = cmake --build --parallel $(CC_JOBS) --preset
CONFIGURE = cmake --preset
CTEST = ctest --parallel $(CC_JOBS) --preset
SOURCES = $(shell git ls-files '*.c' '*.h' '*.cpp')

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /  make \1\t/p' Makefile | expand -t 22

setup: ## install the packages that are missing
	@scripts/setup

release: setup ## build library and program into build/release
	@$(CONFIGURE) release >/dev/null
	@$(BUILD) release --target products

demo: ## build the program, run a car's suspension over a bump and show the report page
	@scripts/demo $(CC_JOBS)

test: setup ## build with warnings as errors and run all tests
	@$(CONFIGURE) test >/dev/null
	@$(BUILD) test
	@$(CTEST) test

N ?= 1000
SEED ?= 1
cross-check: setup ## N random machines (default 1000, of SEED) run in many ways that must agree
	@$(CONFIGURE) test >/dev/null
	@$(BUILD) test --target crosscheck
	@build/test/tests/crosscheck --count $(N) --seed $(SEED) --jobs $(CC_JOBS) --directory build/cross-check

asan: setup ## all tests with address and undefined-behaviour sanitizers
	@$(CONFIGURE) asan >/dev/null
	@$(BUILD) asan
	@$(CTEST) asan

tsan: setup ## all tests with the thread sanitizer
	@$(CONFIGURE) tsan >/dev/null
	@$(BUILD) tsan
	@$(CTEST) tsan

tsan-threads: setup ## the tests of what threads share with the thread sanitizer (a few minutes)
	@$(CONFIGURE) tsan >/dev/null
	@$(BUILD) tsan --target threaded_tests
	@$(CTEST) tsan -L threads

fuzz: ## feed the model reader with mutated files for ten minutes (clang, libFuzzer)
	@scripts/fuzz 600

fuzz-short: ## the same for a minute
	@scripts/fuzz 60

valgrind: setup ## a few test programs and a run under valgrind
	@scripts/setup valgrind
	@$(CONFIGURE) debug >/dev/null
	@$(BUILD) debug
	@scripts/valgrind build/debug

studies: release ## long published benchmarks in full (minutes)
	@scripts/studies build/release/cli/cardan

bench: ## measure all of it, with IDA and Simbody, and fill in docs/performance.md (half an hour)
	@scripts/setup libsundials-dev libsimbody-dev gnuplot-nox
	@$(MAKE) release
	@build/release/cli/cardan bench --full --csv lab/bench/results
	@scripts/performance lab/bench/results docs/performance.md docs/images

examples: release ## build and run the examples against an installed copy
	@examples/try build/release build/examples

install: release ## install into PREFIX (default /usr/local)
	@cmake --install build/release --prefix "$(PREFIX)"

deb: ## Debian packages into build/deb, unpacked and tried
	@scripts/setup debhelper
	@scripts/make-deb build/deb

docs: ## API reference into build/docs/html (doxygen)
	@scripts/setup doxygen
	@mkdir -p build/docs
	@doxygen docs/Doxyfile
	@echo "API reference: build/docs/html/index.html"

pictures: release ## make the pictures of README and docs anew (gnuplot)
	@scripts/setup gnuplot-nox
	@docs/images/make-pictures build/release/cli/cardan
	@docs/images/make-model-pictures build/release/cli/cardan

animation: release ## the moving picture of the README (Chromium, npm, ImageMagick)
	@$(NODE); $(CHROMIUM); scripts/setup imagemagick
	@cd tests/viewer && npm ci --silent --no-fund --no-audit
	@node tests/viewer/animate.mjs build/release/cli/cardan flyball_governor docs/images/governor.gif 0.45 1.58 45 1.9

energy-table: release ## make docs/energy.md anew (long runs, two minutes)
	@build/release/cli/cardan energy --markdown > docs/energy.md

api-page: ## docs/api.md, its reference made from the headers
	@scripts/api-page

model-page: release ## docs/model-file.md, made from the schema of model files
	@build/release/cli/cardan schema | scripts/model-page

# Node and npm are needed for these only; the page that they make is checked in.
NODE = command -v npm >/dev/null || scripts/setup nodejs npm
CHROMIUM = command -v chromium >/dev/null || scripts/setup chromium

viewer: ## build the report page, viewer/dist/report.html (npm)
	@$(NODE)
	@cd viewer && npm ci --silent --no-fund --no-audit && npm run --silent build

check-viewer: viewer ## fail if the page that is checked in is not that of its sources
	@git diff --exit-code --stat -- viewer/dist viewer/THIRD-PARTY

test-viewer: release ## test the report page in Chromium (npm)
	@$(NODE); $(CHROMIUM)
	@cd tests/viewer && npm ci --silent --no-fund --no-audit
	@cd tests/viewer && CARDAN_PROGRAM=$(CURDIR)/build/release/cli/cardan node --test test_report.mjs

gallery: release ## reports of all models into build/gallery, their pictures and docs/gallery.md
	@$(NODE); $(CHROMIUM)
	@cd tests/viewer && npm ci --silent --no-fund --no-audit
	@node tests/viewer/gallery.mjs build/release/cli/cardan models build/gallery docs

papers: release ## docs/papers.md and its figures, made by `cardan papers`
	@cd docs && ../build/release/cli/cardan papers --markdown --figures images/papers >papers.md

DEBIAN_PYTHON ?= /usr/bin/python3
references: ## tests/data/reference and lab/papers/prototypes.def made anew by the Python of tests/reference (numpy)
	@scripts/setup python3-numpy python3-scipy
	@OPENBLAS_NUM_THREADS=1 $(DEBIAN_PYTHON) -B tests/reference/make_references.py tests/data/reference
	@OPENBLAS_NUM_THREADS=1 $(DEBIAN_PYTHON) -B tests/reference/make_rows.py lab/papers/prototypes.def
	@$(DEBIAN_PYTHON) -B tests/reference/pendulum_starts.py >build/starts.def && mv build/starts.def tests/data/pendulum_starts.def

mutations: setup ## docs/mutations.md: a coefficient changed by 1 % must fail in `cardan papers` (half an hour)
	@mkdir -p build
	@scripts/mutate >build/mutations.md && mv build/mutations.md docs/mutations.md

format: ## format all C files
	@scripts/setup clang-format
	@clang-format -i $(SOURCES)

check-format: ## fail if a C file is not formatted
	@scripts/setup clang-format
	@clang-format --dry-run -Werror $(SOURCES)

check-layers: ## fail if an include breaks the table of layers in CONTRIBUTING.md, or a document names a path that is not there
	@scripts/check-layers

tidy: setup ## clang-tidy on library, program and laboratory; any finding fails (a few minutes)
	@scripts/setup clang-tidy
	@$(CONFIGURE) test >/dev/null
	@scripts/tidy build/test $(CC_JOBS)

clean: ## remove build/ and out/
	@rm -rf build out
