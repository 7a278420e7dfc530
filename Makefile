# Everything here sets itself up: the first call builds .venv from requirements.lock,
# later calls work without a network.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready
ORACLES := .oracles/.ready
# uv installs in parallel: a quarter of the time that pip takes, and of its work.
PIP := python -m pip install -qq --disable-pip-version-check
UV := $(BIN)/uv pip install --quiet --python
# Without compiled files every command would take twice as long to start.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help demo test soak cluster check fuzz bench papers debian-docs lock clean

help:
	@echo "make demo   crawl a small web on loopback for Thai pages and report on it"
	@echo "make test   run the tests"
	@echo "make soak   kill a crawl a hundred times and compare it with an undisturbed one; one of shards 30 times"
	@echo "make cluster  install Ray and run the tests of shards on it"
	@echo "make check  run ruff, mypy --strict and import-linter"
	@echo "make fuzz   try strange inputs for four hours; SECONDS=60 for a minute, SEED=1 to repeat a run"
	@echo "make bench  measure speed, against peers in the same run"
	@echo "make papers run the papers' experiments anew and put them into docs/papers.md (an hour)"
	@echo "make debian-docs  fetch Debian's manuals in 28 languages, crawl them, compare strategies (2.3 GB)"
	@echo "make lock   pin the newest dependencies anew in the lock files"

.venv/.locked: requirements.lock
	@$(PYTHON) -c 'import sys; v = sys.version_info[:2]; sys.exit(0 if (3, 11) <= v <= (3, 13) else "langcrawl needs Python 3.11 to 3.13, and $(PYTHON) is %d.%d: run make PYTHON=python3.12" % v)'
	@echo "setting up .venv (once, about a minute)"
	@$(PYTHON) -m venv --clear .venv
	@$(BIN)/$(PIP) $$(grep ^uv== $<)
	@$(UV) .venv --requirement $< || $(BIN)/$(PIP) --requirement $<
	@touch $@

$(READY): .venv/.locked pyproject.toml
	@$(UV) .venv --no-deps --no-build-isolation --editable .
	@touch $@

# Programs that tests compare ours with; they cannot live in .venv, because they need other
# versions of the same packages.
$(ORACLES): tests/oracles.lock | $(READY)
	@echo "setting up .oracles (once, half a minute)"
	@$(PYTHON) -m venv --clear .oracles
	@$(UV) .oracles --requirement $< \
		&& touch $@ || echo "pywb cannot be installed here: its tests will be skipped"

demo: $(READY)
	@$(BIN)/langcrawl demo

test: $(READY) $(ORACLES)
	@$(BIN)/python -m pytest -n 4 --dist loadfile --no-loadscope-reorder

soak: $(READY)
	@LANGCRAWL_KILLS=100 LANGCRAWL_SHARD_KILLS=30 $(BIN)/python -m pytest -q tests/store/test_kills.py tests/cluster/test_shard_kills.py

# Ray is large, so it is no part of requirements.lock; its tests are no part of make test.
cluster: $(READY)
	@$(UV) .venv --no-build-isolation --editable '.[cluster]' 'moto[server]>=5'
	@$(BIN)/python -m pytest -q tests/cluster/on_ray.py tests/cluster/cut_off.py tests/cluster/object_store.py

check: $(READY)
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

SECONDS ?= 14400
fuzz: $(READY)
	@$(BIN)/python -m fuzz --seconds $(SECONDS) $(if $(SEED),--seed $(SEED))

bench: $(READY)
	@$(BIN)/python -m benchmarks

papers: $(READY)
	@$(BIN)/python examples/thai_2005.py --pages 1000000 --seeds 5 --into docs/papers.md
	@$(BIN)/python examples/thai_2005.py --pages 13999847 --seeds 2 --into docs/papers.md
	@$(BIN)/python examples/mongolian_2014.py --pages 1000000 --seeds 3 --into docs/papers.md
	@$(BIN)/python examples/myanmar_2014.py --pages 100000 --seeds 3 --into docs/papers.md
	@$(BIN)/python examples/thai_related_2014.py --seeds 2 --into docs/papers.md --plot docs/images/thai-related.svg

DEBIAN_DOCS := apache2-doc installation-guide-amd64 debian-faq developers-reference \
	$(addprefix libreoffice-help-,common en-us hi hu ja km pl tr vi) \
	$(addprefix gimp-help-,common de el en es fa fr it ja ko lt nn pt-br ru uk zh-cn) \
	$(addprefix aptitude-doc-,cs en es fi fr it ja nl ru) \
	$(addprefix debian-reference-,common de en es fr id it ja pt pt-br zh-cn zh-tw) \
	$(addprefix debian-faq-,de fr it ja ko nl pt ru zh-cn) \
	$(addprefix developers-reference-,de fr it ja ru)

debian-docs: $(READY)
	@mkdir -p .debian-docs/packages
	@cd .debian-docs/packages && apt-get download -q $(DEBIAN_DOCS)
	@for package in .debian-docs/packages/*.deb; do dpkg-deb --extract $$package .debian-docs; done
	@$(BIN)/python -m benchmarks debian

lock: $(READY)
	@$(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.11 --extra dev --no-header --no-annotate pyproject.toml -o requirements.lock
	@$(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.11 --no-header --no-annotate tests/oracles.in -o tests/oracles.lock

clean:
	rm -rf .venv .oracles .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
