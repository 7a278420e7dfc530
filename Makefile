# Everything here sets itself up: the first call builds .venv from requirements.lock,
# later calls work without a network.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready
PIP := $(BIN)/python -m pip install -qq --disable-pip-version-check

.PHONY: help demo test check bench papers lock clean

help:
	@echo "make demo   crawl a small web on loopback for Thai pages and report on it"
	@echo "make test   run the tests"
	@echo "make check  run ruff, mypy --strict and import-linter"
	@echo "make bench  measure speed, against peers in the same run"
	@echo "make papers run the papers' experiments anew and put them into docs/papers.md (an hour)"
	@echo "make lock   pin the newest dependencies anew in requirements.lock"

.venv/.locked: requirements.lock
	@$(PYTHON) -c 'import sys; v = sys.version_info[:2]; sys.exit(0 if (3, 11) <= v <= (3, 13) else "langcrawl needs Python 3.11 to 3.13, and $(PYTHON) is %d.%d: run make PYTHON=python3.12" % v)'
	@echo "setting up .venv (once, about a minute)"
	@$(PYTHON) -m venv --clear .venv
	@$(PIP) --requirement requirements.lock
	@touch $@

$(READY): .venv/.locked pyproject.toml
	@$(PIP) --no-deps --no-build-isolation --editable .
	@touch $@

demo: $(READY)
	@$(BIN)/langcrawl demo

test: $(READY)
	@$(BIN)/python -m pytest

check: $(READY)
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

bench: $(READY)
	@$(BIN)/python -m benchmarks

papers: $(READY)
	@$(BIN)/python examples/thai_2005.py --pages 1000000 --seeds 5 --into docs/papers.md
	@$(BIN)/python examples/thai_2005.py --pages 13999847 --seeds 2 --into docs/papers.md
	@$(BIN)/python examples/mongolian_2014.py --pages 300000 --seeds 2 --into docs/papers.md
	@$(BIN)/python examples/myanmar_2014.py --pages 40000 --seeds 2 --into docs/papers.md

lock: $(READY)
	@$(BIN)/python -m pip install --quiet uv
	@$(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.11 --extra dev --no-header --no-annotate pyproject.toml -o requirements.lock

clean:
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
