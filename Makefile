# phasezoo: `make help` lists the targets. Each works alone on a fresh clone.
SHELL := bash
PYTHON ?= python3
VENV := .venv
LIBRARIES := .venv-libraries
BIN := $(VENV)/bin
export PATH := $(CURDIR)/$(BIN):$(PATH)
export VIRTUAL_ENV := $(CURDIR)/$(VENV)

RUST := $(shell find crates -name '*.rs' -o -name Cargo.toml) Cargo.toml Cargo.lock rust-toolchain.toml
OUT ?= runs/demo

.DEFAULT_GOAL := help
.PHONY: help setup develop demo test test-all test-web libraries lint format bench wheel constraints clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

setup: $(VENV)/.built ## make .venv with the pinned dependencies and build the core

develop: setup ## the same as setup

demo: setup ## the main job: train phase experts, play M2CTS against MCTS, write a report (6 to 12 minutes)
	phasezoo reproduce m2cts --preset quick --out $(OUT)

test: setup ## cargo test and pytest, without the slow ones (10 minutes)
	scripts/with_cargo.sh cargo test --workspace --locked --quiet
	python -m pytest -q -n auto --dist loadfile -m "not slow and not gpu and not ray and not web"

test-all: setup ## every test
	scripts/with_cargo.sh cargo test --workspace --locked --quiet
	python -m pytest -q

test-web: setup ## play in a real browser (Chromium: `apt-get install chromium`, or PHASEZOO_BROWSER=path)
	@command -v "$${PHASEZOO_BROWSER:-chromium}" >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null || \
	  { echo "no Chromium was found: apt-get install chromium, or set PHASEZOO_BROWSER to one" >&2; exit 1; }
	uv pip install --quiet --python $(BIN)/python --constraint constraints.txt --group web-tests
	python -m pytest -q -m web tests/web

libraries: setup $(LIBRARIES)/.installed ## run the recipes for TorchRL and Tianshou, which get an environment of their own
	VIRTUAL_ENV=$(CURDIR)/$(LIBRARIES) scripts/with_cargo.sh maturin develop --release --uv --quiet
	$(LIBRARIES)/bin/python -c "import torchrl, tianshou"
	$(LIBRARIES)/bin/python -m pytest -q -m libraries tests/unit/integrations/test_library_recipes.py

lint: setup ## formatting, lints, types, layers
	ruff format --check .
	ruff check .
	python scripts/check_docstrings.py src scripts benchmarks
	mypy
	python -m mypy.stubtest phasezoo._core
	lint-imports --no-logo
	scripts/with_cargo.sh cargo fmt --all --check
	scripts/with_cargo.sh cargo clippy --workspace --all-targets --locked --quiet -- -D warnings

format: setup ## format the code
	ruff format .
	ruff check --fix .
	scripts/with_cargo.sh cargo fmt --all

bench: setup $(VENV)/.bench ## measure the speed table, the peers beside us
	python -m benchmarks

wheel: setup ## build the abi3 wheel into dist/
	scripts/with_cargo.sh maturin build --release --out dist

constraints: $(VENV)/.dependencies ## resolve constraints.txt anew
	{ echo "# The versions we test and ship with. Made by \`make constraints\`; torch is pinned in pyproject.toml."; \
	  uv pip compile --quiet --no-header --no-annotate --python $(BIN)/python \
	    --extra all --group dev --group bench --group web-tests pyproject.toml; } > constraints.new
	mv constraints.new constraints.txt

clean: ## remove what was built, but not the environments
	rm -rf target dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	rm -f $(VENV)/.built src/phasezoo/_core*.so

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || \
	  { echo "phasezoo needs Python 3.11 or newer; $(PYTHON) is not: set PYTHON=…, as in make setup PYTHON=python3.12" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	@command -v uv >/dev/null 2>&1 || $(BIN)/python -m pip install --quiet --disable-pip-version-check uv

$(VENV)/.dependencies: pyproject.toml constraints.txt | $(BIN)/python
	uv pip install --quiet --python $(BIN)/python --constraint constraints.txt \
	  --requirement pyproject.toml --extra all --group dev
	@touch $@

$(VENV)/.bench: $(VENV)/.dependencies
	uv pip install --quiet --python $(BIN)/python --constraint constraints.txt --group bench
	@touch $@

# Without the constraints: Tianshou wants an older pandas.
$(LIBRARIES)/.installed: pyproject.toml | $(VENV)/.dependencies
	uv venv --quiet --clear --python $(BIN)/python $(LIBRARIES)
	uv pip install --quiet --python $(LIBRARIES)/bin/python \
	  --requirement pyproject.toml --extra torchrl --extra tianshou --group dev
	@touch $@

# Dependencies come first by name, so that maturin finds everything there and asks no registry.
$(VENV)/.built: $(RUST) pyproject.toml $(VENV)/.dependencies
	scripts/with_cargo.sh maturin develop --release --uv --quiet
	@touch $@
