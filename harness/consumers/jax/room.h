// Real JAX releases as builds: environments for them, their registration, and what they
// export. The Python programs in vintage_jax do the work that only JAX can do.
#pragma once

namespace vintage::golden::base {}
namespace vintage::archive::store {}
namespace vintage::harness::runtime {}
namespace vintage::harness::builds {}
namespace vintage::harness::importer {}

namespace vintage::harness::consumers::jax {
using namespace golden::base;
using namespace archive::store;
using namespace harness::runtime;
using namespace harness::builds;
using namespace harness::importer;
}  // namespace vintage::harness::consumers::jax
