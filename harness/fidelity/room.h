// Whether what the catalogue exports says the same as what JAX exports: operation by operation,
// in canonical form.
#pragma once

namespace vintage::golden::base {}
namespace vintage::golden::module {}
namespace vintage::golden::program {}
namespace vintage::golden::exported {}
namespace vintage::primitives::catalogue {}

namespace vintage::harness::fidelity {
using namespace golden::base;
using namespace golden::module;
using namespace golden::program;
using namespace golden::exported;
using namespace primitives::catalogue;
}  // namespace vintage::harness::fidelity
