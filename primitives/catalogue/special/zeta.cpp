// zeta (of Hurwitz), and polygamma: (-1)^(n+1) n! zeta(n+1, x), or digamma of order zero.
#include "golden/oracle/special_functions.h"
#include "primitives/catalogue/families.h"
#include "primitives/catalogue/special/special_case.h"
#include "primitives/lowering/chlo/functions.h"

namespace vintage::primitives::catalogue {
namespace {

using oracle::Real;

Expression function(const char* name, std::span<const Expression> x) {
  return {x[0].builder(), chlo::elementwise(x[0].builder(), name, {x[0], x[1]})};
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
                      .write = [](std::span<const Expression> x) { return function("zeta", x); },
                      .oracle = [](std::span<const Real> x) {
                        return oracle::hurwitzZeta(x[0], x[1]);
                      },
                      .ulps = 4});
      addSpecialCase(
          cases, {.name = "polygamma",
                  .type = type,
                  .shape = shape,
                  .domains = {kOrder, kStart},
                  .write = [](std::span<const Expression> x) { return function("polygamma", x); },
                  .oracle = [](std::span<const Real> x) {
                    return oracle::polygamma(static_cast<int>(x[0].toDouble()), x[1]);
                  },
                  // exp(lgamma) multiplies the rounding of lgamma by its size.
                  .ulps = 64});
    }
  }
}

}  // namespace vintage::primitives::catalogue
