// Rules about removed custom-call targets: a change that breaks each on its last illegal day, and
// the same change one day later.
//
// OLD is of 2026-01-10 (change_builder.h). 180 days after it is 2026-07-09, so
// 2026-07-10 is the first day without it: 2026-01-10 + 181 days.
#include "tests/harness/gate/change_builder.h"

namespace vintage::tests {
using namespace archive;
using namespace harness;

namespace {

using std::chrono::days;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

// ---- target-removed-in-use

// 2026-02-01 + 180 days = 2026-07-31 is inside; + 181 = 2026-08-01 is not.
struct RemovedInUse : testing::Test {
  ChangeBuilder builder{"2026-07-31"};
  RemovedInUse() {
    builder.facts.add("old call", "2025-01-03", {"solve"});
    builder.facts.add("newest call", "2026-02-01", {"solve"});
    builder.facts.add("another target", "2026-05-01", {"other"});
    builder.change.after.targets.clear();
    builder.change.after.stableTargets.clear();
  }
  std::vector<Finding> findings() { return builder.findings("target-removed-in-use"); }
};

TEST_F(RemovedInUse, ForbiddenOnTheLastDayOfTheWindow) {
  const auto found = findings();
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].instance, "solve@cpu");
  EXPECT_EQ(found[0].severity, GateResult::kForbidden);
  ASSERT_THAT(found[0].artifacts, SizeIs(1));
  EXPECT_EQ(found[0].artifacts[0].name, "newest call");
  ASSERT_TRUE(found[0].legal);
  EXPECT_EQ(found[0].legal->date, day("2026-08-01"));
  EXPECT_THAT(found[0].legal->sum, HasSubstr("2026-02-01 (newest call) + 181 days"));
}

TEST_F(RemovedInUse, AllowedOnTheNextDay) {
  builder.setToday(day("2026-08-01"));
  EXPECT_THAT(findings(), IsEmpty());
}

// The rule said nothing about today's exports, though each of them breaks.
TEST_F(RemovedInUse, AnArtifactOfTodayIsInTheWindowToo) {
  builder.facts.add("today's call", "2026-07-31", {"solve"});
  const auto found = findings();
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_THAT(found[0].artifacts, SizeIs(2));
  EXPECT_EQ(found[0].legal->date, day("2027-01-28"));  // 2026-07-31 + 181 days
}

TEST_F(RemovedInUse, WhatWasNeverGuaranteedNeedsReviewOnly) {
  builder.change.before.stableTargets.clear();
  const auto found = findings();
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].severity, GateResult::kNeedsReview);
}

TEST_F(RemovedInUse, ATargetOfAnyPlatformThatStaysOnOneIsGoneOnTheOther) {
  builder.change.before.platforms = {"cpu", "cuda"};
  builder.change.before.targets[0].platform = "any";
  builder.change.after.targets = {ChangeBuilder::target("solve")};
  EXPECT_THAT(findings(), IsEmpty());  // The archive calls it on the CPU only.
  builder.facts.records[2].platforms = {"cuda"};
  const auto found = findings();
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].instance, "solve@cuda");
}

TEST_F(RemovedInUse, ATargetOfAnyPlatformThatIsGoneEverywhereIsOneFinding) {
  builder.change.before.platforms = {"cpu", "cuda"};
  builder.change.before.targets[0].platform = "any";
  const auto found = findings();
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].instance, "solve");
}

// A target on last year's list of guaranteed targets, and not on OLD's.
TEST_F(RemovedInUse, AGuaranteeEndsWithTheWindowOfItsLastRelease) {
  builder.change.before.stableTargets.clear();
  builder.release("lib 1", "2025-12-01", {"solve"});
  ASSERT_THAT(findings(), SizeIs(1));
  EXPECT_EQ(findings()[0].severity, GateResult::kNeedsReview);
  builder.release("lib 2", "2026-02-01", {"solve"});
  EXPECT_EQ(findings()[0].severity, GateResult::kForbidden);
}

