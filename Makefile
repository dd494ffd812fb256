# memoryspan. `make run` and `make test` set everything up by themselves.
PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed

# Nothing phones home.
export DO_NOT_TRACK := true
export MLFLOW_DISABLE_TELEMETRY := true
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: help run smoke test lint format viz ui clean

help: ## this list
	@grep -E '^[a-z]+:.*##' Makefile | sed 's/:.*## /\t/' | expand -t 12

$(INSTALLED): requirements.lock pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet torch==2.13.0
	$(BIN)/python -m pip install --quiet -r requirements.lock
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	@touch $@

run: $(INSTALLED) ## set up, then the whole comparison on the default corpus
	$(BIN)/kedro run

smoke: $(INSTALLED) ## a quick look: the same steps on the beginning of every play
	$(BIN)/kedro run --env smoke

test: $(INSTALLED) ## all tests
	$(BIN)/pytest

lint: $(INSTALLED) ## ruff, mypy --strict, import-linter
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy -p memoryspan
	$(BIN)/lint-imports

format: $(INSTALLED) ## rewrite the source in the house style
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

viz: $(INSTALLED) ## the pipeline graph in the browser (kedro-viz)
	PYTHONWARNINGS=ignore $(BIN)/kedro viz run

ui: $(INSTALLED) ## the MLflow UI, with direct links to the comparison
	$(BIN)/python -m memoryspan.tracking.ui

clean: ## remove what runs made (data, models, MLflow runs); the corpus download stays
	rm -rf data/0[2-8]_*/* mlflow.db* mlartifacts .viz
	git checkout --quiet -- data 2>/dev/null || true
