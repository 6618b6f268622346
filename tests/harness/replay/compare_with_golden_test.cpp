// Outputs beside their golden: its noise, and its second opinion.
#include <gmock/gmock.h>

#include "golden/compare/golden.h"
#include "harness/replay/replay.h"
#include "tests/golden/tensor/sample_tensors.h"

namespace vintage::tests {
using namespace golden;
using namespace archive;
using namespace harness;

namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

Golden goldenOf(Tensor expected) {
  Golden golden;
  golden.expected = {std::move(expected)};
  golden.comparators = {Comparator{}};
  return golden;
}

Judged judged(const Golden& golden, const Tensor& actual, const std::string& says = "jax 0.10.1") {
  BuildRecord build;
  build.name = "mine";
  build.details.said.emplace().name = says;
  return compareWithGolden(golden, {&actual, 1}, build);
}

TEST(CompareWithGolden, WhereRoundingsDecideEveryValueNothingIsSaid) {
  Golden golden = goldenOf(floats({2}, {1e-9F, -1e-9F}));
  golden.noise = Noise{{1}, {NoiseScale::of(std::vector<double>{1e-8, 1e-8}, {2})}};
  EXPECT_EQ(judged(golden, golden.expected[0]).outcome, OutcomeKind::kPass);
  EXPECT_EQ(judged(golden, floats({2}, {1e-9F, 1e-9F})).outcome, OutcomeKind::kPass);
  const Judged none = judged(golden, floats({2}, {-1e-9F, 1e-9F}));
  EXPECT_EQ(none.outcome, OutcomeKind::kNotComparable);
  EXPECT_THAT(none.detail, StartsWith("2 of 2 elements are not comparable: output 0[0]: "));
  EXPECT_EQ(judged(golden, floats({2}, {1, 1e-9F})).outcome, OutcomeKind::kMismatch);
}

// A release recorded a wrong last row, and each sound release failed its artifact.
TEST(CompareWithGolden, ASecondOpinionClearsWhoAgreesWithIt) {
  Golden golden = goldenOf(floats({3}, {2, 4, 7}));
  golden.second = {"vintage-engine 2026-11-26", {floats({3}, {2, 4, 6})}};
  const Judged innocent = judged(golden, floats({3}, {2, 4, 6}));
  EXPECT_EQ(innocent.outcome, OutcomeKind::kNotComparable);
  EXPECT_THAT(
      innocent.detail,
      AllOf(StartsWith("golden in doubt: vintage-engine 2026-11-26 gives these values too: "),
            HasSubstr("output 0[2]: expected 7, found 6")));
  const Judged wrong = judged(golden, floats({3}, {2, 5, 6}));
  EXPECT_EQ(wrong.outcome, OutcomeKind::kMismatch);
  EXPECT_THAT(wrong.detail, HasSubstr("output 0[1]: expected 4, found 5"));
  const Judged same = judged(golden, floats({3}, {2, 4, 7}));
  EXPECT_EQ(same.outcome, OutcomeKind::kPass);
  EXPECT_THAT(same.detail,
              StartsWith("golden in doubt: vintage-engine 2026-11-26 gives other values: "));
}

TEST(CompareWithGolden, NobodyIsClearedByItsOwnOpinion) {
  Golden golden = goldenOf(floats({1}, {2}));
  golden.second = {"vintage-engine 2026-11-26", {floats({1}, {3})}};
  EXPECT_EQ(judged(golden, floats({1}, {3}), "vintage-engine 2026-12-01").outcome,
            OutcomeKind::kMismatch);
}

TEST(CompareWithGolden, AnotherNumberOfOutputsIsAMismatch) {
  const Golden golden = goldenOf(floats({1}, {2}));
  const Judged none = compareWithGolden(golden, {});
  EXPECT_EQ(none.outcome, OutcomeKind::kMismatch);
  EXPECT_EQ(none.detail, "0 outputs came out, 1 are expected");
}

}  // namespace
}  // namespace vintage::tests
