// NEW measured beside OLD, as the gate's findings.
#include "tests/harness/gate/change_builder.h"

namespace vintage::tests {
using namespace archive;
using namespace harness;

namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

struct SpeedRules : testing::Test {
  ChangeBuilder builder{"2026-07-31"};

  void measured(Quantity quantity, double times, SpeedPromise promise = {}) {
    MeasuredArtifact artifact;
    artifact.artifact = artifact.name = "loop";
    artifact.platform = "cpu";
    artifact.mode = "graph";
    artifact.quantities = {{quantity, 1, times, {times * 0.99, times, times * 1.01, 12}}};
    SpeedReport report;
    report.promise = promise;
    BuildComparison& comparison = report.comparisons.emplace_back();
    comparison.before = "old";
    comparison.after = "new";
    comparison.artifacts = {artifact};
    builder.change.speed = JudgedSpeed(report);
  }
};

TEST_F(SpeedRules, SlowerIsReviewed) {
  measured(Quantity::kRun, 1.6);
  EXPECT_THAT(builder.findings("larger-than-before"), IsEmpty());
  const auto found = builder.findings("slower-than-before");
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].severity, GateResult::kNeedsReview);
  EXPECT_EQ(found[0].instance, "run of loop (cpu, graph)");
  EXPECT_THAT(found[0].message, HasSubstr("It is slower on 'new' than on 'old': 1.6 times"));
}

TEST_F(SpeedRules, LargerIsReviewed) {
  measured(Quantity::kMemory, 1.6);
  EXPECT_THAT(builder.findings("slower-than-before"), IsEmpty());
  const auto found = builder.findings("larger-than-before");
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].severity, GateResult::kNeedsReview);
}

TEST_F(SpeedRules, BelowWhatIsWatched) {
  measured(Quantity::kRun, 1.4);
  EXPECT_EQ(builder.verdict().result, GateResult::kAllowed);
}

TEST_F(SpeedRules, APolicyForbidsIt) {
  SpeedPromise promise;
  promise.run = 2;
  measured(Quantity::kRun, 1.6, promise);
  EXPECT_EQ(builder.verdict().result, GateResult::kNeedsReview);
  measured(Quantity::kRun, 2.6, promise);
  EXPECT_EQ(builder.verdict().result, GateResult::kForbidden);
  // The ratio is not known to lie on one side of the bound.
  measured(Quantity::kRun, 2, promise);
  EXPECT_EQ(builder.verdict().result, GateResult::kNeedsReview);
  EXPECT_THAT(builder.findings("slower-than-before"),
              testing::Contains(
                  testing::Field(&Finding::message, HasSubstr("reach over the policy's bound"))));
}

// A measurement that ended early looked like a build that is as fast as before.
TEST_F(SpeedRules, AMeasurementThatEndedEarlyIsReviewed) {
  measured(Quantity::kRun, 1);
  SpeedReport report = builder.change.speed->report;
  report.comparisons[0].problem = "new does not start";
  builder.change.speed = JudgedSpeed(report);
  EXPECT_EQ(builder.verdict().result, GateResult::kNeedsReview);
}

TEST_F(SpeedRules, ADeclaredFindingIsWaived) {
  measured(Quantity::kRun, 3);
  SpeedReport report = builder.change.speed->report;
  report.comparisons[0].artifacts[0].declared = {{FailureClass::kSlower, "slow-loops", "known"}};
  builder.change.speed = JudgedSpeed(report);
  const GateVerdict verdict = builder.verdict();
  EXPECT_EQ(verdict.result, GateResult::kAllowed);
  ASSERT_THAT(verdict.findings, SizeIs(1));
  EXPECT_EQ(verdict.findings[0].waiver, "limitation slow-loops: known");
}

}  // namespace
}  // namespace vintage::tests
