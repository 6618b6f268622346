// Sorts of several arrays whose equal keys may come in any order.
#include <limits>

#include <gmock/gmock.h>

#include "golden/compare/comparator.h"
#include "golden/compare/golden.h"
#include "tests/golden/tensor/sample_tensors.h"

namespace vintage::tests {
using namespace golden;

namespace {

using testing::HasSubstr;

Comparison compare(const std::vector<Tensor>& expected, const std::vector<Tensor>& actual,
                   int64_t dimension = 0, std::vector<std::string> roles = {"key", "value"}) {
  Comparator comparator;
  comparator.kind = Comparator::Kind::kSorted;
  comparator.roles = std::move(roles);
  comparator.dimension = dimension;
  return compareOutputs(comparator, {}, expected, actual);
}

TEST(Sorted, EqualKeysMayComeInAnyOrder) {
  const std::vector<Tensor> expected{ints({5}, {1, 2, 2, 2, 3}), ints({5}, {10, 20, 21, 22, 30})};
  EXPECT_TRUE(compare(expected, expected).same);
  EXPECT_TRUE(compare(expected, {expected[0], ints({5}, {10, 22, 20, 21, 30})}).same);
  // A value of another key, a value twice, another key.
  EXPECT_FALSE(compare(expected, {expected[0], ints({5}, {20, 10, 21, 22, 30})}).same);
  EXPECT_FALSE(compare(expected, {expected[0], ints({5}, {10, 20, 20, 22, 30})}).same);
  const Comparison other = compare(expected, {ints({5}, {1, 2, 2, 3, 3}), expected[1]});
  EXPECT_FALSE(other.same);
  EXPECT_THAT(other.firstDifference, HasSubstr("output 0[3]: the key 2 is expected, found 3"));
}

// Rows stay together: the second and third output move as one.
TEST(Sorted, RowsStayTogether) {
  const std::vector<std::string> roles{"key", "value", "value"};
  const std::vector<Tensor> expected{ints({2}, {1, 1}), ints({2}, {10, 20}), ints({2}, {5, 6})};
  EXPECT_TRUE(
      compare(expected, {expected[0], ints({2}, {20, 10}), ints({2}, {6, 5})}, 0, roles).same);
  EXPECT_FALSE(compare(expected, {expected[0], ints({2}, {20, 10}), expected[2]}, 0, roles).same);
}

TEST(Sorted, EachLaneOfTheDimensionIsSortedByItself) {
  const std::vector<Tensor> columns{ints({2, 2}, {1, 1, 1, 2}), ints({2, 2}, {10, 20, 11, 21})};
  const std::vector<Tensor> swapped{columns[0], ints({2, 2}, {11, 20, 10, 21})};
  EXPECT_TRUE(compare(columns, swapped, 0).same);
  EXPECT_FALSE(compare(columns, swapped, 1).same);
  EXPECT_TRUE(compare(columns, {columns[0], ints({2, 2}, {20, 10, 11, 21})}, -1).same);
}

// An order cannot distinguish the zeros, nor one NaN from another.
TEST(Sorted, ZerosAndNotNumbersAreEqualKeys) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<Tensor> expected{floats({4}, {-0.f, 0.f, nan, nan}), ints({4}, {1, 2, 3, 4})};
  EXPECT_TRUE(
      compare(expected, {floats({4}, {0.f, -0.f, nan, nan}), ints({4}, {2, 1, 4, 3})}).same);
  EXPECT_FALSE(compare(expected, {expected[0], ints({4}, {1, 3, 2, 4})}).same);
}

TEST(Sorted, OutputsThatDoNotSuitItDiffer) {
  const std::vector<Tensor> two{ints({2}, {1, 2}), ints({2}, {3, 4})};
  EXPECT_FALSE(compare(two, two, 1).same);
  EXPECT_FALSE(compare(two, two, 0, {"value", "value"}).same);
  EXPECT_FALSE(compare(two, two, 0, {"key"}).same);
  const std::vector<Tensor> uneven{ints({2}, {1, 2}), ints({1}, {3})};
  EXPECT_FALSE(compare(uneven, uneven).same);
  const std::vector<Tensor> empty{ints({0}, {}), ints({0}, {})};
  EXPECT_TRUE(compare(empty, empty).same);
}

TEST(Sorted, AGoldenKeepsItsDimension) {
  Golden golden;
  golden.expected = {ints({1, 2}, {1, 1}), ints({1, 2}, {3, 4})};
  Comparator comparator;
  comparator.kind = Comparator::Kind::kSorted;
  comparator.roles = {"key", "value"};
  comparator.dimension = 1;
  golden.comparators = {comparator};
  const auto bytes = writeGolden(golden);
  ASSERT_TRUE(bytes) << bytes.error().message;
  const auto back = readGolden(*bytes, "golden");
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(back->comparators[0].kind, Comparator::Kind::kSorted);
  EXPECT_EQ(back->comparators[0].dimension, 1);
}

}  // namespace
}  // namespace vintage::tests
