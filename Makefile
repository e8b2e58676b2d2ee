# Two commands do everything on a fresh machine: `make e2e` (the main job) and `make test` (all that needs no cluster).
# `make help` lists the rest. Needs Go, git and, for `make e2e`, a container engine or root on Debian or Ubuntu.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-builtin-rules --no-print-directory

# Which styles (a name, a list with commas, a folder, all; empty: native and argo for `make e2e`, all elsewhere), how many
# rounds (empty: one for `make e2e`, elsewhere as many as the question needs), where images come from (auto, pull, build),
# and any further flags of the suite, e.g. ARGS="--scenario=create --keep-cluster"; `go test ./e2e -args --help` explains
# them. The suite plans its rounds to fit TIMEOUT.
OPERATOR ?=
QUICK    := native,argo
STYLES    = $(or $(OPERATOR),all)
ROUNDS   ?=
IMAGES   ?= auto
ARGS     ?=
TIMEOUT  ?= 60m
# What `make gate` compares with: a git revision. BUDGET is how long base and head may take turns; it ends earlier, once all
# is settled, and PROFILE how much of it: quick, standard (if empty) or deep, each with a budget of its own. PASSES is how
# often a style goes through the scenarios in each round (empty: as often as pays off).
BASE     ?= origin/main
PROFILE  ?=
BUDGET   ?=
PASSES   ?=
RESULTS  ?=
# On how many clusters `make matrix` drives its parts side by side.
SHARDS   ?= 3
# How many trials of `make selftest` share its cluster at a time, and how often `make selftest-repeat` goes through the matrix.
TRIALS   ?= 6
REPEATS  ?= 20
# How long `make fuzz` gives each fuzz target.
FUZZTIME ?= 10s
# How often `make bench` repeats each benchmark; benchstat wants 6 or more.
BENCHCOUNT ?= 1
# The race detector needs a C compiler; without one Go says CGO_ENABLED=0, and the tests run without it.
RACE     ?= $(if $(filter 1,$(shell go env CGO_ENABLED)),-race)

# The suite's own package needs a cluster. Everything else is tested without one; the suite is vetted and linted all the same.
SUITE    := operatorbench/e2e
OPBENCH  := go run ./e2e/cmd/opbench
PACKAGES  = $$(go list ./... | grep -vx $(SUITE))
# Modules of their own: ./... does not reach them. The first is as Kubebuilder lays one out.
LAID_OUT := operators/controller-runtime
NESTED   := $(LAID_OUT) operators/helm operators/operator-sdk fixtures/images e2e/selftest
SCRIPTS   = $(shell git ls-files --cached --others --exclude-standard -- '*.sh' .ci/run)

##@ The two commands

.PHONY: e2e
e2e: ## Main job: engine, images, cluster, install, create / scale / delete, judge, delete the cluster (OPERATOR=all ROUNDS=5, or PRECISION=10% BUDGET=30m; ARGS=…)
	scripts/engine-up.sh
	scripts/first-look.sh $(STYLES) $(IMAGES)
	go test ./e2e -v -count=1 -timeout $(TIMEOUT) -args --operator=$(STYLES) $(rounds) $(if $(filter-out auto,$(IMAGES)),--images=$(IMAGES)) $(ARGS)
e2e: STYLES = $(or $(OPERATOR),$(QUICK))
e2e: rounds = $(if $(ROUNDS)$(PRECISION),$(if $(ROUNDS),--rounds=$(ROUNDS)) $(if $(PRECISION),--precision=$(PRECISION)),--rounds=1) $(if $(BUDGET),--budget=$(BUDGET))

.PHONY: bin/opbench
bin/opbench: ## One file that works anywhere, in other people's repositories too; it says of which revision it is
	go build -ldflags="-X 'main.stamp=$$(git log -1 --format='%h of %cI' 2>/dev/null)$$(git diff --quiet HEAD 2>/dev/null || echo ', with changes')'" -o $@ ./e2e/cmd/opbench

.PHONY: test
test: vet unit ## Everything that needs no cluster: vet, unit and golden tests

##@ Parts of `make test`, and what `make verify` adds

