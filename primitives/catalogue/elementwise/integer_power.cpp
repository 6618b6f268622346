// integer_pow, square.
#include <cstdlib>

#include <fmt/format.h>

#include "golden/oracle/elementwise.h"
#include "golden/oracle/real.h"
#include "primitives/catalogue/families.h"
#include "primitives/lowering/chlo/functions.h"

namespace vintage::primitives {
using namespace golden;

namespace {

// Repeated squaring, lowest bit first; the third power is the square times the base.
SsaValue powerBySquaring(FunctionBuilder& function, const SsaValue& base, int exponent) {
  if (exponent == 0) return function.fill(base.type, 1, base.shape);
  if (exponent == 3) {
    const SsaValue square = function.same("stablehlo.multiply", base, base);
    return function.same("stablehlo.multiply", square, base);
  }
  SsaValue square = base, product;
  for (unsigned left = static_cast<unsigned>(std::abs(exponent)); left != 0; left >>= 1) {
    if (left & 1) {
      product = product.exists() ? function.same("stablehlo.multiply", product, square) : square;
    }
    if (left > 1) square = function.same("stablehlo.multiply", square, square);
  }
  if (exponent > 0) return product;
  return function.same("stablehlo.divide", function.fill(base.type, 1, base.shape), product);
}

Tensor power(const Tensor& base, int exponent) {
  const ElementType type = base.type();
  Tensor result(type, base.shape());
  for (int64_t i = 0; i < base.size(); ++i) {
    const oracle::Number x = oracle::load(base, i);
    if (isInteger(type)) {
      oracle::Wide product = 1;
      for (int k = 0; k < exponent; ++k) product = oracle::wrap(type, product * x.integer);
      oracle::store(result, i, {product});
      continue;
    }
    oracle::Complex product{oracle::Real(1.0), oracle::Real(0.0)};
    const oracle::Complex z{oracle::Real(x.real), oracle::Real(x.imaginary)};
    for (int k = 0; k < std::abs(exponent); ++k) product = product * z;
    if (exponent < 0) product = oracle::Complex{oracle::Real(1.0), oracle::Real(0.0)} / product;
    oracle::store(result, i, {0, product.re.roundTo(type), product.im.roundTo(type)});
  }
  return result;
}

}  // namespace

VINTAGE_FAMILY(addIntegerPowerCases) {
  static constexpr int kExponents[] = {0, 1, 2, 3, 4, 5, 7, -1, -2, -3, -4};
  for (ElementType type : types::numbers()) {
    for (int exponent : kExponents) {
      if (exponent < 0 && isInteger(type)) continue;
      // Each multiplication rounds once, and its error is carried on.
      const int64_t ulps = 1 + 2 * std::abs(exponent);
      cases.add({.primitive = "integer_pow",
                 .label = fmt::format("y={}", exponent),
                 .arguments = {{type, {5, 6}}},
                 .domains = {Domain{.low = -6, .high = 6, .zero = exponent > 0}},
                 .emit = [exponent](FunctionBuilder& main, Arguments arguments) -> SsaValues {
                   if (exponent == 1) return {arguments[0]};
                   if (exponent == 2) {
                     return {main.same("stablehlo.multiply", arguments[0], arguments[0])};
                   }
                   return {powerBySquaring(main, arguments[0], exponent)};
                 },
                 .expect = [exponent](Tensors inputs) { return power(inputs[0], exponent); },
                 .oracle = isInteger(type) ? "exact" : "mpfr",
                 .comparators = {withinUlps(type, ulps)}});
    }
    cases.add(
        {.primitive = "square",
         .arguments = {{type, {8, 8}}},
         .domains = {isComplex(type) ? domains::kPlain : domains::kFewEdges},
         .emit = [](FunctionBuilder& main, Arguments arguments) {
           return chlo::elementwise(main, "square", {arguments[0]});
         },
         .expect = [](Tensors inputs) { return oracle::applyUnary("square", inputs[0]); },
         .oracle = isInteger(type) ? "exact" : "mpfr",
         .comparators = {isComplex(type) ? withinUlps(type, 8) : exactly()}});
  }
}

}  // namespace vintage::primitives
