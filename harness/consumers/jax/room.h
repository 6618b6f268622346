// What is asked of real JAX releases beyond executing: what they emit, and what they export.
// The Python programs in vintage_jax do the work that only JAX can do.
#pragma once

namespace vintage::golden::base {}
namespace vintage::archive::store {}
namespace vintage::harness::builds {}
namespace vintage::harness::importer {}
namespace vintage::harness::consumers::python {}

namespace vintage::harness::consumers::jax {
using namespace golden::base;
using namespace archive::store;
using namespace harness::builds;
using namespace harness::importer;
using namespace harness::consumers::python;
}  // namespace vintage::harness::consumers::jax
