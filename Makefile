# SPDX-License-Identifier: Apache-2.0
#
# The few words people type; CMakeLists.txt does the work.
PREFIX ?= /usr/local

.PHONY: help build run test bench wasm web install clean

help:
	@echo "make build    programs into build/bin, libraries into build/lib"
	@echo "make run      build, then show what Clockwise does (./run)"
	@echo "make test     build everything and run every test (./test)"
	@echo "make bench    build and run the benchmarks of bench/micro"
	@echo "make wasm     the library as build/wasm/clockwise.wasm"
	@echo "make web      the page that shows it as build/web/index.html"
	@echo "make install  build, then install below PREFIX ($(PREFIX))"
	@echo "make clean    remove build/"

build:
	@scripts/setup --build
	@scripts/build release programs

run:
	@./run

test:
	@./test

bench:
	@scripts/setup --build
	@scripts/build release benches
	@for b in build/bench/bench_*; do \
	    [ ! -x "$$b" ] || "$$b" || exit 1; done
	@scripts/build release programs
	@bench/goals/run

wasm:
	@scripts/setup --wasm
	@scripts/build release wasm

web:
	@scripts/setup --web
	@scripts/build release wasm
	@scripts/build-page

install: build
	@DESTDIR="$(DESTDIR)" cmake --install build --prefix "$(PREFIX)"

clean:
	rm -rf build
