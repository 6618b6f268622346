// cumsum, cumprod, cummax, cummin, cumlogsumexp.
#include <fmt/format.h>

#include "golden/oracle/reduction.h"
#include "primitives/catalogue/families.h"
#include "primitives/lowering/operations.h"

namespace vintage::primitives {
using namespace golden;

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
SsaValue logAddExp(FunctionBuilder& builder, const SsaValue& a, const SsaValue& b) {
  const SsaValue larger = builder.same("stablehlo.maximum", a, b);
  const SsaValue difference = builder.same("stablehlo.subtract", a, b);
  const SsaValue isNan = builder.compare("NE", difference, difference);
  const SsaValue sum = builder.same("stablehlo.add", a, b);
  const SsaValue magnitude = builder.same("stablehlo.abs", difference);
  const SsaValue negated = builder.same("stablehlo.negate", magnitude);
  const SsaValue exponential = builder.same("stablehlo.exponential", negated);
  const SsaValue correction = builder.same("stablehlo.log_plus_one", exponential);
  return builder.select(isNan, sum, builder.same("stablehlo.add", larger, correction));
}

// One window as long as the dimension, padded so that it ends (or, in reverse,
// begins) at the element.
SsaValue emitCumulative(FunctionBuilder& builder, std::string_view function, int64_t dimension,
                        bool reverse) {
  const SsaValue operand = builder.arguments()[0];
  const std::string_view identity = function == "logsumexp" ? "max" : function;
  SsaValue initial = identityOf(builder, identity, operand.type);
  // What has no window primitive of its own is reduced by the general one.
  if (function != "mul" && function != "logsumexp") initial = builder.broadcast(initial, Shape{});
  const TensorType scalar{operand.type, {}};
  Region body = builder.region({scalar, scalar}, [&](Arguments v) -> SsaValues {
    return {function == "logsumexp" ? logAddExp(builder, v[0], v[1])
                                    : combined(builder, function, v[0], v[1])};
  });
  const oracle::Window window =
      runningWindow(operand.shape, static_cast<size_t>(dimension), reverse);
  return reduceWindow(builder, operand, initial, window, std::move(body));
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
             .emit = [&primitive, dimension, reverse](FunctionBuilder& main, Arguments arguments) {
               return main.module().callPrivate(
                   main, primitive.name, arguments, [&](FunctionBuilder& callee) {
                     const SsaValue result =
                         emitCumulative(callee, primitive.function, dimension, reverse);
                     callee.finish({result});
                   });
             },
             .expect = [&primitive, dimension, reverse](Tensors inputs) {
               return oracle::cumulative(primitive.function, inputs[0], dimension, reverse);
             },
             .oracle = isInteger(type)           ? "exact"
                       : function == "logsumexp" ? "mpfr"
                                                 : "quadruple",
             .comparators = {comparator}});
}

}  // namespace

VINTAGE_FAMILY(addCumulativeCases) {
  for (const CumulativePrimitive& primitive : kCumulative) {
    for (ElementType type : primitive.types()) {
      addCumulative(cases, primitive, type, {8, 9}, 0, false);
      addCumulative(cases, primitive, type, {8, 9}, 1, false);
      addCumulative(cases, primitive, type, {8, 9}, 0, true);
      cases.addPoly([&](CaseList& list, Sizes s) {
        addCumulative(list, primitive, type, {s.b, 9}, 1, false);
      });
      if (type != ElementType::kF32) continue;
      addCumulative(cases, primitive, type, {8, 9}, 1, true);
      addCumulative(cases, primitive, type, {1}, 0, false);
      addCumulative(cases, primitive, type, {2, 3, 4}, 1, false);
    }
  }
}

}  // namespace vintage::primitives
