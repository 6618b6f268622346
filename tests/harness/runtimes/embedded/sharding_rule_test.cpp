#include "harness/runtimes/embedded/sharding_rule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace vintage::tests {
using namespace harness;

namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Over a mesh of 2 x 4.
DevicePlacement split(std::vector<std::vector<size_t>> axes) {
  return {{{2, 4}, {0, 1, 2, 3, 4, 5, 6, 7}}, std::move(axes), {}};
}

std::vector<std::vector<size_t>> resultOf(std::string_view rule,
                                          const std::vector<OpenPlacement>& operands) {
  const auto parsed = parseShardingRule(rule);
  if (!parsed) return {{99}};
  const auto results = placedByRule(*parsed, operands);
  return results.empty() || !results[0] ? std::vector<std::vector<size_t>>{} : results[0]->axes;
}

TEST(ShardingRule, FactorsPassFromOperandsToResults) {
  constexpr std::string_view kProduct =
      "#sdy.op_sharding_rule<([i, j], [j, k])->([i, k]) {i=8, j=8, k=8} reduction={j}, custom>";
  EXPECT_THAT(resultOf(kProduct, {split({{0}, {}}), split({{}, {1}})}),
              ElementsAre(ElementsAre(0), ElementsAre(1)));
  // One axis splits one dimension.
  EXPECT_THAT(resultOf(kProduct, {split({{0}, {}}), split({{}, {0}})}),
              ElementsAre(ElementsAre(0), IsEmpty()));
  EXPECT_THAT(resultOf(kProduct, {std::nullopt, split({{1}, {0}})}),
              ElementsAre(IsEmpty(), ElementsAre(0)));
  EXPECT_THAT(resultOf(kProduct, {std::nullopt, std::nullopt}), IsEmpty());
}

// As JAX writes '(i k) j, (i k j) -> (i k j)': a dimension's axes split its major factors first.
TEST(ShardingRule, DimensionsOfSeveralFactorsAreSplitFromTheFront) {
  constexpr std::string_view kMerged =
      "#sdy.op_sharding_rule<([ij, k], [ijk])->([ijk]) {i=2, j=2, k=4} need_replication={j}, "
      "custom>";
  EXPECT_THAT(resultOf(kMerged, {split({{0}, {}}), split({{0}})}), ElementsAre(ElementsAre(0)));
  // j is not to be split, so that k cannot be either.
  EXPECT_THAT(resultOf(kMerged, {split({{0}, {1}}), std::nullopt}), ElementsAre(ElementsAre(0)));
  // An axis of 4 would split i into less than one.
  EXPECT_THAT(resultOf(kMerged, {split({{1}, {}}), std::nullopt}), ElementsAre(IsEmpty()));
  constexpr std::string_view kFree = "#sdy.op_sharding_rule<([i, j])->([ij]) {i=2, j=4}>";
  EXPECT_THAT(resultOf(kFree, {split({{0}, {1}})}), ElementsAre(ElementsAre(0, 1)));
  EXPECT_THAT(resultOf(kFree, {split({{}, {1}})}), ElementsAre(IsEmpty()));
}

TEST(ShardingRule, ManyFactorsHaveNumbers) {
  EXPECT_THAT(resultOf("#sdy.op_sharding_rule<([zz_1, z_2])->([z_2, z_1]) {z=1, z_1=8, z_2=8}>",
                       {split({{0}, {1}})}),
              ElementsAre(ElementsAre(1), ElementsAre(0)));
}

TEST(ShardingRule, AScalarHasNoDimension) {
  EXPECT_TRUE(parseShardingRule("#sdy.op_sharding_rule<([])->([])>"));
  EXPECT_TRUE(parseShardingRule("#sdy.op_sharding_rule<()->()>"));
}

TEST(ShardingRule, OtherTextsAreNoRule) {
  for (const std::string_view text :
       {"", "i -> i", "#sdy.op_sharding_rule<", "#sdy.op_sharding_rule<([i])->([i])>",
        "#sdy.op_sharding_rule<([i])->([i]) {i=0}>", "#sdy.op_sharding_rule<([i])->([i]) {j=2}>",
        "#sdy.op_sharding_rule<([i])->([i]) {i=2} other={i}>",
        "#sdy.op_sharding_rule<([i])->([i]) {i=2} reduction={i}",
        "#sdy.op_sharding_rule<([i)->([i]) {i=2}>"})
    EXPECT_FALSE(parseShardingRule(text)) << text;
}

}  // namespace
}  // namespace vintage::tests
