# Every target sets up what it needs. `make demo` and `make test` work on a fresh clone.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
PAGE := src/triplewire/web/static/index.html

.DEFAULT_GOAL := help
# Every target is a task, and no file of that name.
.PHONY: $(shell grep -hoE '^[a-z-]+:' Makefile | tr -d :)

help: ## show this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 22

$(STAMP): pyproject.toml constraints.txt scripts/setup
	@PYTHON=$(PYTHON) scripts/setup $(VENV)
	@touch $@

setup: $(STAMP) ## make .venv and install everything into it

$(PAGE): $(shell find web -type f -not -path '*/node_modules/*' 2>/dev/null) scripts/web/build | $(STAMP)
	@scripts/web/build $(VENV)

web: $(PAGE) ## build the page in the browser into the package; Node.js from the machine, or from PyPI

demo: $(STAMP) ## 200,000 events against 20,000 subscriptions on local Spark, into a lake
	@$(BIN)/python examples/pipeline.py

demo-papers: $(STAMP) ## match the papers' own examples and show what matched and why
	@$(BIN)/python examples/papers.py

demo-rules: $(STAMP) ## the RDFTL paper's scenario: rules tell users of new learning objects
	@$(BIN)/python examples/selene.py

demo-views: $(STAMP) ## a library's catalogue is changed on one side, and views of it are told on the other
	@$(BIN)/python examples/views.py

test: $(STAMP) ## all tests but those of whole systems and the slow ones
	@$(BIN)/python -m pytest -n auto --dist loadgroup -m "not slow and not system"

test-system: $(STAMP) ## tests that start nodes, networks, jobs on Spark and every command of the docs
	@$(BIN)/python -m pytest -n auto --dist loadgroup -m "system and not slow" tests

test-slow: $(STAMP) ## the slow ones: every strategy on Spark, a stream that is killed
	@$(BIN)/python -m pytest -m slow

test-stream-kill: $(STAMP) ## F10: kill -9 a stream at 20 random moments; KILLS=n for more
	@TRIPLEWIRE_KILLS=$(or $(KILLS),20) $(BIN)/python -m pytest -s tests/pipeline/test_stream_kill.py

test-cluster: $(STAMP) ## every strategy and job twice on a standalone master with two workers on loopback
	@$(BIN)/python -m pytest -s tests/cluster/on_cluster.py tests/cluster/by_command.py

test-connect: $(STAMP) ## every strategy and job over Spark Connect, to a server on loopback
	@$(BIN)/python -m pytest -s tests/connect/over_connect.py

test-kafka: $(STAMP) ## through a real Kafka broker and back, with a driver that is killed; jars through Maven
	@scripts/kafka/fetch $(VENV)/kafka
	@TRIPLEWIRE_KAFKA_JARS=$(VENV)/kafka $(BIN)/python -m pytest -s tests/kafka/through_kafka.py

test-object-storage: $(STAMP) ## every job on a real server that speaks S3, with drivers that are killed; built through Go
	@scripts/object-storage/fetch $(VENV)/object-storage
	@TRIPLEWIRE_OBJECT_STORAGE=$(VENV)/object-storage $(BIN)/python -m pytest -s tests/object_storage/on_object_storage.py tests/object_storage/killed_on_object_storage.py

test-sepa: $(STAMP) ## SEPA's own clients, of JavaScript and Python, unchanged; through npm and pip
	@PYTHON=$(BIN)/python scripts/sepa/fetch $(VENV)/sepa
	@TRIPLEWIRE_SEPA_CLIENTS=$(VENV)/sepa $(BIN)/python -m pytest tests/sepa/with_clients.py

test-protocols: $(STAMP) ## other people's clients of the protocols that a node speaks, unchanged; through npm
	@scripts/protocols/fetch $(VENV)/protocols
	@TRIPLEWIRE_PROTOCOL_CLIENTS=$(VENV)/protocols $(BIN)/python -m pytest tests/protocols/with_*.py

test-w3c: $(STAMP) ## the W3C's tests of SPARQL: queries asked and as views, updates, syntax; through Maven
	@PYTHON=$(BIN)/python scripts/w3c/fetch $(VENV)/w3c
	@TRIPLEWIRE_W3C=$(VENV)/w3c $(BIN)/python -m pytest tests/w3c/conformance.py

test-crash: $(STAMP) ## kill -9 a node at a hundred random points; CRASHES=500 for more
	@TRIPLEWIRE_CRASHES=$(or $(CRASHES),100) $(BIN)/python -m pytest tests/node/test_crashes.py

test-simulation: $(STAMP) ## a thousand random histories on simulated networks; RUNS=5000 for more, FIRST=n to begin elsewhere
	@TRIPLEWIRE_RUNS=$(or $(RUNS),1000) TRIPLEWIRE_FIRST_SEED=$(or $(FIRST),0) $(BIN)/python -m pytest -n auto tests/simulation/superpeers/test_runs.py

test-rules-simulation: $(STAMP) ## a thousand random runs of rules across simulated super-peers; RUNS=5000 for more, FIRST=n to begin elsewhere
	@TRIPLEWIRE_RULES_RUNS=$(or $(RUNS),1000) TRIPLEWIRE_FIRST_SEED=$(or $(FIRST),0) $(BIN)/python -m pytest -n auto tests/simulation/federation/test_runs.py

