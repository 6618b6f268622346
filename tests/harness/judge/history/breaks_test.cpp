// Which failures are one break, and what is said of it.

#include <gmock/gmock.h>

#include "harness/judge/history/history.h"

namespace vintage::tests::history {
using namespace archive;
using namespace harness;

namespace {

using testing::ElementsAre;

ArtifactRecord artifact(const std::string& name, const std::string& primitive, int64_t bytes,
                        std::vector<std::string> targets = {}) {
  ArtifactRecord record;
  record.name = name;
  record.primitive = primitive;
  record.bytes = bytes;
  record.customCallTargets = std::move(targets);
  return record;
}

OutcomeRecord failed(OutcomeKind kind, const std::string& detail) {
  OutcomeRecord outcome;
  outcome.build = "jax-0.6.0";
  outcome.outcome = kind;
  outcome.stage = Stage::kCompile;
  outcome.detail = detail;
  return outcome;
}

TEST(HistoryBreaks, AMessageIsTheSameWhateverNamesAndNumbersStandInIt) {
  EXPECT_EQ(signatureOf("no field 'a' at 12"), signatureOf("no field 'longer' at 7"));
  EXPECT_EQ(signatureOf("shape f32[3,40]"), signatureOf("shape f64[12,4]"));
  EXPECT_NE(signatureOf("no field 'a'"), signatureOf("no method 'a'"));
  EXPECT_EQ(signatureOf("it's 3"), "it's #");  // A quote that nothing closes is a letter.
}

// 0.6.0 removed potrf and geev, and the pages listed eight breaks: one for each type.
TEST(HistoryBreaks, ARoutineThatIsGoneIsOneBreakForAllItsTypes) {
  EXPECT_EQ(signatureOf("no lapack_spotrf for Host"), signatureOf("no lapack_zpotrf for Host"));
  EXPECT_EQ(signatureOf("no blas_ctrsm"), signatureOf("no blas_dtrsm"));
  EXPECT_NE(signatureOf("no lapack_spotrf"), signatureOf("no lapack_sgeev"));
}

TEST(HistoryBreaks, OneMessageIsOneBreakWithItsSmallestArtifact) {
  BreakCollector collector;
  collector.add(artifact("large", "add", 900), failed(OutcomeKind::kError, "no 'x'\nmore"), 0, 2,
                false, 90, Promise::kBackward);
  collector.add(artifact("small", "sub", 300), failed(OutcomeKind::kError, "no 'yy'\nmore"), 1, 2,
                false, -12, Promise::kForward);
  const auto breaks = collector.take();
  ASSERT_EQ(breaks.size(), 1u);
  const Break& found = breaks.front();
  EXPECT_EQ(found.pairs, 2);
  EXPECT_EQ(found.smallest.name, "small");
  EXPECT_EQ(found.message, "no 'yy'");
  EXPECT_EQ(found.smallestProducer, 1u);
  EXPECT_THAT(found.primitives, ElementsAre("add", "sub"));
  EXPECT_THAT(found.producers, ElementsAre(0, 1));
  EXPECT_THAT(found.consumers, ElementsAre(2));
  EXPECT_EQ(found.leastDays, -12);
  EXPECT_EQ(found.mostDays, 90);
  EXPECT_EQ(found.promises.at("backward"), 1);
  EXPECT_EQ(found.promises.at("forward"), 1);
}

TEST(HistoryBreaks, OtherValuesAreABreakOfEachPrimitiveAndWideOnesComeFirst) {
  BreakCollector collector;
  const auto add = [&](const char* primitive) {
    collector.add(artifact("a", primitive, 1), failed(OutcomeKind::kMismatch, "output 0[1]: 3"), 0,
                  1, false, 5, Promise::kBackward);
  };
  for (const char* primitive : {"log1p", "acos", "acos"}) add(primitive);
  const auto breaks = collector.take();
  ASSERT_EQ(breaks.size(), 2u);
  EXPECT_THAT(breaks[0].primitives, ElementsAre("acos"));
  EXPECT_THAT(breaks[1].primitives, ElementsAre("log1p"));
}

TEST(HistoryBreaks, WarmAndFreshAreTwoBreaksAndTheKnownCrashNamesItsIssue) {
  BreakCollector collector;
  for (const bool fresh : {false, true})
    collector.add(artifact("c", "cholesky", 1, {"lapack_spotrf_ffi"}),
                  failed(OutcomeKind::kCrash, "was killed by signal 11"), 0, 1, fresh, 5,
                  Promise::kBackward);
  const auto breaks = collector.take();
  ASSERT_EQ(breaks.size(), 2u);
  for (const Break& found : breaks)
    EXPECT_EQ(found.issue.empty(), found.condition == "warm") << found.condition;
}

TEST(HistoryReach, AllPassesUpToTheFirstDayOnWhichSomethingFails) {
  Reach reach;
  EXPECT_FALSE(reach.allPass());
  reach.days = {{10, {3, 0}}, {50, {2, 0}}, {90, {1, 1}}, {200, {4, 0}}, {300, {0, 2}}};
  EXPECT_EQ(reach.allPass(), 50);
  EXPECT_EQ(reach.longestPass(), 200);
  reach.days[1] = {0, 1};
  EXPECT_FALSE(reach.allPass());
}

}  // namespace
}  // namespace vintage::tests::history
