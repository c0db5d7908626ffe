# make demo   a whole match over HTTP, narrated          make test    everything that holds this together
# make serve  the service, until Ctrl-C                   make openapi write openapi/, with its examples
# make bench  figures into bench/results/                 make clean   remove what these made

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
GAME ?= valente

.DEFAULT_GOAL := help
.PHONY: help demo test chromium check serve openapi bench clean

help:
	@sed -n 's/^# //p' Makefile | head -3

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "parlour needs Python 3.11 or newer; $(PYTHON) is $$($(PYTHON) --version 2>&1). Try: make PYTHON=python3.12 ..." >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); \
	  echo "Could not make a virtual environment. On Debian and Ubuntu: apt install python3-venv" >&2; exit 1; }

$(VENV)/server: $(BIN)/python pyproject.toml constraints.txt
	@echo "Installing parlour into $(VENV) (a minute the first time) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[server]' || { \
	  echo "Could not install; see pip's message above. A network, or a package index that pip can reach, is needed." >&2; exit 1; }
	@touch $@

$(VENV)/dev: $(VENV)/server
	@echo "Installing the tools of the tests ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[server,dev]' || { \
	  echo "Could not install; see pip's message above." >&2; exit 1; }
	@touch $@

demo: $(VENV)/server
	@exec $(BIN)/parlour demo --game $(GAME)

serve: $(VENV)/server
	@exec $(BIN)/parlour serve

test: chromium check
	$(BIN)/python -m pytest -n 2 --dist loadfile

chromium: $(VENV)/dev
	@$(BIN)/python -m tests.chromium

check: $(VENV)/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	$(BIN)/mypy --strict engine/parlour_engine sdk/parlour
	$(BIN)/mypy api/parlour_api worker/parlour_worker

openapi: $(VENV)/dev
	$(BIN)/python -m tests.contract.examples
	$(BIN)/parlour openapi > openapi/openapi.json
	$(BIN)/python -m tests.node

bench: $(VENV)/dev
	$(BIN)/python bench/engine.py --save bench/results/engine.json
	$(BIN)/python bench/http.py --peer --save bench/results/http.json
	$(BIN)/python bench/clock.py --matches 500 --save bench/results/clock.json
	$(BIN)/python bench/streams.py --save bench/results/streams.json
	$(BIN)/python bench/fairness.py --save bench/results/fairness.json

clean:
	rm -rf $(VENV) examples/typescript/node_modules .mypy_cache .ruff_cache .import_linter_cache .hypothesis