.PHONY: verify
verify: vet lint race ## What CI runs on every change: vet, linters, and the tests with the race detector

# One pass: it compiles what the tests need too, and sees the files that need a cluster or a browser.
.PHONY: vet
vet: ## go vet of all packages, the suite and the tests that need a cluster included
	@echo "vet: compiling; the first time on a machine this takes minutes, afterwards seconds"
	go vet -tags cluster,browser ./...
	for module in $(NESTED); do go vet -C $$module -tags cluster ./...; done

.PHONY: unit race
unit: ## Unit, golden and script tests
race: ## The same with the race detector, where there is a C compiler
# The test of kube-rs compiles Rust: minutes on a cold machine, more than go test's 10 beside other work.
unit race:
	go test -timeout 30m $(if $(filter race,$@),$(RACE)) $(PACKAGES)
	for module in $(NESTED); do go test -C $$module $(if $(filter race,$@),$(RACE)) ./...; done

.PHONY: lint
lint: tools ## golangci-lint (formatting and import rules too), go.mod tidy, what is generated, actionlint, shellcheck
	bin/golangci-lint run ./...
	for module in $(NESTED); do (cd $$module && $(CURDIR)/bin/golangci-lint run ./...); done
	go mod tidy -diff
	for module in $(NESTED); do go mod tidy -C $$module -diff; done
	$(MAKE) -C $(LAID_OUT) verify CONTROLLER_GEN=$(CURDIR)/bin/controller-gen
	bin/actionlint
	@for script in $(SCRIPTS); do bash -n "$$script"; done
	@if command -v shellcheck >/dev/null; then \
		echo "shellcheck" $(SCRIPTS); shellcheck $(SCRIPTS); \
	else \
		echo "lint: shellcheck is not installed: SKIPPED, only the syntax of shell scripts was checked (apt-get install shellcheck)"; \
	fi

.PHONY: tools
tools: ## Build the pinned linters into bin/
	@[[ -x bin/golangci-lint && -x bin/actionlint && -x bin/controller-gen ]] || \
		echo "tools: building golangci-lint, actionlint and controller-gen; the first time on a machine this takes minutes, afterwards a second"
	@for tool in golangci-lint actionlint controller-gen; do go build -C "tools/$$tool" -trimpath -o ../../bin/ tool; done

.PHONY: gate-selftest
gate-selftest: ## The gate's measured quality by style: false alarms, slowdowns found; fails if a promise is broken (about four minutes; ARGS=-every: of every recording)
	for profile in $(or $(PROFILE),standard quick); do \
		go test ./e2e/gate -run '^TestSelftest$$' -v -count=1 -timeout 60m -comparisons=160 -profile=$$profile $(ARGS) || exit; done
	$(if $(filter-out -update,$(ARGS))$(PROFILE),,go test ./e2e/gate -run '^TestBudgets$$' -count=1 -timeout 60m -comparisons=160 $(ARGS))

##@ With a cluster or a container engine

.PHONY: workflow
workflow: ## Run WORKFLOW (ci, e2e, gate or pages) of .github/workflows here, with stubs for its actions (ARGS: the style, or the gate's base)
	scripts/run-workflow.sh $(WORKFLOW) $(ARGS)

.PHONY: matrix
matrix: ## Correctness: every style through all scenarios and faults, on SHARDS clusters side by side; fails where a verdict is not as in its verdicts.yaml
	scripts/engine-up.sh
	$(OPBENCH) matrix --operator=$(STYLES) --images=$(IMAGES) --shards=$(SHARDS) $(if $(ROUNDS),--rounds=$(ROUNDS)) $(ARGS)

.PHONY: scale scale-plan
scale: ## Scale: bursts, ramps and growth of the best style of each framework, in parts of half an hour to two hours (PART=ramps: one of them); goes on where it was stopped
	scripts/engine-up.sh
	$(if $(RESULTS),RESULTS=$(RESULTS)) IMAGES=$(IMAGES) scripts/scale.sh $(PART)
scale-plan: ## What each part of it drives, and how long that takes
	@scripts/scale.sh plan $(PART)

