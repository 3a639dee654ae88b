# phasezoo: `make help` lists the targets. Each works alone on a fresh clone.
# scripts/tasks.py does the work of those that every system has: without make, call it.
SHELL := bash
PYTHON ?= python3
VENV := .venv
LIBRARIES := .venv-libraries
BIN := $(VENV)/bin
export PATH := $(CURDIR)/$(BIN):$(PATH)
export VIRTUAL_ENV := $(CURDIR)/$(VENV)

TASK = $(if $(wildcard $(BIN)/python),$(BIN)/python,$(PYTHON)) scripts/tasks.py
OUT ?= runs/demo

.DEFAULT_GOAL := help
.PHONY: help python dependencies setup develop demo test test-all test-web libraries lint lint-python format bench docs notices wheel sdist smoke constraints clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

setup: python ## make .venv with the pinned dependencies and build the core
	@$(TASK) setup

develop: setup ## the same as setup

demo: setup ## the main job: train phase experts, play M2CTS against MCTS, write a report (about 10 minutes on two cores, after the set-up)
	phasezoo reproduce m2cts --preset quick --network resnet-8x1:policy=pointwise --value-weight 0.2 --positions 100000 \
	  --trainings 4 --train-workers 2 --games-played 8 \
	  --arms separated:value=shared --arms separated:phases=endgame --arms hash:3 --out $(OUT)

test: python ## cargo test and pytest, without the slow ones (half an hour on two cores)
	@$(TASK) test

test-all: python ## every test
	@$(TASK) test-all

test-web: setup ## play in a real browser (Chromium: `apt-get install chromium`, or PHASEZOO_BROWSER=path)
	@command -v "$${PHASEZOO_BROWSER:-chromium}" >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null || \
	  { echo "no Chromium was found: apt-get install chromium, or set PHASEZOO_BROWSER to one" >&2; exit 1; }
	uv pip install --quiet --python $(BIN)/python --constraint constraints.txt --group web-tests
	python -m pytest -q -m web tests/web

libraries: setup $(LIBRARIES)/.installed ## run the recipes for TorchRL, Tianshou, RLlib and SuperSuit, which get an environment of their own
	$(TASK) with-cargo env VIRTUAL_ENV=$(CURDIR)/$(LIBRARIES) maturin develop --release --uv --quiet
	$(LIBRARIES)/bin/python -c "import torchrl, tianshou, supersuit, ray.rllib"
	$(LIBRARIES)/bin/python -m pytest -q -m libraries tests/unit/integrations/test_library_recipes.py

lint: python ## formatting, lints, types, layers, workflows
	@$(TASK) lint

lint-python: python ## what make lint checks of Python, without the core and its crates
	@$(TASK) lint-python

format: python ## format the code
	@$(TASK) format

bench: setup $(VENV)/.bench ## measure the speed table, the peers beside us
	python -m benchmarks

docs: python ## build the site of the documentation into docs/_build/html (2 minutes)
	@$(TASK) docs

notices: python ## write THIRD_PARTY_NOTICES.txt, the licences of the crates in the core
	@$(TASK) notices

wheel: python ## build the abi3 wheel into dist/
	@$(TASK) wheel

sdist: python ## build the source distribution into dist/
	@$(TASK) sdist

smoke: wheel sdist ## install both into empty environments and try them there
	@$(TASK) smoke

constraints: dependencies ## resolve constraints.txt anew
	{ echo "# The versions we test and ship with. Made by \`make constraints\`."; \
	  uv pip compile --quiet --no-header --no-annotate --python $(BIN)/python \
	    --extra all --group dev --group bench --group docs --group web-tests pyproject.toml; } > constraints.new
	mv constraints.new constraints.txt

clean: python ## remove what was built, but not the environments
	@$(TASK) clean

dependencies: python
	@$(TASK) dependencies

python:
	@test -x $(BIN)/python || $(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || \
	  { echo "phasezoo needs Python 3.11 or newer; $(PYTHON) is not: set PYTHON=…, as in make setup PYTHON=python3.12" >&2; exit 1; }

$(VENV)/.bench: pyproject.toml constraints.txt | dependencies
	uv pip install --quiet --python $(BIN)/python --constraint constraints.txt --group bench
	@touch $@

# Of the constraints torch's alone: Tianshou wants an older pandas, RLlib an older Gymnasium.
$(LIBRARIES)/.installed: pyproject.toml constraints.txt | dependencies
	uv venv --quiet --clear --python $(BIN)/python $(LIBRARIES)
	grep '^torch==' constraints.txt > $(LIBRARIES)/torch.txt
	uv pip install --quiet --python $(LIBRARIES)/bin/python --constraint $(LIBRARIES)/torch.txt \
	  --requirement pyproject.toml --extra torchrl --extra tianshou --extra rllib --extra supersuit --group dev
	@touch $@
