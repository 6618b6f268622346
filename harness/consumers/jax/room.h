// What is asked of real JAX releases beyond executing and exporting: what they emit.
// The Python programs in vintage_jax do the work that only JAX can do.
#pragma once

namespace vintage::golden::base {}
namespace vintage::archive::store {}
namespace vintage::harness::consumers::python {}

namespace vintage::harness::consumers::jax {
using namespace golden::base;
using namespace archive::store;
using namespace harness::consumers::python;
}  // namespace vintage::harness::consumers::jax
