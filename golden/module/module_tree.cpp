#include "golden/module/module_tree.h"

#include <bit>

#include <fmt/format.h>

namespace vintage::golden::module {

ValueType tensorOf(ElementType element, Shape shape) {
  ValueType type;
  for (const int64_t size : shape)
    type.text += size == kDynamicDimension ? "?x" : fmt::format("{}x", size);
  type.text = fmt::format("tensor<{}{}>", type.text, stablehloName(element));
  type.element = element;
  type.shape = std::move(shape);
  return type;
}

bool ValueType::operator==(const ValueType&) const = default;

Attribute::Attribute(Tensor elements) : value(std::move(elements)) {
  type = std::get<Tensor>(value).type();
}
Attribute::Attribute(AttributeList list) : value(std::move(list)) {}
Attribute::Attribute(AttributeMap fields) : value(std::move(fields)) {}

bool Attribute::operator==(const Attribute& other) const {
  if (type != other.type || value.index() != other.value.index()) return false;
  return std::visit(
      [&]<typename T>(const T& own) {
        const T& others = std::get<T>(other.value);
        if constexpr (std::is_same_v<T, Tensor>) return own.identical(others);
        // NaN is itself, and zeros have signs.
        else if constexpr (std::is_same_v<T, double>)
          return std::bit_cast<uint64_t>(own) == std::bit_cast<uint64_t>(others);
        else return own == others;
      },
      value);
}

bool Region::operator==(const Region&) const = default;

const Function* ModuleTree::find(std::string_view functionName) const {
  for (const Function& function : functions)
    if (function.name == functionName) return &function;
  return nullptr;
}

}  // namespace vintage::golden::module
