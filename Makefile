# The commands of this repository; `make help` lists them. Each can be run on a fresh clone.

SHELL := /bin/sh
.DEFAULT_GOAL := help
.PHONY: help dev build test test-loop deploy fmt lint clean setup

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 12

dev: ## serve on http://127.0.0.1:$PORT (8787), state in $STATE, and take up every change, until Ctrl-C
	@exec sh scripts/dev.sh

setup:
	@sh scripts/setup.sh

build: setup ## the Worker into build/, the page into web/dist/
	@sh scripts/build.sh

test: ## everything that CI checks
	@exec sh scripts/test.sh

test-loop: ## drives `make dev` through changes of a game in a copy of this checkout
	@exec sh scripts/test-loop.sh

deploy: build ## wrangler deploy, then the database's migrations
	@exec sh scripts/deploy.sh

fmt: setup ## formats the Rust code
	@sh -c ". scripts/toolchain.sh; cargo fmt --all" scripts/fmt

lint: setup ## format, clippy on every target, TypeScript
	@exec sh scripts/lint.sh

clean: ## removes what was built; .tools/ and node_modules/ stay
	rm -rf target build web/dist tests/worker/build tests/artefacts