test-space: $(STAMP) ## a thousand random runs of simulated event spaces; RUNS=5000 for more, FIRST=n to begin elsewhere
	@TRIPLEWIRE_SPACE_RUNS=$(or $(RUNS),1000) TRIPLEWIRE_FIRST_SEED=$(or $(FIRST),0) $(BIN)/python -m pytest -n auto tests/simulation/eventspace/test_runs.py

test-network: $(STAMP) ## kill -9 of one of eight real super-peers under load, the demo; KILLS=n for more
	@TRIPLEWIRE_KILLS=$(or $(KILLS),2) $(BIN)/python -m pytest -s -m slow tests/network_processes tests/cli/network/test_network.py

test-space-processes: $(STAMP) ## kill -9 of one of eight real nodes of an event space under load; KILLS=n for more
	@TRIPLEWIRE_KILLS=$(or $(KILLS),3) $(BIN)/python -m pytest -s tests/space_processes

test-rules-network: $(STAMP) ## kill -9 of one of eight processes in mid-cascade of rules over four peer groups, 20 times; KILLS=n
	@TRIPLEWIRE_KILLS=$(or $(KILLS),20) $(BIN)/python -m pytest -s -m slow tests/rules_processes

docs: $(STAMP) ## the documentation as a site, in build/docs/site; needs npm, for the diagrams
	@PYTHON=$(BIN)/python scripts/docs/fetch $(VENV)/docs
	@$(BIN)/python -m docsite --mermaid $(VENV)/docs/mermaid.min.js

release-check: $(STAMP) $(PAGE) ## what a release is made of: sdist, wheel, descriptions, empty environments of each Python, the quick start
	@PYTHON=$(BIN)/python scripts/release-check

test-api: $(STAMP) ## schemathesis over the API of a real node; API_EXAMPLES=500 for more
	@TRIPLEWIRE_API_EXAMPLES=$(or $(API_EXAMPLES),50) $(BIN)/python -m pytest tests/api/on_schema.py

test-browser: $(STAMP) $(PAGE) ## the page, and a page of another origin, in a real browser: Debian's Chromium
	@scripts/web/browser $(VENV)
	@$(BIN)/python -m pytest -n 2 --dist loadfile tests/browser/on_browser.py tests/browser/on_page.py tests/browser/on_networks.py

screens: $(STAMP) $(PAGE) ## take the pictures of docs/page.md anew
	@scripts/web/browser $(VENV)
	@TRIPLEWIRE_SCREENS=docs/figures/screens $(BIN)/python -m pytest tests/browser/on_page.py tests/browser/on_networks.py

check: $(STAMP) ## ruff, mypy --strict, import-linter
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

bench-matching: $(STAMP) ## how fast matching is, beside rivals; BENCH=--quick for a small run
	@$(BIN)/python -m benchmarks.matching $(BENCH)

bench-gtopss: $(STAMP) ## figure 9 of the G-ToPSS paper, with Triplewire in it; BENCH=--quick for a small run
	@$(BIN)/python -m benchmarks.gtopss $(BENCH)

bench-node: $(STAMP) ## how many events a node accepts durably, and how soon it tells; BENCH=--quick for a small run
	@$(BIN)/python -m benchmarks.node $(BENCH)

bench-network: $(STAMP) ## messages, hops, indices and repair of simulated networks up to 1,024; BENCH=--quick for a small run
	@$(BIN)/python -m benchmarks.network $(BENCH)

bench-rules: $(STAMP) ## what rules cost an update, cascades, and how long the analysis takes; BENCH=--quick for a small run
	@$(BIN)/python -m benchmarks.rules $(BENCH)

bench-rules-network: $(STAMP) ## rules across 4 to 64 super-peers, beside sending everything to everybody; BENCH=--quick for a small run
	@$(BIN)/python -m benchmarks.rules_network $(BENCH)

bench-views: $(STAMP) ## durable updates with up to 100,000 views, beside running every query again; BENCH=--quick for a small run
	@scripts/incremunica/fetch $(VENV)/incremunica || echo "without Incremunica: npm could not bring it"
	@$(BIN)/python -m benchmarks.views --incremunica $(VENV)/incremunica $(BENCH)

bench-eventcloud: $(STAMP) ## figure 2 of the EventCloud paper, CSMA beside OSMA, simulated and real; BENCH=--quick for a small run
	@$(BIN)/python -m benchmarks.eventcloud $(BENCH)

format: $(STAMP) ## let ruff rewrite what it can
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

bench-pipeline: $(STAMP) ## the pipeline beside its floor; BENCH=--quick for a small run
	@scripts/object-storage/fetch $(VENV)/object-storage
	@TRIPLEWIRE_OBJECT_STORAGE=$(VENV)/object-storage $(BIN)/python -m benchmarks.pipeline $(BENCH)

bench-strategies: $(STAMP) ## replicate, osma and csma side by side; BENCH=--quick for a small run
	@$(BIN)/python -m benchmarks.strategies $(BENCH)

clean: ## remove .venv and every cache
	rm -rf $(VENV) build .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache web/node_modules $(dir $(PAGE))
