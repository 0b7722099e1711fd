# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.SUFFIXES:
MAKEFLAGS += --no-builtin-rules

VENV := $(CURDIR)/.venv
BIN := $(VENV)/bin
BUILD := $(CURDIR)/.build
LINK := $(BUILD)/link/ansible_collections/community/seventhings

# The first Python that runs looks for the best interpreter, because shims of version managers on PATH may fail.
PYTHON ?= $(shell for candidate in python3.11 python3.12 python3.13 python3; do \
	"$$candidate" tests/support/interpreters.py 2>/dev/null && break; done)

# Create the environment again if it does not run, or was created elsewhere.
ifneq (,$(wildcard $(VENV)))
VENV_STATE := $(shell $(BIN)/python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
	&& grep -q 'command = .* $(VENV)$$' $(VENV)/pyvenv.cfg || echo stale)
endif

# Most installed files are never imported, so Python compiles a file when it is imported.
PIP = pip() { \
	"$(BIN)/python" -m pip install --disable-pip-version-check --no-input --no-compile "$$@" >$(BUILD)/pip.log 2>&1 \
	|| { cat $(BUILD)/pip.log; exit 1; }; }; pip

export ANSIBLE_COLLECTIONS_PATH := $(BUILD)/link
export ANSIBLE_LOCALHOST_WARNING := false

.PHONY: help
help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile

.PHONY: demo
demo: runtime ## Provision the example instance on the embedded service twice, and show the output
	@"$(BIN)/python" tests/tools/demo.py

.PHONY: demo-fleet
demo-fleet: runtime ## Provision ten embedded instances in one play, and show the output
	@"$(BIN)/python" tests/tools/demo_fleet.py

.PHONY: emulator
emulator: runtime ## Start the embedded service on port 8765 with demo data (or with EMULATOR_OPTIONS="...")
	@exec "$(BIN)/python" tests/emulator $(or $(EMULATOR_OPTIONS),--port 8765 --data demo --db :memory:)

.PHONY: probe
probe: runtime ## Write how the instance of SEVENTHINGS_* behaves to profile.json (PROBE="--tier touch --allow-writes ROOT")
	@PYTHONPATH=tests/tools "$(BIN)/python" -m probe $(PROBE)

.PHONY: test
test: runtime ## Run what every change must pass: linters, types, unit and integration tests, sanity, build
	@"$(BIN)/python" tests/tools/gates.py all

.PHONY: test-fast
test-fast: test-environment ## Run the quick gates: ruff, types, imports, yamllint, unit tests that are not marked slow
	@"$(BIN)/python" tests/tools/gates.py fast

.PHONY: test-long
test-long: runtime ## Run every gate, every test in full, and every play on each ansible-core (or GATES="plays sanity")
	@SEVENTHINGS_TEST_LONG=1 "$(BIN)/python" tests/tools/gates.py all $(GATES)

.PHONY: test-sanity
test-sanity: lint-environment ## Run all sanity tests on every ansible-core
	@SEVENTHINGS_TEST_LONG=1 "$(BIN)/python" tests/tools/gates.py all sanity

.PHONY: test-core
test-core: test-environment ## Run the tests with real playbooks on another ansible-core: CORE=2.20
	@"$(BIN)/python" tests/tools/other_core.py $(or $(CORE),2.21) $(PYTEST_OPTIONS) $(if $(CORE_PYTHON),--python $(CORE_PYTHON))

.PHONY: coverage
coverage: test-environment ## Measure line and branch coverage of plugins/ by unit and integration tests
	@"$(BIN)/python" tests/tools/coverage_report.py

.PHONY: mutation
mutation: mutation-environment ## Change the deciding code one statement at a time, and check that a test fails
	@"$(BIN)/python" tests/tools/mutation.py $(MUTATION_OPTIONS)

.PHONY: planted
planted: test-environment ## Plant known defects in a copy, one at a time, and see that a test finds each of them
	@"$(BIN)/python" tests/tools/planted.py $(AREAS)

.PHONY: proof
proof: test-environment ## Record the results of the last test run in docs/proof.json, and write the page about them
	@"$(BIN)/python" tests/tools/proof_results.py $(REPORTS)

