// Elementwise operations: edge cases by hand, and every integer and float type
// against arithmetic done independently.
#include <cmath>
#include <complex>
#include <limits>
#include <random>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "golden/tensor/visit.h"
#include "tests/harness/engine/run_text.h"

namespace vintage::tests::engine_test {
using namespace golden;
using namespace harness;

namespace {

using ::testing::ElementsAre;

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

std::string typeText(ElementType type, int64_t count) {
  return fmt::format("tensor<{}x{}>", count, stablehloName(type));
}

Tensor unary(const std::string& operation, const Tensor& x) {
  const std::string type = typeText(x.type(), x.size());
  return evaluate(fmt::format("func.func @main(%x: {0}) -> {0} {{ %r = \"{1}\"(%x) : ({0}) -> {0}\n"
                              "return %r : {0} }}",
                              type, operation),
                  {x});
}

Tensor binary(const std::string& operation, const Tensor& x, const Tensor& y) {
  const std::string type = typeText(x.type(), x.size());
  return evaluate(
      fmt::format("func.func @main(%x: {0}, %y: {0}) -> {0} {{ %r = \"{1}\"(%x, %y) : ({0}, {0}) "
                  "-> {0}\n return %r : {0} }}",
                  type, operation),
      {x, y});
}

Tensor converted(const Tensor& x, ElementType type) {
  return evaluate(fmt::format("func.func @main(%x: {0}) -> {1} {{ %r = stablehlo.convert %x : "
                              "({0}) -> {1}\n return %r : {1} }}",
                              typeText(x.type(), x.size()), typeText(type, x.size())),
                  {x});
}

template <typename T>
Tensor integers(ElementType type, const std::vector<T>& values) {
  return tensor<T>(type, {static_cast<int64_t>(values.size())}, values);
}
Tensor floats(const std::vector<float>& values) { return integers(ElementType::kF32, values); }

TEST(Elementwise, IntegerDivisionAsXla) {
  const Tensor x = integers<int32_t>(ElementType::kI32, {7, -7, 5, INT32_MIN, INT32_MIN});
  const Tensor y = integers<int32_t>(ElementType::kI32, {2, 2, 0, -1, 0});
  EXPECT_THAT(values<int32_t>(binary("stablehlo.divide", x, y)),
              ElementsAre(3, -3, -1, INT32_MIN, -1));
  EXPECT_THAT(values<int32_t>(binary("stablehlo.remainder", x, y)),
              ElementsAre(1, -1, 5, 0, INT32_MIN));
  const Tensor u = integers<uint8_t>(ElementType::kUi8, {200, 5});
  const Tensor v = integers<uint8_t>(ElementType::kUi8, {3, 0});
  EXPECT_THAT(values<uint8_t>(binary("stablehlo.divide", u, v)), ElementsAre(66, 255));
  EXPECT_THAT(values<uint8_t>(binary("stablehlo.remainder", u, v)), ElementsAre(2, 5));
}

// Quotients beside an integer are where a division in floating point could round to the wrong side.
template <typename T>
void expectQuotients(ElementType type) {
  using Limits = std::numeric_limits<T>;
  std::mt19937_64 random(1);
  std::vector<T> x, y;
  while (x.size() < 20'000) {
    const T divisor = static_cast<T>(random() >> (random() % 64));
    if (divisor == 0 || divisor == static_cast<T>(-1)) continue;
    const T multiple = static_cast<T>((random() % Limits::max()) / divisor * divisor);
    for (const int beside : {-1, 0, 1}) {
      x.push_back(static_cast<T>(multiple + static_cast<T>(beside)));
      y.push_back(divisor);
    }
    x.insert(x.end(), {Limits::max(), Limits::min(), static_cast<T>(random())});
    y.insert(y.end(), {divisor, divisor, divisor});
  }
  const auto quotients =
      values<T>(binary("stablehlo.divide", integers(type, x), integers(type, y)));
  const auto rests = values<T>(binary("stablehlo.remainder", integers(type, x), integers(type, y)));
  for (size_t i = 0; i < x.size(); ++i) {
    ASSERT_EQ(quotients[i], static_cast<T>(x[i] / y[i])) << +x[i] << " / " << +y[i];
    ASSERT_EQ(rests[i], static_cast<T>(x[i] % y[i])) << +x[i] << " % " << +y[i];
  }
}

TEST(Elementwise, QuotientsBesideIntegers) {
  expectQuotients<int8_t>(ElementType::kI8);
  expectQuotients<uint8_t>(ElementType::kUi8);
  expectQuotients<int16_t>(ElementType::kI16);
  expectQuotients<uint16_t>(ElementType::kUi16);
  expectQuotients<int32_t>(ElementType::kI32);
  expectQuotients<uint32_t>(ElementType::kUi32);
  expectQuotients<int64_t>(ElementType::kI64);
  expectQuotients<uint64_t>(ElementType::kUi64);
}

TEST(Elementwise, ShiftsBeyondTheWidth) {
  const Tensor x = integers<int8_t>(ElementType::kI8, {-128, -1, 1, -128});
  const Tensor y = integers<int8_t>(ElementType::kI8, {7, 8, 9, -1});
  EXPECT_THAT(values<int8_t>(binary("stablehlo.shift_left", x, y)), ElementsAre(0, 0, 0, 0));
  EXPECT_THAT(values<int8_t>(binary("stablehlo.shift_right_logical", x, y)),
              ElementsAre(1, 0, 0, 0));
  EXPECT_THAT(values<int8_t>(binary("stablehlo.shift_right_arithmetic", x, y)),
              ElementsAre(-1, -1, 0, -1));
}

TEST(Elementwise, FourBitIntegersWrapAndCountTheirOwnBits) {
  const Tensor x = integers<int8_t>(ElementType::kI4, {7, -8, -1, 1});
  const Tensor y = integers<int8_t>(ElementType::kI4, {1, -1, 1, 4});
  EXPECT_THAT(values<int8_t>(binary("stablehlo.add", x, y)), ElementsAre(-8, 7, 0, 5));
  EXPECT_THAT(values<int8_t>(binary("stablehlo.divide", x, y)), ElementsAre(7, -8, -1, 0));
  EXPECT_THAT(values<int8_t>(binary("stablehlo.shift_right_logical", x, y)),
              ElementsAre(3, 0, 7, 0));
  EXPECT_THAT(values<int8_t>(binary("stablehlo.shift_right_arithmetic", x, y)),
              ElementsAre(3, -1, -1, 0));
  EXPECT_THAT(values<int8_t>(unary("stablehlo.popcnt", x)), ElementsAre(3, 1, 4, 1));
  EXPECT_THAT(values<int8_t>(unary("stablehlo.count_leading_zeros", x)), ElementsAre(1, 0, 0, 3));
  EXPECT_THAT(values<int8_t>(unary("stablehlo.abs", x)), ElementsAre(7, -8, 1, 1));
}

TEST(Elementwise, IntegerPower) {
  const Tensor x = integers<int32_t>(ElementType::kI32, {3, -2, 2, 1, -1, -1, 0, 2});
  const Tensor y = integers<int32_t>(ElementType::kI32, {4, 3, -1, -5, -3, -4, 0, 40});
  EXPECT_THAT(values<int32_t>(binary("stablehlo.power", x, y)),
              ElementsAre(81, -8, 0, 1, -1, 1, 1, 0));
}

TEST(Elementwise, NanAndSignedZeroInMaximumAndMinimum) {
  const Tensor x = floats({kNan, 1, -0.0f, 0.0f, -kInf});
  const Tensor y = floats({1, kNan, 0.0f, -0.0f, kInf});
  const auto most = values<float>(binary("stablehlo.maximum", x, y));
  const auto least = values<float>(binary("stablehlo.minimum", x, y));
  for (size_t i : {0u, 1u}) {
    EXPECT_TRUE(std::isnan(most[i]));
    EXPECT_TRUE(std::isnan(least[i]));
  }
  for (size_t i : {2u, 3u}) {
    EXPECT_FALSE(std::signbit(most[i]));
    EXPECT_TRUE(std::signbit(least[i]));
  }
  EXPECT_EQ(most[4], kInf);
  EXPECT_EQ(least[4], -kInf);
}

TEST(Elementwise, RoundingAndSign) {
  const Tensor x = floats({0.5f, 1.5f, 2.5f, -0.5f, -2.5f, 8388609.0f});
  EXPECT_THAT(values<float>(unary("stablehlo.round_nearest_even", x)),
              ElementsAre(0, 2, 2, 0, -2, 8388609.0f));
  EXPECT_THAT(values<float>(unary("stablehlo.round_nearest_afz", x)),
              ElementsAre(1, 2, 3, -1, -3, 8388609.0f));
  const auto sign = values<float>(unary("stablehlo.sign", floats({-0.0f, kNan, -kInf, 3})));
  EXPECT_TRUE(sign[0] == 0 && std::signbit(sign[0]));
  EXPECT_TRUE(std::isnan(sign[1]));
  EXPECT_EQ(sign[2], -1);
  EXPECT_EQ(sign[3], 1);
}

TEST(Elementwise, TotalOrder) {
  const Tensor x = floats({-0.0f, kNan, -kNan, 1});
  const Tensor y = floats({0.0f, kInf, -kInf, 1});
  const Tensor less = evaluate(R"(
    func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xi1> {
      %r = stablehlo.compare LT, %x, %y, TOTALORDER : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
      return %r : tensor<4xi1>
    })",
                               {x, y});
  EXPECT_THAT(values<uint8_t>(less), ElementsAre(1, 0, 1, 0));
}

// As XLA of JAX 0.12 compares: NaN of either sign is above all numbers, and equal to any NaN.
TEST(Elementwise, WeakOrder) {
  const Tensor x = floats({-0.0f, kNan, -kNan, 1, kInf, -kInf, kNan});
  const Tensor y = floats({0.0f, kInf, kNan, 2, -kNan, kNan, -kInf});
  const auto compared = [&](const char* direction) {
    return values<uint8_t>(evaluate(fmt::format(R"(
    func.func @main(%x: tensor<7xf32>, %y: tensor<7xf32>) -> tensor<7xi1> {{
      %r = stablehlo.compare {}, %x, %y, WEAKORDER : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
      return %r : tensor<7xi1>
    }})",
                                                direction),
                                    {x, y}));
  };
  EXPECT_THAT(compared("LT"), ElementsAre(0, 0, 0, 1, 1, 1, 0));
  EXPECT_THAT(compared("GT"), ElementsAre(0, 1, 0, 0, 0, 0, 1));
  EXPECT_THAT(compared("EQ"), ElementsAre(1, 0, 1, 0, 0, 0, 0));
  EXPECT_THAT(compared("NE"), ElementsAre(0, 1, 0, 1, 1, 1, 1));
  EXPECT_THAT(compared("LE"), ElementsAre(1, 0, 1, 1, 1, 1, 0));
  EXPECT_THAT(compared("GE"), ElementsAre(1, 1, 1, 0, 0, 0, 1));
}

