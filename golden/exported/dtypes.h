// Element types of an Exported by their names and numbers on the wire.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "golden/tensor/element_type.h"

namespace vintage::golden {

std::optional<int8_t> wireDtype(std::string_view name);
std::optional<std::string_view> wireDtypeName(int8_t number);

// The first serialization version that knows the type: 2 for f0, 4 for PRNG
// keys, 1 for the others. The name must be known.
int dtypeSerializationVersion(std::string_view name);

// The StableHLO element type that carries a value of this dtype, and how many
// trailing dimensions that adds: a PRNG key is ui32[2] (key_fry) or ui32[4]
// (the others), a float0 is i1. None for an unknown name.
struct Carrier {
  ElementType type = ElementType::kF32;
  int64_t trailingDimension = 0;  // 0: none.
};
std::optional<Carrier> dtypeCarrier(std::string_view name);

}  // namespace vintage::golden
