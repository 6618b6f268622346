// What holds of every case: its id, its inputs, its expected outputs, its text.
#include <chrono>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "golden/program/program.h"
#include "primitives/case.h"
#include "primitives/inputs.h"

namespace vintage {
namespace {

constexpr std::string_view kIdentifierCharacters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.,=[]-";

TEST(Catalogue, IdentifiersAreUniqueSortedAndReadable) {
  std::string previous;
  for (const Case& entry : catalogue()) {
    EXPECT_LT(previous, entry.id);
    EXPECT_EQ(entry.id.find_first_not_of(kIdentifierCharacters), std::string::npos) << entry.id;
    EXPECT_TRUE(entry.id.starts_with(entry.primitive)) << entry.id;
    EXPECT_EQ(entry.seed, hashOf(entry.id)) << entry.id;
    previous = entry.id;
  }
}

TEST(Catalogue, InputsAreDeterministicAndFitTheArguments) {
  for (const Case& entry : catalogue()) {
    const std::vector<Tensor> inputs = entry.makeInputs(), again = entry.makeInputs();
    ASSERT_EQ(inputs.size(), entry.arguments.size()) << entry.id;
    for (size_t i = 0; i < inputs.size(); ++i) {
      EXPECT_EQ(describe(inputs[i]), describe(entry.arguments[i].type, entry.arguments[i].shape))
          << entry.id;
      EXPECT_TRUE(inputs[i].identical(again[i])) << entry.id;
    }
  }
}

TEST(Catalogue, ExpectedOutputsHaveTheLoweredTypesAndAreSmall) {
  for (const Case& entry : catalogue()) {
    const std::vector<Tensor> inputs = entry.makeInputs();
    const Result<std::vector<Tensor>> expected = entry.expected(inputs);
    ASSERT_TRUE(expected) << entry.id << ": " << expected.error().message;
    size_t bytes = 0;
    for (const Tensor& tensor : inputs) bytes += tensor.bytes().size();
    for (const Tensor& tensor : *expected) bytes += tensor.bytes().size();
    EXPECT_LE(bytes, size_t{128} << 10) << entry.id;
    for (const std::string& platform : entry.platforms) {
      const Result<LoweredCase> lowered = entry.lower(platform);
      ASSERT_TRUE(lowered) << entry.id << ": " << lowered.error().message;
      ASSERT_EQ(lowered->outputs.size(), expected->size()) << entry.id;
      for (size_t i = 0; i < expected->size(); ++i) {
        EXPECT_EQ(describe((*expected)[i]),
                  describe(lowered->outputs[i].type, lowered->outputs[i].shape))
            << entry.id << " on " << platform;
      }
      EXPECT_EQ(lowered->text, entry.lower(platform)->text) << entry.id;
    }
    EXPECT_TRUE(entry.comparators.size() == 1 || entry.comparators.size() == expected->size())
        << entry.id;
    EXPECT_FALSE(entry.oracle.empty()) << entry.id;
  }
}

TEST(Catalogue, AnUnknownPlatformIsRefused) {
  const Result<LoweredCase> lowered = catalogue().front().lower("abacus");
  ASSERT_FALSE(lowered);
  EXPECT_EQ(lowered.error().kind, Error::Kind::kUnsupported);
  EXPECT_THAT(lowered.error().message, testing::HasSubstr("abacus"));
}

TEST(Catalogue, EveryLoweringParsesAndVerifies) {
  ProgramContext context;
  int count = 0;
  std::set<std::string> failed;  // One message for each primitive is enough.
  for (const Case& entry : catalogue()) {
    if (failed.contains(entry.primitive)) continue;
    std::set<std::string> texts;
    for (const std::string& platform : entry.platforms) {
      const Result<LoweredCase> lowered = entry.lower(platform);
      ASSERT_TRUE(lowered) << entry.id << ": " << lowered.error().message;
      if (!texts.insert(lowered->text).second) continue;
      if (++count % 2000 == 0) context = ProgramContext();
      const Result<Program> program = context.parseText(lowered->text, "<case " + entry.id + ">");
      EXPECT_TRUE(program) << program.error().message << "\n" << lowered->text;
      if (!program) failed.insert(entry.primitive);
    }
  }
}

}  // namespace
}  // namespace vintage
