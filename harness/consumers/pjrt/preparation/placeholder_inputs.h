// Inputs that nobody looks at, for a consumer that only compiles.
#pragma once

#include <vector>

#include "golden/base/result.h"
#include "golden/module/module_tree.h"
#include "golden/tensor/tensor.h"
#include "harness/consumers/embedded/callable.h"
#include "harness/consumers/pjrt/preparation/room.h"

namespace vintage::harness::consumers::pjrt::preparation {

// Zeros in the shapes that the function declares. kUnsupported where a shape has a variable:
// nobody chose its value.
Result<std::vector<Tensor>> placeholderInputs(const Callable& callable, const Function& main);

}  // namespace vintage::harness::consumers::pjrt::preparation
