#include "golden/compare/seeded_inputs.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "golden/compare/golden.h"
#include "golden/tensor/float_formats.h"

namespace vintage::tests {
using namespace golden;

namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// The first outputs of Vigna's splitmix64.c that is started with 1234567; the producers' test in
// tests/harness/runtimes/python/test_seeded_inputs.py has the same numbers.
constexpr uint64_t kSeed = 1234567;
constexpr uint64_t kOutputs[] = {6457827717110365317u, 3203168211198807973u, 9817491932198370423u,
                                 4593380528125082431u, 16408922859458223821u};

TEST(SeededInputs, AreThePublishedGeneratorsUpperBits) {
  const auto tensor = seededTensor({kSeed, 0, INT32_MAX, 0}, ElementType::kI64, {5});
  ASSERT_TRUE(tensor) << tensor.error().message;
  for (size_t i = 0; i < 5; ++i)
    EXPECT_EQ(tensor->values<int64_t>()[i], static_cast<int64_t>((kOutputs[i] >> 32) % (1u << 31)));
}

TEST(SeededInputs, AreIntegersTimesAPowerOfTwo) {
  const auto floats = seededTensor({kSeed, -3, 4, -2}, ElementType::kF32, {5});
  ASSERT_TRUE(floats) << floats.error().message;
  const auto number = [](uint64_t output) {
    return static_cast<float>(static_cast<int64_t>((output >> 32) % 8) - 3) / 4;
  };
  EXPECT_THAT(floats->values<float>(),
              ElementsAre(number(kOutputs[0]), number(kOutputs[1]), number(kOutputs[2]),
                          number(kOutputs[3]), number(kOutputs[4])));
  const auto narrow = seededTensor({kSeed, -3, 4, -2}, ElementType::kBF16, {1, 5});
  ASSERT_TRUE(narrow) << narrow.error().message;
  for (size_t i = 0; i < 5; ++i)
    EXPECT_EQ(static_cast<float>(narrow->values<BFloat16>()[i]), number(kOutputs[i]));
}

TEST(SeededInputs, AreRefusedWhereTheTypeDoesNotHoldThemExactly) {
  const auto refusal = [](const SeededInput& input, ElementType type, Shape shape = {2}) {
    const auto tensor = seededTensor(input, type, std::move(shape));
    return tensor ? "nothing" : tensor.error().message;
  };
  EXPECT_EQ(refusal({1, -256, 256, -14}, ElementType::kBF16), "nothing");
  EXPECT_EQ(refusal({1, -2048, 2048, -14}, ElementType::kF16), "nothing");
  EXPECT_EQ(refusal({1, -128, 127, 0}, ElementType::kI8), "nothing");
  EXPECT_THAT(refusal({1, 0, 257, 0}, ElementType::kBF16), HasSubstr("not inside -256 to 256"));
  EXPECT_THAT(refusal({1, -1, 1, 0}, ElementType::kUi8), HasSubstr("not inside 0 to 255"));
  EXPECT_THAT(refusal({1, 2, 1, 0}, ElementType::kF32), HasSubstr("from 2 to 1"));
  EXPECT_THAT(refusal({1, 0, 1, -1}, ElementType::kI32), HasSubstr("exponent -1"));
  EXPECT_THAT(refusal({1, 0, 1, -15}, ElementType::kF64), HasSubstr("exponent -15"));
  EXPECT_THAT(refusal({1, 0, 1, 0}, ElementType::kC64), HasSubstr("no seed gives c64[2]"));
  EXPECT_THAT(refusal({1, 0, 1, 0}, ElementType::kF8E5M2), HasSubstr("no seed gives"));
  EXPECT_NE(refusal({1, 0, 1, 0}, ElementType::kF64, {1 << 23, 2}), "nothing");
  EXPECT_NE(refusal({1, 0, 1, 0}, ElementType::kF64, {-1}), "nothing");
}

Golden seededGolden() {
  Golden golden;
  golden.seeds = {SeededInput{7, -8, 8, 0}, std::nullopt, SeededInput{8, 0, 9, 0}};
  golden.inputs = {*seededTensor(*golden.seeds[0], ElementType::kF32, {100, 10}),
                   Tensor(ElementType::kF32, {3}),
                   *seededTensor(*golden.seeds[2], ElementType::kI32, {})};
  golden.expected = {Tensor(ElementType::kF32, {100})};
  golden.comparators = {Comparator{}};
  golden.oracle = "jax 0.12 on cpu";
  return golden;
}

TEST(SeededGolden, KeepsTheSeedAndGivesTheElements) {
  const Golden golden = seededGolden();
  const auto bytes = writeGolden(golden);
  ASSERT_TRUE(bytes) << bytes.error().message;
  EXPECT_EQ((*bytes)[8], std::byte{2});
  EXPECT_LT(bytes->size(), 1200u);  // The first input alone has 4,000 bytes.
  const auto read = readGolden(*bytes, "seeded");
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ(read->inputs.size(), 3u);
  for (size_t i = 0; i < 3; ++i) EXPECT_TRUE(read->inputs[i].identical(golden.inputs[i])) << i;
  EXPECT_TRUE(read->expected[0].identical(golden.expected[0]));
  EXPECT_EQ(*writeGolden(*read), *bytes);
}

TEST(SeededGolden, WithoutASeedIsOfTheOlderVersion) {
  Golden golden = seededGolden();
  golden.seeds = {std::nullopt, std::nullopt, std::nullopt};
  const auto bytes = writeGolden(golden);
  ASSERT_TRUE(bytes) << bytes.error().message;
  EXPECT_EQ((*bytes)[8], std::byte{1});
  golden.seeds.clear();
  EXPECT_EQ(*writeGolden(golden), *bytes);
}

TEST(SeededGolden, IsNotWrittenWhereItsElementsAreOthers) {
  Golden golden = seededGolden();
  golden.inputs[0].mutableValues<float>()[999] += 1;
  const auto bytes = writeGolden(golden);
  ASSERT_FALSE(bytes);
  EXPECT_THAT(bytes.error().message, HasSubstr("inputs 0 is not what its seed gives"));
  golden = seededGolden();
  golden.seeds.pop_back();
  EXPECT_FALSE(writeGolden(golden));
}

// A file of a few hundred bytes must not ask for a machine's memory.
TEST(SeededGolden, AsksForNoMoreThanTheLimit) {
  Golden golden;
  const SeededInput seed{1, 0, 1, 0};
  for (int i = 0; i < 2; ++i) {
    golden.seeds.emplace_back(seed);
    golden.inputs.push_back(*seededTensor(seed, ElementType::kI8, {(1 << 25) + i}));
  }
  golden.comparators = {Comparator{}};
  EXPECT_FALSE(writeGolden(golden));
}

TEST(SeededInputs, NameWhatIsWrongInTheirDescription) {
  const auto refusal = [](const char* text) {
    const auto input = seededInputOfJson(nlohmann::json::parse(text));
    return input ? "nothing" : input.error().message;
  };
  EXPECT_EQ(refusal(R"({"algorithm":"splitmix64","seed":18446744073709551615,"low":-1,"high":1})"),
            "nothing");
  EXPECT_THAT(refusal("[]"), HasSubstr("needs an algorithm"));
  EXPECT_THAT(refusal(R"({"algorithm":"pcg","seed":1,"low":0,"high":1})"), HasSubstr("'pcg'"));
  EXPECT_THAT(refusal(R"({"algorithm":"splitmix64","seed":-1,"low":0,"high":1})"),
              HasSubstr("'seed'"));
  EXPECT_THAT(refusal(R"({"algorithm":"splitmix64","seed":1,"low":0.5,"high":1})"),
              HasSubstr("'low'"));
  EXPECT_THAT(refusal(R"({"algorithm":"splitmix64","seed":1,"low":0})"), HasSubstr("'high'"));
  EXPECT_THAT(refusal(R"({"algorithm":"splitmix64","seed":1,"low":0,"high":18446744073709551615})"),
              HasSubstr("'high'"));
  EXPECT_THAT(refusal(R"({"algorithm":"splitmix64","seed":1,"low":0,"high":1,"exponent":-99})"),
              HasSubstr("-99"));
}

}  // namespace
}  // namespace vintage::tests
