// How a case becomes StableHLO: values, functions and modules as JAX would print them.
#pragma once

namespace vintage::golden::base {}
namespace vintage::golden::tensor {}
namespace vintage::golden::oracle {}

namespace vintage::primitives::lowering {
using namespace golden::base;
using namespace golden::tensor;
namespace oracle = golden::oracle;
}  // namespace vintage::primitives::lowering
