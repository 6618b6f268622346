// CHLO's functions against MPFR, which computes them to any precision.
#include <mpfr.h>

#include <cmath>
#include <complex>
#include <random>

#include <fmt/format.h>

#include "golden/tensor/float_formats.h"
#include "harness/engine/operations/special_functions.h"
#include "tests/golden/tensor/sample_tensors.h"
#include "tests/harness/engine/numeric_program.h"

namespace vintage::tests {
using namespace golden;
using namespace harness;

namespace {

constexpr int kBits = 160;

class Number {
 public:
  explicit Number(double value = 0) {
    mpfr_init2(value_, kBits);
    mpfr_set_d(value_, value, MPFR_RNDN);
  }
  ~Number() { mpfr_clear(value_); }
  Number(const Number&) = delete;
  operator mpfr_ptr() { return value_; }
  double toDouble() const { return mpfr_get_d(value_, MPFR_RNDN); }

 private:
  mpfr_t value_;
};

using Unary = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);

double viaMpfr(Unary function, double x) {
  Number argument(x), result;
  function(result, argument, MPFR_RNDN);
  return result.toDouble();
}

int logGammaMpfr(mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t rounding) {
  int sign = 0;
  return mpfr_lgamma(result, &sign, x, rounding);
}

int64_t ulpsApart(double a, double b) {
  if (std::isnan(a) && std::isnan(b)) return 0;
  if (std::isnan(a) || std::isnan(b)) return INT64_MAX;
  if (a == b) return 0;
  if (std::signbit(a) != std::signbit(b) || std::isinf(a) || std::isinf(b)) return INT64_MAX;
  return std::abs(std::bit_cast<int64_t>(a) - std::bit_cast<int64_t>(b));
}

std::vector<double> runUnary(const std::string& operation, const std::vector<double>& values) {
  const std::string type = fmt::format("tensor<{}xf64>", values.size());
  const auto outputs =
      runMain(fmt::format("(%x: {0}) -> {0}", type),
              fmt::format("%0 = {0} %x : {1} -> {1}\n return %0 : {1}", operation, type),
              {filled<double>(ElementType::kF64, {static_cast<int64_t>(values.size())}, values)});
  return valuesOf<double>(outputs[0]);
}

struct Function {
  const char* operation;
  Unary reference;
  double low, high;
  int64_t ulps;
};

class SpecialFunction : public testing::TestWithParam<Function> {};

TEST_P(SpecialFunction, IsRightToDoublePrecision) {
  const Function& f = GetParam();
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> uniform(f.low, f.high);
  std::vector<double> values{f.low, f.high};
  for (int i = 0; i < 3000; ++i) values.push_back(uniform(random));
  for (int i = 1; i < 40; ++i) {  // Small arguments of both signs.
    for (double small : {std::ldexp(1.3, -i), -std::ldexp(1.3, -i)}) {
      if (small >= f.low && small <= f.high) values.push_back(small);
    }
  }
  const auto actual = runUnary(f.operation, values);
  for (size_t i = 0; i < values.size(); ++i) {
    const double expected = viaMpfr(f.reference, values[i]);
    ASSERT_LE(ulpsApart(actual[i], expected), f.ulps)
        << f.operation << "(" << fmt::format("{:a} = {}", values[i], values[i]) << ") is "
        << actual[i] << " and should be " << expected;
  }
}

INSTANTIATE_TEST_SUITE_P(Chlo, SpecialFunction,
                         testing::Values(Function{"chlo.acos", mpfr_acos, -1, 1, 1},
                                         Function{"chlo.acosh", mpfr_acosh, 1, 1e5, 2},
                                         Function{"chlo.asin", mpfr_asin, -1, 1, 1},
                                         Function{"chlo.asinh", mpfr_asinh, -1e5, 1e5, 2},
                                         Function{"chlo.atan", mpfr_atan, -1e3, 1e3, 1},
                                         Function{"chlo.atanh", mpfr_atanh, -0.999, 0.999, 2},
                                         Function{"chlo.cosh", mpfr_cosh, -700, 700, 2},
                                         Function{"chlo.sinh", mpfr_sinh, -700, 700, 2},
                                         Function{"chlo.tan", mpfr_tan, -1e4, 1e4, 1},
                                         Function{"chlo.erf", mpfr_erf, -6, 6, 1},
                                         Function{"chlo.erfc", mpfr_erfc, -6, 26, 5},
                                         Function{"chlo.digamma", mpfr_digamma, -30, 100, 2},
                                         Function{"chlo.lgamma", logGammaMpfr, -30, 1e5, 2}),
                         [](const auto& info) {
                           return std::string(info.param.operation).substr(5);
                         });

TEST(Digamma, KeepsItsPrecisionNearItsZero) {
  for (double offset : {0.0, 1e-15, 1e-12, -1e-9, 1e-4, -0.05, 0.2, -0.29, 0.31}) {
    const double x = 1.4616321449683622 + offset;
    EXPECT_LE(ulpsApart(static_cast<double>(digamma(x)), viaMpfr(mpfr_digamma, x)), 1) << x;
  }
}

TEST(Digamma, HasNoValueAtItsPoles) {
  for (double pole : {0.0, -0.0, -1.0, -17.0}) EXPECT_TRUE(std::isnan(digamma(pole)));
}

TEST(InverseErf, IsUndoneByErf) {
  std::vector<double> values{0x1p-60, 1e-8, 0.1,      0.49,        0.5,
                             0.51,    0.9,  0.999999, 1 - 0x1p-53, 1 - 0x1p-40};
  for (double y : values) {
    for (double signedY : {y, -y}) {
      const double x = runUnary("chlo.erf_inv", {signedY})[0];
      // y must lie between erf of x's neighbours.
      const double low = std::nextafter(std::nextafter(x, -10), -10),
                   high = std::nextafter(std::nextafter(x, 10), 10);
      Number a(low), b(high), erfLow, erfHigh;
      mpfr_erf(erfLow, a, MPFR_RNDN);
      mpfr_erf(erfHigh, b, MPFR_RNDN);
      EXPECT_LE(mpfr_cmp_d(erfLow, signedY), 0) << signedY;
      EXPECT_GE(mpfr_cmp_d(erfHigh, signedY), 0) << signedY;
    }
  }
  const auto edges = runUnary("chlo.erf_inv", {1, -1, 1.5, 0, -0.0});
  EXPECT_EQ(edges[0], INFINITY);
  EXPECT_EQ(edges[1], -INFINITY);
  EXPECT_TRUE(std::isnan(edges[2]));
  EXPECT_TRUE(edges[3] == 0 && !std::signbit(edges[3]) && std::signbit(edges[4]));
}

TEST(BesselI1e, SatisfiesItsIntegral) {
  // I1(x) = 1/pi * integral of exp(x cos t) cos t over [0, pi]; the trapezoidal
  // rule converges exponentially for it.
  for (double x : {1e-6, 0.5, 2.0, 10.0, 29.9, 30.1, 100.0, 700.0}) {
    constexpr int kSteps = 4000;
    long double sum = 0;
    for (int i = 0; i <= kSteps; ++i) {
      const long double t = M_PIl * i / kSteps;
      sum += (i == 0 || i == kSteps ? 0.5L : 1.0L) * std::exp(x * (std::cos(t) - 1)) * std::cos(t);
    }
    const double expected = static_cast<double>(sum / kSteps);
    EXPECT_NEAR(static_cast<double>(besselI1e(x)) / expected, 1, x < 1e-3 ? 1e-10 : 1e-14) << x;
    EXPECT_EQ(besselI1e(-x), -besselI1e(x));
  }
}

TEST(Zeta, AgreesWithMpfrOnRiemannsAndWithShiftsElsewhere) {
  for (double s : {1.0001, 1.5, 2.0, 3.0, 7.5, 20.0, 60.0}) {
    EXPECT_LE(ulpsApart(static_cast<double>(hurwitzZeta(s, 1)), viaMpfr(mpfr_zeta, s)), 1) << s;
    for (double q : {0.1, 0.7, 3.0, 25.0, 1000.0}) {
      // zeta(s, q) = q^-s + zeta(s, q + 1)
      const long double difference = hurwitzZeta(s, q) - hurwitzZeta(s, q + 1);
      EXPECT_NEAR(static_cast<double>(difference * std::pow(static_cast<long double>(q), s)), 1,
                  1e-11)
          << s << " " << q;
    }
  }
  for (double q : {-0.5, -3.25, -40.75}) {
    for (double s : {2.0, 3.0, 4.0}) {
      long double sum = hurwitzZeta(s, q + 60);
      for (int k = 59; k >= 0; --k)
        sum += std::pow(static_cast<long double>(q) + k, -static_cast<long double>(s));
      EXPECT_NEAR(static_cast<double>(hurwitzZeta(s, q) / sum), 1, 1e-14) << s << " " << q;
    }
  }
  EXPECT_EQ(hurwitzZeta(1, 2), INFINITY);
  EXPECT_EQ(hurwitzZeta(2, -3), INFINITY);
  EXPECT_TRUE(std::isnan(hurwitzZeta(0.5, 2)));
  EXPECT_TRUE(std::isnan(hurwitzZeta(2.5, -0.5)));
}

TEST(Polygamma, IsTheDerivativeOfTheOneBefore) {
  for (double x : {0.3, 1.0, 4.5, 30.0, -0.4}) {
    for (double n : {1.0, 2.0, 5.0}) {
      // psi_n(x + 1) = psi_n(x) + (-1)^n n! / x^(n+1)
      const long double step = (static_cast<int>(n) % 2 == 0 ? 1 : -1) * std::tgamma(n + 1.0L) /
                               std::pow(static_cast<long double>(x), n + 1.0L);
      const long double expected = polygamma(n, x) + step, actual = polygamma(n, x + 1);
      EXPECT_NEAR(static_cast<double>(actual - expected), 0,
                  1e-14 * std::fabs(static_cast<double>(step)) + 1e-15);
    }
  }
  EXPECT_EQ(polygamma(0, 2.5), digamma(2.5));
  EXPECT_NEAR(static_cast<double>(polygamma(1, 1)), M_PI * M_PI / 6, 1e-15);
  EXPECT_TRUE(std::isnan(polygamma(1.5, 2)));
}

TEST(ComplexFunctions, StandOnTheRightSideOfTheirBranchCuts) {
  using C = std::complex<double>;
  const std::vector<C> values{{2, 0.0}, {2, -0.0}, {-2, 0.0},   {-2, -0.0},
                              {0.0, 2}, {-0.0, 2}, {0.3, -0.4}, {1e-9, 1e-9}};
  const std::string type = fmt::format("tensor<{}xcomplex<f64>>", values.size());
  const auto outputs = runMain(
      fmt::format("(%x: {0}) -> ({0}, {0}, {0}, {0})", type),
      fmt::format("%0 = chlo.asin %x : {0} -> {0}\n %1 = chlo.acosh %x : {0} -> {0}\n %2 = "
                  "chlo.atanh %x : {0} -> {0}\n"
                  "%3 = chlo.atan %x : {0} -> {0}\n return %0, %1, %2, %3 : {0}, {0}, {0}, {0}",
                  type),
      {filled<C>(ElementType::kC128, {static_cast<int64_t>(values.size())}, values)});
  for (size_t i = 0; i < values.size(); ++i) {
    // The inverse functions are undone, within the accuracy of the forward ones.
    EXPECT_NEAR(std::abs(std::sin(outputs[0].values<C>()[i]) - values[i]), 0, 1e-14);
    EXPECT_NEAR(std::abs(std::cosh(outputs[1].values<C>()[i]) - values[i]), 0, 1e-14);
    EXPECT_NEAR(std::abs(std::tanh(outputs[2].values<C>()[i]) - values[i]), 0, 1e-14);
    EXPECT_NEAR(std::abs(std::tan(outputs[3].values<C>()[i]) - values[i]), 0, 1e-14);
  }
  // On the cut the sign of the zero decides the side.
  EXPECT_GT(outputs[0].values<C>()[0].imag(), 0);
  EXPECT_LT(outputs[0].values<C>()[1].imag(), 0);
  EXPECT_GT(outputs[2].values<C>()[0].imag(), 0);
  EXPECT_LT(outputs[2].values<C>()[1].imag(), 0);
  EXPECT_GT(outputs[3].values<C>()[4].real(), 0);
  EXPECT_LT(outputs[3].values<C>()[5].real(), 0);
}

TEST(NextAfter, StepsInTheOperandsOwnFormat) {
  const auto step = [](ElementType type, uint16_t x, uint16_t y) {
    const std::string text = type == ElementType::kBF16 ? "tensor<1xbf16>" : "tensor<1xf16>";
    const auto outputs = runMain(
        fmt::format("(%x: {0}, %y: {0}) -> {0}", text),
        fmt::format("%0 = chlo.next_after %x, %y : {0}, {0} -> {0}\n return %0 : {0}", text),
        {filled<uint16_t>(type, {1}, {x}), filled<uint16_t>(type, {1}, {y})});
    return outputs[0].values<uint16_t>()[0];
  };
  EXPECT_EQ(step(ElementType::kBF16, 0x3F80, 0x4000), 0x3F81);
  EXPECT_EQ(step(ElementType::kBF16, 0x3F80, 0x0000), 0x3F7F);
  EXPECT_EQ(step(ElementType::kBF16, 0xBF80, 0x0000), 0xBF7F);
  EXPECT_EQ(step(ElementType::kBF16, 0x0000, 0xBF80), 0x8001);
  EXPECT_EQ(step(ElementType::kBF16, 0x8000, 0x3F80), 0x0001);
  EXPECT_EQ(step(ElementType::kF16, 0x7BFF, 0x7C00), 0x7C00);
  EXPECT_EQ(step(ElementType::kF16, 0x3C00, 0x3C00), 0x3C00);
  EXPECT_EQ(step(ElementType::kF16, 0x8000, 0x0000), 0x0000);
}

}  // namespace
}  // namespace vintage::tests
