// Lists and literals as StableHLO prints them.
#pragma once

#include <span>
#include <string>

#include "golden/tensor/element_type.h"
#include "primitives/lowering/room.h"

namespace vintage::primitives::lowering {

// "[0, 1]"; `array<i64: 0, 1>`; `dense<[0, 1]> : tensor<2xindex>`.
std::string listText(std::span<const int64_t> values);
std::string arrayText(std::span<const int64_t> values);
std::string layoutText(std::span<const int64_t> minorToMajor);

// What stands between `dense<` and `>` for one element; of complex types the
// imaginary part is zero.
std::string literalText(ElementType type, double value);
std::string integerLiteralText(ElementType type, __int128 value);

}  // namespace vintage::primitives::lowering