.PHONY: selftest selftest-quick
selftest: ## The harness's own test: operators with one deliberate fault each, and whether its oracle finds each; fails at one that is missed, or a false alarm
selftest-quick: ## The same with six mutants
selftest selftest-quick:
	scripts/engine-up.sh
	$(OPBENCH) images ensure --images=$(IMAGES) node memcached mutant
	go test -C e2e/selftest -tags cluster -run '^TestMutants$$' -v -count=1 -parallel $(TRIALS) -timeout $(TIMEOUT) . $(if $(filter selftest-quick,$@),-quick)

# What shows the shapes: the latencies, and of the matrix what each is about.
SHAPES := e2e/selftest/testdata/shapes
.PHONY: selftest-shapes
selftest-shapes: ## The half of it for other custom resources: operators that differ as published ones do, each as a folder; fails where a verdict is not as expected
	scripts/engine-up.sh
	$(OPBENCH) run --operator=./$(SHAPES)/unowned --images=$(IMAGES) --rounds=1 --scenario=latency,recreate,rollback,two-resources-one-deleted,delete-while-scaling $(ARGS)
	$(OPBENCH) run --operator=./$(SHAPES)/stored,./$(SHAPES)/forgets,./$(SHAPES)/at-once,./$(SHAPES)/notes-first --images=$(IMAGES) --rounds=1 --scenario=version-upgrade,replica-lost,volume-kept,changed-in-place,killed-while-changing $(ARGS)
	$(OPBENCH) run --operator=./$(SHAPES)/stateful,./$(SHAPES)/never-down,./$(SHAPES)/brittle,./$(SHAPES)/mute --images=$(IMAGES) --rounds=1 --scenario=latency,recreate,rollback,two-resources,drift-deleted,drift-image,wrong-values $(ARGS)
	$(OPBENCH) run --operator=./$(SHAPES)/paired --images=$(IMAGES) --rounds=1 --scenario=latency,recreate,two-resources,two-resources-one-deleted,finalizer,write-refused,children-taken,children-taken-orphan $(ARGS)

# Which of the held-out operators; empty: all.
HELDOUT ?=
.PHONY: selftest-heldout
selftest-heldout: ## What the whole matrix finds in operators whose faults were written without knowledge of it (seven hours; HELDOUT="correct 02-transition-time": these)
	scripts/engine-up.sh
	styles=$$(e2e/selftest/testdata/heldout/make.sh results/heldout $(HELDOUT)) && $(OPBENCH) matrix --operator=$$styles --images=$(IMAGES) --shards=$(SHARDS) $(ARGS)

.PHONY: selftest-repeat
selftest-repeat: ## The other half of it: the native style through the correctness matrix REPEATS times; fails at a false alarm, names what is flaky
	$(MAKE) matrix OPERATOR=native ROUNDS=$(REPEATS)

.PHONY: gate
gate: ## Compare the styles that changed since BASE with what they were, in one job; says slower, broken, more rights, fine or cannot tell
	scripts/engine-up.sh
	@$(MAKE) bin/opbench # whose own exit status tells these apart: 0 fine, 1 slower, broken, missing or more rights, 10 cannot tell, 3 invalid
	bin/opbench run --base=$(BASE) $(if $(PROFILE),--profile=$(PROFILE)) $(if $(BUDGET),--budget=$(BUDGET)) --operator=$(STYLES) --images=$(IMAGES) $(if $(ROUNDS),--rounds=$(ROUNDS)) $(if $(PASSES),--passes=$(PASSES)) $(if $(RESULTS),--results=$(RESULTS)) $(ARGS)

.PHONY: images
images: ## Make all images ready (pull or build) and list them
	scripts/engine-up.sh
	$(OPBENCH) images ensure --images=$(IMAGES)
	$(OPBENCH) images

.PHONY: test-cluster
test-cluster: ## Tests of fixtures, styles and the run that need a cluster of their own
	scripts/engine-up.sh
	$(OPBENCH) images ensure --images=$(IMAGES)
	go test -tags cluster -p 1 -count=1 -timeout 30m ./e2e/environment/... ./e2e/spec/... ./operators/... ./e2e/record/... ./e2e/run/...
	$(MAKE) test-envtest