.PHONY: bench
bench: runtime ## Measure speed and request counts (or a part, with BENCH="apply scale"), and write docs/benchmarks.md
	@"$(BIN)/python" tests/tools/bench/bench.py $(BENCH)

.PHONY: generate
generate: runtime ## Generate lists in documents, routing, JSON Schemas, and the table of switches
	@"$(BIN)/python" tests/tools/generate.py

.PHONY: pictures
pictures: test-environment ## Take the pictures of real runs in docs/images (with Chromium, if installed)
	@"$(BIN)/python" tests/tools/pictures.py

.PHONY: accessibility
accessibility: test-environment ## Check reports as pages with axe in headless Chromium (WCAG 2.2 AA)
	@"$(BIN)/python" tests/tools/accessibility.py

.PHONY: docs
docs: lint-environment ## Build the documentation site into .build/docs
	@"$(BIN)/python" tests/tools/docs.py

.PHONY: release
release: lint-environment ## Write the version and changelog, then build, check, commit and tag: VERSION=1.0.0
	@"$(BIN)/python" tests/tools/release.py prepare $(VERSION)

.PHONY: release-files
release-files: lint-environment ## Build the files to publish for a tag (archive, parts, notes, checksums): VERSION=1.0.0
	@"$(BIN)/python" tests/tools/release.py files $(VERSION)

.PHONY: environment
environment: lint-environment ## Set up .venv with all requirements, and do nothing else

.PHONY: clean
clean: ## Remove environments, build folders and caches
	rm -rf .venv .build .mypy_cache .pytest_cache .ruff_cache .ansible .coverage .coverage.* htmlcov tests/output
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# --- the environment, in layers: run plays, test, lint ---------------------------------------

.PHONY: runtime test-environment lint-environment mutation-environment
runtime: $(VENV)/.runtime $(LINK)
test-environment: $(VENV)/.test $(LINK)
lint-environment: $(VENV)/.lint $(LINK)
mutation-environment: $(VENV)/.mutation $(LINK)

ifdef VENV_STATE
.PHONY: $(BIN)/python
endif

$(BIN)/python:
	@python="$(PYTHON)"; \
	[ -n "$$python" ] || { echo "No Python 3.11 or newer with the modules venv and ensurepip was found."; exit 1; }; \
	echo "Setting up .venv with $$("$$python" --version)"; \
	rm -rf "$(VENV)"; \
	"$$python" -m venv "$(VENV)"

# The paths file lets the commands in tests/tools import the libraries in tests/support. It also imports kept_code, which
# speeds up the processes of the tests.
$(VENV)/.runtime: $(BIN)/python Makefile requirements.txt tests/requirements-runtime.txt $(wildcard tests/emulator/requirements.txt)
	@mkdir -p $(BUILD)
	@echo "Installing the requirements of plays"
	@$(PIP) -r tests/requirements-runtime.txt
	@site=$$("$(BIN)/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))'); \
	mkdir -p "$$site/ansible_collections/community"; \
	ln -sfn "$(CURDIR)" "$$site/ansible_collections/community/seventhings"; \
	printf '%s\n' "$(CURDIR)/tests/support" "import kept_code" > "$$site/seventhings-tests.pth"
	@touch $@

$(VENV)/.test: $(VENV)/.runtime tests/requirements-test.txt
	@echo "Installing the requirements of tests"
	@$(PIP) -r tests/requirements-runtime.txt -r tests/requirements-test.txt
	@touch $@

$(VENV)/.lint: $(VENV)/.runtime tests/requirements-test.txt tests/requirements-lint.txt
	@echo "Installing the requirements of tests, linters and the documentation"
	@$(PIP) -r tests/requirements-runtime.txt -r tests/requirements-test.txt -r tests/requirements-lint.txt
	@touch $(VENV)/.test $@

$(VENV)/.mutation: $(VENV)/.test tests/requirements-mutation.txt
	@echo "Installing the requirements of mutation testing"
	@$(PIP) -r tests/requirements-runtime.txt -r tests/requirements-test.txt -r tests/requirements-mutation.txt
	@touch $@

# Ansible looks for the collection, which is this repository, below ansible_collections/community/seventhings.
$(LINK):
	@mkdir -p $(@D)
	@ln -sfn "$(CURDIR)" $@
