// zeta (of Hurwitz), which CHLO has as an operation that serialization keeps, and
// polygamma, which CHLO takes apart: (-1)^(n+1) n! zeta(n+1, x), or digamma of
// order zero. Its parts are calls here, where CHLO would take apart those too.
#include <limits>

#include "golden/oracle/special_functions.h"
#include "primitives/catalogue/families.h"
#include "primitives/catalogue/special/special_case.h"

namespace vintage::primitives::catalogue {
namespace {

using oracle::Real;

Expression zeta(const Expression& exponent, const Expression& start) {
  FunctionBuilder& builder = exponent.builder();
  const SsaValue values[] = {exponent, start};
  const TensorType result{exponent.type(), exponent.shape()};
  return {builder, builder.chlo("zeta", values, {result}).front()};
}

Expression emitPolygamma(const Expression& order, const Expression& x) {
  const Expression parity = order.apply("stablehlo.remainder", order.like(2));
  const Expression sign = select(equal(parity, 0.0), order.like(-1), order.like(1));
  const Expression next = order + 1.0;
  const Expression general = sign * (exp(lgamma(next)) * zeta(next, x));
  const Expression result = select(equal(order, 0.0), digamma(x), general);
  const Expression natural = equal(order, order.apply("stablehlo.floor")) & (order >= 0.0);
  return select(natural, result, order.like(std::numeric_limits<double>::quiet_NaN()));
}

}  // namespace

VINTAGE_FAMILY(addZetaCases) {
  constexpr Domain kExponent{.low = 1.1, .high = 12};
  constexpr Domain kStart{.low = 0.2, .high = 20};
  constexpr Domain kOrder{.low = 0, .high = 6, .wholeNumbers = true};
  for (ElementType type : types::floats()) {
    for (const Shape& shape : {Shape{8, 8}, Shape{}}) {
      addSpecialCase(cases,
                     {.name = "zeta",
                      .type = type,
                      .shape = shape,
                      .domains = {kExponent, kStart},
                      .write = [](std::span<const Expression> x) { return zeta(x[0], x[1]); },
                      .oracle = [](std::span<const Real> x) {
                        return oracle::hurwitzZeta(x[0], x[1]);
                      },
                      .ulps = 4});
      addSpecialCase(
          cases, {.name = "polygamma",
                  .type = type,
                  .shape = shape,
                  .domains = {kOrder, kStart},
                  .write = [](std::span<const Expression> x) { return emitPolygamma(x[0], x[1]); },
                  .oracle = [](std::span<const Real> x) {
                    return oracle::polygamma(static_cast<int>(x[0].toDouble()), x[1]);
                  },
                  .ulps = 8});
    }
  }
}

}  // namespace vintage::primitives::catalogue
