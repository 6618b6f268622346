// Self-checking programs that run over several processes.
#include <filesystem>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "golden/program/program.h"
#include "harness/conform/self_check.h"
#include "tests/golden/base/texts.h"

namespace vintage::tests {
using namespace golden;
using namespace harness;

namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Outcome = SelfCheck::Outcome;

std::vector<SelfCheck> checkText(const std::string& text, const std::string& name) {
  static ProgramContext context;
  std::vector<SelfCheck> checks;
  auto programs = context.parseSplitText(text, name);
  EXPECT_TRUE(programs) << (programs ? "" : programs.error().message);
  if (!programs) return checks;
  for (const Program& program : *programs) {
    auto tree = program.tree();
    EXPECT_TRUE(tree) << (tree ? "" : tree.error().message);
    if (!tree) continue;
    for (const ExecutionMode mode : {ExecutionMode::kGraph, ExecutionMode::kEager})
      checks.push_back(runSelfCheck(*tree, mode));
  }
  return checks;
}

// Two replicas add what they have, 1 and 20.
std::string sum(std::string_view second, int expected) {
  return fmt::format(R"(
    func.func @sum(%x: tensor<i32>) -> tensor<i32> {{
      %r = "stablehlo.all_reduce"(%x) ({{
        ^bb0(%a: tensor<i32>, %b: tensor<i32>):
          %c = stablehlo.add %a, %b : tensor<i32>
          stablehlo.return %c : tensor<i32>
      }}) {{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}} : (tensor<i32>) -> tensor<i32>
      return %r : tensor<i32>
    }}
    func.func @same(%x: tensor<i32>) -> tensor<i32> {{ return %x : tensor<i32> }}
    func.func @main() {{
      %one = stablehlo.constant dense<1> : tensor<i32>
      %twenty = stablehlo.constant dense<20> : tensor<i32>
      %r:2 = "interpreter.run_parallel"(%one, %twenty) {{programs = [[@sum], [{0}]]}}
        : (tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>)
      check.expect_eq_const %r#0, dense<{1}> : tensor<i32>
      check.expect_eq_const %r#1, dense<{1}> : tensor<i32>
      return
    }})",
                     second, expected);
}

TEST(InterpreterPrograms, PassOrSayWhatDiffers) {
  for (const SelfCheck& check : checkText(sum("@sum", 21), "sum.mlir")) {
    EXPECT_EQ(check.outcome, Outcome::kPassed);
    EXPECT_EQ(check.checks, 2);
  }
  for (const SelfCheck& check : checkText(sum("@sum", 22), "sum.mlir")) {
    EXPECT_EQ(check.outcome, Outcome::kMismatch);
    EXPECT_THAT(check.messages,
                ElementsAre(HasSubstr("21 and not 22"), HasSubstr("21 and not 22")));
  }
}

TEST(InterpreterPrograms, ProcessThatNeverComesIsAnError) {
  for (const SelfCheck& check : checkText(sum("@same", 21), "sum.mlir")) {
    EXPECT_EQ(check.outcome, Outcome::kError);
    EXPECT_THAT(
        check.messages,
        ElementsAre(AllOf(HasSubstr("replica 0, partition 0 waits for stablehlo.all_reduce"),
                          HasSubstr("replica 1, partition 0 has ended"))));
  }
}

// Upstream's programs. The one without a check runs too, and cannot pass.
TEST(InterpreterPrograms, OfTheCorpus) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(VINTAGE_SHARED) / "corpus" / "stablehlo-interpret";
  if (!fs::exists(folder)) GTEST_SKIP() << folder << " is absent";
  int passed = 0, skipped = 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() != ".mlir") continue;
    const std::string text = fileText(entry.path());
    if (text.find("interpreter.run_parallel") == std::string::npos) continue;
    const bool checks = text.find("check.") != std::string::npos;
    for (const SelfCheck& check : checkText(text, entry.path().filename().string())) {
      EXPECT_EQ(check.outcome, checks ? Outcome::kPassed : Outcome::kSkipped)
          << entry.path() << ": " << (check.messages.empty() ? "" : check.messages[0]);
      ++(checks ? passed : skipped);
    }
  }
  EXPECT_GT(passed, 0);
  EXPECT_GT(skipped, 0);
}

}  // namespace
}  // namespace vintage::tests
