// Functions of several floats at a time against the C library's of one double.

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "harness/engine/operations/loop_table.h"

namespace vintage::tests {
using namespace harness;

namespace {

struct VectorCase {
  const char* name;
  double (*value)(double);
};

struct BinaryVectorCase {
  const char* name;
  double (*value)(double, double);
};
constexpr BinaryVectorCase kBinaryVectorCases[] = {
    {"stablehlo.atan2", [](double x, double y) { return std::atan2(x, y); }},
    {"stablehlo.power", [](double x, double y) { return std::pow(x, y); }},
};

constexpr VectorCase kVectorCases[] = {
    {"chlo.acos", [](double x) { return std::acos(x); }},
    {"chlo.acosh", [](double x) { return std::acosh(x); }},
    {"chlo.asin", [](double x) { return std::asin(x); }},
    {"chlo.asinh", [](double x) { return std::asinh(x); }},
    {"chlo.atan", [](double x) { return std::atan(x); }},
    {"chlo.atanh", [](double x) { return std::atanh(x); }},
    {"chlo.cosh", [](double x) { return std::cosh(x); }},
    {"chlo.erf", [](double x) { return std::erf(x); }},
    {"chlo.erfc", [](double x) { return std::erfc(x); }},
    {"chlo.sinh", [](double x) { return std::sinh(x); }},
    {"stablehlo.cbrt", [](double x) { return std::cbrt(x); }},
    {"stablehlo.tan", [](double x) { return std::tan(x); }},
    {"stablehlo.cosine", [](double x) { return std::cos(x); }},
    {"stablehlo.exponential", [](double x) { return std::exp(x); }},
    {"stablehlo.exponential_minus_one", [](double x) { return std::expm1(x); }},
    {"stablehlo.log", [](double x) { return std::log(x); }},
    {"stablehlo.log_plus_one", [](double x) { return std::log1p(x); }},
    {"stablehlo.logistic", [](double x) { return 1 / (1 + std::exp(-x)); }},
    {"stablehlo.rsqrt", [](double x) { return 1 / std::sqrt(x); }},
    {"stablehlo.sine", [](double x) { return std::sin(x); }},
    {"stablehlo.tanh", [](double x) { return std::tanh(x); }},
};

std::vector<float> vectorArguments() {
  using Limits = std::numeric_limits<float>;
  std::vector<float> values;
  for (const float x : {0.0f, 1.0f, 0.5f, 87.3f, 88.8f, 103.9f, 104.1f, 199.0f, 201.0f, 1e-30f,
                        3e4f, 1e20f, Limits::min(), Limits::denorm_min(), Limits::max(),
                        Limits::infinity(), Limits::quiet_NaN()}) {
    values.push_back(x);
    values.push_back(-x);
  }
  std::mt19937 random(1);
  std::normal_distribution<float> normal(0, 20);
  while (values.size() < 20'000) values.push_back(normal(random));
  return values;
}

TEST(VectorFunction, RoundsWhatTheLibraryOfDoublesGives) {
  const std::vector<float> in = vectorArguments();
  for (const VectorCase& function : kVectorCases) {
    const RawLoop loop = vectorFunction(function.name);
    if (loop == nullptr) continue;  // A processor without vectors of doubles.
    std::vector<float> out(in.size());
    const void* operands[] = {in.data()};
    loop(operands, out.data(), in.size());
    for (size_t i = 0; i < in.size(); ++i) {
      const auto expected = static_cast<float>(function.value(static_cast<double>(in[i])));
      if (std::isnan(expected)) {
        EXPECT_TRUE(std::isnan(out[i])) << function.name << " of " << in[i];
        continue;
      }
      EXPECT_EQ(out[i], expected) << function.name << " of " << in[i];
      EXPECT_EQ(std::signbit(out[i]), std::signbit(expected)) << function.name << " of " << in[i];
    }
  }
}

TEST(VectorFunction, OfTwoOperands) {
  const std::vector<float> x = vectorArguments();
  std::vector<float> y = x;
  std::ranges::shuffle(y, std::mt19937(2));
  std::ranges::copy(std::vector<float>{0.0f, -0.0f, 1.0f, 2.0f, 0.5f, -1.0f, 3.0f}, y.begin());
  for (const BinaryVectorCase& function : kBinaryVectorCases) {
    const RawLoop loop = vectorFunction(function.name);
    if (loop == nullptr) continue;
    for (const size_t count : {size_t{3}, x.size()}) {
      std::vector<float> out(count);
      const void* operands[] = {x.data(), y.data()};
      loop(operands, out.data(), count);
      for (size_t i = 0; i < count; ++i) {
        const auto expected = static_cast<float>(function.value(double{x[i]}, double{y[i]}));
        if (std::isnan(expected))
          EXPECT_TRUE(std::isnan(out[i])) << function.name << " of " << x[i] << ", " << y[i];
        else
          EXPECT_EQ(out[i], expected) << function.name << " of " << x[i] << ", " << y[i];
      }
    }
  }
}

// A result must not depend on the neighbours of its element, or on the number of elements.
TEST(VectorFunction, AnElementDoesNotDependOnItsNeighbours) {
  const std::vector<float> in = vectorArguments();
  for (const VectorCase& function : kVectorCases) {
    const RawLoop loop = vectorFunction(function.name);
    if (loop == nullptr) continue;
    for (size_t count = 1; count < 40; ++count) {
      std::vector<float> together(count + 1, -7.0f);
      const void* operands[] = {in.data()};
      loop(operands, together.data(), count);
      EXPECT_EQ(together[count], -7.0f) << "written beyond the end";
      for (size_t i = 0; i < count; ++i) {
        float alone = 0;
        const void* one[] = {in.data() + i};
        loop(one, &alone, 1);
        EXPECT_EQ(std::isnan(alone), std::isnan(together[i]));
        if (!std::isnan(alone)) EXPECT_EQ(alone, together[i]) << function.name << " of " << in[i];
      }
    }
  }
}

}  // namespace
}  // namespace vintage::tests
