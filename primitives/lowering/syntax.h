// Types and attributes as StableHLO prints them.
#pragma once

#include <span>
#include <string>

#include "primitives/lowering/operation.h"
#include "primitives/lowering/room.h"

namespace vintage::primitives::lowering {

std::string typeText(const SsaValue& value);
std::string typesText(Arguments values);                      // "tensor<f32>, tensor<i1>"
std::string functionalType(const BuiltOperation& operation);  // "(tensor<f32>) -> tensor<i1>"
// What stands behind the colon of `NAME operands, attributes : …`.
std::string typeSuffix(const BuiltOperation& operation);

// How an attribute stands in a pretty form, or with its type in a dictionary.
enum class Style { kPretty, kTyped };
std::string attributeText(const NamedAttribute& attribute, Style style);
std::string dictionaryText(std::span<const NamedAttribute> attributes);

}  // namespace vintage::primitives::lowering
