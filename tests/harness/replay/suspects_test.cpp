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

// Artifacts that pass and hold none of the operations below.
std::vector<ExaminedArtifact> sound(size_t count) {
  std::vector<ExaminedArtifact> all;
  for (size_t i = 0; i < count; ++i)
    all.push_back(artifact("sound " + std::to_string(i), "neg", {"negate"}, 1, false));
  return all;
}

TEST(Suspects, NoneWhereNothingFails) { EXPECT_TRUE(rankSuspects(sound(3)).empty()); }

// Seven of sixty models failed, each for its own reason, and `replay` suspected slice: they all
// hold it, as do thirty models that pass.
TEST(Suspects, NoneWhereWhatTheyShareIsAsCommonElsewhere) {
  std::vector<ExaminedArtifact> all;
  for (int i = 0; i < 60; ++i) {
    std::vector<std::string> features;
    for (int k = 0; k < 20; ++k)
      features.push_back("own " + std::to_string(i) + " " + std::to_string(k));
    if (i < 37) features.push_back("slice");
    all.push_back(artifact("model " + std::to_string(i), "", features, 100 + i, i < 7));
  }
  EXPECT_TRUE(rankSuspects(all).empty());
}

// A single failing artifact made each of its operations a suspect.
TEST(Suspects, OneFailureNeedsManyThatPass) {
  std::vector<ExaminedArtifact> all{artifact("one", "tan", {"tangent", "tangent of f64"}, 1, true)};
  EXPECT_TRUE(rankSuspects(all).empty());
  const auto with = [&](size_t passing) {
    std::vector<ExaminedArtifact> many = sound(passing);
    many.push_back(all.front());
    return rankSuspects(many);
  };
  // The chance is 2 operations by one in all.
  EXPECT_TRUE(with(20).empty());
  const auto suspects = with(99);
  ASSERT_EQ(suspects.size(), 1u);
  EXPECT_EQ(suspects[0].operation, "tangent");
  EXPECT_NEAR(suspects[0].chance, 0.02, 1e-9);
}

// R. A. Fisher's lady tasting tea names three of four cups: 17 of 70 ways are as good.
TEST(Suspects, ChanceIsThatOfTheExactTest) {
  EXPECT_NEAR(chanceOf(3, 4, 4, 8), 17.0 / 70, 1e-12);
  EXPECT_NEAR(chanceOf(4, 4, 4, 8), 1.0 / 70, 1e-12);
  EXPECT_EQ(chanceOf(2, 4, 4, 8), 1);  // Half of them fail, as of all.
  EXPECT_EQ(chanceOf(1, 1, 1, 1), 1);
  // 1000 of 1000 among 1,000,000: too small for binary64, and no NaN.
  EXPECT_EQ(chanceOf(1000, 1000, 1000, 1'000'000), 0);
}

TEST(Suspects, ASingleOperationLeavesNoDoubt) {
  // Every program with an `or` fails as well, but the smallest is the bitcast alone.
  std::vector<ExaminedArtifact> all = sound(20);
  all.push_back(artifact("bitcast", "bitcast_convert_type", {"bitcast"}, 1, true));
  all.push_back(artifact("bitcast of i32", "bitcast_convert_type", {"bitcast"}, 1, false));
  all.push_back(artifact("bits 1", "random_bits", {"bitcast", "or"}, 9, true));
  all.push_back(artifact("bits 2", "random_bits", {"bitcast", "or"}, 9, true));
  const auto suspects = rankSuspects(all);
  ASSERT_EQ(suspects.size(), 1u);
  EXPECT_EQ(suspects[0].operation, "bitcast");
  EXPECT_EQ(suspects[0].primitives, std::vector<std::string>{"bitcast_convert_type"});
  EXPECT_EQ(suspects[0].failing, 3u);
  EXPECT_EQ(suspects[0].holding, 4u);
  EXPECT_EQ(suspects[0].simplest, "bitcast");
}

// A small program that fails for a reason of its own hid what the others have in common.
TEST(Suspects, ASmallProgramWithoutASuspectHidesNothing) {
  std::vector<ExaminedArtifact> all = sound(50);
  all.push_back(artifact("stray", "neg", {"negate"}, 1, true));
  for (int i = 0; i < 4; ++i)
    all.push_back(artifact("fft " + std::to_string(i), "fft", {"fft", "negate"}, 5, true));
  const auto suspects = rankSuspects(all);
  ASSERT_EQ(suspects.size(), 1u);
  EXPECT_EQ(suspects[0].operation, "fft");
}

// `add` is in every program that fails too, and in some that do not: a suspect, and not the first.
TEST(Suspects, WhatPassesElsewhereIsLessSuspect) {
  std::vector<ExaminedArtifact> all = sound(100);
  all.push_back(artifact("one", "sin", {"add", "sine"}, 2, true));
  all.push_back(artifact("two", "sin", {"add", "sine"}, 2, true));
  for (int i = 0; i < 5; ++i) all.push_back(artifact("sum", "add", {"add"}, 1, false));
  const auto suspects = rankSuspects(all);
  ASSERT_EQ(suspects.size(), 1u);
  EXPECT_EQ(suspects[0].operation, "sine");
}

TEST(Suspects, TwoFaultsAreTwoSuspects) {
  std::vector<ExaminedArtifact> all = sound(200);
  all.push_back(artifact("sine", "sin", {"sine"}, 1, true));
  all.push_back(artifact("sort", "sort", {"sort", "compare"}, 2, true));
  all.push_back(artifact("compare", "lt", {"compare"}, 1, false));
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
  })",
                                   "test");
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
