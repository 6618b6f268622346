// Derivatives of element-wise functions of two arguments: the cotangent times a
// factor for each.
#include "primitives/catalogue/derivatives/transposed.h"
#include "primitives/lowering/expression.h"

namespace vintage::primitives {
using namespace golden;

namespace {

using oracle::Complex;
using oracle::Real;
using Pair = std::pair<Expression, Expression>;

struct BinaryDerivative {
  const char* primitive;
  std::vector<Domain> domains, complexDomains;
  // `z` is the result; built only where the rule asks for it.
  Pair (*write)(const Expression& g, const Expression& x, const Expression& y,
                const std::function<Expression()>& z);
  std::pair<Real, Real> (*real)(const Real& x, const Real& y);
  std::pair<Complex, Complex> (*complex)(const Complex& x, const Complex& y) = nullptr;
  double units = 16;
};

using Answer = std::function<Expression()>;

constexpr Domain kPositive{.low = 0.25, .high = 4};
// Ties are common, and every pair of the edges occurs.
constexpr Domain kTied{
    .low = -2, .high = 2, .edges = Domain::Edges::kFew, .wholeNumbers = true};
// A quotient of these is no integer that only rounding made one.
constexpr Domain kDividend{.low = -9, .high = 9, .wholeNumbers = true};
constexpr Domain kDivisor{.low = 2, .high = 5, .wholeNumbers = true};
// Zeros among the bases, where the logarithm must not spoil the derivative.
constexpr Domain kBase{.low = 0, .high = 3, .wholeNumbers = true};

Expression replaceZero(const Expression& x) { return select(equal(x, 0.0), x.like(1), x); }

// One where x is the result, a half where y is it too, and zero elsewhere.
Expression balanced(const Expression& x, const Expression& z, const Expression& y) {
  const Expression chosen = select(equal(x, z), z.like(1), z.like(0));
  return chosen / select(equal(y, z), z.like(2), z.like(1));
}
Pair writeExtreme(const Expression& g, const Expression& x, const Expression& y,
                  const Answer& answer) {
  const Expression z = answer();
  const Expression left = g * balanced(x, z, y);
  return {left, g * balanced(y, z, x)};
}
template <bool kLargest>
std::pair<Real, Real> extremeFactors(const Real& x, const Real& y) {
  if (x.isNan() || y.isNan()) return {Real(0.0), Real(0.0)};
  if (x == y) return {Real(0.5), Real(0.5)};
  const bool left = kLargest ? y < x : x < y;
  return {Real(left ? 1.0 : 0.0), Real(left ? 0.0 : 1.0)};
}

Pair writeSum(const Expression& g, const Expression&, const Expression&, const Answer&) {
  return {g, g};
}
std::pair<Real, Real> sumFactors(const Real&, const Real&) { return {Real(1.0), Real(1.0)}; }
std::pair<Complex, Complex> complexSumFactors(const Complex&, const Complex&) {
  return {number(1), number(1)};
}

const BinaryDerivative kBinary[] = {
    {"add", {kTame}, {kTame}, writeSum, sumFactors, complexSumFactors, 0},
    {"add_any", {kTame}, {kTame}, writeSum, sumFactors, complexSumFactors, 0},
    {"sub", {kTame}, {kTame},
     [](const Expression& g, const Expression&, const Expression&, const Answer&) {
       return Pair(g, -g);
     },
     [](const Real&, const Real&) { return std::pair(Real(1.0), Real(-1.0)); },
     [](const Complex&, const Complex&) { return std::pair(number(1), number(-1)); }},
    {"mul", {kTame}, {kTame},
     [](const Expression& g, const Expression& x, const Expression& y, const Answer&) {
       const Expression left = g * y;
       return Pair(left, x * g);
     },
     [](const Real& x, const Real& y) { return std::pair(y, x); },
     [](const Complex& x, const Complex& y) { return std::pair(y, x); }},
    {"div", {kPositive}, {kQuadrant},
     [](const Expression& g, const Expression& x, const Expression& y, const Answer&) {
       const Expression left = g / y;
       return Pair(left, -g * x * (1.0 / (y * y)));
     },
     [](const Real& x, const Real& y) { return std::pair(Real(1.0) / y, -x / (y * y)); },
     [](const Complex& x, const Complex& y) { return std::pair(number(1) / y, -x / (y * y)); }},
    {"rem", {kDividend, kDivisor}, {},
     [](const Expression& g, const Expression& x, const Expression& y, const Answer&) {
       const Expression quotient = x / y;
       const Expression sign = quotient.apply("stablehlo.sign");
       return Pair(g, -g * (sign * abs(quotient).apply("stablehlo.floor")));
     },
     [](const Real& x, const Real& y) {
       Real whole;
       mpfr_trunc(whole.get(), (x / y).get());
       return std::pair(Real(1.0), -whole);
     }},
    {"max", {kTied}, {}, writeExtreme, extremeFactors<true>, nullptr, 0},
    {"min", {kTied}, {}, writeExtreme, extremeFactors<false>, nullptr, 0},
    {"pow", {kBase, {.low = -2, .high = 3}}, {kQuadrant},
     [](const Expression& g, const Expression& x, const Expression& y, const Answer& answer) {
       const Expression left = g * (y * x.apply("stablehlo.power", y - 1.0));
       return Pair(left, g * (log(replaceZero(x)) * answer()));
     },
     [](const Real& x, const Real& y) {
       const Real right = x.isZero() ? Real(0.0) : log(x);
       return std::pair(y * Real::of(mpfr_pow, x, y - Real(1.0)), right * Real::of(mpfr_pow, x, y));
     },
     [](const Complex& x, const Complex& y) {
       return std::pair(y * pow(x, y - number(1)), log(x) * pow(x, y));
     }},
    {"atan2", {kPositive}, {},
     [](const Expression& g, const Expression& x, const Expression& y, const Answer&) {
       const Expression norm = x * x + y * y;
       const Expression left = g * (y / norm);
       return Pair(left, g * (-x / norm));
     },
     [](const Real& x, const Real& y) {
       const Real norm = x * x + y * y;
       return std::pair(y / norm, -x / norm);
     }},
};

template <typename Number, typename Factors>
std::vector<Tensor> scaledPairs(const PullbackValues& values, Number (*at)(const Tensor&, int64_t),
                                Factors factors) {
  const Tensor& g = values.cotangents[0];
  const auto both = [&](int64_t i) {
    return factors(at(values.inputs[0], i), at(values.inputs[1], i));
  };
  return {eachPosition(g.type(), g.shape(), [&](int64_t i) { return both(i).first * at(g, i); }),
          eachPosition(g.type(), g.shape(), [&](int64_t i) { return both(i).second * at(g, i); })};
}

}  // namespace

VINTAGE_DERIVATIVES(binaryDerivatives) {
  DerivativeRules rules;
  for (const BinaryDerivative& rule : kBinary) {
    const WritePullback write = [&rule](const Pullback& p) -> SsaValues {
      const auto [left, right] =
          rule.write(Expression(p.builder, p.cotangents[0]), Expression(p.builder, p.inputs[0]),
                     Expression(p.builder, p.inputs[1]),
                     [&p] { return Expression(p.builder, p.answers()[0]); });
      return {left, right};
    };
    rules.push_back({.primitive = rule.primitive,
                     .domains = rule.domains,
                     .write = write,
                     .oracle =
                         [&rule](const PullbackValues& values) {
                           return scaledPairs(values, realAt, rule.real);
                         },
                     .units = rule.units});
    if (!rule.complex) continue;
    rules.push_back({.primitive = rule.primitive,
                     .types = types::complexes,
                     .domains = rule.complexDomains,
                     .write = write,
                     .oracle =
                         [&rule](const PullbackValues& values) {
                           return scaledPairs(values, complexAt, rule.complex);
                         },
                     .units = rule.units});
  }
  return rules;
}

}  // namespace vintage::primitives
