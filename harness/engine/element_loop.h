// One elementwise operation over n elements, with its types resolved.
//
// Everything elementwise is such a loop: the kernels of whole tensors, and the
// instructions of a ScalarProgram.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>

#include "golden/base/result.h"
#include "golden/module/module_tree.h"
#include "harness/engine/room.h"

namespace vintage::harness::engine {

// Operands and result are arrays of storage elements (see Tensor). The result
// may be one of the operands' arrays where the element widths agree.
using ElementLoop =
    std::function<void(std::span<const void* const> operands, void* result, size_t count)>;

// Empty where the operation is not elementwise (it may be unsupported or not);
// an error where it is, and these types or attributes do not fit it.
std::optional<Result<ElementLoop>> makeElementLoop(const Operation& operation,
                                                   std::span<const ElementType> operandTypes,
                                                   ElementType resultType);

}  // namespace vintage::harness::engine
