# Two commands do everything on a fresh machine with Python and make:
#   make demo    makes .venv, installs, and runs the main job
#   make test    makes .venv, installs, and runs the whole test suite
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
export TF_CPP_MIN_LOG_LEVEL ?= 3

.PHONY: demo test test-all lint docs site bench bench-tf1 clean

demo: $(VENV)/installed
	$(BIN)/queueio demo

test: $(VENV)/installed
	$(BIN)/python -m pytest -n 4 --dist loadfile --no-loadscope-reorder

test-all: $(VENV)/installed
	TESTS_TURN=all $(BIN)/python -m pytest -n 4 --dist loadfile --no-loadscope-reorder

lint: $(VENV)/installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

docs: $(VENV)/installed
	$(BIN)/python -m docs.generate

site: $(VENV)/installed
	$(BIN)/python -m docs.site.build

bench: $(VENV)/installed
	$(BIN)/python -m benchmarks
	$(BIN)/python -m benchmarks.start_to_end

bench-tf1: $(VENV)/installed
	$(BIN)/python -m benchmarks.tf1_setup
	$(BIN)/python -m benchmarks --tf1 .venv-tf1/bin/python

$(VENV)/installed: pyproject.toml setup.py $(wildcard native/*)
	$(PYTHON) -c 'import sys; assert sys.version_info >= (3, 10), "queueio needs Python 3.10 or later: make PYTHON=python3.11 demo"'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	touch $@

clean:
	rm -rf $(VENV) .venv-tf1 build *.egg-info queueio/compile/kernels/*.so
