# One place for every command of the project. `make help` lists them.

PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
ARGS   ?=

.DEFAULT_GOAL := help
.PHONY: help venv dev models up demo doctor test test-long coverage lint format bench docs tools clean

help:  ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 12

venv: $(VENV)/.runtime  ## make the virtual environment with all that running needs

dev: $(VENV)/.dev  ## … and all that tests and linters need

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "error: $$($(PYTHON) --version) is too old, 3.11 or newer is needed" >&2; \
	    echo "hint: make PYTHON=python3.12 …" >&2; exit 1; }
	@echo "making $(VENV)" >&2
	@$(PYTHON) -m venv $(VENV) || \
	  { echo "hint: on Debian and Ubuntu: sudo apt-get install python3-venv" >&2; rm -rf $(VENV); exit 1; }

$(VENV)/.runtime: $(VENV)/bin/python pyproject.toml constraints.txt
	@echo "installing into $(VENV): half a gigabyte on disk, a minute or two, once" >&2
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e .
	@$(BIN)/python -m compileall -q src/hearing src/hearing_ctl  # a hotkey waits for no compiler
	@touch $@

$(VENV)/.dev: $(VENV)/.runtime
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $@

models: $(VENV)/.runtime  ## fetch the default speech model (75 MB, once)
	$(BIN)/hearing models pull tiny.en

up: $(VENV)/.runtime  ## start everything and watch your words (ARGS="--source FILE")
	$(BIN)/hearing up --with-tui $(ARGS)

demo: $(VENV)/.runtime  ## play a short meeting through the whole stack (ARGS=--json)
	@$(BIN)/hearing demo $(ARGS)

doctor: $(VENV)/.runtime  ## check this machine
	$(BIN)/hearing doctor $(ARGS)

tools:  ## install the programs that tests drive: PulseAudio, tmux, socat
	@scripts/test_tools

test: $(VENV)/.dev tools models  ## run every test at the size that fits six minutes
	$(BIN)/python -m pytest -m 'not long' -n 2 --dist worksteal $(ARGS)

test-long: $(VENV)/.dev tools models  ## run the tests with the full figures of the promises
	$(BIN)/python -m pytest -m long --timeout 7200 $(ARGS)

coverage: $(VENV)/.dev tools models  ## run the tests and show which lines they never reach
	$(BIN)/python -m pytest -m 'not long' --cov --cov-report=term:skip-covered $(ARGS)

lint: $(VENV)/.dev  ## run the linters: style, types, walls between rooms
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(VENV)/.dev  ## format the code
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(VENV)/.dev models  ## measure against the peers and print the table (ARGS=--quick)
	$(BIN)/python benchmarks/run.py $(ARGS)

docs: $(VENV)/.dev  ## make the generated parts of the docs anew: tables, diagrams, the picture
	$(BIN)/python scripts/make_docs.py

clean:  ## remove what was built; models and config stay
	rm -rf $(VENV) build dist .coverage* .mypy_cache .pytest_cache .ruff_cache .import_linter_cache
