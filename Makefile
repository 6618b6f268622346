# Two commands for people; CMake's presets do the work.
#
#   make nightly   install what is missing, build, and run the main job
#   make test      install what is missing, build, and pass the tests
#   make tables    write docs/tables again
#
# ARCHIVE, TODAY and JOBS may be given: make nightly ARCHIVE=/data/vintage

ARCHIVE ?= nightly/archive
JOBS ?= $(shell nproc)
TODAY ?=
VINTAGE = build/release/bin/vintage

.PHONY: nightly test tables configure packages test-packages clean

nightly: configure
	cmake --build --preset release -j $(JOBS) --target vintage vintage-worker
	$(VINTAGE) nightly --archive "$(ARCHIVE)" $(if $(TODAY),--today $(TODAY))

test: test-packages configure
	cmake --build --preset release -j $(JOBS)
	ctest --preset release -j $(JOBS)

# Writes the committed limitation tables again.
tables: configure
	cmake --build --preset release -j $(JOBS) --target vintage vintage-worker
	rm -rf build/tables && $(VINTAGE) nightly --archive build/tables
	$(VINTAGE) tables --archive build/tables -o docs/tables --page limitations

configure: packages
	cmake --preset release

packages:
	@cmake/install_packages.sh

test-packages:
	@cmake/install_packages.sh --tests

clean:
	rm -rf build
