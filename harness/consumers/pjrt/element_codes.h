// Element types as the PJRT C API numbers them.
#pragma once

#include <optional>

#include "golden/tensor/element_type.h"
#include "harness/consumers/pjrt/room.h"

namespace vintage::harness::consumers::pjrt {

// None: the API has no such type (f6E2M3FN, f6E3M2FN).
std::optional<int> elementCode(ElementType type);
std::optional<ElementType> elementOfCode(int code);

}  // namespace vintage::harness::consumers::pjrt
