#include "archive/records/speed_report.h"

#include <cmath>

#include <gmock/gmock.h>

namespace vintage::tests {
using namespace archive;

namespace {

Ratio known(double value) { return {value * 0.95, value, value * 1.05, 12}; }

MeasuredArtifact artifactOf(const std::string& name, double before, double after) {
  MeasuredArtifact artifact;
  artifact.name = name;
  artifact.artifact = ContentId(64, 'a');
  artifact.platform = "cpu";
  artifact.mode = "graph";
  artifact.quantities = {{Quantity::kRun, before, after, known(after / before)}};
  return artifact;
}

SpeedReport reportOf(std::vector<MeasuredArtifact> artifacts) {
  SpeedReport report;
  report.archiveArgument = "A";
  BuildComparison comparison;
  comparison.before = "jax-1";
  comparison.after = "jax-2";
  comparison.artifacts = std::move(artifacts);
  report.comparisons = {comparison};
  return report;
}

TEST(SizedName, IsTheFunctionWithItsSize) {
  const auto read = [](std::string_view name) {
    const auto [function, size] = sizedName(name);
    return std::pair(function, size.value_or(-1));
  };
  EXPECT_EQ(read("sized:row_sum_f32_n16385/cpu"),
            (std::pair<std::string, int64_t>("sized:row_sum_f32_n*/cpu", 16385)));
  EXPECT_EQ(read("loop_n2000"), (std::pair<std::string, int64_t>("loop_n*", 2000)));
  EXPECT_EQ(read("loop_n2000.exported"),
            (std::pair<std::string, int64_t>("loop_n*.exported", 2000)));
  EXPECT_EQ(read("add_nan"), (std::pair<std::string, int64_t>("add_nan", -1)));
  EXPECT_EQ(read("a_n4x"), (std::pair<std::string, int64_t>("a_n4x", -1)));
  EXPECT_EQ(read("_n"), (std::pair<std::string, int64_t>("_n", -1)));
}

TEST(SpeedReport, OneFunctionIsOneFinding) {
  std::vector<MeasuredArtifact> artifacts;
  for (const int n : {1000, 2000, 4000, 8000})
    artifacts.push_back(artifactOf("loop_n" + std::to_string(n), n * 1e-8, n * 1e-8 * n / 1000));
  artifacts.push_back(artifactOf("other", 1, 1));
  const auto findings = judgeSpeed(reportOf(artifacts)).findings;
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].kind, "slower");
  EXPECT_EQ(findings[0].function, "loop_n*");
  EXPECT_EQ(findings[0].smallest, "loop_n2000");
  EXPECT_EQ(findings[0].artifacts, 3);
  EXPECT_NEAR(findings[0].measured.ratio.value, 8, 1e-9);
  ASSERT_TRUE(findings[0].growth);
  EXPECT_NEAR(findings[0].growth->before, 1, 1e-9);
  EXPECT_NEAR(findings[0].growth->after, 2, 1e-9);
  EXPECT_TRUE(findings[0].growth->grew());
  EXPECT_FALSE(findings[0].breaks);
}

// The sizes of an archive are small: a loop that turned quadratic takes 1.4 times as long there,
// and thousands of times where it is used.
TEST(SpeedReport, AChangedExponentIsFoundBelowTheRatioThatIsWatched) {
  std::vector<MeasuredArtifact> artifacts;
  for (const int n : {1000, 2000, 4000})
    artifacts.push_back(
        artifactOf("loop_n" + std::to_string(n), n * 1e-8, n * 1e-8 * std::pow(n / 2400.0, 0.7)));
  const auto findings = judgeSpeed(reportOf(artifacts)).findings;
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].smallest, "loop_n4000");
  // A function that takes as much more at each size does not grow faster.
  for (MeasuredArtifact& artifact : artifacts) artifact.quantities[0].ratio = known(1.4);
  EXPECT_TRUE(judgeSpeed(reportOf(artifacts)).findings.empty());
}

TEST(SpeedReport, ImprovementsAreNoFindings) {
  const SpeedJudgement judgement = judgeSpeed(reportOf({artifactOf("f", 4, 1)}));
  EXPECT_TRUE(judgement.findings.empty());
  ASSERT_EQ(judgement.improvements.size(), 1u);
  EXPECT_EQ(judgement.improvements[0].kind, "faster");
  EXPECT_DOUBLE_EQ(judgement.improvements[0].measured.ratio.value, 4);
}

