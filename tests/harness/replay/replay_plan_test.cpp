#include "harness/replay/plan.h"

#include <gmock/gmock.h>

namespace vintage::tests {
using namespace archive;
using namespace harness;

namespace {

using testing::HasSubstr;

BuildRecord cpuBuild() {
  BuildRecord build;
  build.name = "engine";
  build.platforms = {"cpu"};
  build.modes = {"graph"};
  build.buildDate = *parseDate("2026-05-01");
  return build;
}

ArtifactRecord artifact(std::string name, std::vector<std::string> platforms = {"cpu"}) {
  ArtifactRecord record;
  record.name = std::move(name);
  record.id = "id of " + record.name;
  record.golden = "golden of " + record.name;
  record.primitive = "add";
  record.dtypes = {"f32"};
  record.platforms = std::move(platforms);
  return record;
}

ReplayPlan planOf(std::span<const ArtifactRecord> records, const BuildRecord& build,
                  const ReplayChoice& choice) {
  return planReplay(shareRecords({records.begin(), records.end()}), build, choice);
}

TEST(ReplayPlan, RunsWhatTheBuildCanRun) {
  const ArtifactRecord records[] = {artifact("a"), artifact("b", {"tpu", "cpu"}),
                                    artifact("c", {"cuda"})};
  const ReplayPlan plan = planOf(records, cpuBuild(), {});
  ASSERT_EQ(plan.jobs.size(), 2u);
  EXPECT_EQ(plan.jobs[1].platform, "cpu");
  ASSERT_EQ(plan.skipped.size(), 1u);
  EXPECT_EQ(plan.skipped[0].artifact->name, "c");
  EXPECT_THAT(plan.skipped[0].outcome.detail, HasSubstr("lowered for cuda; the build runs cpu"));
}

TEST(ReplayPlan, WhatCannotBeJudgedIsSkippedWithItsReason) {
  ArtifactRecord wrapper = artifact("wrapper"), bare = artifact("bare");
  wrapper.format = ArtifactRecord::Format::kSavedModel;
  bare.golden.clear();
  const ArtifactRecord records[] = {wrapper, bare};
  const ReplayPlan plan = planOf(records, cpuBuild(), {});
  EXPECT_TRUE(plan.jobs.empty());
  ASSERT_EQ(plan.skipped.size(), 2u);
  EXPECT_THAT(plan.skipped[0].outcome.detail,
              HasSubstr("a saved model is not a format of the build"));
  EXPECT_THAT(plan.skipped[1].outcome.detail, HasSubstr("no golden"));
}

TEST(ReplayPlan, ASavedModelRunsOnABuildThatSaysItReadsOne) {
  ArtifactRecord model = artifact("model");
  model.format = ArtifactRecord::Format::kSavedModel;
  const ArtifactRecord records[] = {model, artifact("exported")};
  BuildRecord build = cpuBuild();
  build.details.formats = {"saved model"};
  ReplayChoice choice;
  choice.mode = "compiled";
  for (const char* mode : {"compiled", "graph", "eager"}) {
    choice.mode = mode;
    EXPECT_EQ(planOf(records, build, choice).jobs.front().records.front()->name, "model") << mode;
  }
  choice.mode = "compile-only";
  const ReplayPlan compiled = planOf({records, 1}, build, choice);
  EXPECT_TRUE(compiled.jobs.empty());
  ASSERT_EQ(compiled.skipped.size(), 1u);
  EXPECT_THAT(compiled.skipped[0].outcome.detail, HasSubstr("no mode compile-only"));
}

TEST(ReplayPlan, TheSameBytesOfManyNightsRunOnce) {
  std::vector<ArtifactRecord> records;
  for (int night = 0; night < 30; ++night) {
    records.push_back(artifact("same"));
    records.back().producer = "night " + std::to_string(night);
  }
  records.push_back(artifact("same"));
  records.back().golden = "another golden";
  const ReplayPlan plan = planOf(records, cpuBuild(), {});
  ASSERT_EQ(plan.jobs.size(), 2u);
  ASSERT_EQ(plan.jobs[0].records.size(), 30u);
  ASSERT_EQ(plan.jobs[1].records.size(), 1u);
  EXPECT_EQ(plan.jobs[0].records[29]->producer, "night 29");
  EXPECT_EQ(plan.jobs[1].records[0]->golden, "another golden");
}

TEST(ReplayPlan, LimitationsAreNamedAndOnlySkipWhereTheySaySo) {
  Limitation expected;
  expected.id = "add-f32";
  expected.primitive = "add";
  expected.since = "2026-01-01";
  expected.description = "it overflows";
  Limitation other = expected;
  other.id = "sub";
  other.primitive = "sub";
  ReplayChoice choice;
  choice.today = *parseDate("2026-05-01");
  const ArtifactRecord records[] = {artifact("a")};

  std::vector<Limitation> limitations{other, expected};
  choice.limitations = limitations;
  ReplayPlan plan = planOf(records, cpuBuild(), choice);
  ASSERT_EQ(plan.jobs.size(), 1u);
  EXPECT_EQ(plan.jobs[0].limitation, "add-f32");
  EXPECT_EQ(plan.matchedLimitations, std::vector<std::string>{"add-f32"});

  // The first of several limitations is named, as in the list.
  std::vector<Limitation> both{expected, expected};
  both[1].id = "add-of-everything";
  choice.limitations = both;
  EXPECT_EQ(planOf(records, cpuBuild(), choice).jobs[0].limitation, "add-f32");

  limitations[1].skipRun = true;
  choice.limitations = limitations;
  plan = planOf(records, cpuBuild(), choice);
  EXPECT_TRUE(plan.jobs.empty());
  ASSERT_EQ(plan.skipped.size(), 1u);
  EXPECT_THAT(plan.skipped[0].outcome.detail, HasSubstr("limitation add-f32: it overflows"));
  EXPECT_TRUE(isDeclared(plan.skipped[0]));
}

TEST(ReplayPlan, TheScopeLeavesOutAndCounts) {
  ArtifactRecord bare = artifact("bare");
  bare.golden.clear();
  const ArtifactRecord records[] = {artifact("a"), artifact("b", {"tpu", "cpu"}),
                                    artifact("c", {"cuda"}), bare};
  ReplayChoice choice;
  choice.scope.platforms = {"cpu"};
  ReplayPlan plan = planOf(records, cpuBuild(), choice);
  EXPECT_EQ(plan.jobs.size(), 2u);
  ASSERT_EQ(plan.skipped.size(), 1u);
  EXPECT_FALSE(isDeclared(plan.skipped[0]));
  EXPECT_EQ(plan.outOfScope, (std::map<std::string, int64_t>{{"cuda", 1}}));
  choice.scope.goldenOnly = true;
  plan = planOf(records, cpuBuild(), choice);
  EXPECT_TRUE(plan.skipped.empty());
  EXPECT_EQ(plan.outOfScope,
            (std::map<std::string, int64_t>{{"cuda", 1}, {"without a golden", 1}}));
}

TEST(ReplayPlan, EmulationRunsForOtherPlatformsUnderANameThatIsNoPlatforms) {
  const ArtifactRecord records[] = {artifact("a"), artifact("b", {"cuda", "cpu"}),
                                    artifact("c", {"cuda"})};
  ReplayChoice choice;
  choice.emulate = true;
  const ReplayPlan plan = planOf(records, cpuBuild(), choice);
  ASSERT_EQ(plan.jobs.size(), 3u);
  EXPECT_FALSE(plan.jobs[0].emulated);
  EXPECT_FALSE(plan.jobs[1].emulated);
  EXPECT_EQ(plan.jobs[1].platform, "cpu");
  EXPECT_TRUE(plan.jobs[2].emulated);
  EXPECT_EQ(plan.jobs[2].platform, "cuda");
  EXPECT_EQ(recordedPlatform("cuda", true), "cuda (emulated)");
  EXPECT_EQ(recordedPlatform("cuda", false), "cuda");
}

TEST(ReplayPlan, ALimitationOfAPlatformExcusesNoEmulationOfIt) {
  const ArtifactRecord records[] = {artifact("c", {"cuda"})};
  Limitation limitation;
  limitation.id = "add-cuda";
  limitation.primitive = "add";
  limitation.platforms = {"cuda"};
  limitation.since = "2026-01-01";
  ReplayChoice choice;
  choice.emulate = true;
  choice.today = *parseDate("2026-05-01");
  choice.limitations = {&limitation, 1};
  const ReplayPlan plan = planOf(records, cpuBuild(), choice);
  ASSERT_EQ(plan.jobs.size(), 1u);
  EXPECT_EQ(plan.jobs[0].limitation, "");
}

}  // namespace
}  // namespace vintage::tests
