// Checks that count as such, on programs of our own.
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "golden/program/program.h"
#include "harness/conform/self_check.h"
#include "tests/golden/base/texts.h"

namespace vintage::tests {
using namespace golden;
using namespace harness;

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Outcome = SelfCheck::Outcome;

SelfCheck checkText(const std::string& text, const std::string& name = "own.mlir") {
  ProgramContext context;
  auto program = context.parseText(text, name);
  if (!program) {
    ADD_FAILURE() << program.error().message;
    return {};
  }
  auto tree = program->tree();
  if (!tree) {
    ADD_FAILURE() << tree.error().message;
    return {};
  }
  return runSelfCheck(*tree, ExecutionMode::kGraph);
}

TEST(SelfCheck, SkipsProgramsThatTakeInputsAndCheckNothing) {
  const SelfCheck check = checkText(R"(
    func.func public @main(%n: tensor<i64>, %x: tensor<?xf32>) -> tensor<?xf32> {
      %y = stablehlo.add %x, %x : tensor<?xf32>
      return %y : tensor<?xf32>
    })");
  EXPECT_EQ(check.outcome, Outcome::kSkipped);
  EXPECT_EQ(check.checks, 0);
  EXPECT_THAT(check.messages, ElementsAre("@main takes 2 inputs and checks nothing"));
}

TEST(SelfCheck, SkipsProgramsWithoutInputsThatCheckNothing) {
  const SelfCheck check = checkText(R"(
    func.func public @main() -> tensor<f32> {
      %x = stablehlo.constant dense<1.0> : tensor<f32>
      return %x : tensor<f32>
    })");
  EXPECT_EQ(check.outcome, Outcome::kSkipped);
  EXPECT_THAT(check.messages, ElementsAre("@main checks nothing"));
}

// A check that is never reached is a failure, not a skip.
TEST(SelfCheck, DoesNotSkipChecksOfInputs) {
  const SelfCheck check = checkText(R"(
    func.func public @main(%x: tensor<f32>) {
      stablehlo.custom_call @check.expect_close(%x, %x) {has_side_effect = true} : (tensor<f32>, tensor<f32>) -> ()
      return
    })");
  EXPECT_EQ(check.outcome, Outcome::kError);
  ASSERT_EQ(check.messages.size(), 1u);
  EXPECT_THAT(check.messages[0], HasSubstr("takes 1 input"));
}

TEST(SelfCheck, SkipsThePublishedProgramsOfDynamicShapes) {
  const auto folder =
      std::filesystem::path(VINTAGE_SHARED) / "corpus" / "stablehlo-testdata" / "dynamic";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << folder << " is absent";
  int programs = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string text = fileText(entry.path());
    const SelfCheck check = checkText(text, entry.path().filename().string());
    ASSERT_EQ(check.messages.size(), 1u) << entry.path();
    EXPECT_EQ(check.outcome, Outcome::kSkipped) << entry.path() << ": " << check.messages[0];
    EXPECT_THAT(check.messages[0], HasSubstr("checks nothing")) << entry.path();
    ++programs;
  }
  EXPECT_EQ(programs, 199);
}

}  // namespace
}  // namespace vintage::tests