TEST(Elementwise, ConversionsSaturateTruncateAndWrap) {
  const Tensor x = floats({1.9f, -1.9f, 300, -300, kNan, kInf, -kInf});
  EXPECT_THAT(values<int8_t>(converted(x, ElementType::kI8)),
              ElementsAre(1, -1, 127, -128, 0, 127, -128));
  EXPECT_THAT(values<uint8_t>(converted(x, ElementType::kUi8)),
              ElementsAre(1, 0, 255, 0, 0, 255, 0));
  EXPECT_THAT(values<uint8_t>(converted(x, ElementType::kI1)), ElementsAre(1, 1, 1, 1, 1, 1, 1));
  const Tensor i = integers<int32_t>(ElementType::kI32, {256, 257, -1, 15, 8});
  EXPECT_THAT(values<uint8_t>(converted(i, ElementType::kUi8)), ElementsAre(0, 1, 255, 15, 8));
  EXPECT_THAT(values<int8_t>(converted(i, ElementType::kI4)), ElementsAre(0, 1, -1, -1, -8));
  // 2^24 + 1 and a 64-bit integer whose float needs one rounding, not two.
  const Tensor wide =
      integers<int64_t>(ElementType::kI64, {16777217, (int64_t{1} << 60) + (int64_t{1} << 36) + 1});
  EXPECT_THAT(values<float>(converted(wide, ElementType::kF32)),
              ElementsAre(16777216.0f, std::ldexp(1.0f, 60) + std::ldexp(1.0f, 37)));
}

