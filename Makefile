# Commands for people; CMake's presets do the work.
#
#   make nightly   install what is missing, build, and run the main job
#   make nightly JAX=latest    the same beside real JAX: latest, 0.8.1, window (docs/howto/jax.md)
#   make check     build and pass the fast tests
#   make test      install what is missing, build, and pass all tests but the next
#   make runtime   install what is missing, build, and pass the tests with real JAX, TensorFlow,
#                  IREE, LiteRT, a PJRT plugin, the Python package and bare Debians (or ONLY=jax),
#                  which need a network
#   make tables    write docs/tables again
#   make install   install what is missing, build, and install below PREFIX
#   make package   the same as a .deb, below build/release/package
#   make wheel     the Python package with the programs in it, below build/release/wheel
#
# ARCHIVE, TODAY, JOBS, PRESET and PREFIX may be given: make nightly ARCHIVE=/data/vintage

ARCHIVE ?= nightly/archive
JOBS ?= $(shell nproc)
TODAY ?=
JAX ?=
PRESET ?= release
PREFIX ?= /usr/local
VINTAGE = build/release/bin/vintage

.PHONY: nightly check test runtime tables install package wheel programs configure packages \
  test-packages clean

nightly: PRESET = release
nightly: configure
	cmake --build --preset release -j $(JOBS) --target vintage vintage-worker
	$(VINTAGE) nightly --archive "$(ARCHIVE)" $(if $(TODAY),--today $(TODAY)) \
	  $(if $(JAX),--jax $(JAX))

# ctest writes what came of each test into a file; the summary says it.
RESULTS = build/$(PRESET)/tests.xml
build_and_test = cmake --build --preset $(PRESET) -j $(JOBS) && rm -f $(RESULTS) && \
	{ ctest --preset $(PRESET) -j $(JOBS) $(1); tests/summary.py $(RESULTS); }

check: configure
	$(call build_and_test,-L fast)

test: test-packages configure
	$(call build_and_test,-LE runtime)

runtime: test-packages configure
	$(call build_and_test,-L runtime -R '^runtime[.]$(ONLY)')

# Writes the committed limitation tables again.
tables: PRESET = release
tables: configure
	cmake --build --preset release -j $(JOBS) --target vintage vintage-worker
	rm -rf build/tables && $(VINTAGE) nightly --archive build/tables
	$(VINTAGE) tables --archive build/tables -o docs/tables --page limitations

programs: PRESET = release
programs: configure
	cmake --build --preset release -j $(JOBS) --target vintage vintage-worker vintage-pjrt-worker \
	  vintage_pjrt reference

install: programs
	cmake --install build/release --prefix "$(PREFIX)"

package: programs
	@cmake/install_packages.sh --package
	cd build/release && cpack

wheel: programs
	@cmake/install_packages.sh --package
	cmake/build_wheel.sh build/release

configure: packages
	cmake --preset $(PRESET)

packages:
	@cmake/install_packages.sh $(if $(JAX),--jax)

test-packages:
	@cmake/install_packages.sh --tests

clean:
	rm -rf build
