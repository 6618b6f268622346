#include "primitives/lowering/fold.h"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "golden/oracle/number.h"
#include "primitives/lowering/ordering.h"

namespace vintage::primitives::lowering {
namespace {

std::string_view operationOf(std::string_view function) {
  static constexpr std::pair<std::string_view, std::string_view> kOperations[] = {
      {"add", "stablehlo.add"},     {"mul", "stablehlo.multiply"}, {"max", "stablehlo.maximum"},
      {"min", "stablehlo.minimum"}, {"and", "stablehlo.and"},      {"or", "stablehlo.or"},
      {"xor", "stablehlo.xor"}};
  return std::ranges::find(kOperations, function, [](const auto& pair) { return pair.first; })
      ->second;
}

}  // namespace

std::string identityLiteral(std::string_view function, ElementType type) {
  const double infinity = std::numeric_limits<double>::infinity();
  const bool inexact = isFloat(type) || isComplex(type);
  if (function == "mul") return literalText(type, 1);
  if (function == "and")
    return isPredicate(type) ? "true" : integerLiteralText(type, oracle::wrap(type, -1));
  if (function == "max") {
    return inexact ? literalText(type, -infinity) : integerLiteralText(type, oracle::lowest(type));
  }
  if (function == "min") {
    return inexact ? literalText(type, infinity) : integerLiteralText(type, oracle::highest(type));
  }
  return literalText(type, 0);
}

SsaValue combined(FunctionWriter& writer, std::string_view function, const SsaValue& left,
               const SsaValue& right) {
  if (function == "max" || function == "min") {
    return extremeOf(writer, function == "max", left, right);
  }
  return writer.same(operationOf(function), left, right);
}

SsaValue reduceAlong(FunctionWriter& writer, std::string_view function, const SsaValue& operand,
                  std::span<const int64_t> dimensions) {
  const SsaValue initial = writer.constant(operand.type, identityLiteral(function, operand.type));
  TensorType result{operand.type, {}};
  for (size_t i = 0; i < operand.shape.size(); ++i) {
    if (std::ranges::find(dimensions, static_cast<int64_t>(i)) == dimensions.end()) {
      result.shape.push_back(operand.shape[i]);
    }
  }
  const TensorType scalar{operand.type, {}};
  const std::string types = fmt::format("({}, {}) -> {}", typeText(operand), typeText(initial),
                                        tensorText(result.type, result.shape));
  const bool lexicographic = isComplex(operand.type) && (function == "max" || function == "min");
  if (!lexicographic) {
    return writer.emit(result.type, result.shape,
                       fmt::format("stablehlo.reduce({} init: {}) applies {} across dimensions = "
                                   "{} : {}",
                                   operand.name, initial.name, operationOf(function),
                                   listText(dimensions), types));
  }
  const SsaValue reduced =
      writer.beginOperation({&result, 1}, fmt::format("stablehlo.reduce({} init: {}) across "
                                                      "dimensions = {} : {}\n",
                                                      operand.name, initial.name,
                                                      listText(dimensions), types))
          .front();
  const TensorType scalars[] = {scalar, scalar};
  writer.startLine();
  const std::vector<SsaValue> pair = writer.enterRegion(scalars);
  writer.append(fmt::format(" reducer({}: {}, {}: {})  {{\n", pair[0].name, typeText(pair[0]),
                            pair[1].name, typeText(pair[1])));
  writer.returnFromRegion({combined(writer, function, pair[0], pair[1])});
  writer.leaveRegion();
  writer.append("}");
  writer.endOperation();
  return reduced;
}

}  // namespace vintage::primitives::lowering
