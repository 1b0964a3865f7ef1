# `make essay` and `make test` do all the set-up they need. `make help` lists the rest.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
TOPIC  ?= We should make all museums free of charge
ARGS   ?=

export PIP_DISABLE_PIP_VERSION_CHECK = 1

.DEFAULT_GOAL := help
.PHONY: help essay test check fix bench app clean lock

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# The stamp is remade when a requirement changes; the environment is then brought up to date.
$(VENV)/.ready: pyproject.toml requirements.lock
	@$(PYTHON) -c 'import sys; v = sys.version_info[:2]; sys.exit(0 if (3, 11) <= v < (3, 14) else \
	  f"make: Python 3.11, 3.12 or 3.13 is needed, {sys.executable} is {v[0]}.{v[1]}; set PYTHON=")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --constraint requirements.lock --editable '.[dev,app,dask,optimize]'
	@touch $@

essay: $(VENV)/.ready ## set up, ingest the starter corpus, write an essay (TOPIC="...", ARGS="...")
	$(BIN)/moot ingest data/corpus
	$(BIN)/moot essay "$(TOPIC)" $(ARGS)

test: check ## set up, check, and run the tests (ARGS="-k name")
	$(BIN)/python -m pytest -n 2 $(ARGS)

check: $(VENV)/.ready ## lint, format, types, import direction
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

fix: $(VENV)/.ready ## format, and mend what can be mended
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/.ready ## measure (see bench/README.md)
	$(BIN)/python -m bench

app: $(VENV)/.ready ## set up, ingest the starter corpus, open the web page
	$(BIN)/moot ingest data/corpus
	$(BIN)/moot app

clean: ## remove the environment and everything produced
	rm -rf $(VENV) artifacts/* .mypy_cache .ruff_cache .import_linter_cache

lock: ## resolve all versions anew into requirements.lock
	rm -rf .venv-lock && $(PYTHON) -m venv .venv-lock
	.venv-lock/bin/python -m pip install --quiet --editable '.[dev,app,dask,optimize,litellm]'
	.venv-lock/bin/python -m pip freeze --exclude-editable --exclude moot | sed 's/+cpu$$//' | sort -f > requirements.lock
	rm -rf .venv-lock
