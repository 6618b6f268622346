// What is promised and what an outcome means for it: promises, window policies, limitations
// that cover an outcome, and the verdict.
#pragma once

namespace vintage::golden::base {}
namespace vintage::golden::tensor {}
namespace vintage::archive::store {}

namespace vintage::harness::verdict {
using namespace golden::base;
using namespace golden::tensor;
using namespace archive::store;
}  // namespace vintage::harness::verdict
