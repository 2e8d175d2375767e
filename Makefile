# SPDX-License-Identifier: MIT
# A thin front over CMake and Ninja. `make demo` and `make test` need nothing but git and make on a
# fresh Debian 12: tools/bootstrap installs what is missing.
BUILD := build/release
PREFIX ?= /usr/local

.PHONY: all demo demo-rtl test verify bench bench-against verify-errors verify-triage verify-plans verify-faults verify-models verify-explore verify-machines format lint tables docs install dist clean verify-rtl verify-tests verify-fuzz verify-slurm deb static verify-packages verify-debian verify-cross verify-tutorials verify-planted

all: $(BUILD)/build.ninja
	@cmake --build $(BUILD)

$(BUILD)/build.ninja: CMakeLists.txt CMakePresets.json tools/bootstrap
	@tools/bootstrap build
	@cmake --preset release --log-level=WARNING >/dev/null

# Only the command is built, not the benchmarks: a newcomer is waiting.
demo: $(BUILD)/build.ninja
	@cmake --build $(BUILD) --target collider
	@tools/demo $(BUILD)/collider

# The same for caches in SystemVerilog, under Verilator.
demo-rtl: $(BUILD)/build.ninja
	@tools/bootstrap build test
	@cmake --build $(BUILD) --target collider
	@tools/demo-rtl $(BUILD)/collider

test:
	@tools/bootstrap build test
	@tools/test

# All tests, and those with threads under ThreadSanitizer: half an hour.
verify:
	@tools/bootstrap build test
	@tools/test all

bench: all
	@$(BUILD)/bench-generate
	@$(BUILD)/bench-simulate
	@$(BUILD)/bench-explore
	@$(BUILD)/bench-check
	@$(BUILD)/bench-trace
	@$(BUILD)/bench-cat
	@$(BUILD)/bench-episode
	@$(BUILD)/bench-parallel
	@$(BUILD)/bench-serve

# The same work by another version: OLD=/path/to/its/build/release. Some ten minutes.
bench-against: all
	@tools/bench-against $(OLD) $(BUILD)

# The tests once more, with ten times the random programs: a quarter of an hour.
verify-tests:
	@tools/bootstrap build test
	@cmake --preset verify --log-level=WARNING >/dev/null
	@cmake --build build/verify
	@cd build/verify && ctest --output-on-failure -j "$$(nproc)" -E '^rtl-'

# The tests notice every fault of tests/planted/, planted in a copy: about half an hour.
verify-planted:
	@tools/bootstrap build test
	@tools/verify-planted build/planted

# Every fuzz target for FUZZ seconds, each from where earlier runs ended.
FUZZ ?= 3600
verify-fuzz:
	@tools/bootstrap build test
	@cmake --preset sanitize --log-level=WARNING >/dev/null
	@cmake --build build/sanitize
	@tools/verify-fuzz build/sanitize/tests $(FUZZ)

# Every error of the library is found, and nothing in correct designs: about ten minutes.
verify-errors: all
	@$(BUILD)/bench-errors

# How often triage is right, for MIXES mixes of errors of the library and as many of mutants, two to five at a time: twenty
# minutes. With GEM5=/path/to/gem5 (v24.0.0.1), errors of its protocols are mixed with mutants, too.
MIXES ?= 32
verify-triage: all
	@$(BUILD)/bench-triage errors 1 $(MIXES) 3000
	@$(BUILD)/bench-triage mutants 1 $(MIXES) 3000
	@test -z "$(GEM5)" || GEM5=$(GEM5) $(BUILD)/bench-triage gem5 1 $(MIXES) 3000

# The papers' tables and figures at small scale, ours beside theirs: about a quarter of an hour.
verify-plans: all
	@tools/verify-plans $(BUILD)/collider build/plans

# Every allocation and every system call of every command fails once: about an hour. tests/faults/README.md.
verify-faults:
	@tools/bootstrap build test
	@tools/verify-faults

# Our models in cat against the oracles of the checkers, on 100,000 random executions: half a minute. The cores at ports
# against these models, on all cycles of up to six relaxations: ten minutes.
verify-models:
	@tools/bootstrap build test
	@cmake --preset test --log-level=WARNING >/dev/null
	@cmake --build build/test --target test-cat-models test-agent-cycles
	@COLLIDER_EXECUTIONS=100000 build/test/tests/test-cat-models
	@COLLIDER_CYCLES=1/1 build/test/tests/test-agent-cycles

