// Derivatives of element-wise functions: the cotangent times a factor, which
// JAX's rule computes from x and y = f(x), and the oracle from x alone.
#include <cmath>
#include <numbers>

#include "golden/oracle/number.h"
#include "golden/oracle/real.h"
#include "primitives/variants/vjp.h"

namespace vintage {
namespace {

using oracle::Real;

// Writes arithmetic on values of one type and shape.
struct Term {
  FunctionWriter* writer;
  SsaValue value;

  Term number(double number) const {
    return {writer, writer->fill(value.type, number, value.shape)};
  }
  Term apply(std::string_view operation) const { return {writer, writer->same(operation, value)}; }
  Term chlo(std::string_view name) const {
    const TensorType type{value.type, value.shape};
    return {writer, writer->chlo(name, {&value, 1}, {&type, 1})[0]};
  }
  friend Term operator+(const Term& a, const Term& b) { return both("stablehlo.add", a, b); }
  friend Term operator-(const Term& a, const Term& b) { return both("stablehlo.subtract", a, b); }
  friend Term operator*(const Term& a, const Term& b) { return both("stablehlo.multiply", a, b); }
  friend Term operator/(const Term& a, const Term& b) { return both("stablehlo.divide", a, b); }
  friend Term operator-(const Term& a) { return a.apply("stablehlo.negate"); }

