// Which operation explains the failures, found from artifacts whose fault is known.

#include <gtest/gtest.h>

#include "golden/program/program.h"
#include "harness/replay/suspects.h"

namespace vintage::tests {
using namespace golden;
using namespace harness;

namespace {

ExaminedArtifact artifact(std::string name, std::string primitive,
                          std::vector<std::string> features, size_t operations, bool failed) {
  std::sort(features.begin(), features.end());
  return {std::move(name), std::move(primitive), {std::move(features), operations}, failed};
}

TEST(Suspects, NoneWhereNothingFails) {
  const ExaminedArtifact all[] = {artifact("a", "add", {"add"}, 1, false)};
  EXPECT_TRUE(rankSuspects(all).empty());
}

TEST(Suspects, ASingleOperationLeavesNoDoubt) {
  // Every program with an `or` fails as well, but the smallest is the bitcast alone.
  const ExaminedArtifact all[] = {
      artifact("bitcast", "bitcast_convert_type", {"bitcast"}, 1, true),
      artifact("bitcast of i32", "bitcast_convert_type", {"bitcast"}, 1, false),
      artifact("bits 1", "random_bits", {"bitcast", "or"}, 9, true),
      artifact("bits 2", "random_bits", {"bitcast", "or"}, 9, true),
  };
  const auto suspects = rankSuspects(all);
  ASSERT_EQ(suspects.size(), 1u);
  EXPECT_EQ(suspects[0].operation, "bitcast");
  EXPECT_EQ(suspects[0].primitives, std::vector<std::string>{"bitcast_convert_type"});
  EXPECT_EQ(suspects[0].failing, 3u);
  EXPECT_EQ(suspects[0].holding, 4u);
  EXPECT_EQ(suspects[0].simplest, "bitcast");
}

// `add` is in every program that fails too, and in many that do not.
TEST(Suspects, WhatPassesElsewhereIsLessSuspect) {
  std::vector<ExaminedArtifact> all{artifact("one", "sin", {"add", "sine"}, 2, true),
                                    artifact("two", "sin", {"add", "sine"}, 2, true)};
  for (int i = 0; i < 5; ++i) all.push_back(artifact("sum", "add", {"add"}, 1, false));
  const auto suspects = rankSuspects(all);
  ASSERT_EQ(suspects.size(), 1u);
  EXPECT_EQ(suspects[0].operation, "sine");
}

TEST(Suspects, TwoFaultsAreTwoSuspects) {
  const ExaminedArtifact all[] = {
      artifact("sine", "sin", {"sine"}, 1, true),
      artifact("sort", "sort", {"sort", "compare"}, 2, true),
      artifact("compare", "lt", {"compare"}, 1, false),
  };
  const auto suspects = rankSuspects(all);
  ASSERT_EQ(suspects.size(), 2u);
  EXPECT_EQ(suspects[0].operation, "sine");
  EXPECT_EQ(suspects[1].operation, "sort");
  EXPECT_EQ(rankSuspects(all, 1).size(), 1u);
}

TEST(OperationFeatures, TellTargetsKindsTypesAndFoldedOperations) {
  ProgramContext context;
  auto program = context.parseText(R"(func.func @main(%a: tensor<4xf32>) -> tensor<f32> {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %b = stablehlo.custom_call @Sharding(%a) : (tensor<4xf32>) -> tensor<4xf32>
    %c = stablehlo.compare LT, %b, %a, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %d = stablehlo.select %c, %a, %b : tensor<4xi1>, tensor<4xf32>
    %e = stablehlo.reduce(%d init: %zero) applies stablehlo.add across dimensions = [0]
        : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    return %e : tensor<f32>
  })", "test");
  ASSERT_TRUE(program) << program.error().message;
  auto tree = program->tree();
  ASSERT_TRUE(tree);
  const OperationFeatures found = operationFeatures(*tree);
  const std::vector<std::string> expected{"stablehlo.compare LT",
                                          "stablehlo.compare LT of f32",
                                          "stablehlo.custom_call @Sharding",
                                          "stablehlo.custom_call @Sharding of f32",
                                          "stablehlo.reduce",
                                          "stablehlo.reduce of f32",
                                          "stablehlo.reduce over stablehlo.add",
                                          "stablehlo.select",
                                          "stablehlo.select of i1"};
  EXPECT_EQ(found.features, expected);
  EXPECT_EQ(found.operations, 5u);  // The folded addition counts.
}

}  // namespace
}  // namespace vintage::tests
