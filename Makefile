# The commands of this repository; `make help` lists them. Each can be run on a fresh clone.

SHELL := /bin/sh
.DEFAULT_GOAL := help
.PHONY: help dev new build test crash-long rows-long sim-long test-loop bench bench-leases check-save deploy fmt lint clean setup

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 12

dev: ## serve on http://127.0.0.1:$PORT (8787), state in $STATE, until Ctrl-C
	@exec sh scripts/dev.sh

setup:
	@sh scripts/setup.sh

new: ## a new game and its test: make new GAME=name
	@exec sh scripts/new.sh

build: setup ## the Worker into build/, the page into web/dist/
	@sh scripts/build.sh

test: ## everything that CI checks
	@exec sh scripts/test.sh

check-save: ## what this build would convert, drop or refuse of FILE, a save or a character
	@exec sh scripts/check-save.sh

crash-long: build ## the Worker killed a hundred times under players, fifty under travellers; D1 away, tabs left open
	@exec sh scripts/crash-long.sh

bench-leases: build ## joins of characters a second through the lease objects, beside bare requests
	@exec sh scripts/bench-leases.sh

test-loop: setup ## the maker's loop: a change of a game, in the open page
	@exec sh scripts/test-loop.sh

rows-long: build ## ten minutes of a busy room of sixteen against its budget of rows
	@exec sh scripts/rows-long.sh

sim-long: setup ## the simulation with 100,000 seeds from SIM_SEED on: about a quarter of an hour on two cores
	@LONG=1 SIM_RUNS=$${SIM_RUNS:-100000} exec sh scripts/sim.sh

bench: setup ## what a step costs; BENCH=check compares the counts, BENCH=write pins them
	@exec sh scripts/bench.sh

deploy: build ## compares saves with the live Worker at URL, wrangler deploy, then the database's migrations
	@exec sh scripts/deploy.sh

fmt: setup ## formats the Rust code
	@sh -c ". scripts/toolchain.sh; cargo fmt --all" scripts/fmt

lint: setup ## format, clippy on every target, TypeScript
	@exec sh scripts/lint.sh

clean: ## removes what was built; .tools/ and node_modules/ stay
	rm -rf target build web/dist tests/worker/build tests/artefacts
