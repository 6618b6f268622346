// Attributes of operations that may be missing, or be of another kind.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "golden/module/module_tree.h"

namespace vintage::harness {

// Null where it is missing or holds no `Kind`.
template <typename Kind>
const Kind* field(const golden::AttributeMap& attributes, std::string_view name) {
  const auto found = attributes.find(name);
  return found == attributes.end() ? nullptr : std::get_if<Kind>(&found->second.value);
}
template <typename Kind>
const Kind* field(const golden::Operation& operation, std::string_view name) {
  return field<Kind>(operation.attributes, name);
}

// Empty where it is missing or no text.
template <typename Attributes>
std::string textField(const Attributes& attributes, std::string_view name) {
  const auto* text = field<std::string>(attributes, name);
  return text == nullptr ? std::string() : *text;
}

}  // namespace vintage::harness
