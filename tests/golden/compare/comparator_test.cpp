#include "golden/compare/comparator.h"

#include <cmath>

#include <gmock/gmock.h>

#include "golden/tensor/visit.h"

namespace vintage::tests {
using namespace golden;

namespace {

using testing::HasSubstr;
using Kind = Comparator::Kind;

template <typename T>
Tensor vectorOf(const std::vector<T>& values) {
  Tensor tensor(kElementTypeOf<T>, {static_cast<int64_t>(values.size())});
  std::ranges::copy(values, tensor.mutableValues<T>().begin());
  return tensor;
}

Comparison compare(const Comparator& comparator, const Tensor& expected, const Tensor& actual) {
  return compareOutputs(comparator, {}, {&expected, 1}, {&actual, 1});
}

Comparator within(std::optional<double> absolute, std::optional<double> relative = {},
                  std::optional<int64_t> ulps = {}) {
  Comparator comparator;
  comparator.kind = Kind::kElementwise;
  comparator.tolerance = {absolute, relative, ulps};
  return comparator;
}

TEST(Comparator, NamesReadBack) {
  for (int i = 0; i <= static_cast<int>(Kind::kLu); ++i) {
    const auto kind = static_cast<Kind>(i);
    EXPECT_EQ(*parseComparatorName(comparatorName(kind)), kind);
  }
  EXPECT_THAT(parseComparatorName("near").error().message, HasSubstr("elementwise"));
}

// XLA's CPU returns four-bit results in bytes whose upper halves are undefined; the comparator took
// them for wrong results.
TEST(Exact, UnusedBitsOfNarrowTypesDoNotCount) {
  const auto bytes = [](ElementType type, uint8_t first, uint8_t second) {
    const std::byte values[] = {std::byte{first}, std::byte{second}};
    return Tensor::fromBytes(type, {2}, values).value();
  };
  for (const ElementType type : {ElementType::kI4, ElementType::kUi4, ElementType::kF4E2M1FN}) {
    EXPECT_TRUE(compare({}, bytes(type, 0x03, 0x01), bytes(type, 0xA3, 0xF1)).same);
    EXPECT_FALSE(compare({}, bytes(type, 0x03, 0x01), bytes(type, 0x04, 0x01)).same);
  }
}

TEST(Exact, BitsExceptForNan) {
  const Comparator exact;
  const float otherNan = std::bit_cast<float>(0xFFC12345u);
  EXPECT_TRUE(compare(exact, vectorOf<float>({1, NAN}), vectorOf<float>({1, otherNan})).same);
  EXPECT_FALSE(compare(exact, vectorOf<float>({0.0f}), vectorOf<float>({-0.0f})).same);
  const Comparison comparison =
      compare(exact, vectorOf<float>({1, 2, 3}), vectorOf<float>({1, 2.5f, 4}));
  EXPECT_FALSE(comparison.same);
  EXPECT_EQ(comparison.differingElements, 2);
  EXPECT_THAT(comparison.firstDifference, HasSubstr("output 0[1]: expected 2, found 2.5"));
  EXPECT_EQ(comparison.largestAbsolute, 1);
  EXPECT_EQ(comparison.largestRelative, 1.0 / 3);
}

TEST(Exact, OtherTypesAndShapesDiffer) {
  const Tensor a = vectorOf<float>({1, 2});
  EXPECT_THAT(compare({}, a, vectorOf<int32_t>({1, 2})).firstDifference, HasSubstr("i32[2]"));
  EXPECT_THAT(compare({}, a, *a.reshaped({2, 1})).firstDifference, HasSubstr("f32[2,1]"));
  EXPECT_FALSE(compareOutputs({}, {}, {&a, 1}, {}).same);
  EXPECT_TRUE(compareOutputs({}, {}, {}, {}).same);
}

TEST(Elementwise, AnyBoundThatIsSetSuffices) {
  const Tensor expected = vectorOf<float>({1, 100}), actual = vectorOf<float>({1.001f, 100.01f});
  EXPECT_TRUE(compare(within(0.011), expected, actual).same);
  EXPECT_FALSE(compare(within(0.005), expected, actual).same);
  EXPECT_TRUE(compare(within({}, 0.0011), expected, actual).same);
  EXPECT_FALSE(compare(within({}, 0.0005), expected, actual).same);
  EXPECT_TRUE(compare(within(0.0005, 0.0006), expected, actual).same);
  EXPECT_TRUE(compare(within({}, {}, 10000), expected, actual).same);
  EXPECT_FALSE(compare(within({}, {}, 100), expected, actual).same);
  EXPECT_FALSE(compare(within({}), expected, actual).same);
  EXPECT_TRUE(compare(within(0), vectorOf<float>({0.0f}), vectorOf<float>({-0.0f})).same);
}

TEST(Elementwise, UlpsAreInTheElementsOwnSpacing) {
  const Tensor one = vectorOf<BFloat16>({BFloat16(1)});
  const Tensor next = vectorOf<BFloat16>({BFloat16::fromBits(0x3F81)});
  EXPECT_TRUE(compare(within({}, {}, 1), one, next).same);
  EXPECT_FALSE(compare(within({}, {}, 0), one, next).same);
  EXPECT_EQ(compare(within({}, {}, 0), one, next).largestUlps, 1);
}

TEST(Elementwise, NotNumbers) {
  const Comparator loose = within(1e300, 1e300, INT64_MAX - 1);
  for (const double a : {double{NAN}, HUGE_VAL, -HUGE_VAL, 1.0})
    for (const double e : {double{NAN}, HUGE_VAL, -HUGE_VAL, 1.0})
      EXPECT_EQ(compare(loose, vectorOf<double>({e}), vectorOf<double>({a})).same,
                (std::isnan(a) && std::isnan(e)) || a == e)
          << e << " " << a;
}

TEST(Elementwise, ComplexPartsAreJudgedAgainstTheModulus) {
  using C = std::complex<float>;
  const Tensor expected = vectorOf<C>({C(1000, 0)});
  EXPECT_TRUE(compare(within({}, 1e-3), expected, vectorOf<C>({C(1000, 0.9f)})).same);
  EXPECT_FALSE(compare(within({}, 1e-3), expected, vectorOf<C>({C(1000, 1.1f)})).same);
  EXPECT_TRUE(
      compare(within({}, 1e-3), vectorOf<C>({C(INFINITY, 1)}), vectorOf<C>({C(INFINITY, 1)})).same);
  EXPECT_FALSE(
      compare(within({}, 1e-3), vectorOf<C>({C(INFINITY, 1)}), vectorOf<C>({C(INFINITY, 2)})).same);
}

TEST(Elementwise, IntegersAreSubtractedWithoutOverflow) {
  const Tensor least = vectorOf<int64_t>({INT64_MIN}), most = vectorOf<int64_t>({INT64_MAX});
  EXPECT_FALSE(compare(within(1), least, most).same);
  EXPECT_TRUE(
      compare(within(1), vectorOf<uint64_t>({UINT64_MAX}), vectorOf<uint64_t>({UINT64_MAX - 1}))
          .same);
  EXPECT_FALSE(
      compare(within(100), vectorOf<Predicate>({true}), vectorOf<Predicate>({false})).same);
}

}  // namespace
}  // namespace vintage::tests