TEST(Elementwise, ClampAndSelectTakeScalars) {
  const Tensor result =
      evaluate(R"(
    func.func @main(%x: tensor<4xf32>, %p: tensor<i1>) -> tensor<4xf32> {
      %low = stablehlo.constant dense<-1.0> : tensor<f32>
      %high = stablehlo.constant dense<1.0> : tensor<f32>
      %c = stablehlo.clamp %low, %x, %high : (tensor<f32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
      %s = stablehlo.select %p, %c, %x : tensor<i1>, tensor<4xf32>
      return %s : tensor<4xf32>
    })",
               {floats({-3, 0.5f, 7, kNan}), tensor<uint8_t>(ElementType::kI1, {}, {1})});
  const auto out = values<float>(result);
  EXPECT_THAT(std::vector(out.begin(), out.begin() + 3), ElementsAre(-1, 0.5f, 1));
  EXPECT_TRUE(std::isnan(out[3]));
}

TEST(Elementwise, ComplexFunctionsAtTheirBranchCuts) {
  using C = std::complex<float>;
  const Tensor x = integers<C>(ElementType::kC64, {{-4, 0.0f}, {-4, -0.0f}, {0, 2}, {3, 4}});
  const auto roots = values<C>(unary("stablehlo.sqrt", x));
  EXPECT_EQ(roots[0], C(0, 2));
  EXPECT_EQ(roots[1], C(0, -2));
  EXPECT_EQ(roots[2], C(1, 1));
  EXPECT_EQ(roots[3], C(2, 1));
  const auto logs = values<C>(unary("stablehlo.log", x));
  EXPECT_FLOAT_EQ(logs[0].imag(), 3.14159265f);
  EXPECT_FLOAT_EQ(logs[1].imag(), -3.14159265f);
  // Near -1 + i0 the usual formula for log(1 + z) loses every digit.
  const auto small = values<C>(
      unary("stablehlo.log_plus_one", integers<C>(ElementType::kC64, {{1e-20f, 1e-20f}})));
  EXPECT_FLOAT_EQ(small[0].real(), 1e-20f);
  EXPECT_FLOAT_EQ(small[0].imag(), 1e-20f);
  const auto power =
      values<C>(binary("stablehlo.power", integers<C>(ElementType::kC64, {{0, 0}, {0, 0}, {0, 1}}),
                       integers<C>(ElementType::kC64, {{0, 0}, {2, 0}, {2, 0}})));
  EXPECT_EQ(power[0], C(1, 0));
  EXPECT_EQ(power[1], C(0, 0));
  EXPECT_NEAR(power[2].real(), -1, 1e-6);
  // JAX's lax_test in 64 bits: the imaginary part was 0.
  const float infinite = std::numeric_limits<float>::infinity();
  const auto tangents = values<C>(unary(
      "stablehlo.tan", integers<C>(ElementType::kC64, {{-infinite, 0}, {0.5F, 0}, {0, infinite}})));
  EXPECT_TRUE(std::isnan(tangents[0].real()) && std::isnan(tangents[0].imag()));
  EXPECT_FLOAT_EQ(tangents[1].real(), std::tan(0.5F));
  EXPECT_EQ(tangents[2], C(0, 1));
}

