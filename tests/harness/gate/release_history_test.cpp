// Releases judged each against the one before it, and the page about them.
#include "tests/harness/gate/release_builder.h"

namespace vintage::tests {
using namespace archive;
using namespace harness;

namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Key;
using testing::SizeIs;

TEST(ReleaseHistory, GoesByDayNotByVersion) {
  // 0.8.3 came after 0.9.0: it lacks everything that 0.9.0 added and exported.
  const Releases releases{
      full("0.8.2", "2025-12-18").emits("solve"),
      full("0.9.0", "2026-01-20").registers({"fresh"}).lists({"fresh"}).emits("fresh"),
      full("0.8.3", "2026-01-29").emits("solve")};
  const auto found = judged(releases, "emitted-target-removed");
  ASSERT_THAT(found, ElementsAre(Key("jax 0.9.0 -> jax 0.8.3")));
  EXPECT_EQ(found.begin()->second[0].instance, "fresh@cpu");
}

// 0.8.3 has the extension version of its series: the gate called it lower than 0.9.0's.
TEST(ReleaseHistory, AnOlderSeriesHasItsOwnExtensionVersion) {
  Releases releases{full("0.9.0", "2026-01-20").emits("solve"),
                    full("0.8.3", "2026-01-29").emits("solve")};
  releases[0].packages = {"0.9.0", "0.9.0", "0.9.0", 397};
  releases[1].packages = {"0.8.3", "0.8.3", "0.8.3", 391};
  EXPECT_THAT(judged(releases, "jax-jaxlib-pairing"), IsEmpty());
  releases[1].packages = {"0.9.1", "0.9.1", "0.9.1", 391};
  EXPECT_THAT(judged(releases, "jax-jaxlib-pairing"), SizeIs(1));
}

TEST(ReleaseHistory, PlatformsThatNobodyAskedAreNamed) {
  Releases releases = withRemovalOn("2025-08-24");
  for (RuntimeDescription& release : releases)
    release.emission.lowered.push_back({"cuda", kEmittedByDefault, 5, {}});
  ListedFacts archive;
  const auto result = judgeReleases(releases, archive, {});
  ASSERT_TRUE(result);
  EXPECT_THAT(result->unknownRegistries, ElementsAre("cuda"));
  EXPECT_THAT(releasesText(*result), HasSubstr("Not judged: whether runtimes for cuda"));
}

// A golden that some archive lacks is not the fault of a release, and a release that is unknown
// here may well exist.
TEST(ReleaseHistory, WhatTheArchiveLacksIsNoFindingAboutReleases) {
  Releases releases{full("2", "2025-02-24").emits("solve"), full("3", "2025-03-19").emits("solve")};
  releases[1].stableTargets.push_back({"added", {}});
  releases[1].packages = {"3", "3", "2.5", {}};
  ListedFacts archive;
  const auto result = judgeReleases(releases, archive, {});
  ASSERT_TRUE(result);
  EXPECT_THAT(result->steps[0].verdict.findings, IsEmpty());
}

TEST(ReleaseHistory, OneReleaseCannotBeCompared) {
  ListedFacts archive;
  const auto result = judgeReleases({full("1", "2025-01-17")}, archive, {});
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message,
              HasSubstr("facts of 1 release are known, and a comparison takes two"));
}

TEST(ReleaseHistory, ThePageSaysOnceWhatHoldsForSeveralTargets) {
  Releases releases = withRemovalOn("2025-04-17");
  for (RuntimeDescription* release : {&releases[0], &releases[1], &releases[2]})
    release->targets.push_back(ChangeBuilder::target("solve2"));
  for (RuntimeDescription* release : {&releases[0], &releases[1]})
    release->emission.calls.push_back(
        {"solve2", "cpu", kEmittedByDefault, {4, 1, {}}, {"solve"}, "case", false});
  ListedFacts archive;
  const auto result = judgeReleases(releases, archive, {});
  ASSERT_TRUE(result);
  const std::string page = releasesPage(*result, "vintage gate");
  EXPECT_THAT(page, HasSubstr("`solve2@cpu, solve@cpu` (2 targets)"));
  EXPECT_THAT(page, HasSubstr("Earliest legal day: 2025-08-24"));
  EXPECT_THAT(page, HasSubstr("computed only"));
  EXPECT_THAT(page, HasSubstr("of both: 1, 2, 3, 4. Others are not known."));
}

// 0.4.35 reads files of number 3 and writes 2: the gate said that it wrote files that 0.4.34 cannot
// read, and counted 0.4.34 twice. Since 0.8.2 no release rejects a file by the number alone.
TEST(ReleaseHistory, ANumberBreaksOnlyReadersThatRefuseIt) {
  Releases releases{full("2", "2025-02-24").emits("solve"), full("3", "2025-03-10").emits("solve")};
  releases[0].serialization = {2, 2, 2, {}, true, 2};
  releases[1].serialization = {2, 3, 3, {}, true, 2};
  EXPECT_THAT(judged(releases, "serialization-default-early"), IsEmpty());
  releases[1].serialization.number = 3;
  const auto found = judged(releases, "serialization-default-early");
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_THAT(found.begin()->second[0].consumers, ElementsAre("jax 2"));
  // 2025-02-24 + 22 days.
  EXPECT_EQ(found.begin()->second[0].legal->date, day("2025-03-18"));
  releases[0].serialization.refusesNewer = false;
  const auto accepted = judged(releases, "serialization-default-early");
  ASSERT_THAT(accepted, SizeIs(1));
  EXPECT_EQ(accepted.begin()->second[0].severity, GateResult::kNeedsReview);
  EXPECT_THAT(accepted.begin()->second[0].consumers, IsEmpty());
}

// A pair is judged by the same code as a step of the history.
TEST(ReleaseHistory, APairIsJudgedAlike) {
  const Releases releases = withRemovalOn("2025-08-23");
  ListedFacts archive;
  Change change;
  change.before = releases[1];
  change.after = releases[3];
  change.today = change.after.day();
  change.archive = &archive;
  const auto verdict = judge(change, {});
  ASSERT_TRUE(verdict);
  // That no golden calls solve_ffi is a finding of its own.
  ASSERT_THAT(verdict->findings, SizeIs(2));
  EXPECT_EQ(verdict->findings[0].rule, "emitted-target-removed");
  EXPECT_EQ(verdict->findings[0].instance, "solve@cpu");
  EXPECT_EQ(verdict->findings[1].rule, "listed-without-golden");
}

}  // namespace
}  // namespace vintage::tests
