# Every target sets up what it needs. `make demo` and `make test` work on a fresh clone.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.DEFAULT_GOAL := help
.PHONY: help setup demo test check format clean bench-matching bench-gtopss

help: ## show this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 18

$(STAMP): pyproject.toml constraints.txt scripts/setup
	@PYTHON=$(PYTHON) scripts/setup $(VENV)
	@touch $@

setup: $(STAMP) ## make .venv and install everything into it

demo: $(STAMP) ## match the papers' own examples and show what matched and why
	@$(BIN)/python examples/papers.py

test: $(STAMP) ## all tests
	@$(BIN)/python -m pytest -n auto

check: $(STAMP) ## ruff, mypy --strict, import-linter
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

bench-matching: $(STAMP) ## how fast matching is, beside rivals; BENCH=--quick for a small run
	@$(BIN)/python -m benchmarks.matching $(BENCH)

bench-gtopss: $(STAMP) ## figure 9 of the G-ToPSS paper, with Triplewire in it; BENCH=--quick for a small run
	@$(BIN)/python -m benchmarks.gtopss $(BENCH)

format: $(STAMP) ## let ruff rewrite what it can
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

clean: ## remove .venv and every cache
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
