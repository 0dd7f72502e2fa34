# All commands of the project. Paths are relative, so that the folder may have any name.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP_INSTALL := scripts/install $(VENV)
UV_COMPILE := $(BIN)/uv pip compile --quiet --universal --generate-hashes --python-version 3.11 --no-emit-index-url --custom-compile-command "make requirements"

# What the last `make test` took: seconds of processors, test by test.
RUN := .pytest_cache/run.xml

BENCHMARKS := start_up warm hot_path metering overload heavy_job job_estimates leaf_choice quality_measures leaf_assignment prototype_selection effects \
	nearest_rows swap_refinement certificates explanation_sets million_rows ism_trees approximation_trees relational_speed chaos

# Side by side; what takes longest is first.
CHECKS := check-models check-types check-style check-contract check-generated

# Without bytecode, each of the many processes of a service or a test run translates all modules again.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help setup setup-dev s3-server browser notebooks mlflow cluster featuretools kserve-clients docs screenshots quickstart test test-changed test-seconds test-long check $(CHECKS) format client openapi settings models-table requirements notices benchmarks release pythons-table paper-tables defrag-tables approximation-tables relational-tables clean

help: ## List the targets
	@awk -F':.*## ' '/^[a-z-]+:.*## / {printf "  make %-20s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: $(VENV)/.runtime ## Make .venv with what the service needs, and compile all loops
	$(BIN)/leafspace warm

setup-dev: $(VENV)/.dev ## Make .venv with what tests and checks need, too

s3-server: $(VENV)/.s3-server ## Make the S3 server that tests of storage ask; without it they skip

browser: $(VENV)/.browser ## Install what tests drive a browser with; without it, or without Chromium, they skip

cluster: $(VENV)/.cluster ## Install Dask, on which jobs can run; without it tests of clusters skip

notebooks: $(VENV)/.notebooks ## Install what tests run notebooks with; without it they skip

mlflow: $(VENV)/.mlflow ## Install what a test tries the recipe for MLflow with; without it it skips

featuretools: $(VENV)/.featuretools ## Install featuretools, which a benchmark compares with

kserve-clients: $(VENV)/.kserve-clients ## Install the clients of KServe and Triton that tests call; without them they skip

docs: $(VENV)/.docs ## Build the manual from docs/ as a site, build/docs/index.html, and check its links (a quarter of a minute)
	$(BIN)/python -m sphinx --quiet --fail-on-warning --keep-going --fresh-env -c scripts/manual -b html docs build/docs
	$(BIN)/python -m scripts.manual.check_site build/docs

screenshots: $(VENV)/.browser ## Write pictures of every view of the page to screenshots/ (some minutes)
	$(BIN)/python -m scripts.make_screenshots screenshots --docs

quickstart: $(VENV)/.runtime ## Start everything, explain one prediction, stop everything
	$(BIN)/leafspace quickstart

# The code may have changed since the setup: what is compiled is compiled before the tests, and once.
test: $(VENV)/.dev ## Run the test suite (ten minutes on two cores)
	$(BIN)/leafspace warm
	$(BIN)/python -m pytest -m "not long" -n 3 --dist loadfile --no-loadscope-reorder --junitxml=$(RUN)

test-changed: $(VENV)/.dev ## Run the tests nearest to what differs from main (a minute; CHANGED=revision compares with another)
	$(BIN)/python -m pytest -q -m "not long" -n 2 --dist loadfile $$($(BIN)/python -m scripts.changed_tests $(CHANGED))

test-seconds: $(VENV)/.dev ## Compare what the last `make test` took of processors with each file's budget (tests/slow.toml)
	$(BIN)/python -m scripts.check_test_seconds $(RUN)

test-long: $(VENV)/.dev ## Run long kills, fuzzing and studies
	$(BIN)/python -m pytest -m long

check: $(VENV)/.dev ## Lint, types, layers, and generated files up to date
	@$(MAKE) --no-print-directory --jobs 2 --output-sync=target $(CHECKS)

check-models: $(VENV)/.dev
	$(BIN)/python -m scripts.write_models_table --check

check-types: $(VENV)/.dev
	$(BIN)/mypy

check-style: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

