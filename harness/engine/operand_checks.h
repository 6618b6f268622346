// What every factory and kernel checks before it trusts numbers from a program.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "golden/base/result.h"
#include "golden/tensor/tensor.h"
#include "harness/engine/room.h"

namespace vintage::harness::engine {

// `values` as int64_t, whatever integer or predicate type the tensor has.
std::vector<int64_t> integerElements(const Tensor& tensor);
// The one at `index`; unsigned 64-bit values beyond int64_t saturate.
int64_t integerElement(const Tensor& tensor, int64_t index);

// `expected` numbers, each distinct and in [0, rank).
Status checkDimensions(std::string_view operation, std::string_view attribute,
                       const std::vector<int64_t>& dimensions, int64_t rank);
Status checkLength(std::string_view operation, std::string_view attribute, size_t found,
                   size_t expected);

}  // namespace vintage::harness::engine
