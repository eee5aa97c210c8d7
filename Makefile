# Two commands: `make demo` shows what it does, `make test` checks that it does.

VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --quiet --disable-pip-version-check

export DIR ?= .
export QUERY ?= ignore file
export CORPUS

.PHONY: demo test bench quality soak

# make demo [DIR=path] [QUERY="some words"]: index a directory in a throw-away home and search it.
demo: $(VENV)/demo-installed
	@HERMES_HOME=$$(mktemp -d) && export HERMES_HOME && trap 'rm -rf "$$HERMES_HOME"' EXIT && \
	echo 'knowledgebase: {search: {max_content_chars: 600}}' > "$$HERMES_HOME/config.yaml" && \
	$(BIN)/hermes-workspace --human roots add --recursive -- "$$DIR" && \
	$(BIN)/hermes-workspace --human index && \
	echo && echo "search $$QUERY" && echo && \
	$(BIN)/hermes-workspace --human search --limit 3 -- "$$QUERY"

# make test: everything that must hold before a change goes in.
test: $(VENV)/test-installed
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/python -m pytest tests/ -q

# make bench [QUICK=1] [CORPUS=path]: measure everything on this machine; what comes of it is in benchmarks/results.
bench: $(VENV)/bench-installed
	@$(BIN)/python benchmarks/run.py $(if $(QUICK),--quick) $(if $(CORPUS),--corpus "$$CORPUS")

# make quality [DOCS="trees of documentation"] [CODE="trees of Python"]: how well searches answer, beside other engines
# where they are installed (.venv/bin/pip install bm25s PyStemmer tantivy).
quality: $(VENV)/demo-installed
	$(BIN)/python benchmarks/quality/evaluate.py $(DOCS:%=--docs %) $(CODE:%=--code %)

# make soak [ROUNDS=200 SECONDS=600]: kills, signals, rivals and long histories; half an hour or more.
soak: $(VENV)/test-installed
	$(BIN)/python benchmarks/soak/soak.py all --rounds $(or $(ROUNDS),200) --seconds $(or $(SECONDS),600)

$(VENV)/demo-installed: pyproject.toml | $(BIN)/python
	@echo "Installing into $(VENV) ..."
	@$(PIP) --editable '.[workspace]'
	@touch $@

$(VENV)/test-installed: pyproject.toml | $(BIN)/python
	@echo "Installing into $(VENV) ..."
	@$(PIP) --editable '.[workspace,dev]'
	@touch $@ $(VENV)/demo-installed

$(VENV)/bench-installed: pyproject.toml | $(BIN)/python
	@echo "Installing into $(VENV) ..."
	@$(PIP) --editable '.[workspace,bench]'
	@touch $@ $(VENV)/demo-installed

# The first Python that is new enough and can make a virtual environment; PYTHON=... names another.
$(BIN)/python:
	@for python in $(PYTHON) python3 python3.13 python3.12 python3.11 python; do \
		"$$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || continue; \
		"$$python" -m venv $(VENV) && exit 0; \
		rm -rf $(VENV); \
	done; \
	echo "Needed: Python 3.11 or newer, with venv. Install it, or name it: make PYTHON=/path/to/python" >&2; \
	exit 1
