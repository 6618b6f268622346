// The functions of the oracle, compared with values from other sources: the C library, published
// tables, identities.
#include <cmath>
#include <complex>
#include <functional>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "golden/oracle/elementwise.h"
#include "golden/oracle/real.h"

namespace vintage::tests {
using namespace golden;
using namespace golden::oracle;

namespace {

Tensor doublesOf(const std::vector<double>& values) {
  Tensor tensor(ElementType::kF64, {static_cast<int64_t>(values.size())});
  for (size_t i = 0; i < values.size(); ++i)
    store(tensor, static_cast<int64_t>(i), {0, values[i], 0});
  return tensor;
}

struct RealFunction {
  const char* name;
  double (*library)(double);
  double low, high;
};

TEST(OracleElementwise, AgreesWithTheCLibraryToItsPrecision) {
  const RealFunction functions[] = {{"exp", std::exp, -700, 700},
                                    {"expm1", std::expm1, -5, 5},
                                    {"log", std::log, 1e-9, 1e9},
                                    {"log1p", std::log1p, -0.9, 9},
                                    {"sin", std::sin, -1e6, 1e6},
                                    {"cos", std::cos, -1e6, 1e6},
                                    {"tan", std::tan, -1.5, 1.5},
                                    {"asin", std::asin, -1, 1},
                                    {"acos", std::acos, -1, 1},
                                    {"atan", std::atan, -50, 50},
                                    {"sinh", std::sinh, -20, 20},
                                    {"cosh", std::cosh, -20, 20},
                                    {"tanh", std::tanh, -5, 5},
                                    {"asinh", std::asinh, -50, 50},
                                    {"acosh", std::acosh, 1, 50},
                                    {"atanh", std::atanh, -0.99, 0.99},
                                    {"cbrt", std::cbrt, -1e9, 1e9},
                                    {"sqrt", std::sqrt, 0, 1e9},
                                    {"erf", std::erf, -4, 4},
                                    {"erfc", std::erfc, -4, 20},
                                    {"lgamma", std::lgamma, 2.5, 90},
                                    {"ceil", std::ceil, -9, 9},
                                    {"floor", std::floor, -9, 9},
                                    {"round_afz", std::round, -9, 9},
                                    {"round_even", std::nearbyint, -9, 9},
                                    {"abs", std::fabs, -9, 9},
                                    {"exp2", std::exp2, -99, 99}};
  std::mt19937_64 random(11);
  for (const RealFunction& function : functions) {
    std::vector<double> inputs;
    std::uniform_real_distribution<double> distribution(function.low, function.high);
    for (int i = 0; i < 200; ++i) inputs.push_back(distribution(random));
    if (std::string_view(function.name).starts_with("round")) {
      inputs.insert(inputs.end(), {0.5, 1.5, 2.5, -0.5, -2.5});
    }
    const Result<Tensor> outputs = applyUnary(function.name, doublesOf(inputs));
    ASSERT_TRUE(outputs) << outputs.error().message;
    for (size_t i = 0; i < inputs.size(); ++i) {
      const double expected = function.library(inputs[i]);
      EXPECT_NEAR(outputs->values<double>()[i], expected,
                  1e-15 * std::max(1.0, std::fabs(expected)))
          << function.name << "(" << inputs[i] << ")";
    }
  }
}

using StandardComplex = std::complex<double>;
struct ComplexFunction {
  const char* name;
  StandardComplex (*library)(const StandardComplex&);
};

TEST(OracleElementwise, ComplexFunctionsAgreeWithTheStandardLibraryInEveryQuadrant) {
  const ComplexFunction functions[] = {
      {"exp", std::exp},     {"log", std::log},     {"sqrt", std::sqrt},  {"sin", std::sin},
      {"cos", std::cos},     {"tan", std::tan},     {"sinh", std::sinh},  {"cosh", std::cosh},
      {"tanh", std::tanh},   {"asin", std::asin},   {"acos", std::acos},  {"atan", std::atan},
      {"asinh", std::asinh}, {"acosh", std::acosh}, {"atanh", std::atanh}};
  for (const ComplexFunction& function : functions) {
    for (double re : {-2.25, -0.5, 0.25, 1.75}) {
      for (double im : {-1.5, -0.125, 0.375, 2.0}) {
        Tensor z(ElementType::kC128, {});
        store(z, 0, {0, re, im});
        const Result<Tensor> result = applyUnary(function.name, z);
        ASSERT_TRUE(result) << result.error().message;
        const StandardComplex expected = function.library({re, im});
        const Number actual = load(*result, 0);
        EXPECT_NEAR(std::abs(StandardComplex(actual.real, actual.imaginary) - expected), 0,
                    1e-14 * std::max(1.0, std::abs(expected)))
            << function.name << "(" << re << ", " << im << ")";
      }
    }
  }
}

TEST(OracleElementwise, ComplexFunctionsNearZeroKeepTheirPrecision) {
  const Complex tiny{Real(1e-20), Real(-2e-20)};
  EXPECT_DOUBLE_EQ(expm1(tiny).re.toDouble(), 1e-20);
  EXPECT_DOUBLE_EQ(log1p(tiny).im.toDouble(), -2e-20);
  EXPECT_DOUBLE_EQ(atanh(tiny).re.toDouble(), 1e-20);
}

TEST(OracleElementwise, SpecialFunctionsHaveTheirPublishedValues) {
  struct Known {
    double actual, expected;
  };
  const double pi = 3.14159265358979323846, euler = 0.57721566490153286061;
  const Known known[] = {
      {besselI0e(Real(1.0)).toDouble(), 0.46575960759364043},  // Abramowitz and Stegun, table 9.8
      {besselI0e(Real(0.0)).toDouble(), 1.0},
      {besselI1e(Real(1.0)).toDouble(), 0.20791041534970845},
      {besselI1e(Real(-1.0)).toDouble(), -0.20791041534970845},
      {igamma(Real(2.0), Real(3.0)).toDouble(), 1 - 4 * std::exp(-3.0)},
      {igammac(Real(1.0), Real(2.5)).toDouble(), std::exp(-2.5)},
      {igamma(Real(0.5), Real(4.0)).toDouble(), std::erf(2.0)},
      {incompleteBeta(Real(2.0), Real(3.0), Real(0.5)).toDouble(), 0.6875},
      {incompleteBeta(Real(0.5), Real(0.5), Real(0.25)).toDouble(), 2 / pi * std::asin(0.5)},
      {incompleteBeta(Real(4.0), Real(1.0), Real(0.9)).toDouble(), 0.6561},
      {hurwitzZeta(Real(2.0), Real(1.0)).toDouble(), pi * pi / 6},
      {hurwitzZeta(Real(4.0), Real(1.0)).toDouble(), pi * pi * pi * pi / 90},
      {polygamma(0, Real(1.0)).toDouble(), -euler},
      {polygamma(1, Real(1.0)).toDouble(), pi * pi / 6},
      {polygamma(2, Real(1.0)).toDouble(), -2.4041138063191886},
      {erfInverse(Real(0.5)).toDouble(), 0.47693627620446987},
      {erfInverse(Real(-0.99)).toDouble(), -1.8213863677184497},
  };
  for (const Known& value : known)
    EXPECT_NEAR(value.actual, value.expected, 4e-16 * std::fabs(value.expected) + 1e-300);
}

TEST(OracleElementwise, InverseErrorFunctionInvertsTheErrorFunction) {
  for (double y : {1e-30, 1e-5, 0.1, 0.49, 0.51, 0.9, 0.999999, 1 - 0x1p-53}) {
    const Real x = erfInverse(Real(y));
    EXPECT_EQ(Real::of(mpfr_erf, x).roundTo(ElementType::kF64), y);
  }
}

TEST(OracleElementwise, IntegersWrapAndShiftOut) {
  auto apply = [](const char* name, ElementType type, Wide a, Wide b) {
    Tensor left(type, {}), right(type, {});
    store(left, 0, {a});
    store(right, 0, {b});
    return static_cast<int64_t>(load(*applyBinary(name, left, right), 0).integer);
  };
  EXPECT_EQ(apply("add", ElementType::kI8, 127, 1), -128);
  EXPECT_EQ(apply("mul", ElementType::kUi64, ~Wide{0} & highest(ElementType::kUi64),
                  highest(ElementType::kUi64)),
            1);
  EXPECT_EQ(apply("div", ElementType::kI32, lowest(ElementType::kI32), -1),
            lowest(ElementType::kI32));
  EXPECT_EQ(apply("div", ElementType::kI32, -7, 2), -3);
  EXPECT_EQ(apply("rem", ElementType::kI32, -7, 2), -1);
  EXPECT_EQ(apply("shift_left", ElementType::kI8, 1, 7), -128);
  EXPECT_EQ(apply("shift_left", ElementType::kI8, 1, 8), 0);
  EXPECT_EQ(apply("shift_right_logical", ElementType::kI8, -1, 1), 127);
  EXPECT_EQ(apply("shift_right_arithmetic", ElementType::kI8, -128, 100), -1);
  EXPECT_EQ(apply("pow", ElementType::kI32, 3, 4), 81);
}

TEST(OracleElementwise, ExtremesKnowSignsOfZeroAndNan) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Tensor left = doublesOf({0.0, -0.0, nan, 1.0}), right = doublesOf({-0.0, 0.0, 1.0, nan});
  const Result<Tensor> larger = applyBinary("max", left, right);
  const Result<Tensor> smaller = applyBinary("min", left, right);
  for (size_t i : {0, 1}) {
    EXPECT_FALSE(std::signbit(larger->values<double>()[i]));
    EXPECT_TRUE(std::signbit(smaller->values<double>()[i]));
  }
  for (size_t i : {2, 3}) {
    EXPECT_TRUE(std::isnan(larger->values<double>()[i]));
    EXPECT_TRUE(std::isnan(smaller->values<double>()[i]));
  }
}

TEST(OracleElementwise, WhatIsNotDefinedIsRefused) {
  EXPECT_FALSE(applyUnary("no_such_function", Tensor(ElementType::kF32, {2})));
  const Result<Tensor> refused = applyUnary("exp", Tensor(ElementType::kI32, {2}));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, Error::Kind::kUnsupported);
}

}  // namespace
}  // namespace vintage::tests
