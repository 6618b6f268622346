// What exists to be tested: each primitive's cases by dtype, platform and variant, with
// their lowering, inputs and oracle. A folder holds one family of primitives, a file one
// primitive; docs/adding_a_primitive.md shows how to add one.
#pragma once

namespace vintage::golden::base {}
namespace vintage::golden::tensor {}
namespace vintage::golden::module {}
namespace vintage::golden::program {}
namespace vintage::golden::exported {}
namespace vintage::golden::oracle {}
namespace vintage::golden::compare {}
namespace vintage::primitives::lowering {}

namespace vintage::primitives::catalogue {
using namespace golden::base;
using namespace golden::tensor;
using namespace golden::module;
using namespace golden::program;
using namespace golden::exported;
namespace oracle = golden::oracle;
using namespace golden::compare;
using namespace primitives::lowering;
}  // namespace vintage::primitives::catalogue