TEST_F(RemovedInUse, LeavingTheListIsARemovalWhereNobodyRegistersIt) {
  builder.change.before.targets.clear();
  const auto found = findings();
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].instance, "solve");
}

// ---- target-removed-early

// solve_ffi comes on 2026-01-20 into the release of 2026-02-10, and
// 2026-02-10 + 180 days = 2026-08-09.
struct RemovedEarly : testing::Test {
  ChangeBuilder builder{"2026-08-08"};
  RemovedEarly() {
    builder.release("lib 1", "2026-01-15", {"solve"});
    builder.release("lib 2", "2026-02-10", {"solve", "solve_ffi"});
    builder.release("lib 3", "2026-03-10", {"solve", "solve_ffi"});
    RegisteredTarget successor = ChangeBuilder::target("solve_ffi");
    successor.since = day("2026-01-20");
    successor.replaces = {"solve"};
    builder.change.before.targets.push_back(successor);
    builder.change.after.targets = {successor};
    builder.change.after.stableTargets.clear();
  }
  std::vector<Finding> findings() { return builder.findings("target-removed-early"); }
};

TEST_F(RemovedEarly, ForbiddenOnTheDayBeforeReleasePlus180) {
  const auto found = findings();
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].legal->date, day("2026-08-09"));
  EXPECT_THAT(found[0].legal->sum, HasSubstr("2026-02-10 (lib 2"));
  EXPECT_THAT(found[0].message, HasSubstr("1 day too early"));
}

TEST_F(RemovedEarly, AllowedOnReleasePlus180) {
  builder.setToday(day("2026-08-09"));
  EXPECT_THAT(findings(), IsEmpty());
}

// Exports of lib 3 may call it: 2026-03-10 + 181 days = 2026-09-07.
TEST_F(RemovedEarly, WithoutASuccessorItsLastReleaseCounts) {
  builder.change.before.targets[1].replaces.clear();
  builder.change.after.targets[0].replaces.clear();
  builder.setToday(day("2026-09-06"));
  const auto found = findings();
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].legal->date, day("2026-09-07"));
  builder.setToday(day("2026-09-07"));
  EXPECT_THAT(findings(), IsEmpty());
}

TEST_F(RemovedEarly, WhatNoReleaseHeldMayGoAtOnce) {
  for (RuntimeDescription& release : builder.change.builds)
    release.stableTargets = {{"solve_ffi", {}}};
  builder.setToday(day("2026-01-21"));
  EXPECT_THAT(findings(), IsEmpty());
}

TEST_F(RemovedEarly, WithoutKnownReleasesItNeedsReview) {
  builder.change.builds.clear();
  const auto found = findings();
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].severity, GateResult::kNeedsReview);
  EXPECT_THAT(found[0].message, HasSubstr("--release-dates"));
}

TEST_F(RemovedEarly, AnAnnouncedDayIsJudgedToo) {
  RegisteredTarget announced = ChangeBuilder::target("solve");
  announced.removedOn = day("2026-08-08");
  builder.change.after.targets.push_back(announced);
  builder.setToday(day("2026-03-01"));
  const auto found = findings();
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].severity, GateResult::kNeedsReview);
  EXPECT_EQ(found[0].legal->date, day("2026-08-09"));
  builder.change.after.targets.back().removedOn = day("2026-08-09");
  EXPECT_THAT(findings(), IsEmpty());
}

TEST_F(RemovedEarly, ASuccessorThatNoReleaseHoldsStartsNoClock) {
  for (RuntimeDescription& release : builder.change.builds) release.stableTargets = {{"solve", {}}};
  const auto found = findings();
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].legal->date, builder.change.today + days(180));
}

// A release of the very day on which the successor came counted as having it.
TEST_F(RemovedEarly, AReleaseOfUnknownTargetsHasASuccessorFromTheNextDayOn) {
  for (const size_t unknown : {1, 2}) builder.change.builds[unknown].stableTargets.clear();
  builder.change.builds[1].buildDate = day("2026-01-20");
  const auto found = findings();
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].legal->date, day("2026-09-06"));  // 2026-03-10 + 180 days
}

}  // namespace
}  // namespace vintage::tests
