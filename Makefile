# Needs Python 3.11 or newer and make. Everything else is fetched, compiled or trained by `make setup`, once.
#
#   make run     a SQL shell on a real Iceberg warehouse with a small sample schema (a demo when there is no terminal)
#   make test    lint, types, tests
#   make services-up NAMES=lake    Keycloak, object store and catalogs for tests and quick starts (docs/services.md)
#   make services-down             stops them

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
DEMO := src/sqe/demo

# By content, not by age: switching branches must not install everything again.
STAMP := $(VENV)/.installed-$(shell cksum < pyproject.toml | cut -d ' ' -f 1)

# Expanded in recipes, when the environment is there: one that uv made has no pip.
INSTALL = $(if $(shell command -v uv),uv pip install --quiet --python $(BIN)/python,$(BIN)/python -m pip install --quiet --disable-pip-version-check)

.DEFAULT_GOAL := help
.PHONY: help setup run test test-unit test-engine test-doors test-all test-services services-up services-down lint format clean

help:
	@sed -n 's/^#   //p' Makefile

# Compiled ahead: a client must not compile its modules at every call where writing bytecode is switched off.
setup: $(STAMP)
	@$(BIN)/python -m compileall -q src/sqe
	@$(BIN)/python -m sqe.engine.install

$(STAMP):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "SQE needs Python 3.11 or newer: make PYTHON=/path/to/python3.11")'
	@echo "installing the Python packages into $(VENV)"
	@if command -v uv >/dev/null; then [ -x $(BIN)/python ] || uv venv --quiet --python $(PYTHON) $(VENV); \
	  else [ -x $(BIN)/pip ] || $(PYTHON) -m venv $(VENV); fi
	@$(INSTALL) --editable '.[dev]'
	@[ ! -e /usr/include/ldap.h ] || $(INSTALL) --editable '.[ldap]' || echo "the LDAP client cannot be built: its tests are skipped"
	@rm -f $(VENV)/.installed-*
	@touch $@

# The sample is written by the first run only; a schema that is already there is left alone.
run: setup
	@$(BIN)/sqe -e 'DESCRIBE TABLE demo.orders' >/dev/null 2>&1 || $(BIN)/sqe --stop-on-error --file $(DEMO)/sample.sql >/dev/null
	@if [ -t 0 ] && [ -t 1 ]; then exec $(BIN)/sqe; else exec $(BIN)/sqe --stop-on-error --file $(DEMO)/tour.sql; fi

# Two at a time, for two cores: the engine's own tests beside unit tests and, after them, those of the doors. TLS is tested apart: the
# JDBC driver's JVM and ADBC's Go do not bear each other's TLS in one process.
# Tests on real services start their own and take them down.
test: lint
	@$(MAKE) --no-print-directory --output-sync=target --jobs=2 test-engine test-doors
	@$(BIN)/python -m pytest tests/service/test_tls.py
	@$(BIN)/python -m pytest tests/services -m "not long"

test-unit: setup
	@$(BIN)/python -m pytest tests/unit

test-engine: setup
	@$(BIN)/python -m pytest tests/embedded -m "not long"

test-doors: test-unit
	@$(BIN)/python -m pytest tests/differential tests/service -m "not long" --ignore tests/service/test_tls.py

# Also what takes minutes each: tokens that expire under a statement, a crowd of users, every policy engine with every attack,
# the attacks without the native kernel.
test-all: test
	@SQE_POLICY_QUERIES=2000 $(BIN)/python -m pytest tests/embedded/policy/test_random_queries.py
	@SQE_TEST_NATIVE=off $(BIN)/python -m pytest tests/embedded/policy/test_attacks.py tests/embedded/policy/test_enforcement.py
	@$(BIN)/python -m pytest tests/embedded tests/service tests/services -m long
	@$(BIN)/python -m pytest tests/differential -m long

test-services: setup
	@$(BIN)/python -m pytest tests/services -m "not long"

NAMES ?= lake
services-up: $(STAMP)
	@$(BIN)/python -m dev.services up $(NAMES)

services-down: $(STAMP)
	@$(BIN)/python -m dev.services down

lint: setup
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check
	@$(BIN)/mypy

format: $(STAMP)
	@$(BIN)/ruff check --fix
	@$(BIN)/ruff format

# The cache folder (jars, extension, class archive) stays: other working copies share it.
clean:
	@rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache
	@find src tests -name __pycache__ -type d -prune -exec rm -rf {} +
