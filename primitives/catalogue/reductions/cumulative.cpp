// cumsum, cumprod, cummax, cummin, cumlogsumexp.
#include <fmt/format.h>

#include "golden/oracle/reduction.h"
#include "primitives/catalogue/case_list.h"
#include "primitives/lowering/operations.h"

namespace vintage::primitives {
using namespace golden;

namespace {

struct CumulativePrimitive {
  const char* name;
  const char* function;
  std::span<const ElementType> types;
  Domain domain;
};

const CumulativePrimitive kCumulative[] = {
    {"cumsum", "add", types::kNumbers, domains::kPlain},
    {"cumprod", "mul", types::kNumbers, domains::kSmall},
    {"cummax", "max", types::kNumbers, domains::kFewEdges},
    {"cummin", "min", types::kNumbers, domains::kFewEdges},
    {"cumlogsumexp", "logsumexp", types::kFloats.subspan(1), domains::kPlain},
};

// log(exp a + exp b) without overflow, as JAX's logaddexp.
SsaValue logAddExp(const SsaValue& a, const SsaValue& b) {
  const SsaValue larger = same("stablehlo.maximum", a, b);
  const SsaValue difference = a - b;
  const SsaValue undefined = isNan(difference);
  const SsaValue sum = a + b;
  const SsaValue correction = log1p(exp(-abs(difference)));
  return select(undefined, sum, larger + correction);
}

// One window as long as the dimension, padded so that it ends (or, in reverse,
// begins) at the element.
SsaValue emitCumulative(const SsaValue& operand, std::string_view function, int64_t dimension,
                        bool reverse) {
  const std::string_view identity = function == "logsumexp" ? "max" : function;
  SsaValue initial = identityOf(identity, operand);
  // Functions without a window primitive of their own use the general one.
  if (function != "mul" && function != "logsumexp") initial = broadcast(initial, Shape{});
  const TensorType scalar{operand.type, {}};
  Region body = operand.builder->region({scalar, scalar}, [&](Arguments v) {
    return function == "logsumexp" ? logAddExp(v[0], v[1]) : combined(function, v[0], v[1]);
  });
  const oracle::Window window =
      runningWindow(operand.shape, static_cast<size_t>(dimension), reverse);
  return reduceWindow(operand, initial, window, std::move(body));
}

CaseSpecification cumulativeCase(const CumulativePrimitive& primitive, ElementType type,
                                 const Shape& shape, int64_t dimension, bool reverse) {
  const std::string_view function = primitive.function;
  Comparator comparator;
  const auto count = static_cast<double>(shape[static_cast<size_t>(dimension)]);
  if (!isInteger(type) && function != "max" && function != "min") {
    const double unit = epsilonOf(type) * count;
    comparator = withinRelative(2 * unit, function == "mul" ? 0 : 5 * unit);
  }
  return {.primitive = primitive.name,
          .label = fmt::format("axis={}_reverse={}", dimension, reverse),
          .arguments = {{type, shape}},
          .domains = {isInteger(type) ? domains::kFewEdges : primitive.domain},
          .emit =
              [&primitive, dimension, reverse](Arguments x) {
                return callPrivate(primitive.name, x, [&](Arguments y) {
                  return emitCumulative(y[0], primitive.function, dimension, reverse);
                });
              },
          .expect =
              [&primitive, dimension, reverse](Tensors inputs) {
                return oracle::cumulative(primitive.function, inputs[0], dimension, reverse);
              },
          .oracle = isInteger(type)           ? "exact"
                    : function == "logsumexp" ? "mpfr"
                                              : "quadruple",
          .comparators = {comparator}};
}

}  // namespace

VINTAGE_FAMILY(addCumulativeCases) {
  for (const CumulativePrimitive& primitive : kCumulative) {
    for (ElementType type : primitive.types) {
      cases.add(cumulativeCase(primitive, type, {8, 9}, 0, false));
      cases.add(cumulativeCase(primitive, type, {8, 9}, 1, false));
      cases.add(cumulativeCase(primitive, type, {8, 9}, 0, true));
      cases.addPoly([&](Sizes s) { return cumulativeCase(primitive, type, {s.b, 9}, 1, false); });
      if (type != ElementType::kF32) continue;
      cases.add(cumulativeCase(primitive, type, {8, 9}, 1, true));
      cases.add(cumulativeCase(primitive, type, {1}, 0, false));
      cases.add(cumulativeCase(primitive, type, {2, 3, 4}, 1, false));
    }
  }
}

}  // namespace vintage::primitives
