// The seeds of the text fuzzer are programs: one that the parser refuses would
// start the fuzzer nowhere.
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "golden/program/program.h"

namespace vintage {
namespace {

namespace fs = std::filesystem;

TEST(FuzzSeeds, EachIsAProgramThatCanBeWritten) {
  const fs::path folder = fs::path(VINTAGE_SOURCE) / "tests" / "fuzz" / "corpus" / "stablehlo_text";
  size_t seeds = 0;
  ProgramContext context;
  for (const auto& entry : fs::directory_iterator(folder)) {
    std::ifstream file(entry.path());
    std::stringstream text;
    text << file.rdbuf();
    auto program = context.parseText(text.str(), entry.path().filename().string());
    ASSERT_TRUE(program) << program.error().message;
    auto minimum = program->minimumVersion();
    ASSERT_TRUE(minimum) << minimum.error().message;
    EXPECT_TRUE(program->writePortableArtifact(minimum->version));
    ++seeds;
  }
  EXPECT_GE(seeds, 8u);
}

}  // namespace
}  // namespace vintage
