#include "golden/compare/corpus_comparators.h"

#include <filesystem>
#include <fstream>
#include <iterator>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "golden/tensor/npy.h"
#include "golden/tensor/visit.h"
#include "tests/rooms.h"

namespace vintage::tests {
namespace {

const std::filesystem::path kCorpus = VINTAGE_SHARED "/corpus/jax-backcompat";

std::vector<Tensor> arrays(const std::filesystem::path& folder, std::string_view prefix) {
  std::vector<Tensor> tensors;
  while (true) {
    const auto path = folder / fmt::format("{}_{}.npy", prefix, tensors.size());
    std::ifstream file(path, std::ios::binary);
    if (!file) return tensors;
    const std::vector<char> chars{std::istreambuf_iterator<char>(file), {}};
    const auto tensor = readNpy(std::as_bytes(std::span(chars)), path.string());
    EXPECT_TRUE(tensor) << tensor.error().message;
    if (!tensor) return tensors;
    tensors.push_back(*tensor);
  }
}

Comparison compareAll(const std::vector<Comparator>& comparators,
                      const std::vector<Tensor>& inputs, const std::vector<Tensor>& expected,
                      const std::vector<Tensor>& actual) {
  if (comparators.size() == 1 && expected.size() != 1)
    return compareOutputs(comparators[0], inputs, expected, actual);
  Comparison worst;
  worst.same = true;
  for (size_t i = 0; i < comparators.size(); ++i) {
    const Comparison one =
        compareOutputs(comparators[i], inputs, {&expected[i], 1}, {&actual[i], 1});
    if (!one.same) worst = one;
  }
  return worst;
}

// Each kept answer is its own answer, and no longer is when a number in it is
// clearly another one.
TEST(CorpusComparators, AcceptWhatJaxKeptAndRejectDamage) {
  if (!std::filesystem::exists(kCorpus)) GTEST_SKIP() << "no corpus";
  int count = 0, damaged = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kCorpus)) {
    SCOPED_TRACE(entry.path().filename());
    const nlohmann::json meta = nlohmann::json::parse(std::ifstream(entry.path() / "meta.json"));
    if (meta.value("kind", "") == "exported") continue;
    const auto targets = meta.value("custom_call_targets", std::vector<std::string>());
    const std::vector<Tensor> inputs = arrays(entry.path(), "input");
    const std::vector<Tensor> expected = arrays(entry.path(), "expected");
    ASSERT_FALSE(expected.empty());
    const auto comparators = comparatorsForTargets(targets, expected);
    ASSERT_TRUE(comparators) << comparators.error().message;
    const Comparison same = compareAll(*comparators, inputs, expected, expected);
    EXPECT_TRUE(same.same) << same.firstDifference;
    ++count;
    for (size_t output = 0; output < expected.size(); ++output) {
      std::vector<Tensor> actual = expected;
      visitElementType(expected[output].type(), [&]<typename T>() {
        if constexpr (!kIsPredicateStorage<T>)
          for (T& value : actual[output].mutableValues<T>()) value = T(value + value + T(1));
      });
      EXPECT_FALSE(compareAll(*comparators, inputs, expected, actual).same) << output;
      ++damaged;
    }
  }
  EXPECT_GT(count, 90);
  EXPECT_GT(damaged, count);
}

// The comparators look at the input matrix where the program has one.
TEST(CorpusComparators, SingularVectorsMayChangeTheirSigns) {
  const auto folder = kCorpus / "cpu_svd_lapack_gesdd.data_2024_08_13.f32";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no corpus";
  const std::vector<Tensor> inputs = arrays(folder, "input"), expected = arrays(folder, "expected");
  const std::vector<std::string> targets = {"lapack_sgesdd_ffi"};
  const auto comparators = comparatorsForTargets(targets, expected);
  std::vector<Tensor> actual = expected;
  // Column 1 of u and row 1 of vh, in both batches.
  for (size_t batch = 0; batch < 2; ++batch)
    for (size_t i = 0; i < 4; ++i) {
      actual[0].mutableValues<float>()[batch * 16 + i * 4 + 1] *= -1;
      actual[2].mutableValues<float>()[batch * 16 + 4 + i] *= -1;
    }
  const Comparison comparison = compareAll(*comparators, inputs, expected, actual);
  EXPECT_TRUE(comparison.same) << comparison.firstDifference;
  for (size_t i = 0; i < 4; ++i) actual[2].mutableValues<float>()[4 + i] *= -1;
  EXPECT_FALSE(compareAll(*comparators, inputs, expected, actual).same);
}

TEST(CorpusComparators, AFactorizationWithOtherOutputsIsAnError) {
  const Tensor outputs[] = {Tensor(ElementType::kF32, {3})};
  const std::vector<std::string> targets = {"lapack_sgetrf_ffi"};
  const auto comparators = comparatorsForTargets(targets, outputs);
  ASSERT_FALSE(comparators);
  EXPECT_THAT(comparators.error().message, testing::HasSubstr("lapack_sgetrf_ffi"));
}

}  // namespace
}  // namespace vintage::tests
