// The seeds of the text fuzzer are programs: the fuzzer gets nowhere from a seed that the parser
// rejects. And findings of the artifact fuzzer are errors.
#include <cstdio>
#include <filesystem>
#include <span>
#include <string>

#include <gtest/gtest.h>

#include "golden/program/program.h"
#include "tests/golden/base/texts.h"

namespace vintage::tests {
using namespace golden;

namespace {

namespace fs = std::filesystem;

TEST(FuzzSeeds, EachIsAProgramThatCanBeWritten) {
  const fs::path folder = fs::path(VINTAGE_SOURCE) / "tests" / "fuzz" / "corpus" / "stablehlo_text";
  size_t seeds = 0;
  ProgramContext context;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string text = fileText(entry.path());
    auto program = context.parseText(text, entry.path().filename().string());
    ASSERT_TRUE(program) << program.error().message;
    auto minimum = program->minimumVersion();
    ASSERT_TRUE(minimum) << minimum.error().message;
    EXPECT_TRUE(program->writePortableArtifact(minimum->version));
    ++seeds;
  }
  EXPECT_GE(seeds, 8u);
}

// Each once ended the process in MLIR's reader, took all memory, or printed for ever; the file's
// name gives the reason.
TEST(FuzzFindings, DamagedArtifactsAreErrors) {
  const fs::path folder =
      fs::path(VINTAGE_SOURCE) / "tests" / "fuzz" / "corpus" / "damaged_artifacts";
  size_t files = 0;
  ProgramContext context;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string content = fileText(entry.path());
    const std::string name = entry.path().filename().string();
    auto program = context.readPortableArtifact(
        std::as_bytes(std::span(content.data(), content.size())), name);
    ASSERT_FALSE(program) << name;
    EXPECT_EQ(program.error().kind, Error::Kind::kBadInput) << program.error().message;
    std::printf("%s\n", program.error().message.c_str());
    ++files;
  }
  EXPECT_GE(files, 9u);
}

}  // namespace
}  // namespace vintage::tests
