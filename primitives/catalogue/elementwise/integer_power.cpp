// integer_pow, square.
#include <cstdlib>

#include <fmt/format.h>

#include "golden/oracle/elementwise.h"
#include "golden/oracle/real.h"
#include "primitives/catalogue/case_list.h"
#include "primitives/lowering/chlo/functions.h"

namespace vintage::primitives {
using namespace golden;

namespace {

// Repeated squaring, lowest bit first; the third power is the square times the base.
SsaValue powerBySquaring(const SsaValue& base, int exponent) {
  FunctionBuilder& function = *base.builder;
  if (exponent == 0) return function.fill(base.type, 1, base.shape);
  if (exponent == 3) return base * base * base;
  SsaValue square = base, product;
  for (unsigned left = static_cast<unsigned>(std::abs(exponent)); left != 0; left >>= 1) {
    if (left & 1) product = product.exists() ? same("stablehlo.multiply", product, square) : square;
    if (left > 1) square = square * square;
  }
  if (exponent > 0) return product;
  return same("stablehlo.divide", function.fill(base.type, 1, base.shape), product);
}

Tensor power(const Tensor& base, int exponent) {
  const ElementType type = base.type();
  if (isInteger(type)) {
    return oracle::eachElement(type, base.shape(), [&](int64_t i) {
      oracle::Wide product = 1;
      for (int k = 0; k < exponent; ++k)
        product = oracle::wrap(type, product * oracle::load(base, i).integer);
      return oracle::Number{product};
    });
  }
  return oracle::eachElement(type, base.shape(), [&](int64_t i) {
    const oracle::Number x = oracle::load(base, i);
    oracle::Complex product = 1, z{x.real, x.imaginary};
    for (int k = 0; k < std::abs(exponent); ++k) product = product * z;
    return exponent < 0 ? 1.0 / product : product;
  });
}

}  // namespace

VINTAGE_FAMILY(addIntegerPowerCases) {
  static constexpr int kExponents[] = {0, 1, 2, 3, 4, 5, 7, -1, -2, -3, -4};
  for (ElementType type : types::kNumbers) {
    for (int exponent : kExponents) {
      if (exponent < 0 && isInteger(type)) continue;
      // Each multiplication rounds once, and its error is carried on.
      const int64_t ulps = 1 + 2 * std::abs(exponent);
      cases.add({.primitive = "integer_pow",
                 .label = fmt::format("y={}", exponent),
                 .arguments = {{type, {5, 6}}},
                 .domains = {Domain{.low = -6, .high = 6, .zero = exponent > 0}},
                 .emit = [exponent](Arguments x) { return powerBySquaring(x[0], exponent); },
                 .expect = [exponent](Tensors inputs) { return power(inputs[0], exponent); },
                 .oracle = isInteger(type) ? "exact" : "mpfr",
                 .comparators = {withinUlps(type, ulps)}});
    }
    cases.add({.primitive = "square",
               .arguments = {{type, {8, 8}}},
               .domains = {isComplex(type) ? domains::kPlain : domains::kFewEdges},
               .emit = [](Arguments x) { return chlo::elementwise("square", {x[0]}); },
               .expect = [](Tensors inputs) { return oracle::applyUnary("square", inputs[0]); },
               .oracle = isInteger(type) ? "exact" : "mpfr",
               .comparators = {isComplex(type) ? withinUlps(type, 8) : exactly()}});
  }
}

}  // namespace vintage::primitives
