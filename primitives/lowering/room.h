// How a case becomes StableHLO: values, functions and modules as JAX would lower them.
#pragma once

namespace vintage::golden::base {}
namespace vintage::golden::tensor {}
namespace vintage::golden::module {}
namespace vintage::golden::oracle {}

namespace vintage::primitives::lowering {
using namespace golden::base;
using namespace golden::tensor;
using namespace golden::module;
namespace oracle = golden::oracle;
}  // namespace vintage::primitives::lowering