TEST(Elementwise, ReducePrecision) {
  const Tensor result =
      evaluate(R"(
    func.func @main(%x: tensor<6xf32>) -> tensor<6xf32> {
      %r = stablehlo.reduce_precision %x, format = e5m10 : tensor<6xf32>
      return %r : tensor<6xf32>
    })",
               {floats({1.0f, 65504.0f, 65520.0f, 1e-8f, -1e-8f, 1.00048828125f})});
  // 1 + 2^-11 is halfway and goes to the even 1.
  EXPECT_THAT(values<float>(result), ElementsAre(1.0f, 65504.0f, kInf, 0.0f, -0.0f, 1.0f));
}

// All integer types: wraparound of + - *, against 128-bit arithmetic.
TEST(Elementwise, IntegerArithmeticWrapsInEveryType) {
  std::mt19937_64 random(7);
  for (int t = 0; t < kElementTypeCount; ++t) {
    const auto type = static_cast<ElementType>(t);
    if (!isInteger(type)) continue;
    visitElementType(type, [&]<typename T>() {
      if constexpr (kIsIntegerStorage<T>) {
        std::vector<T> x, y;
        for (int i = 0; i < 200; ++i) {
          x.push_back(T(static_cast<int64_t>(random())));
          y.push_back(T(static_cast<int64_t>(random())));
        }
        const Tensor a = tensor<T>(type, {200}, x), b = tensor<T>(type, {200}, y);
        const auto sum = values<T>(binary("stablehlo.add", a, b));
        const auto difference = values<T>(binary("stablehlo.subtract", a, b));
        const auto product = values<T>(binary("stablehlo.multiply", a, b));
        for (size_t i = 0; i < x.size(); ++i) {
          const auto left = static_cast<__int128>(static_cast<Computation<T>>(x[i]));
          const auto right = static_cast<__int128>(static_cast<Computation<T>>(y[i]));
          const auto wrapped = [](__int128 v) {
            return T(static_cast<int64_t>(static_cast<uint64_t>(v)));
          };
          EXPECT_TRUE(sum[i] == wrapped(left + right)) << stablehloName(type);
          EXPECT_TRUE(difference[i] == wrapped(left - right)) << stablehloName(type);
          EXPECT_TRUE(product[i] == wrapped(left * right)) << stablehloName(type);
        }
      }
    });
  }
}

