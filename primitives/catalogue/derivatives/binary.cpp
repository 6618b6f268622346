// Derivatives of element-wise functions of two arguments: the cotangent times a
// factor for each.
#include "primitives/catalogue/derivatives/rule.h"
#include "primitives/lowering/expression.h"

namespace vintage::primitives {
using namespace golden;

namespace {

using oracle::Complex;
using oracle::Real;
using Pair = std::pair<SsaValue, SsaValue>;

using Value = const SsaValue&;
using Answer = std::function<SsaValue()>;  // The result, built only if it is needed.
template <typename Number>
using Factors = std::pair<Number, Number>;
template <typename Number>
using FactorsOf = Factors<Number> (*)(const Number& x, const Number& y);

struct BinaryDerivative {
  const char* primitive;
  std::vector<Domain> domains, complexDomains;
  Pair (*write)(Value g, Value x, Value y, const Answer& answer);
  Formula<FactorsOf<Real>, FactorsOf<Complex>> factors;
  double units = 16;
};

constexpr Domain kPositive{.low = 0.25, .high = 4};
// Ties are common, and every pair of the edges occurs.
constexpr Domain kTied{.low = -2, .high = 2, .edges = Domain::Edges::kFew, .wholeNumbers = true};
// Quotients of these are integers only if they are exact, never by rounding.
constexpr Domain kDividend{.low = -9, .high = 9, .wholeNumbers = true};
constexpr Domain kDivisor{.low = 2, .high = 5, .wholeNumbers = true};
// With zeros among the bases: the logarithm must not spoil the derivative there.
constexpr Domain kBase{.low = 0, .high = 3, .wholeNumbers = true};

SsaValue replaceZero(const SsaValue& x) { return select(equal(x, 0.0), x.like(1), x); }

// One where x equals the result, a half where y equals it too, and zero elsewhere.
SsaValue balanced(const SsaValue& x, const SsaValue& z, const SsaValue& y) {
  const SsaValue chosen = select(equal(x, z), z.like(1), z.like(0));
  return chosen / select(equal(y, z), z.like(2), z.like(1));
}
Pair writeExtreme(Value g, Value x, Value y, const Answer& answer) {
  const SsaValue z = answer();
  return {g * balanced(x, z, y), g * balanced(y, z, x)};
}
template <bool kLargest>
Factors<Real> extremeFactors(const Real& x, const Real& y) {
  if (x.isNan() || y.isNan()) return {0.0, 0.0};
  if (x == y) return {0.5, 0.5};
  const bool left = kLargest ? y < x : x < y;
  return {left ? 1.0 : 0.0, left ? 0.0 : 1.0};
}

Pair writeSum(Value g, Value, Value, const Answer&) { return {g, g}; }
template <typename Number>
Factors<Number> ones(const Number&, const Number&) {
  return {1.0, 1.0};
}

const BinaryDerivative kBinary[] = {
    {"add", {kTame}, {kTame}, writeSum, {ones<Real>, ones<Complex>}, 0},
    {"add_any", {kTame}, {kTame}, writeSum, {ones<Real>, ones<Complex>}, 0},
    {"sub",
     {kTame},
     {kTame},
     [](Value g, Value, Value, const Answer&) { return Pair(g, -g); },
     {[](const Real&, const Real&) { return Factors<Real>(1.0, -1.0); },
      [](const Complex&, const Complex&) { return Factors<Complex>(1.0, -1.0); }}},
    {"mul",
     {kTame},
     {kTame},
     [](Value g, Value x, Value y, const Answer&) { return Pair{g * y, x * g}; },
     [](const auto& x, const auto& y) { return std::pair(y, x); }},
    {"div",
     {kPositive},
     {kQuadrant},
     [](Value g, Value x, Value y, const Answer&) { return Pair{g / y, -g * x * (1.0 / (y * y))}; },
     [](const auto& x, const auto& y) { return std::pair(1.0 / y, -x / (y * y)); }},
    {"rem",
     {kDividend, kDivisor},
     {},
     [](Value g, Value x, Value y, const Answer&) {
       const SsaValue quotient = x / y;
       const SsaValue sign = same("stablehlo.sign", quotient);
       return Pair(g, -g * (sign * same("stablehlo.floor", abs(quotient))));
     },
     [](const Real& x, const Real& y) {
       Real whole;
       mpfr_trunc(whole.get(), (x / y).get());
       return Factors<Real>(1.0, -whole);
     }},
    {"max", {kTied}, {}, writeExtreme, extremeFactors<true>, 0},
    {"min", {kTied}, {}, writeExtreme, extremeFactors<false>, 0},
    {"pow",
     {kBase, {.low = -2, .high = 3}},
     {kQuadrant},
     [](Value g, Value x, Value y, const Answer& answer) {
       const SsaValue left = g * (y * same("stablehlo.power", x, y - 1.0));
       return Pair(left, g * (log(replaceZero(x)) * answer()));
     },
     {[](const Real& x, const Real& y) {
        const Real right = x.isZero() ? 0.0 : log(x);
        return std::pair(y * Real::of(mpfr_pow, x, y - 1.0), right * Real::of(mpfr_pow, x, y));
      },
      [](const Complex& x, const Complex& y) {
        return std::pair(y * pow(x, y - 1.0), log(x) * pow(x, y));
      }}},
    {"atan2",
     {kPositive},
     {},
     [](Value g, Value x, Value y, const Answer&) {
       const SsaValue norm = x * x + y * y;
       return Pair{g * (y / norm), g * (-x / norm)};
     },
     [](const Real& x, const Real& y) {
       const Real norm = x * x + y * y;
       return std::pair(y / norm, -x / norm);
     }},
};

template <typename Number>
std::vector<Tensor> scaledPairs(const PullbackValues& values, Number (*at)(const Tensor&, int64_t),
                                FactorsOf<Number> factors) {
  const Tensor& g = values.cotangents[0];
  const auto scaled = [&](Number Factors<Number>::* side) {
    return oracle::eachElement(g.type(), g.shape(), [&](int64_t i) {
      return factors(at(values.inputs[0], i), at(values.inputs[1], i)).*side * at(g, i);
    });
  };
  return {scaled(&Factors<Number>::first), scaled(&Factors<Number>::second)};
}

}  // namespace

VINTAGE_DERIVATIVES(binaryDerivatives) {
  DerivativeRules rules;
  for (const BinaryDerivative& rule : kBinary) {
    DerivativeRule made{.primitive = rule.primitive,
                        .domains = rule.domains,
                        .write = [&rule](const Pullback& p) -> SsaValues {
                          const auto [left, right] =
                              rule.write(p.cotangents[0], p.inputs[0], p.inputs[1],
                                         [&p] { return p.answers()[0]; });
                          return {left, right};
                        },
                        .oracle =
                            [&rule](const PullbackValues& values) {
                              return scaledPairs(values, realAt, rule.factors.real);
                            },
                        .units = rule.units};
    rules.push_back(made);
    if (!rule.factors.complex) continue;
    made.types = types::kComplexes;
    made.domains = rule.complexDomains;
    made.oracle = [&rule](const PullbackValues& values) {
      return scaledPairs(values, complexAt, rule.factors.complex);
    };
    rules.push_back(std::move(made));
  }
  return rules;
}

}  // namespace vintage::primitives
