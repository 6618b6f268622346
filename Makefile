# Two commands for people; CMake's presets do the work.
#
#   make nightly   install what is missing, build, and run the main job
#   make test      install what is missing, build, and pass the tests
#
# ARCHIVE, TODAY and JOBS may be given: make nightly ARCHIVE=/data/vintage

ARCHIVE ?= nightly/archive
JOBS ?= $(shell nproc)
TODAY ?=
VINTAGE = build/release/bin/vintage

.PHONY: nightly test build packages clean

nightly: build
	$(VINTAGE) nightly --archive "$(ARCHIVE)" $(if $(TODAY),--today $(TODAY))

test: build
	ctest --preset release -j $(JOBS)

build: packages
	cmake --preset release
	cmake --build --preset release -j $(JOBS)

packages:
	@cmake/install_packages.sh

clean:
	rm -rf build
