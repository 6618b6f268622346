// StableHLO's own self-checking programs, where ../shared has them.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "golden/program/program.h"
#include "harness/conform/self_check.h"
#include "tests/conformance/wrong_expectations.h"
#include "tests/golden/base/texts.h"

namespace vintage::tests {
using namespace golden;
using namespace harness;

namespace {

namespace fs = std::filesystem;

struct Corpus {
  const char* folder;
  size_t fewest;  // Programs that were there; fewer means a broken checkout.
};

// VINTAGE_CONFORM_FILTER picks programs whose name contains it;
// VINTAGE_CONFORM_REPORT names a file for one line for each program.
void runCorpus(const Corpus& corpus, ExecutionMode mode) {
  const fs::path folder = fs::path(VINTAGE_SHARED) / "corpus" / corpus.folder;
  if (!fs::exists(folder)) GTEST_SKIP() << folder << " is absent";
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.path().extension() == ".mlir") files.push_back(entry.path());
  std::ranges::sort(files);
  EXPECT_GE(files.size(), corpus.fewest);
  const char* filter = std::getenv("VINTAGE_CONFORM_FILTER");
  const char* reportPath = std::getenv("VINTAGE_CONFORM_REPORT");
  std::ofstream report;
  if (reportPath != nullptr) report.open(reportPath);
  ProgramContext context;
  std::map<std::string, int> counts;
  for (const fs::path& file : files) {
    const std::string name = file.filename().string();
    if (filter != nullptr && name.find(filter) == std::string::npos) continue;
    auto programs = context.parseSplitText(fileText(file), name);
    if (!programs) {
      ++counts["unreadable"];
      report << name << "\tunreadable\t" << programs.error().message << "\n";
      ADD_FAILURE() << programs.error().message;
      continue;
    }
    for (const Program& program : *programs) {
      auto tree = program.tree();
      if (!tree) {
        ++counts["unreadable"];
        ADD_FAILURE() << name << ": " << tree.error().message;
        continue;
      }
      const SelfCheck check = runSelfCheck(*tree, mode);
      ++counts[vintage::harness::name(check.outcome)];
      std::string messages;
      for (const std::string& message : check.messages) messages += message + "; ";
      std::ranges::replace(messages, '\n', ' ');
      report << name << "\t" << vintage::harness::name(check.outcome) << "\t" << messages << "\n";
      if (findWrongExpectation(name) != nullptr) {
        EXPECT_EQ(check.outcome, SelfCheck::Outcome::kMismatch)
            << name << " is listed in wrong_expectations.cpp: delete its line. " << messages;
        continue;
      }
      if (check.outcome != SelfCheck::Outcome::kPassed &&
          check.outcome != SelfCheck::Outcome::kSkipped)
        ADD_FAILURE() << name << ": " << vintage::harness::name(check.outcome) << ": " << messages;
    }
  }
  for (const auto& [outcome, count] : counts) {
    ::testing::Test::RecordProperty(outcome, count);
    std::printf("%s: %d\n", outcome.c_str(), count);
  }
  // Most pass, or the engine or the corpus is broken in some general way.
  if (filter == nullptr) EXPECT_GE(counts["passed"], static_cast<int>(corpus.fewest) * 9 / 10);
}

TEST(SelfChecking, Static) {
  runCorpus({"stablehlo-testdata/static", 1151}, ExecutionMode::kGraph);
}
TEST(SelfChecking, StaticEager) {
  runCorpus({"stablehlo-testdata/static", 1151}, ExecutionMode::kEager);
}
TEST(SelfChecking, Quantized) {
  runCorpus({"stablehlo-testdata/quantized", 60}, ExecutionMode::kGraph);
}
TEST(SelfChecking, Interpret) { runCorpus({"stablehlo-interpret", 50}, ExecutionMode::kGraph); }
TEST(SelfChecking, InterpretEager) {
  runCorpus({"stablehlo-interpret", 50}, ExecutionMode::kEager);
}

}  // namespace
}  // namespace vintage::tests