.PHONY: test-envtest
test-envtest: ## The controller-runtime operator against a real API server and etcd, without nodes or a container engine (compiles both the first time)
	assets=$$($(OPBENCH) images programs etcd kube-apiserver) && KUBEBUILDER_ASSETS=$$assets $(MAKE) -C $(LAID_OUT) test-envtest

##@ Once

.PHONY: address
address: ## Give the repository its ADDRESS (github.com/you/operatorbench): module paths, the documents' go install line, the action's line
	scripts/address.sh "$(ADDRESS)" $(REVISION)

##@ With a browser

.PHONY: test-browser
test-browser: ## The HTML report in a headless Chrome or Chromium; screenshots in results/browser (BROWSER=path)
	browser=$$(scripts/browser-up.sh) && \
		go test -tags browser -count=1 ./e2e/report/html -args -browser="$$browser" -shots="$(CURDIR)/results/browser"

##@ Cleaning up

.PHONY: clean
clean: ## Remove clusters and containers that killed runs of this project left, and nothing else
	$(OPBENCH) clean

##@ While working

.PHONY: fmt
fmt: tools ## Format all Go code
	bin/golangci-lint fmt ./...
	for module in $(NESTED); do (cd $$module && $(CURDIR)/bin/golangci-lint fmt ./...); done

.PHONY: fuzz
fuzz: ## A short run of each fuzz target (FUZZTIME=10s)
	@{ grep -rEo --include='*_test.go' '^func Fuzz\w+' e2e fixtures operators || true; } | { failed=0; while IFS=: read -r file target; do \
		echo "fuzz: $${target#func } in $$(dirname "$$file")"; \
		go test -C "$$(dirname "$$file")" . -run '^$$' -fuzz "^$${target#func }$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 1x || failed=1; \
	done; exit $$failed; }

.PHONY: bench
bench: ## How fast recordings are written, judged and reported (100,000 latencies), and in how much memory; wants an idle machine
	go test ./e2e/record ./e2e/judge ./e2e/report -run '^$$' -bench . -count $(BENCHCOUNT)

.PHONY: update
update: ## Rewrite golden files from what is printed now; read the diff before committing it
	@packages=$$({ grep -rlE --include='*_test.go' 'flag\.Bool\("update"' e2e fixtures operators docs || true; } | xargs -r -n1 dirname | sort -u); \
	[[ -n "$$packages" ]] || echo "update: no package has golden files (a -update flag in its tests)"; \
	for package in $$packages; do go test -C "$$package" . -update; done

# What README.md, RESULTS.md, the front page and the reports in the last of these folders are made of.
PUBLISHED ?= docs/results/quick docs/results/replication-slow/gbp4nxwe docs/results/replication-slow/mejy6m6x docs/results/matrix docs/results/scale docs/results/comparison

.PHONY: publish
publish: ## Publish figures: RESULTS (runs, each of which has its own table; none: only reports) go into docs/results/comparison, or OUT; write all reports, the blocks of results of README.md and RESULTS.md, and every page into site/
	$(if $(RESULTS),$(OPBENCH) recordings add --out=$(or $(OUT),docs/results/comparison) $(RESULTS))
	go test ./e2e/internal/docs -count=1 -run '^(TestReportsAreWhatTheirRunsGive|TestTutorialFigures|TestFindingsFigures)$$' -update
	$(OPBENCH) report --format=readme --out=README.md $(PUBLISHED)
	$(OPBENCH) report --format=figures --out=RESULTS.md $(PUBLISHED)
	$(MAKE) pages

.PHONY: pages
pages: ## The published results as a page in site/index.html, with one for each style: open it in a browser
	$(OPBENCH) report --format=html --out=site/index.html $(PUBLISHED)
	@echo "open site/index.html in a browser"

.PHONY: help
help: ## List the targets
	@awk 'BEGIN {FS = ":.*## "} \
		/^##@ / {printf "\n%s\n", substr($$0, 5)} \
		/^[a-z0-9-]+:.*## / {printf "  make %-13s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
