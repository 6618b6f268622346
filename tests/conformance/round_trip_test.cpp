// Text → portable artifact at the lowest version, and at the current one → the same text: for
// programs of our own, and for StableHLO's if ../shared has them.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "golden/program/program.h"
#include "harness/conform/self_check.h"
#include "tests/golden/base/texts.h"

namespace vintage::tests {
using namespace golden;
using namespace harness;

namespace {

namespace fs = std::filesystem;

// The folder has at least this many programs; fewer means a broken checkout.
constexpr size_t kFewestPrograms = 1400;

void expectSurvives(const char* text) {
  ProgramContext context;
  auto program = context.parseText(text, "own.mlir");
  ASSERT_TRUE(program) << program.error().message;
  const Status status = checkRoundTrip(context, *program, "own.mlir");
  EXPECT_TRUE(status) << status.error().message;
}

// The long form once came back compact, because its locations were dropped.
TEST(RoundTrip, AReductionStaysAsLongAsItWasWritten) {
  expectSurvives(R"(
module {
  func.func public @main(%arg0: tensor<?x3xf32>) -> tensor<?xf32> {
    %cst = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) across dimensions = [1] : (tensor<?x3xf32>, tensor<f32>) -> tensor<?xf32>
     reducer(%arg1: tensor<f32>, %arg2: tensor<f32>)  {
      %1 = stablehlo.add %arg1, %arg2 : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }
    return %0 : tensor<?xf32>
  }
})");
}

TEST(RoundTrip, ACompactReductionStaysCompact) {
  expectSurvives(R"(
module {
  func.func public @main(%arg0: tensor<2x3xf32>) -> tensor<2xf32> {
    %cst = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
})");
}

TEST(RoundTrip, EveryProgramOfTheTestDataSurvives) {
  const fs::path folder = fs::path(VINTAGE_SHARED) / "corpus" / "stablehlo-testdata";
  if (!fs::exists(folder)) GTEST_SKIP() << folder << " is absent";
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.path().extension() == ".mlir") files.push_back(entry.path());
  std::ranges::sort(files);
  size_t survived = 0, programs = 0;
  ProgramContext context;
  for (const fs::path& file : files) {
    auto parts = context.parseSplitText(fileText(file), file.filename().string());
    ASSERT_TRUE(parts) << parts.error().message;
    for (const Program& program : *parts) {
      ++programs;
      const Status status = checkRoundTrip(context, program, file.filename().string());
      if (status)
        ++survived;
      else
        ADD_FAILURE() << status.error().message;
    }
  }
  std::printf("%zu of %zu programs survive\n", survived, programs);
  EXPECT_GE(programs, kFewestPrograms);
}

}  // namespace
}  // namespace vintage::tests
