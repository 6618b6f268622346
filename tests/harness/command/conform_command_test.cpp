// The counts of `vintage conform`: passed, failed and skipped.
#include <filesystem>
#include <sstream>

#include <gmock/gmock.h>

#include "tests/harness/command/run_vintage.h"

namespace vintage::tests::command {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

std::string program(const char* expected) {
  return std::string(R"(
func.func public @main() {
  %x = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %y = stablehlo.add %x, %x : tensor<2xf32>
  %e = stablehlo.constant dense<)") +
         expected + R"(> : tensor<2xf32>
  stablehlo.custom_call @check.expect_close(%y, %e) {has_side_effect = true} : (tensor<2xf32>, tensor<2xf32>) -> ()
  return
})";
}

constexpr const char* kChecksNothing = R"(
func.func public @main(%n: tensor<i64>, %x: tensor<?xf32>) -> tensor<?xf32> {
  %y = stablehlo.add %x, %x : tensor<?xf32>
  return %y : tensor<?xf32>
})";

TEST(Conform, ProgramsThatCheckNothingAreSkippedAndSaySo) {
  const Sandbox sandbox;
  std::filesystem::create_directories(sandbox.path("programs/dynamic"));
  sandbox.write("programs/good.mlir", program("[2.0, 4.0]"));
  sandbox.write("programs/dynamic/add.mlir", kChecksNothing);
  const Finished finished = sandbox.run({"conform", sandbox.path("programs")});
  EXPECT_EQ(finished.status, 0) << finished.err;
  EXPECT_THAT(finished.out, HasSubstr("skipped: "));
  EXPECT_THAT(finished.out, HasSubstr("add.mlir: @main takes 2 inputs and checks nothing\n"));
  EXPECT_THAT(finished.out, EndsWith("1 passed, 0 failed, 1 skipped\n"));
}

TEST(Conform, AWrongValueFailsWithItsElementAndDistance) {
  const Sandbox sandbox;
  const std::string bad = sandbox.write("bad.mlir", program("[2.0, 5.0]"));
  const Finished finished = sandbox.run({"conform", bad});
  EXPECT_EQ(finished.status, 1) << finished.err;
  EXPECT_THAT(finished.out, HasSubstr("at [1]: 4 and not 5 (2097152 ulps)"));
  EXPECT_THAT(finished.out, EndsWith("0 passed, 1 failed, 0 skipped\n"));
}

// All of StableHLO's programs: only those of docs/wrong_expectations.md fail.
TEST(Conform, OfThePublishedProgramsOnlyWrongExpectationsFail) {
  const std::filesystem::path corpus =
      std::filesystem::path(VINTAGE_SHARED) / "corpus" / "stablehlo-testdata";
  if (!std::filesystem::exists(corpus)) GTEST_SKIP() << corpus << " is absent";
  const Sandbox sandbox;
  const std::string page = Sandbox::read(VINTAGE_SOURCE "/docs/wrong_expectations.md");
  const Finished finished = sandbox.run({"conform", corpus.string()});
  std::istringstream lines(finished.out);
  size_t failures = 0, skipped = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("skipped: ")) {
      ++skipped;
      EXPECT_THAT(line, HasSubstr("/dynamic/"));
      EXPECT_THAT(line, HasSubstr("checks nothing"));
      continue;
    }
    const size_t end = line.find(".mlir: ");
    if (end == std::string::npos) continue;
    ++failures;
    const size_t start = line.rfind('/', end) + 1;
    EXPECT_THAT(page, HasSubstr("\n## " + line.substr(start, end - start) + "\n")) << line;
  }
  EXPECT_EQ(skipped, 199u);
  EXPECT_GT(failures, 0u);
  EXPECT_THAT(finished.out,
              HasSubstr(" passed, " + std::to_string(failures) + " failed, 199 skipped\n"));
}

}  // namespace
}  // namespace vintage::tests::command
