// Derivatives of element-wise functions of one argument: the cotangent times a
// factor, which JAX's rule computes from x and y = f(x), and the oracle from x alone.
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "primitives/catalogue/derivatives/transposed.h"
#include "primitives/lowering/expression.h"

namespace vintage::primitives {
using namespace golden;

namespace {

using oracle::Complex;
using oracle::Real;

// Whether a rule computes from f(x) or from x alone.
enum Uses { kByInput, kByAnswer };

struct UnaryDerivative {
  const char* primitive;
  Uses uses;
  Domain domain, complexDomain;
  Expression (*write)(const Expression& g, const Expression& x, const Expression& y);
  Real (*real)(const Real& x);
  Complex (*complex)(const Complex& z) = nullptr;  // Null: of real types only.
};

constexpr Domain kPositiveWithEdges{
    .low = 0.25, .high = 4, .edges = Domain::Edges::kFew, .edgeLow = 0.5, .edgeHigh = 4};
constexpr Domain kInsideWithEdges{
    .low = -0.75, .high = 0.75, .edges = Domain::Edges::kFew, .edgeLow = -0.75, .edgeHigh = 0.75};
constexpr Domain kBeyondOne{.low = 1.5, .high = 4};

const double kTwoOverRootPi = 2 / std::sqrt(std::numbers::pi);

Real piReal() {
  Real pi;
  mpfr_const_pi(pi.get(), MPFR_RNDN);
  return pi;
}
Expression reciprocalRoot(const Expression& x) { return x.apply("stablehlo.rsqrt"); }

// f32 has no more than these digits of a constant; the oracle has all.
const UnaryDerivative kUnary[] = {
    {"neg", kByInput, kTame, kTame,
     [](const Expression& g, const Expression&, const Expression&) { return -g; },
     [](const Real&) { return Real(-1.0); }, [](const Complex&) { return number(-1); }},
    {"sin", kByInput, kTame, kTame,
     [](const Expression& g, const Expression& x, const Expression&) {
       return g * x.apply("stablehlo.cosine");
     },
     [](const Real& x) { return cos(x); }, [](const Complex& z) { return cos(z); }},
    {"cos", kByInput, kTame, kTame,
     [](const Expression& g, const Expression& x, const Expression&) {
       return -(g * x.apply("stablehlo.sine"));
     },
     [](const Real& x) { return -sin(x); }, [](const Complex& z) { return -sin(z); }},
    {"tan", kByAnswer, {.low = -1, .high = 1}, kQuadrant,
     [](const Expression& g, const Expression&, const Expression& y) { return g * (1.0 + y * y); },
     [](const Real& x) { return Real(1.0) / (cos(x) * cos(x)); },
     [](const Complex& z) { return number(1) / (cos(z) * cos(z)); }},
    {"exp", kByAnswer, kTame, kTame,
     [](const Expression& g, const Expression&, const Expression& y) { return g * y; },
     [](const Real& x) { return exp(x); }, [](const Complex& z) { return exp(z); }},
    {"exp2", kByAnswer, kTame, kTame,
     [](const Expression& g, const Expression&, const Expression& y) {
       return g * (std::numbers::ln2 * y);
     },
     [](const Real& x) {
       return log(Real(2.0)) * Real::of(static_cast<Real::Unary>(mpfr_exp2), x);
     }},
    {"expm1", kByAnswer, kTame, kTame,
     [](const Expression& g, const Expression&, const Expression& y) { return g * (y + 1.0); },
     [](const Real& x) { return exp(x); }, [](const Complex& z) { return exp(z); }},
    {"log", kByInput, kPositiveWithEdges, kQuadrant,
     [](const Expression& g, const Expression& x, const Expression&) { return g / x; },
     [](const Real& x) { return Real(1.0) / x; }, [](const Complex& z) { return number(1) / z; }},
    {"log1p", kByInput, kPositiveWithEdges, kQuadrant,
     [](const Expression& g, const Expression& x, const Expression&) { return g / (x + 1.0); },
     [](const Real& x) { return Real(1.0) / (x + Real(1.0)); },
     [](const Complex& z) { return number(1) / (z + number(1)); }},
    {"tanh", kByAnswer, kTame, kQuadrant,
     [](const Expression& g, const Expression&, const Expression& y) {
       return (g + g * y) * (1.0 - y);
     },
     [](const Real& x) { return Real(1.0) / (cosh(x) * cosh(x)); },
     [](const Complex& z) { return number(1) / (cosh(z) * cosh(z)); }},
    {"logistic", kByAnswer, kTame, kQuadrant,
     [](const Expression& g, const Expression&, const Expression& y) {
       return g * (y * (1.0 - y));
     },
     [](const Real& x) {
       const Real e = exp(-x);
       return e / ((Real(1.0) + e) * (Real(1.0) + e));
     },
     [](const Complex& z) {
       const Complex e = exp(-z);
       return e / ((number(1) + e) * (number(1) + e));
     }},
    {"sinh", kByInput, kTame, kTame,
     [](const Expression& g, const Expression& x, const Expression&) {
       return g * x.applyChlo("cosh");
     },
     [](const Real& x) { return cosh(x); }, [](const Complex& z) { return cosh(z); }},
    {"cosh", kByInput, kTame, kTame,
     [](const Expression& g, const Expression& x, const Expression&) {
       return g * x.applyChlo("sinh");
     },
     [](const Real& x) { return sinh(x); }, [](const Complex& z) { return sinh(z); }},
    {"asin", kByInput, kInsideWithEdges, kQuadrant,
     [](const Expression& g, const Expression& x, const Expression&) {
       return g * reciprocalRoot(1.0 - x * x);
     },
     [](const Real& x) { return Real(1.0) / sqrt(Real(1.0) - x * x); },
     [](const Complex& z) { return number(1) / sqrt(number(1) - z * z); }},
    {"acos", kByInput, kInsideWithEdges, kQuadrant,
     [](const Expression& g, const Expression& x, const Expression&) {
       return g * -reciprocalRoot(1.0 - x * x);
     },
     [](const Real& x) { return Real(-1.0) / sqrt(Real(1.0) - x * x); },
     [](const Complex& z) { return number(-1) / sqrt(number(1) - z * z); }},
    {"atan", kByInput, kTame, kQuadrant,
     [](const Expression& g, const Expression& x, const Expression&) { return g / (1.0 + x * x); },
     [](const Real& x) { return Real(1.0) / (Real(1.0) + x * x); },
     [](const Complex& z) { return number(1) / (number(1) + z * z); }},
    {"asinh", kByInput, kTame, kQuadrant,
     [](const Expression& g, const Expression& x, const Expression&) {
       return g * reciprocalRoot(x * x + 1.0);
     },
     [](const Real& x) { return Real(1.0) / sqrt(Real(1.0) + x * x); },
     [](const Complex& z) { return number(1) / sqrt(number(1) + z * z); }},
    {"acosh", kByInput, kBeyondOne, kQuadrant,
     [](const Expression& g, const Expression& x, const Expression&) {
       return g * reciprocalRoot((x - 1.0) * (x + 1.0));
     },
     [](const Real& x) { return Real(1.0) / sqrt(x * x - Real(1.0)); },
     [](const Complex& z) { return number(1) / (sqrt(z - number(1)) * sqrt(z + number(1))); }},
    {"atanh", kByInput, kInsideWithEdges, kQuadrant,
     [](const Expression& g, const Expression& x, const Expression&) {
       return 1.0 / (1.0 + x) * (g / (1.0 - x));
     },
     [](const Real& x) { return Real(1.0) / (Real(1.0) - x * x); },
     [](const Complex& z) { return number(1) / (number(1) - z * z); }},
    {"sqrt", kByAnswer, kPositiveWithEdges, kQuadrant,
     [](const Expression& g, const Expression&, const Expression& y) { return g * (0.5 / y); },
     [](const Real& x) { return Real(0.5) / sqrt(x); },
     [](const Complex& z) { return number(0.5) / sqrt(z); }},
    {"rsqrt", kByAnswer, kPositiveWithEdges, kQuadrant,
     [](const Expression& g, const Expression& x, const Expression& y) {
       return g * (-0.5 * (y / x));
     },
     [](const Real& x) { return Real(-0.5) / (x * sqrt(x)); },
     [](const Complex& z) { return number(-0.5) / (z * sqrt(z)); }},
    {"cbrt", kByAnswer, kPositiveWithEdges, kPositiveWithEdges,
     [](const Expression& g, const Expression&, const Expression& y) {
       return g * ((1.0 / 3) * (1.0 / (y * y)));
     },
     [](const Real& x) {
       const Real y = Real::of(mpfr_cbrt, x);
       return Real(1.0) / (Real(3.0) * y * y);
     }},
    {"erf", kByInput, kTame, kTame,
     [](const Expression& g, const Expression& x, const Expression&) {
       return kTwoOverRootPi * (g * exp(-(x * x)));
     },
     [](const Real& x) { return Real(2.0) / sqrt(piReal()) * exp(-(x * x)); }},
    {"erfc", kByInput, kTame, kTame,
     [](const Expression& g, const Expression& x, const Expression&) {
       return -kTwoOverRootPi * (g * exp(-(x * x)));
     },
     [](const Real& x) { return Real(-2.0) / sqrt(piReal()) * exp(-(x * x)); }},
    {"lgamma", kByInput, kPositiveWithEdges, kPositiveWithEdges,
     [](const Expression& g, const Expression& x, const Expression&) { return g * digamma(x); },
     [](const Real& x) { return Real::of(mpfr_digamma, x); }},
    {"abs", kByInput, kTame, kTame,
     [](const Expression& g, const Expression& x, const Expression&) {
       return g * x.apply("stablehlo.sign");
     },
     [](const Real& x) {
       return x.isNan() ? x : Real(x.isZero() ? 0.0 : x.isNegative() ? -1.0 : 1.0);
     }},
    {"square", kByInput, kTame, kTame,
     [](const Expression& g, const Expression& x, const Expression&) { return g * (2.0 * x); },
     [](const Real& x) { return Real(2.0) * x; }, [](const Complex& z) { return number(2) * z; }},
};

constexpr double kUnits = 16;

template <typename Number, typename Factor>
std::vector<Tensor> scaledBy(const PullbackValues& values, Number (*at)(const Tensor&, int64_t),
                             Factor factor) {
  const Tensor& g = values.cotangents[0];
  return {eachPosition(g.type(), g.shape(), [&](int64_t i) {
    return factor(at(values.inputs[0], i)) * at(g, i);
  })};
}

// The cotangent times a constant times a power that is one less.
Expression writePower(const Expression& g, const Expression& x, int exponent) {
  if (exponent == 0) return g.like(0);
  const int rest = exponent - 1;
  if (rest == 0) return g * g.like(1);
  Expression power = x;
  for (int k = 1; k < std::abs(rest); ++k) power = power * x;
  return g * (static_cast<double>(exponent) * (rest < 0 ? 1.0 / power : power));
}

DerivativeRule powerRule(int exponent, bool complex) {
  const Domain positive = complex ? kQuadrant : Domain{.low = 0.5, .high = 2};
  return {
      .primitive = "integer_pow",
      .label = fmt::format("y={}", exponent),
      .types = complex ? types::complexes : types::floats,
      .domains = {exponent < 0 ? positive
                  : complex    ? Domain{.low = -1.5, .high = 1.5}
                               : kTame},
      .write = [exponent](const Pullback& p) -> SsaValues {
        const Expression g(p.builder, p.cotangents[0]);
        return {writePower(g, Expression(p.builder, p.inputs[0]), exponent)};
      },
      .oracle =
          [exponent, complex](const PullbackValues& values) {
            if (!complex) {
              return scaledBy(values, realAt, [exponent](const Real& x) {
                if (exponent == 0) return Real(0.0);
                return Real(exponent) * Real::of(mpfr_pow, x, Real(exponent - 1));
              });
            }
            return scaledBy(values, complexAt, [exponent](const Complex& z) {
              if (exponent == 0) return number(0);
              Complex power = number(1);
              for (int k = 0; k < std::abs(exponent - 1); ++k) power = power * z;
              return number(exponent) * (exponent < 1 ? number(1) / power : power);
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
      const Expression g(p.builder, p.cotangents[0]), x(p.builder, p.inputs[0]);
      if (rule.uses == kByInput) return {rule.write(g, x, x)};
      return {rule.write(g, x, Expression(p.builder, p.answers()[0]))};
    };
    rules.push_back(
        {.primitive = rule.primitive,
         .domains = {rule.domain},
         .write = write,
         .oracle =
             [&rule](const PullbackValues& values) { return scaledBy(values, realAt, rule.real); },
         .units = kUnits});
    if (!rule.complex) continue;
    rules.push_back({.primitive = rule.primitive,
                     .types = types::complexes,
                     .domains = {rule.complexDomain},
                     .write = write,
                     .oracle =
                         [&rule](const PullbackValues& values) {
                           return scaledBy(values, complexAt, rule.complex);
                         },
                     .units = kUnits});
  }
  for (int exponent : {0, 1, 2, 3, 4, 5, 7, -1, -2, -3, -4}) {
    for (bool complex : {false, true}) rules.push_back(powerRule(exponent, complex));
  }
  return rules;
}

}  // namespace vintage::primitives
