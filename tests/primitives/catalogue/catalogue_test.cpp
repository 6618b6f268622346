// Properties of every case: its id, its inputs, its expected outputs, its text.
#include <algorithm>
#include <chrono>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "golden/program/program.h"
#include "primitives/catalogue/case.h"
#include "primitives/catalogue/inputs.h"

namespace vintage::tests {
using namespace golden;
using namespace primitives;

namespace {

// The cases of the primitives with one initial: tests over the whole catalogue run
// beside each other.
class CasesByInitial : public testing::TestWithParam<char> {
 protected:
  static std::vector<const Case*> cases() {
    std::vector<const Case*> some;
    for (const Case& one : catalogue())
      if (one.primitive.front() == GetParam()) some.push_back(&one);
    return some;
  }
};
constexpr std::string_view kInitials = "abcdefghijlmnopqrstwxz";
INSTANTIATE_TEST_SUITE_P(, CasesByInitial, testing::ValuesIn(kInitials),
                         [](const auto& each) { return std::string(1, each.param); });

TEST(Catalogue, EveryInitialHasItsTests) {
  std::set<char> initials;
  for (const Case& one : catalogue()) initials.insert(one.primitive.front());
  EXPECT_EQ(std::string(initials.begin(), initials.end()), kInitials);
}

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

TEST_P(CasesByInitial, InputsAreDeterministicAndFitTheArguments) {
  for (const Case* one : cases()) {
    const Case& entry = *one;
    const std::vector<Tensor> inputs = entry.makeInputs(), again = entry.makeInputs();
    ASSERT_EQ(inputs.size(), entry.arguments.size()) << entry.id;
    for (size_t i = 0; i < inputs.size(); ++i) {
      EXPECT_EQ(describe(inputs[i]), describe(entry.arguments[i].type, entry.arguments[i].shape))
          << entry.id;
      EXPECT_TRUE(inputs[i].identical(again[i])) << entry.id;
    }
  }
}

TEST_P(CasesByInitial, ExpectedOutputsHaveTheLoweredTypesAndAreSmall) {
  for (const Case* one : cases()) {
    const Case& entry = *one;
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
      std::vector<TensorType> outputs = lowered->outputs;
      if (lowered->derivative) {
        const std::vector<TensorType>& cotangents = lowered->derivative->outputs;
        outputs.insert(outputs.end(), cotangents.begin(), cotangents.end());
      }
      ASSERT_EQ(outputs.size(), expected->size()) << entry.id;
      for (size_t i = 0; i < expected->size(); ++i) {
        EXPECT_EQ(describe((*expected)[i]), describe(outputs[i].type, outputs[i].shape))
            << entry.id << " on " << platform;
      }
      EXPECT_TRUE(lowered->module == entry.lower(platform)->module) << entry.id;
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

TEST_P(CasesByInitial, EveryLoweringVerifies) {
  ProgramContext context;
  int count = 0;
  std::set<std::string> failed;  // One message for each primitive is enough.
  for (const Case* one : cases()) {
    const Case& entry = *one;
    if (failed.contains(entry.primitive)) continue;
    std::vector<ModuleTree> seen;
    for (const std::string& platform : entry.platforms) {
      const Result<LoweredCase> lowered = entry.lower(platform);
      ASSERT_TRUE(lowered) << entry.id << ": " << lowered.error().message;
      if (std::ranges::find(seen, lowered->module) != seen.end()) continue;
      seen.push_back(lowered->module);
      if (++count % 2000 == 0) context = ProgramContext();
      const Result<Program> program = context.build(lowered->module, "<case " + entry.id + ">");
      EXPECT_TRUE(program) << program.error().message;
      if (!program) failed.insert(entry.primitive);
    }
  }
}

}  // namespace
}  // namespace vintage::tests
