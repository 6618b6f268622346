// cumsum, cumprod, cummax, cummin, cumlogsumexp.
#include <fmt/format.h>

#include "golden/oracle/reduction.h"
#include "primitives/catalogue/families.h"
#include "primitives/lowering/fold.h"

namespace vintage::primitives::catalogue {
namespace {

struct CumulativePrimitive {
  const char* name;
  const char* function;
  std::span<const ElementType> (*types)();
  Domain domain;
};

std::span<const ElementType> widerFloats() { return types::floats().subspan(1); }

const CumulativePrimitive kCumulative[] = {
    {"cumsum", "add", types::numbers, domains::kPlain},
    {"cumprod", "mul", types::numbers, domains::kSmall},
    {"cummax", "max", types::numbers, domains::kFewEdges},
    {"cummin", "min", types::numbers, domains::kFewEdges},
    {"cumlogsumexp", "logsumexp", widerFloats, domains::kPlain},
};

// log(exp a + exp b) without overflow, as JAX's logaddexp.
SsaValue logAddExp(FunctionWriter& writer, const SsaValue& a, const SsaValue& b) {
  const SsaValue larger = writer.same("stablehlo.maximum", a, b);
  const SsaValue difference = writer.same("stablehlo.subtract", a, b);
  const SsaValue isNan = writer.compare("NE", difference, difference);
  const SsaValue sum = writer.same("stablehlo.add", a, b);
  const SsaValue magnitude = writer.same("stablehlo.abs", difference);
  const SsaValue negated = writer.same("stablehlo.negate", magnitude);
  const SsaValue exponential = writer.same("stablehlo.exponential", negated);
  const SsaValue correction = writer.same("stablehlo.log_plus_one", exponential);
  return writer.select(isNan, sum, writer.same("stablehlo.add", larger, correction));
}

// One window as long as the dimension, padded so that it ends (or, in reverse,
// begins) at the element.
SsaValue emitCumulative(FunctionWriter& writer, std::string_view function, int64_t dimension,
                     bool reverse) {
  const SsaValue operand = writer.arguments()[0];
  const std::string_view identity = function == "logsumexp" ? "max" : function;
  const SsaValue initial = writer.broadcast(
      writer.constant(operand.type, identityLiteral(identity, operand.type)), {});
  Shape window(operand.shape.size(), 1);
  const auto axis = static_cast<size_t>(dimension);
  window[axis] = operand.shape[axis];
  std::vector<std::string> padding;
  for (size_t i = 0; i < window.size(); ++i) {
    padding.push_back(reverse ? fmt::format("[0, {}]", window[i] - 1)
                              : fmt::format("[{}, 0]", window[i] - 1));
  }
  std::string pairs;
  for (const std::string& pair : padding) pairs += (pairs.empty() ? "" : ", ") + pair;
  const TensorType result{operand.type, operand.shape};
  const SsaValue reduced =
      writer
          .beginOperation(
              {&result, 1},
              fmt::format("\"stablehlo.reduce_window\"({}, {}) <{{padding = "
                          "dense<[{}]> : tensor<{}x2xi64>, window_dimensions = {}}}> ",
                          operand.name, initial.name, pairs, window.size(), arrayText(window)))
          .front();
  const TensorType scalars[] = {{operand.type, {}}, {operand.type, {}}};
  writer.region(scalars, [&](std::span<const SsaValue> values) -> SsaValues {
    return {function == "logsumexp" ? logAddExp(writer, values[0], values[1])
                                    : combined(writer, function, values[0], values[1])};
  });
  writer.append(fmt::format(" : ({}, {}) -> {}", typeText(operand), typeText(initial),
                            typeText(operand)));
  writer.endOperation();
  return reduced;
}

void addCumulative(CaseList& cases, const CumulativePrimitive& primitive, ElementType type,
                   const Shape& shape, int64_t dimension, bool reverse) {
  const std::string_view function = primitive.function;
  Comparator comparator;
  const auto count = static_cast<double>(shape[static_cast<size_t>(dimension)]);
  if (!isInteger(type) && function != "max" && function != "min") {
    const double unit = epsilonOf(type) * count;
    comparator = withinRelative(2 * unit, function == "mul" ? 0 : 5 * unit);
  }
  cases.add({.primitive = primitive.name,
             .label = fmt::format("axis={}_reverse={}", dimension, reverse),
             .arguments = {{type, shape}},
             .domains = {isInteger(type) ? domains::kFewEdges : primitive.domain},
             .emit = [&primitive, dimension, reverse](FunctionWriter& main,
                                                      std::span<const SsaValue> arguments,
                                                      const std::string&) -> SsaValues {
               return main.module().callPrivate(
                   main, primitive.name, arguments, [&](FunctionWriter& callee) {
                     const SsaValue result =
                         emitCumulative(callee, primitive.function, dimension, reverse);
                     callee.finish({&result, 1});
                   });
             },
             .expect = one([&primitive, dimension,
                            reverse](std::span<const Tensor> inputs) -> Result<Tensor> {
               return oracle::cumulative(primitive.function, inputs[0], dimension, reverse);
             }),
             .oracle = isInteger(type) ? "exact" : function == "logsumexp" ? "mpfr" : "quadruple",
             .comparators = {comparator}});
}

}  // namespace

VINTAGE_FAMILY(addCumulativeCases) {
  for (const CumulativePrimitive& primitive : kCumulative) {
    for (ElementType type : primitive.types()) {
      addCumulative(cases, primitive, type, {8, 9}, 0, false);
      addCumulative(cases, primitive, type, {8, 9}, 1, false);
      addCumulative(cases, primitive, type, {8, 9}, 0, true);
      cases.addPolymorphic([&](CaseList& list, const DimensionSizes& sizes) {
        addCumulative(list, primitive, type, {sizes.b, 9}, 1, false);
      });
      if (type != ElementType::kF32) continue;
      addCumulative(cases, primitive, type, {8, 9}, 1, true);
      addCumulative(cases, primitive, type, {1}, 0, false);
      addCumulative(cases, primitive, type, {2, 3, 4}, 1, false);
    }
  }
}

}  // namespace vintage::primitives::catalogue