// All float types: + and * rounded once. The exact sum and product of narrow
// floats fit a double.
TEST(Elementwise, NarrowFloatsRoundOnce) {
  std::mt19937 random(11);
  for (int t = 0; t < kElementTypeCount; ++t) {
    const auto type = static_cast<ElementType>(t);
    if (!isFloat(type) || bitWidth(type) > 16) continue;
    // Its products leave the range of the float that they are computed in.
    if (type == ElementType::kF8E8M0FNU) continue;
    visitElementType(type, [&]<typename T>() {
      if constexpr (kIsNarrowFloat<T>) {
        std::vector<T> x, y;
        for (int i = 0; i < 1000; ++i) {  // Longer than one step of the staging.
          x.push_back(T::fromBits(static_cast<typename T::Bits>(random())));
          y.push_back(T::fromBits(static_cast<typename T::Bits>(random())));
        }
        const Tensor a = tensor<T>(type, {1000}, x), b = tensor<T>(type, {1000}, y);
        const auto sum = values<T>(binary("stablehlo.add", a, b));
        const auto product = values<T>(binary("stablehlo.multiply", a, b));
        const auto same = [](T p, T q) { return p.bits() == q.bits() || (p.isNan() && q.isNan()); };
        for (size_t i = 0; i < x.size(); ++i) {
          const auto left = static_cast<double>(x[i]), right = static_cast<double>(y[i]);
          EXPECT_TRUE(same(product[i], T(left * right))) << stablehloName(type);
          // bf16's exponents are too far apart for an exact sum in a double.
          if (type != ElementType::kBF16) {
            EXPECT_TRUE(same(sum[i], T(left + right))) << stablehloName(type);
          }
        }
      }
    });
  }
}

TEST(Elementwise, WrongTypesAreRefusedByName) {
  ModuleTree module;
  Function function;
  function.name = "main";
  ValueType type;
  type.element = ElementType::kF32;
  type.shape = {2};
  function.argumentTypes = {type};
  function.resultTypes = {type};
  function.valueTypes = {type, type};
  Operation operation;
  operation.name = "stablehlo.popcnt";
  operation.operands = {0};
  operation.results = {1};
  Operation end;
  end.name = "func.return";
  end.operands = {1};
  function.body.blocks.push_back({{0}, {operation, end}});
  module.functions.push_back(function);
  auto plan = compile(module, {});
  ASSERT_FALSE(plan);
  EXPECT_THAT(plan.error().message, ::testing::HasSubstr("stablehlo.popcnt does not take f32"));
}

}  // namespace
}  // namespace vintage::tests::engine_test