 private:
  static Term both(std::string_view operation, const Term& a, const Term& b) {
    return {a.writer, a.writer->same(operation, a.value, b.value)};
  }
};

Term sine(const Term& x) { return x.apply("stablehlo.sine"); }
Term cosine(const Term& x) { return x.apply("stablehlo.cosine"); }
Term exponential(const Term& x) { return x.apply("stablehlo.exponential"); }
Term reciprocalRoot(const Term& x) { return x.apply("stablehlo.rsqrt"); }

struct UnaryRule {
  const char* primitive;
  const char* label;
  Domain domain;
  Term (*emit)(const Term& g, const Term& x);
  Real (*factor)(const Real& x);
};

constexpr Domain kTame{.low = -2, .high = 2};
constexpr Domain kPositive{.low = 0.25, .high = 4};
constexpr Domain kInside{.low = -0.75, .high = 0.75};
constexpr Domain kBeyondOne{.low = 1.5, .high = 4};

const double kTwoOverRootPi = 2 / std::sqrt(std::numbers::pi);

Real piReal() {
  Real pi;
  mpfr_const_pi(pi.get(), MPFR_RNDN);
  return pi;
}

// f32 has no more than these digits of a constant; the oracle has all.
const UnaryRule kUnary[] = {
    {"neg", "", kTame, [](const Term& g, const Term&) { return -g; },
     [](const Real&) { return Real(-1.0); }},
    {"sin", "", kTame, [](const Term& g, const Term& x) { return g * cosine(x); },
     [](const Real& x) { return cos(x); }},
    {"cos", "", kTame, [](const Term& g, const Term& x) { return -(g * sine(x)); },
     [](const Real& x) { return -sin(x); }},
    {"tan", "", {.low = -1, .high = 1},
     [](const Term& g, const Term& x) {
       const Term y = x.apply("stablehlo.tan");
       return g * (x.number(1) + y * y);
     },
     [](const Real& x) { return Real(1.0) / (cos(x) * cos(x)); }},
    {"exp", "", kTame, [](const Term& g, const Term& x) { return g * exponential(x); },
     [](const Real& x) { return exp(x); }},
    {"expm1", "", kTame,
     [](const Term& g, const Term& x) {
       return g * (x.apply("stablehlo.exponential_minus_one") + x.number(1));
     },
     [](const Real& x) { return exp(x); }},
    {"log", "", kPositive, [](const Term& g, const Term& x) { return g / x; },
     [](const Real& x) { return Real(1.0) / x; }},
    {"log1p", "", kPositive, [](const Term& g, const Term& x) { return g / (x + x.number(1)); },
     [](const Real& x) { return Real(1.0) / (x + Real(1.0)); }},
    {"tanh", "", kTame,
     [](const Term& g, const Term& x) {
       const Term y = x.apply("stablehlo.tanh");
       return (g + g * y) * (x.number(1) - y);
     },
     [](const Real& x) { return Real(1.0) / (cosh(x) * cosh(x)); }},
    {"logistic", "", kTame,
     [](const Term& g, const Term& x) {
       const Term y = x.apply("stablehlo.logistic");
       return g * (y * (x.number(1) - y));
     },
     [](const Real& x) {
       const Real e = exp(-x);
       return e / ((Real(1.0) + e) * (Real(1.0) + e));
     }},
    {"sinh", "", kTame, [](const Term& g, const Term& x) { return g * x.chlo("cosh"); },
     [](const Real& x) { return cosh(x); }},
    {"cosh", "", kTame, [](const Term& g, const Term& x) { return g * x.chlo("sinh"); },
     [](const Real& x) { return sinh(x); }},
    {"asin", "", kInside,
     [](const Term& g, const Term& x) { return g * reciprocalRoot(x.number(1) - x * x); },
     [](const Real& x) { return Real(1.0) / sqrt(Real(1.0) - x * x); }},
    {"acos", "", kInside,
     [](const Term& g, const Term& x) { return g * -reciprocalRoot(x.number(1) - x * x); },
     [](const Real& x) { return Real(-1.0) / sqrt(Real(1.0) - x * x); }},
    {"atan", "", kTame, [](const Term& g, const Term& x) { return g / (x.number(1) + x * x); },
     [](const Real& x) { return Real(1.0) / (Real(1.0) + x * x); }},
    {"asinh", "", kTame,
     [](const Term& g, const Term& x) { return g * reciprocalRoot(x * x + x.number(1)); },
     [](const Real& x) { return Real(1.0) / sqrt(Real(1.0) + x * x); }},
    {"acosh", "", kBeyondOne,
     [](const Term& g, const Term& x) {
       return g * reciprocalRoot((x - x.number(1)) * (x + x.number(1)));
     },
     [](const Real& x) { return Real(1.0) / sqrt(x * x - Real(1.0)); }},
    {"atanh", "", kInside,
     [](const Term& g, const Term& x) {
       return x.number(1) / (x.number(1) + x) * (g / (x.number(1) - x));
     },
     [](const Real& x) { return Real(1.0) / (Real(1.0) - x * x); }},
    {"sqrt", "", kPositive,
     [](const Term& g, const Term& x) { return g * (x.number(0.5) / x.apply("stablehlo.sqrt")); },
     [](const Real& x) { return Real(0.5) / sqrt(x); }},
    {"rsqrt", "", kPositive,
     [](const Term& g, const Term& x) { return g * (x.number(-0.5) * (reciprocalRoot(x) / x)); },
     [](const Real& x) { return Real(-0.5) / (x * sqrt(x)); }},
    {"cbrt", "", kPositive,
     [](const Term& g, const Term& x) {
       const Term y = x.apply("stablehlo.cbrt");
       return g * (x.number(1.0 / 3) * (x.number(1) / (y * y)));
     },
     [](const Real& x) {
       const Real y = Real::of(mpfr_cbrt, x);
       return Real(1.0) / (Real(3.0) * y * y);
     }},
    {"erf", "", kTame,
     [](const Term& g, const Term& x) {
       return x.number(kTwoOverRootPi) * (g * exponential(-(x * x)));
     },
     [](const Real& x) { return Real(2.0) / sqrt(piReal()) * exp(-(x * x)); }},
    {"erfc", "", kTame,
     [](const Term& g, const Term& x) {
       return x.number(-kTwoOverRootPi) * (g * exponential(-(x * x)));
     },
     [](const Real& x) { return Real(-2.0) / sqrt(piReal()) * exp(-(x * x)); }},
    {"lgamma", "", kPositive, [](const Term& g, const Term& x) { return g * x.chlo("digamma"); },
     [](const Real& x) { return Real::of(mpfr_digamma, x); }},
    {"abs", "", kTame,
     [](const Term& g, const Term& x) { return g * x.apply("stablehlo.sign"); },
     [](const Real& x) { return Real(x.isZero() ? 0.0 : x.isNegative() ? -1.0 : 1.0); }},
    {"square", "", kTame, [](const Term& g, const Term& x) { return g * (x.number(2) * x); },
     [](const Real& x) { return Real(2.0) * x; }},
    {"integer_pow", "y=3", kTame,
     [](const Term& g, const Term& x) { return g * (x.number(3) * (x * x)); },
     [](const Real& x) { return Real(3.0) * x * x; }},
    {"integer_pow", "y=-2", kPositive,
     [](const Term& g, const Term& x) { return g * (x.number(-2) * (x.number(1) / (x * x * x))); },
     [](const Real& x) { return Real(-2.0) / (x * x * x); }},
    {"floor", "", kTame, [](const Term&, const Term& x) { return x.number(0); },
     [](const Real&) { return Real(0.0); }},
    {"ceil", "", kTame, [](const Term&, const Term& x) { return x.number(0); },
     [](const Real&) { return Real(0.0); }},
    {"sign", "", kTame, [](const Term&, const Term& x) { return x.number(0); },
     [](const Real&) { return Real(0.0); }},
};

struct BinaryRule {
  const char* primitive;
  Domain domain;
  std::pair<Term, Term> (*emit)(const Term& g, const Term& x, const Term& y);
  std::pair<Real, Real> (*factors)(const Real& x, const Real& y);
};

const BinaryRule kBinary[] = {
    {"add", kTame, [](const Term& g, const Term&, const Term&) { return std::pair(g, g); },
     [](const Real&, const Real&) { return std::pair(Real(1.0), Real(1.0)); }},
    {"sub", kTame, [](const Term& g, const Term&, const Term&) { return std::pair(g, -g); },
     [](const Real&, const Real&) { return std::pair(Real(1.0), Real(-1.0)); }},
    {"mul", kTame,
     [](const Term& g, const Term& x, const Term& y) { return std::pair(g * y, x * g); },
     [](const Real& x, const Real& y) { return std::pair(y, x); }},
    {"div", kPositive,
     [](const Term& g, const Term& x, const Term& y) {
       return std::pair(g / y, -g * x * (y.number(1) / (y * y)));
     },
     [](const Real& x, const Real& y) { return std::pair(Real(1.0) / y, -x / (y * y)); }},
    {"atan2", kPositive,
     [](const Term& g, const Term& x, const Term& y) {
       const Term norm = x * x + y * y;
       return std::pair(g * (y / norm), g * (-x / norm));
     },
     [](const Real& x, const Real& y) {
       const Real norm = x * x + y * y;
       return std::pair(y / norm, -x / norm);
     }},
};

Term term(FunctionWriter& writer, const SsaValue& value) { return {&writer, value}; }

// factor * cotangent, rounded once.
Tensor scaled(const Tensor& cotangent, const std::function<Real(int64_t)>& factor) {
  Tensor result(cotangent.type(), cotangent.shape());
  for (int64_t i = 0; i < result.size(); ++i) {
    const Real product = factor(i) * Real(oracle::load(cotangent, i).real);
    oracle::store(result, i, {0, product.roundTo(result.type()), 0});
  }
  return result;
}

Real realAt(const Tensor& tensor, int64_t i) { return Real(oracle::load(tensor, i).real); }

}  // namespace

std::vector<DerivativeRule> elementwiseDerivatives() {
  constexpr double kUnits = 16;
  std::vector<DerivativeRule> rules;
  for (const UnaryRule& rule : kUnary) {
    rules.push_back(
        {rule.primitive, rule.label, rule.domain,
         [&rule](FunctionWriter& writer, std::span<const SsaValue> values) -> SsaValues {
           return {rule.emit(term(writer, values[1]), term(writer, values[0])).value};
         },
         [&rule](std::span<const Tensor> values) {
           return std::vector<Tensor>{
               scaled(values[1], [&](int64_t i) { return rule.factor(realAt(values[0], i)); })};
         },
         kUnits});
  }
  for (const BinaryRule& rule : kBinary) {
    rules.push_back(
        {rule.primitive, "", rule.domain,
         [&rule](FunctionWriter& writer, std::span<const SsaValue> values) -> SsaValues {
           const auto [left, right] =
               rule.emit(term(writer, values[2]), term(writer, values[0]), term(writer, values[1]));
           return {left.value, right.value};
         },
         [&rule](std::span<const Tensor> values) {
           const auto factors = [&](int64_t i) {
             return rule.factors(realAt(values[0], i), realAt(values[1], i));
           };
           return std::vector<Tensor>{scaled(values[2], [&](int64_t i) { return factors(i).first; }),
                                      scaled(values[2], [&](int64_t i) { return factors(i).second; })};
         },
         kUnits});
  }
  return rules;
}

}  // namespace vintage
