// Derivatives of element-wise functions of one argument: the cotangent times a
// factor, which JAX's rule computes from x and y = f(x), and the oracle from x alone.
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "primitives/catalogue/derivatives/rule.h"
#include "primitives/lowering/chlo/functions.h"
#include "primitives/lowering/expression.h"

namespace vintage::primitives {
using namespace golden;

namespace {

using oracle::Complex;
using oracle::Real;

// Whether a rule computes from f(x) or from x alone.
enum Uses { kByInput, kByAnswer };

using Value = const SsaValue&;

struct UnaryDerivative {
  const char* primitive;
  Uses uses;
  Domain domain, complexDomain;
  SsaValue (*write)(Value g, Value x, Value y);
  Formula<Real (*)(const Real&), Complex (*)(const Complex&)> factor;
};

constexpr Domain kPositiveWithEdges{
    .low = 0.25, .high = 4, .edges = Domain::Edges::kFew, .edgeLow = 0.5, .edgeHigh = 4};
constexpr Domain kInsideWithEdges{
    .low = -0.75, .high = 0.75, .edges = Domain::Edges::kFew, .edgeLow = -0.75, .edgeHigh = 0.75};
constexpr Domain kBeyondOne{.low = 1.5, .high = 4};

const double kTwoOverRootPi = 2 / std::sqrt(std::numbers::pi);

SsaValue reciprocalRoot(const SsaValue& x) { return same("stablehlo.rsqrt", x); }

// f32 has only these digits of a constant; the oracle has all.
const UnaryDerivative kUnary[] = {
    {"neg",
     kByInput,
     kTame,
     kTame,
     [](Value g, Value, Value) { return -g; },
     {[](const Real&) { return Real(-1.0); }, [](const Complex&) { return Complex(-1.0); }}},
    {"sin", kByInput, kTame, kTame,
     [](Value g, Value x, Value) { return g * same("stablehlo.cosine", x); },
     [](const auto& x) { return cos(x); }},
    {"cos", kByInput, kTame, kTame,
     [](Value g, Value x, Value) { return -(g * same("stablehlo.sine", x)); },
     [](const auto& x) { return -sin(x); }},
    {"tan",
     kByAnswer,
     {.low = -1, .high = 1},
     kQuadrant,
     [](Value g, Value, Value y) { return g * (1.0 + y * y); },
     [](const auto& x) { return 1.0 / (cos(x) * cos(x)); }},
    {"exp", kByAnswer, kTame, kTame, [](Value g, Value, Value y) { return g * y; },
     [](const auto& x) { return exp(x); }},
    {"exp2", kByAnswer, kTame, kTame,
     [](Value g, Value, Value y) { return g * (std::numbers::ln2 * y); },
     [](const Real& x) {
       return log(Real(2.0)) * Real::of(static_cast<Real::Unary>(mpfr_exp2), x);
     }},
    {"expm1", kByAnswer, kTame, kTame, [](Value g, Value, Value y) { return g * (y + 1.0); },
     [](const auto& x) { return exp(x); }},
    {"log", kByInput, kPositiveWithEdges, kQuadrant, [](Value g, Value x, Value) { return g / x; },
     [](const auto& x) { return 1.0 / x; }},
    {"log1p", kByInput, kPositiveWithEdges, kQuadrant,
     [](Value g, Value x, Value) { return g / (x + 1.0); },
     [](const auto& x) { return 1.0 / (x + 1.0); }},
    {"tanh", kByAnswer, kTame, kQuadrant,
     [](Value g, Value, Value y) { return (g + g * y) * (1.0 - y); },
     [](const auto& x) { return 1.0 / (cosh(x) * cosh(x)); }},
    {"logistic", kByAnswer, kTame, kQuadrant,
     [](Value g, Value, Value y) { return g * (y * (1.0 - y)); },
     [](const auto& x) {
       const auto e = exp(-x);
       return e / ((1.0 + e) * (1.0 + e));
     }},
    {"sinh", kByInput, kTame, kTame,
     [](Value g, Value x, Value) { return g * chlo::elementwise("cosh", {x}); },
     [](const auto& x) { return cosh(x); }},
    {"cosh", kByInput, kTame, kTame,
     [](Value g, Value x, Value) { return g * chlo::elementwise("sinh", {x}); },
     [](const auto& x) { return sinh(x); }},
    {"asin", kByInput, kInsideWithEdges, kQuadrant,
     [](Value g, Value x, Value) { return g * reciprocalRoot(1.0 - x * x); },
     [](const auto& x) { return 1.0 / sqrt(1.0 - x * x); }},
    {"acos", kByInput, kInsideWithEdges, kQuadrant,
     [](Value g, Value x, Value) { return g * -reciprocalRoot(1.0 - x * x); },
     [](const auto& x) { return -1.0 / sqrt(1.0 - x * x); }},
    {"atan", kByInput, kTame, kQuadrant, [](Value g, Value x, Value) { return g / (1.0 + x * x); },
     [](const auto& x) { return 1.0 / (1.0 + x * x); }},
    {"asinh", kByInput, kTame, kQuadrant,
     [](Value g, Value x, Value) { return g * reciprocalRoot(x * x + 1.0); },
     [](const auto& x) { return 1.0 / sqrt(1.0 + x * x); }},
    {"acosh",
     kByInput,
     kBeyondOne,
     kQuadrant,
     [](Value g, Value x, Value) { return g * reciprocalRoot((x - 1.0) * (x + 1.0)); },
     {[](const Real& x) { return 1.0 / sqrt(x * x - 1.0); },
      [](const Complex& z) { return 1.0 / (sqrt(z - 1.0) * sqrt(z + 1.0)); }}},
    {"atanh", kByInput, kInsideWithEdges, kQuadrant,
     [](Value g, Value x, Value) { return 1.0 / (1.0 + x) * (g / (1.0 - x)); },
     [](const auto& x) { return 1.0 / (1.0 - x * x); }},
    {"sqrt", kByAnswer, kPositiveWithEdges, kQuadrant,
     [](Value g, Value, Value y) { return g * (0.5 / y); },
     [](const auto& x) { return 0.5 / sqrt(x); }},
    {"rsqrt", kByAnswer, kPositiveWithEdges, kQuadrant,
     [](Value g, Value x, Value y) { return g * (-0.5 * (y / x)); },
     [](const auto& x) { return -0.5 / (x * sqrt(x)); }},
    {"cbrt", kByAnswer, kPositiveWithEdges, kPositiveWithEdges,
     [](Value g, Value, Value y) { return g * ((1.0 / 3) * (1.0 / (y * y))); },
     [](const Real& x) {
       const Real y = Real::of(mpfr_cbrt, x);
       return Real(1.0) / (Real(3.0) * y * y);
     }},
    {"erf", kByInput, kTame, kTame,
     [](Value g, Value x, Value) { return kTwoOverRootPi * (g * exp(-(x * x))); },
     [](const Real& x) { return Real(2.0) / sqrt(oracle::pi()) * exp(-(x * x)); }},
    {"erfc", kByInput, kTame, kTame,
     [](Value g, Value x, Value) { return -kTwoOverRootPi * (g * exp(-(x * x))); },
     [](const Real& x) { return Real(-2.0) / sqrt(oracle::pi()) * exp(-(x * x)); }},
    {"lgamma", kByInput, kPositiveWithEdges, kPositiveWithEdges,
     [](Value g, Value x, Value) { return g * digamma(x); },
     [](const Real& x) { return Real::of(mpfr_digamma, x); }},
    {"abs", kByInput, kTame, kTame,
     [](Value g, Value x, Value) { return g * same("stablehlo.sign", x); },
     [](const Real& x) {
       return x.isNan() ? x : Real(x.isZero() ? 0.0 : x.isNegative() ? -1.0 : 1.0);
     }},
    {"square", kByInput, kTame, kTame, [](Value g, Value x, Value) { return g * (2.0 * x); },
     [](const auto& x) { return 2.0 * x; }},
};

constexpr double kUnits = 16;

// The cotangent times a constant times a power that is one less.
SsaValue writePower(const SsaValue& g, const SsaValue& x, int exponent) {
  if (exponent == 0) return g.like(0);
  const int rest = exponent - 1;
  if (rest == 0) return g * g.like(1);
  SsaValue power = x;
  for (int k = 1; k < std::abs(rest); ++k) power = power * x;
  return g * (static_cast<double>(exponent) * (rest < 0 ? 1.0 / power : power));
}

DerivativeRule powerRule(int exponent, bool complex) {
  const Domain positive = complex ? kQuadrant : Domain{.low = 0.5, .high = 2};
  return {.primitive = "integer_pow",
          .label = fmt::format("y={}", exponent),
          .types = complex ? types::kComplexes : types::kFloats,
          .domains = {exponent < 0 ? positive
                      : complex    ? Domain{.low = -1.5, .high = 1.5}
                                   : kTame},
          .write = [exponent](const Pullback& p) -> SsaValues {
            return {writePower(p.cotangents[0], p.inputs[0], exponent)};
          },
          .oracle =
              [exponent, complex](const PullbackValues& values) {
                if (!complex) {
                  return scaledBy(values, realAt, [exponent](const Real& x) {
                    return exponent == 0 ? 0.0
                                         : Real(exponent) * Real::of(mpfr_pow, x, exponent - 1.0);
                  });
                }
                return scaledBy(values, complexAt, [exponent](const Complex& z) {
                  if (exponent == 0) return Complex(0);
                  Complex power = 1;
                  for (int k = 0; k < std::abs(exponent - 1); ++k) power = power * z;
                  return exponent * (exponent < 1 ? 1.0 / power : power);
                });
              },
          .units = kUnits,
          // x^6 of numbers up to 2.
          .scale = 64};
}

}  // namespace

VINTAGE_DERIVATIVES(unaryDerivatives) {
  DerivativeRules rules;
  for (const UnaryDerivative& rule : kUnary) {
    const WritePullback write = [&rule](const Pullback& p) -> SsaValues {
      const SsaValue g = p.cotangents[0], x = p.inputs[0];
      if (rule.uses == kByInput) return {rule.write(g, x, x)};
      return {rule.write(g, x, p.answers()[0])};
    };
    DerivativeRule made{.primitive = rule.primitive,
                        .domains = {rule.domain},
                        .write = write,
                        .oracle =
                            [&rule](const PullbackValues& values) {
                              return scaledBy(values, realAt, rule.factor.real);
                            },
                        .units = kUnits};
    rules.push_back(made);
    if (!rule.factor.complex) continue;
    made.types = types::kComplexes;
    made.domains = {rule.complexDomain};
    made.oracle = [&rule](const PullbackValues& values) {
      return scaledBy(values, complexAt, rule.factor.complex);
    };
    rules.push_back(std::move(made));
  }
  for (int exponent : {0, 1, 2, 3, 4, 5, 7, -1, -2, -3, -4}) {
    for (bool complex : {false, true}) rules.push_back(powerRule(exponent, complex));
  }
  return rules;
}

}  // namespace vintage::primitives
