#include <gmock/gmock.h>

#include "archive/records/window_policy.h"
#include "reports/window_report.h"

namespace vintage::tests {
using namespace archive;
using namespace reports;

namespace {

using testing::HasSubstr;

TEST(WindowReportText, SaysWhatIsMissing) {
  WindowReport report;
  report.policy = "jax";
  report.parts = {0};
  PromiseReport promise;
  promise.rule = jaxPolicy().promises.front();
  promise.tally[Cell::kPass] = 2;
  promise.tally[Cell::kUntested] = 1;
  promise.missing["gone"] = {"/opt/gone is not there", 1};
  promise.places[{"cpu", "graph"}] = {.artifacts = 2, .covered = 2, .hasConsumer = true};
  report.promises = {promise};
  EXPECT_EQ(report.verdict(), Verdict::kCannotTell);
  EXPECT_THAT(windowText(report), HasSubstr("missing: gone (1 pair): /opt/gone is not there"));
  report.promises[0].tally[Cell::kFail] = 1;
  EXPECT_EQ(report.verdict(), Verdict::kBroken);
  report.promises[0] = {};
  EXPECT_EQ(report.verdict(), Verdict::kNothingRan);
}

// Two hundred artifacts that one missing target breaks were fifty lines, and "and 150 more".
TEST(WindowReportText, TellsACauseOnce) {
  WindowReport report;
  PromiseReport promise;
  promise.rule.name = "backward";
  promise.tally[Cell::kFail] = 4;
  for (const char* name : {"lu_a", "lu_b", "lu_c", "other"}) {
    ArtifactRecord artifact;
    artifact.name = name;
    Pair broken;
    broken.artifact = std::make_shared<const ArtifactRecord>(artifact);
    OutcomeRecord& outcome = broken.outcome;
    outcome.build = "jax-0.6.0";
    outcome.outcome = OutcomeKind::kError;
    outcome.stage = Stage::kCompile;
    outcome.detail = name == std::string("other") ? "no memory" : "no target lapack_sgetrf\nstack";
    broken.cell = Cell::kFail;
    broken.command = "explain " + artifact.name;
    promise.broken.push_back(broken);
  }
  std::swap(promise.broken.front(), promise.broken.back());
  report.promises.push_back(promise);
  const std::string text = windowText(report, 50);
  EXPECT_THAT(text, HasSubstr("    and 2 more of the same cause: lu_c, lu_a\n  broken: other"));
  EXPECT_THAT(text, HasSubstr("no target lapack_sgetrf … (--format json has all"));
  EXPECT_THAT(text, testing::Not(HasSubstr("broken: lu_c")));
  EXPECT_THAT(windowText(report, 1), HasSubstr("  and 1 more\n"));
}

// Missing platforms are counted over all shards of a window: a platform is not missing if its only
// covered artifact is in another shard.
TEST(WindowReportText, WhatIsMissingIsKnownWhenTheShardsAreTogether) {
  const auto part = [](int shard, int64_t covered) {
    WindowReport report;
    report.policy = "jax";
    report.shards = 2;
    report.parts = {shard};
    PromiseReport promise;
    promise.rule = jaxPolicy().promises.front();
    promise.tally[Cell::kPass] = covered;
    promise.places[{"cpu", "graph"}] = {.artifacts = 1, .covered = covered, .hasConsumer = true};
    report.promises = {promise};
    return report;
  };
  WindowReport whole = part(0, 0);
  EXPECT_EQ(whole.promises[0].notCovered().size(), 1u);
  ASSERT_TRUE(whole.add(part(1, 1)));
  EXPECT_TRUE(whole.promises[0].notCovered().empty());
  EXPECT_EQ(whole.verdict(), Verdict::kHolds);
  // Judged by another scope, it is another window.
  WindowReport scoped = part(1, 1);
  scoped.scope.platforms = {"cpu"};
  WindowReport first = part(0, 0);
  EXPECT_THAT(first.add(scoped).error().message, HasSubstr("the scope differs"));
}

}  // namespace
}  // namespace vintage::tests