TEST(SpeedReport, TheVerdictIsOfThePromise) {
  SpeedReport report = reportOf({artifactOf("f", 1, 3), artifactOf("g", 1, 1)});
  EXPECT_EQ(judgeSpeed(report).verdict, std::nullopt);
  EXPECT_TRUE(judgeSpeed(report).reasons.empty());
  report.promise.run = 4;
  EXPECT_EQ(judgeSpeed(report).verdict, Verdict::kHolds);
  report.promise.run = 2;
  EXPECT_EQ(judgeSpeed(report).verdict, Verdict::kBroken);
  EXPECT_THAT(judgeSpeed(report).reasons,
              testing::ElementsAre(testing::HasSubstr("f: run slower by 3")));
  // Around the bound nothing is known.
  report.promise.run = 3;
  EXPECT_EQ(judgeSpeed(report).verdict, Verdict::kCannotTell);
  report.comparisons.clear();
  EXPECT_EQ(judgeSpeed(report).verdict, Verdict::kNothingRan);
}

Limitation slowerOnTwo(std::vector<std::string> artifacts) {
  Limitation limitation;
  limitation.id = "slow-loops";
  limitation.description = "fixed in jax-3";
  limitation.consumers = {"jax-2"};
  limitation.failureClass = FailureClass::kSlower;
  limitation.artifacts = std::move(artifacts);
  limitation.until = "2026-12-01";
  return limitation;
}

void declare(SpeedReport& report, const Limitation& limitation) {
  for (MeasuredArtifact& one : report.comparisons.front().artifacts) {
    ArtifactRecord record;
    record.name = one.name;
    record.producer = "jax 1";
    declareFindings({&limitation, 1}, record, "jax-2", report.today, one);
  }
}

// A policy had exceptions of its own, and an unnecessary one stayed unnoticed.
TEST(SpeedReport, ALimitationDeclaresAFindingUntilItEnds) {
  SpeedReport report = reportOf({artifactOf("f", 1, 3)});
  report.promise.run = 2;
  report.today = *parseDate("2026-12-01");
  declare(report, slowerOnTwo({"f@jax 1"}));
  const SpeedJudgement declared = judgeSpeed(report);
  EXPECT_EQ(declared.verdict, Verdict::kHolds);
  ASSERT_EQ(declared.findings.size(), 1u);
  EXPECT_EQ(declared.findings[0].limitation, "slow-loops");
  EXPECT_EQ(declared.findings[0].reason, "fixed in jax-3 (until 2026-12-01)");
  EXPECT_FALSE(declared.findings[0].breaks);
  report.today += std::chrono::days(1);
  declare(report, slowerOnTwo({"f@jax 1"}));
  EXPECT_EQ(judgeSpeed(report).verdict, Verdict::kBroken);
}

TEST(SpeedReport, ALimitationCoversAllSizesByTheFunctionAndNoOtherClass) {
  SpeedReport report = reportOf({artifactOf("f_n10", 1, 3), artifactOf("f_n20", 1, 3)});
  report.promise.run = 2;
  declare(report, slowerOnTwo({"f_n10@jax 1"}));
  EXPECT_EQ(judgeSpeed(report).verdict, Verdict::kBroken);  // One of both.
  declare(report, slowerOnTwo({"f_n*@jax 1"}));
  EXPECT_EQ(judgeSpeed(report).verdict, Verdict::kHolds);
  Limitation larger = slowerOnTwo({});
  larger.failureClass = FailureClass::kLarger;
  declare(report, larger);
  EXPECT_EQ(judgeSpeed(report).verdict, Verdict::kBroken);
}

TEST(SpeedReport, ALimitationOfWhatIsAsFastAsBeforeIsUnnecessary) {
  SpeedReport report = reportOf({artifactOf("f", 1, 1), artifactOf("g", 1, 3)});
  declare(report, slowerOnTwo({}));
  const SpeedJudgement judgement = judgeSpeed(report);
  ASSERT_EQ(judgement.unnecessary.size(), 1u);
  EXPECT_EQ(judgement.unnecessary[0].limitation, "slow-loops");
  EXPECT_EQ(judgement.unnecessary[0].function, "f");
  // Around the bound nothing is known.
  report = reportOf({artifactOf("f", 1, 1.5)});
  declare(report, slowerOnTwo({}));
  EXPECT_TRUE(judgeSpeed(report).unnecessary.empty());
}

}  // namespace
}  // namespace vintage::tests
