#include "primitives/lowering/syntax.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "primitives/lowering/literals.h"
#include "primitives/lowering/symbolic_dimension.h"

namespace vintage::primitives::lowering {
namespace {

std::string typeText(ElementType type, const Shape& shape) {
  std::string text = "tensor<";
  for (int64_t dimension : shape) {
    text += isSymbolic(dimension) ? "?x" : fmt::format("{}x", dimension);
  }
  return text.append(stablehloName(type)).append(">");
}

// Which type stands behind the colon of `NAME operands, attributes : …`.
enum class TypeForm {
  kShort,       // The result's, where all are the same; otherwise as below.
  kFunctional,  // "(tensor<2xf32>) -> tensor<f32>"
  kResult,
  kOperands,
};

constexpr std::pair<std::string_view, TypeForm> kTypeForms[] = {
    {"stablehlo.bitcast_convert", TypeForm::kFunctional},
    {"stablehlo.broadcast_in_dim", TypeForm::kFunctional},
    {"stablehlo.complex", TypeForm::kResult},
    {"stablehlo.concatenate", TypeForm::kFunctional},
    {"stablehlo.convert", TypeForm::kFunctional},
    {"stablehlo.dot_general", TypeForm::kFunctional},
    {"stablehlo.dynamic_slice", TypeForm::kFunctional},
    {"stablehlo.dynamic_update_slice", TypeForm::kFunctional},
    {"stablehlo.fft", TypeForm::kFunctional},
    {"stablehlo.get_dimension_size", TypeForm::kFunctional},
    {"stablehlo.optimization_barrier", TypeForm::kOperands},
    {"stablehlo.pad", TypeForm::kFunctional},
    {"stablehlo.reshape", TypeForm::kFunctional},
    {"stablehlo.transpose", TypeForm::kFunctional},
};

struct ValueText {
  Style style;

  std::string operator()(std::monostate) const { return ""; }
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(int64_t value) const {
    return fmt::format("{}{}", value, style == Style::kTyped ? " : i64" : "");
  }
  std::string operator()(const Shape& values) const {
    return style == Style::kTyped ? arrayText(values) : listText(values);
  }
  std::string operator()(const std::pair<Shape, Shape>& values) const {
    return fmt::format("{} x {}", listText(values.first), listText(values.second));
  }
  std::string operator()(const std::string& value) const { return value; }
};

}  // namespace

std::string typeText(const SsaValue& value) { return typeText(value.type, value.shape); }

std::string typesText(Arguments values) {
  std::vector<std::string> texts;
  for (const SsaValue& value : values) texts.push_back(typeText(value));
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string functionalType(const BuiltOperation& operation) {
  const bool one = operation.results.size() == 1;
  return fmt::format("({}) -> {}{}{}", typesText(operation.operands), one ? "" : "(",
                     typesText(operation.results), one ? "" : ")");
}

std::string attributeText(const NamedAttribute& attribute, Style style) {
  const std::string value = std::visit(ValueText{style}, attribute.value);
  return value.empty() ? attribute.name : attribute.name + " = " + value;
}

std::string dictionaryText(std::span<const NamedAttribute> attributes) {
  std::vector<std::string> texts;
  for (const NamedAttribute& attribute : attributes)
    texts.push_back(attributeText(attribute, Style::kTyped));
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string typeSuffix(const BuiltOperation& operation) {
  const auto known =
      std::ranges::find(kTypeForms, operation.name, &std::pair<std::string_view, TypeForm>::first);
  const TypeForm form = known == std::end(kTypeForms) ? TypeForm::kShort : known->second;
  if (form == TypeForm::kOperands) return typesText(operation.operands);
  if (form == TypeForm::kFunctional) return functionalType(operation);
  const std::string result = typeText(operation.results[0]);
  const bool alike = operation.results.size() == 1 &&
                     std::ranges::all_of(operation.operands, [&](const SsaValue& operand) {
                       return typeText(operand) == result;
                     });
  return alike || form == TypeForm::kResult ? result : functionalType(operation);
}

}  // namespace vintage::primitives::lowering