check-contract: $(VENV)/.dev
	$(BIN)/python -m scripts.write_openapi --check
	$(BIN)/openapi-spec-validator openapi.json

check-generated: $(VENV)/.dev
	$(BIN)/python -m scripts.generate_client --check
	$(BIN)/python -m scripts.write_settings_table --check
	$(BIN)/python -m scripts.write_scale_table --check
	$(BIN)/python -m scripts.write_notices --check

format: $(VENV)/.dev ## Format the code and mend what lint can mend
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

openapi: $(VENV)/.dev ## Write openapi.json from the code
	$(BIN)/python -m scripts.write_openapi

settings: $(VENV)/.dev ## Write the table of settings in docs/operations.md from the code
	$(BIN)/python -m scripts.write_settings_table
	$(BIN)/python -m scripts.write_scale_table

models-table: $(VENV)/.dev ## Write docs/models.md, the table of models that were tried (a minute)
	$(BIN)/python -m scripts.write_models_table

client: openapi ## Generate the SDK's contract/ and types.py from openapi.json
	$(BIN)/python -m scripts.generate_client

benchmarks: $(VENV)/.benchmarks $(VENV)/.featuretools ## Measure speed (an hour); what it prints is kept in benchmarks/results/
	@for name in $(BENCHMARKS); do scripts/keep_output benchmarks/results/$$name.txt $(BIN)/python -m benchmarks.$$name || exit 1; done
	@scripts/keep_output benchmarks/results/growth.txt $(BIN)/python -m benchmarks.growth benchmarks/results/growth.svg
	@scripts/keep_output benchmarks/results/defrag_inference.txt \
		$(BIN)/python -m benchmarks.defrag_inference benchmarks/results/defrag_inference.svg

paper-tables: $(VENV)/.benchmarks ## Do two papers' tables and the label audit again (over an hour)
	@scripts/keep_output benchmarks/results/paper_tables.md \
		$(BIN)/python -m benchmarks.paper_tables --json benchmarks/results/paper_tables.json
	@scripts/keep_output benchmarks/results/label_audit.md \
		$(BIN)/python -m benchmarks.label_audit --plot benchmarks/results/label_audit.svg

defrag-tables: $(VENV)/.benchmarks ## Do the experiments of the rule sets' paper again (half an hour)
	@scripts/keep_output benchmarks/results/defrag_tables.md \
		$(BIN)/python -m benchmarks.defrag_tables --json benchmarks/results/defrag_tables.json

approximation-tables: $(VENV)/.benchmarks ## Do two papers' experiments on approximation trees again (a quarter of an hour)
	@scripts/keep_output benchmarks/results/approximation_tables.md \
		$(BIN)/python -m benchmarks.approximation_tables --json benchmarks/results/approximation_tables.json

relational-tables: $(VENV)/.benchmarks ## Do a paper's experiments on first-order ensembles again (an hour; goes on where it ended)
	@scripts/keep_output benchmarks/results/relational_tables.md \
		$(BIN)/python -m benchmarks.relational_tables --json benchmarks/results/relational_tables.json.new
	@mv benchmarks/results/relational_tables.json.new benchmarks/results/relational_tables.json

requirements: $(VENV)/.dev ## Compile requirements/*.txt from requirements/*.in
	cd requirements && ../$(UV_COMPILE) runtime.in -o runtime.txt
	cd requirements && ../$(UV_COMPILE) dev.in -o dev.txt
	cd requirements && ../$(UV_COMPILE) benchmarks.in -o benchmarks.txt
	cd requirements && ../$(UV_COMPILE) cluster.in -o cluster.txt
	cd requirements && ../$(UV_COMPILE) s3-server.in -o s3-server.txt
	cd requirements && ../$(UV_COMPILE) kserve-clients.in -o kserve-clients.txt
	cd requirements && ../$(UV_COMPILE) browser.in -o browser.txt
	cd requirements && ../$(UV_COMPILE) notebooks.in -o notebooks.txt
	cd requirements && ../$(UV_COMPILE) mlflow.in -o mlflow.txt
	cd requirements && ../$(UV_COMPILE) featuretools.in -o featuretools.txt
	cd requirements && ../$(UV_COMPILE) docs.in -o docs.txt
	cd requirements && ../$(UV_COMPILE) release.in -o release.txt

