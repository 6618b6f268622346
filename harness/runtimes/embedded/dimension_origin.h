// Which dimensions of an operation's results are dimensions of its operands.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "golden/module/module_tree.h"

namespace vintage::harness {

// For each dimension of a result the dimension of an operand that it is; -1: none.
using Origin = std::vector<int64_t>;

Origin originOf(const golden::Function& function, const golden::Operation& operation,
                size_t operand, size_t result);

}  // namespace vintage::harness
