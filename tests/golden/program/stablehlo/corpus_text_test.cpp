// Reads, verifies, prints and reads again all StableHLO text in ../shared/corpus. These programs
// are valid: an error is a bug of our verifiers.
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <memory>
#include <sstream>

#include <gtest/gtest.h>

#include "golden/program/program.h"
#include "tests/golden/base/texts.h"

namespace vintage::tests {
using namespace golden;

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> textsBelow(const std::string& folder) {
  std::vector<fs::path> paths;
  const fs::path root = fs::path(VINTAGE_SHARED) / "corpus" / folder;
  if (!fs::exists(root)) return paths;
  for (const auto& entry : fs::recursive_directory_iterator(root))
    if (entry.path().extension() == ".mlir") paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  return paths;
}

// The program without comments, empty lines and names of values, which differ between versions of
// MLIR.
std::string essence(const std::string& text) {
  std::string result, line;
  for (std::istringstream lines(text); std::getline(lines, line);) {
    if (line.starts_with("//")) continue;
    line.erase(line.find_last_not_of(" \r") + 1);
    bool inName = false;
    for (char c : line) {
      inName = c == '%' || (inName && (std::isalnum(static_cast<unsigned char>(c)) || c == '_'));
      if (!inName || c == '%') result += c;
    }
    if (!line.empty()) result += '\n';
  }
  return result;
}

struct Outcome {
  size_t files = 0, modules = 0, printedAsWritten = 0;
};

// Reads every module of every file, and prints it to a text that reads and prints the same, pretty
// and generic.
Outcome readAll(const std::vector<fs::path>& paths) {
  Outcome outcome;
  auto context = std::make_unique<ProgramContext>();
  Program::PrintOptions generic;
  generic.generic = true;
  for (const fs::path& path : paths) {
    if (++outcome.files % 200 == 0) context = std::make_unique<ProgramContext>();
    const std::string text = fileText(path);
    auto programs = context->parseSplitText(text, path.string());
    if (!programs) {
      ADD_FAILURE() << programs.error().message;
      continue;
    }
    std::string all;
    for (const Program& program : *programs) {
      ++outcome.modules;
      const std::string pretty = program.print(), plain = program.print(generic);
      all += pretty;
      auto again = context->parseText(pretty, path.string() + " printed");
      if (again)
        EXPECT_EQ(again->print(), pretty) << path;
      else
        ADD_FAILURE() << again.error().message;
      auto fromGeneric = context->parseText(plain, path.string() + " in generic form");
      if (fromGeneric)
        EXPECT_EQ(fromGeneric->print(generic), plain) << path;
      else
        ADD_FAILURE() << fromGeneric.error().message;
    }
    outcome.printedAsWritten += essence(all) == essence(text);
  }
  return outcome;
}

TEST(StablehloCorpus, ReadsAndPrintsUpstreamsTestdata) {
  const auto paths = textsBelow("stablehlo-testdata");
  if (paths.empty()) GTEST_SKIP() << "no corpus";
  const Outcome outcome = readAll(paths);
  EXPECT_EQ(outcome.files, paths.size());
  // The others are from before generic operations had <{…}>, or before dot_general and slice had a
  // pretty form.
  EXPECT_GE(outcome.printedAsWritten, 1325u);
}

TEST(StablehloCorpus, ReadsUpstreamsInterpreterTests) {
  const auto paths = textsBelow("stablehlo-interpret");
  if (paths.empty()) GTEST_SKIP() << "no corpus";
  EXPECT_GE(readAll(paths).modules, paths.size());
}

TEST(StablehloCorpus, ReadsTheTextsOfReleasedVersions) {
  const auto paths = textsBelow("vhlo-versions");
  if (paths.empty()) GTEST_SKIP() << "no corpus";
  EXPECT_EQ(readAll(paths).modules, paths.size());
}

TEST(StablehloCorpus, ReadsModulesOfJaxsCompatibilityTests) {
  std::vector<fs::path> paths = textsBelow("jax-backcompat");
  if (paths.empty()) GTEST_SKIP() << "no corpus";
  // Those of tf_call_tf_function hold two modules and prose between them.
  std::erase_if(paths, [](const fs::path& path) {
    return path.string().find("tf_call_tf_function") != std::string::npos;
  });
  EXPECT_EQ(readAll(paths).modules, paths.size());
}

}  // namespace
}  // namespace vintage::tests