notices: $(VENV)/.dev ## Write the bill of materials and third-party notices from requirements/runtime.txt
	$(BIN)/python -m scripts.write_notices

release: $(VENV)/.release ## Build, check and try the distributions of a release, from an index; print what a person signs off
	$(BIN)/python -m scripts.release

pythons-table: $(VENV)/.release ## Write which versions of Python a release runs on, after `make release` (some minutes)
	$(BIN)/python -m scripts.write_pythons_table

clean: ## Remove .venv and caches
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .import_linter_cache

$(VENV)/.python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Leafspace needs Python 3.11 or later; call make PYTHON=python3.12, say")'
	$(PYTHON) -m venv $(VENV)
	@touch $@

# Of the version that dev.txt pins. Where there is none for the machine, pip installs everything.
$(VENV)/.uv: $(VENV)/.python requirements/dev.txt
	sed -n '/^uv==/,/[^\\]$$/p' requirements/dev.txt > $(VENV)/uv.txt
	-scripts/install $(VENV) --only-binary :all: --require-hashes -r $(VENV)/uv.txt
	@touch $@

# uv first: it takes 4 s of processor for all of this, where pip takes a minute. Another uv is no reason to install again.
$(VENV)/.runtime: $(VENV)/.python requirements/runtime.txt pyproject.toml clients/python/pyproject.toml drawings/pyproject.toml | $(VENV)/.uv
	$(PIP_INSTALL) --require-hashes -r requirements/runtime.txt
	$(PIP_INSTALL) --no-deps --no-build-isolation -e . -e clients/python -e drawings
	@touch $@

$(VENV)/.dev: $(VENV)/.runtime requirements/dev.txt
	$(PIP_INSTALL) --require-hashes -r requirements/dev.txt
	@touch $@

$(VENV)/.benchmarks: $(VENV)/.dev requirements/benchmarks.txt
	$(PIP_INSTALL) --require-hashes -r requirements/benchmarks.txt
	@touch $@

# An environment of its own: what the server needs contradicts what rq needs. Of its many modules few are used, and
# translated then.
$(VENV)/.s3-server: $(VENV)/.python requirements/s3-server.txt
	$(PYTHON) -m venv $(VENV)/s3-server
	scripts/install $(VENV)/s3-server --no-compile --require-hashes -r requirements/s3-server.txt
	@touch $@

$(VENV)/.browser: $(VENV)/.dev requirements/browser.txt
	$(PIP_INSTALL) --require-hashes -r requirements/browser.txt
	@touch $@

$(VENV)/.cluster: $(VENV)/.dev requirements/cluster.txt
	$(PIP_INSTALL) --require-hashes -r requirements/cluster.txt
	@touch $@

$(VENV)/.release: $(VENV)/.dev requirements/release.txt
	$(PIP_INSTALL) --require-hashes -r requirements/release.txt
	@touch $@

$(VENV)/.notebooks: $(VENV)/.dev requirements/notebooks.txt
	$(PIP_INSTALL) --require-hashes -r requirements/notebooks.txt
	@touch $@

$(VENV)/.mlflow: $(VENV)/.dev requirements/mlflow.txt
	$(PIP_INSTALL) --require-hashes -r requirements/mlflow.txt
	@touch $@

$(VENV)/.docs: $(VENV)/.dev requirements/docs.txt
	$(PIP_INSTALL) --require-hashes -r requirements/docs.txt
	@touch $@

# Likewise: featuretools needs pandas below 3.
$(VENV)/.featuretools: $(VENV)/.python requirements/featuretools.txt
	$(PYTHON) -m venv $(VENV)/featuretools
	scripts/install $(VENV)/featuretools --require-hashes -r requirements/featuretools.txt
	@touch $@

# Likewise: what KServe's client needs contradicts what the service needs.
$(VENV)/.kserve-clients: $(VENV)/.python requirements/kserve-clients.txt
	$(PYTHON) -m venv $(VENV)/kserve-clients
	scripts/install $(VENV)/kserve-clients --no-compile --require-hashes -r requirements/kserve-clients.txt
	@touch $@