# Exploration with and without reductions, on 200 mutants each of two protocols: some minutes.
verify-explore:
	@tools/bootstrap build test
	@cmake --preset test --log-level=WARNING >/dev/null
	@cmake --build build/test --target test-explore-reductions
	@COLLIDER_MUTANTS=200 build/test/tests/test-explore-reductions

# Litmus and random programs as machine code, on the host and under QEMU: about half an hour.
verify-machines: all
	@tools/bootstrap build test
	@tools/verify-machines $(BUILD)/collider build/machines

# Campaigns on a real Slurm, with lost nodes, time limits and full disks: some six minutes.
verify-slurm: all
	@tools/slurm-test $(BUILD)/collider build/slurm same killed cancelled requeued preempted silent full limit scaling

# Millions of operations on our own RTL, every error of it found, replayed and shrunk: half an hour.
verify-rtl:
	@tools/bootstrap build test
	@cmake --preset test --log-level=WARNING >/dev/null
	@cmake --build build/test
	@cd build/test && ctest --output-on-failure -R '^rtl-'

# The commands of the README and of all tutorials, as written: some minutes. GEM5=/path/to/gem5 (v24.0.0.1) for those about
# gem5, VEXRISCV=/path/to/pythondata-cpu-vexriscv_smp for that chip; what a page needs and is not there is said.
verify-tutorials: all
	@tools/bootstrap build test
	@tools/transcript --all $(BUILD)/collider README.md $(filter-out %/slurm.md %/README.md,$(wildcard docs/tutorial/*.md))
	@tools/slurm-test $(BUILD)/collider build/slurm-tutorial with \
	    tools/transcript --all $(BUILD)/collider docs/tutorial/slurm.md || [ $$? -eq 77 ]

format:
	@tools/bootstrap lint
	@tools/lint --fix

lint:
	@tools/bootstrap build test lint
	@tools/lint

# The tables of docs/ that say what there is, as the code has them, and the chart of one of them.
tables: all
	@$(BUILD)/tables --fix docs
	@tools/chart

# The site: build/docs/site/index.html. Its links are checked, and it is looked at in a browser where there is one.
docs: all
	@tools/bootstrap docs
	@tools/docs $(BUILD)/collider build/docs

install: all
	@cmake --install $(BUILD) --prefix $(PREFIX)

# A release: what is committed, and the report's page, built, so that Node is not needed.
VERSION = $(shell sed -n 's/^project.collider VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
TARBALL = build/collider-$(VERSION).tar.gz
dist: $(BUILD)/build.ninja
	@cmake --build $(BUILD) --target report-page
	@git archive --format=tar.gz -o $(TARBALL) --prefix=collider-$(VERSION)/web/dist/ \
	    --add-file=$(BUILD)/generated/report.html --prefix=collider-$(VERSION)/ HEAD
	@echo $(TARBALL)

# Debian packages of what is committed, in build/deb; docs/install.md.
deb: dist
	@tools/bootstrap build package
	@tools/deb $(TARBALL) $(CURDIR)/build/deb

# One command for all x86-64 machines with glibc 2.34 or later, and its files.
STATIC = build/collider-$(VERSION)-linux-x86_64.tar.gz
static:
	@tools/bootstrap build
	@tools/static build/static $(STATIC)

# Debian roots for the following, which need root: a few GB.
ROOTS ?= build/roots

# The packages and the static tarball where nothing else is installed: some minutes.
verify-packages: deb static
	@tools/verify-packages build/deb $(ROOTS) bookworm $(STATIC)

# Packages on Debian 12 and 13 from nothing, and a build with clang: half an hour.
verify-debian: dist
	@tools/bootstrap package
	@tools/verify-debian $(TARBALL) $(ROOTS) bookworm trixie

# Built for AArch64, tested under qemu-user: half an hour.
verify-cross: dist
	@tools/bootstrap package
	@tools/verify-cross $(TARBALL) $(ROOTS)

clean:
	@rm -rf build
