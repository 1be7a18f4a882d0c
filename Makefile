# `make demo` and `make test` set up everything they need in .venv and work from a clean clone.
PYTHON ?= python3
BIN := .venv/bin
SHARED := ../shared/data
ifneq ($(wildcard $(SHARED)),)
export MHMGNN_DATA ?= $(abspath $(SHARED))
endif

.PHONY: demo demo-serve test test-all test-package test-browser fuzz bench bench-large bench-baselines soak pages docs dist format clean

.venv/ready: pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "mhmgnn needs Python 3.11 or newer")'
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/pip install -q --disable-pip-version-check -c constraints.txt torch
	$(BIN)/pip install -q --disable-pip-version-check -c constraints.txt -e '.[dev]'
	touch $@

demo: .venv/ready
	$(BIN)/mhmgnn demo

demo-serve: .venv/ready
	test -d demo-run/model || $(BIN)/python -c "import mhmgnn; mhmgnn.fit(mhmgnn.datasets.load('market').graph, k=3, seed=0, run='demo-run')"
	$(BIN)/mhmgnn serve demo-run

test: .venv/ready
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/pytest -m 'not slow and not browser' -n 2

test-package: .venv/ready  # the wheel in an empty environment, with its demo
	$(BIN)/pytest tests/test_package.py

test-browser: .venv/ready
	command -v chromium > /dev/null || { apt-get update && apt-get install -y --no-install-recommends chromium; }
	$(BIN)/pip install -q --disable-pip-version-check -c constraints.txt -e '.[browser]'
	$(BIN)/pytest -m browser tests/browser

test-all: .venv/ready
	$(BIN)/pip install -q --disable-pip-version-check -c constraints.txt -e '.[ray,tensorboard]'
	$(BIN)/pytest -m 'not browser' -n 2 --seeds all

fuzz: .venv/ready
	$(BIN)/pip install -q --disable-pip-version-check -c constraints.txt -e '.[fuzz]'
	$(BIN)/python tests/fuzz/run.py

bench: .venv/ready
	$(BIN)/python benchmarks/reading.py
	$(BIN)/python benchmarks/loading.py
	$(BIN)/python benchmarks/starting.py
	$(BIN)/python benchmarks/cliques.py
	$(BIN)/python benchmarks/engine.py
	$(BIN)/python benchmarks/training.py
	$(BIN)/python benchmarks/embedding.py
	$(BIN)/python benchmarks/probes.py
	$(BIN)/python benchmarks/context.py
	$(BIN)/python benchmarks/fit.py
	$(BIN)/python benchmarks/serve.py
	$(BIN)/python docs/write_pages.py
	$(BIN)/python docs/write_groups.py

bench-large: .venv/ready
	$(BIN)/python benchmarks/large.py --dry --limit 90 10000 > /dev/null  # compiles
	$(BIN)/python benchmarks/large.py
	$(BIN)/python benchmarks/planted.py
	$(BIN)/python docs/write_pages.py
	$(BIN)/python docs/write_groups.py

soak: .venv/ready
	$(BIN)/python benchmarks/soak.py

bench-baselines: .venv/ready
	$(BIN)/python benchmarks/baselines.py

pages: .venv/ready  # what in docs/ is made from the files below results/
	$(BIN)/mhmgnn reproduce --runs 0 --page docs/results.md
	$(BIN)/python docs/write_pages.py
	$(BIN)/python docs/write_groups.py
	$(BIN)/python docs/write_data.py
	$(BIN)/python docs/write_readme.py
	$(BIN)/python docs/write_examples.py

docs: .venv/ready
	$(BIN)/sphinx-build -q -W --keep-going -b html docs site
	@echo 'site/index.html is the first page'

dist: .venv/ready  # wheel and sdist
	rm -rf dist
	$(BIN)/python -m build --no-isolation --outdir dist .

format: .venv/ready
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:
	rm -rf site dist .venv .mypy_cache .pytest_cache .ruff_cache
