#include "harness/model/difference/array_difference.h"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>

namespace vintage::tests {
using namespace golden;
using namespace harness;

namespace {

Tensor numbers(std::vector<float> values) {
  Tensor tensor(ElementType::kF32, {static_cast<int64_t>(values.size())});
  std::ranges::copy(values, tensor.mutableValues<float>().begin());
  return tensor;
}

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

TEST(ArrayDifference, TheFurthestElementsComeFirst) {
  const auto found = compareArrays(named("output", std::vector{numbers({1, 2, 3, 4, 5})}),
                                   named("output", std::vector{numbers({1, 2.5, 10, 4.25, -95})}));
  ASSERT_EQ(found.size(), 1);
  EXPECT_EQ(found[0].differing, 4);
  EXPECT_EQ(found[0].largestAbsolute, 100);
  ASSERT_EQ(found[0].furthest.size(), 3);
  EXPECT_EQ(found[0].furthest[0].index, "[4]");
  EXPECT_EQ(found[0].furthest[1].index, "[2]");
  EXPECT_EQ(found[0].furthest[2].second, "2.5");
}

TEST(ArrayDifference, ANanIsANanAndAnInfinityIsFurthest) {
  EXPECT_TRUE(compareArrays(named("output", std::vector{numbers({kNan})}),
                            named("output", std::vector{numbers({-kNan})}))
                  .empty());
  const auto found = compareArrays(named("output", std::vector{numbers({1, 7, 1e30F})}),
                                   named("output", std::vector{numbers({2, kInfinity, 1})}));
  EXPECT_EQ(found[0].furthest[0].second, "inf");
  EXPECT_TRUE(toJson(std::span(found))[0]["largest_absolute"].is_null());
}

TEST(ArrayDifference, OtherTypesAndMissingArraysAreNamed) {
  const std::vector<Tensor> two{numbers({1}), numbers({2})}, one{numbers({1, 2})};
  const auto found = compareArrays(named("output", two), named("output", one));
  ASSERT_EQ(found.size(), 2);
  EXPECT_EQ(textOf(std::span(found)),
            "output 0: f32[1] and f32[2]\noutput 1: f32[1], only in the first\n");
}

}  // namespace
}  // namespace vintage::tests
