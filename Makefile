# SPDX-License-Identifier: Apache-2.0
# A thin face over CMake; `make help` says what there is.

JOBS   ?= $(shell nproc 2>/dev/null || echo 2)
PREFIX ?= /usr/local
BUILD  := build/release

# what ccache, where there is one, keeps from one clone is good for the next
export CCACHE_BASEDIR   ?= $(CURDIR)
export CCACHE_NOHASHDIR ?= 1

.DEFAULT_GOAL := build
.PHONY: help deps configure build demo check check-all bench install docs wheel format clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

deps: ## install the Debian packages that a build needs and that are missing
	@scripts/install-deps build

configure: deps
	@cmake --preset release -B $(BUILD)

build: configure ## the release build: build/release/hooke; neither tests nor benchmarks
	@cmake --build $(BUILD) -j$(JOBS) --target hooke_cli

demo: build ## build, run a first mechanism, say where the results are
	@scripts/demo

check: ## everything that must hold, in about six minutes on two cores
	@JOBS=$(JOBS) scripts/check

check-all: ## the same with the long studies (label "slow")
	@JOBS=$(JOBS) scripts/check --all

bench: deps ## run the benchmarks; results in build/bench
	@cmake --preset release -B $(BUILD) -DHK_BENCH=ON
	@cmake --build $(BUILD) -j$(JOBS) --target hooke_cli benchmarks
	@scripts/bench

install: build ## install to PREFIX (default /usr/local)
	@cmake --build $(BUILD) -j$(JOBS)
	@cmake --install $(BUILD) --prefix "$(PREFIX)"

docs: ## the documentation site, build/docs/html: guides, theory, the model language, C and Python
	@scripts/install-deps docs
	@cmake --preset release -B $(BUILD) -DHK_PYTHON=ON
	@cmake --build $(BUILD) -j$(JOBS) --target hooke_cli hooke_python
	@scripts/make-docs
	@scripts/make-site $(BUILD)

wheel: deps ## a wheel of the Python package in build/wheel, tried in an empty environment (pip, network)
	@scripts/make-wheel

format: ## format all C files
	@scripts/format

clean: ## remove everything that was built
	@rm -rf build
