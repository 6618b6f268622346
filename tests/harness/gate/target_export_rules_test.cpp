// Rules about custom-call targets that exports begin to call: a change that breaks
// each on its last illegal day, and the same change one day later.
//
// OLD is of 2026-01-10 (change_builder.h). 180 days after it is 2026-07-09, so
// 2026-07-10 is the first day without it: 2026-01-10 + 181 days.
#include "tests/harness/gate/change_builder.h"

namespace vintage::tests {
using namespace archive;
using namespace harness;

namespace {

using testing::IsEmpty;
using testing::SizeIs;

// ---- target-emitted-early

// Consumers have solve_ffi since 2026-03-01: + 21 days = 2026-03-22.
struct EmittedEarly : testing::Test {
  ChangeBuilder builder{"2026-03-21"};
  EmittedEarly() {
    RegisteredTarget target = ChangeBuilder::target("solve_ffi");
    target.since = day("2026-03-01");
    target.exported = true;
    builder.change.after.targets.push_back(target);
    builder.change.after.stableTargets.push_back({"solve_ffi", day("2026-03-01")});
  }
  RegisteredTarget& target() { return builder.change.after.targets[1]; }
  std::vector<Finding> findings() { return builder.findings("target-emitted-early"); }
};

TEST_F(EmittedEarly, ForbiddenOnTheTwentiethDay) {
  const auto found = findings();
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].severity, GateResult::kForbidden);
  EXPECT_EQ(found[0].legal->date, day("2026-03-22"));
}

// NEW adds it without a date: the date is that of NEW, not of OLD.
TEST_F(EmittedEarly, ATargetThatIsNewIsAsOldAsTheChange) {
  target().since.reset();
  const auto found = findings();
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].legal->date, day("2026-04-11"));  // 2026-03-21 + 21 days
}

TEST_F(EmittedEarly, AllowedOnTheTwentyFirstDay) {
  builder.setToday(day("2026-03-22"));
  EXPECT_THAT(findings(), IsEmpty());
}

TEST_F(EmittedEarly, AToldDayCountsInsteadOfToday) {
  target().exportedSince = day("2026-03-22");
  EXPECT_THAT(findings(), IsEmpty());
  target().exportedSince = day("2026-03-21");
  builder.setToday(day("2026-06-01"));
  EXPECT_THAT(findings(), SizeIs(1));
}

// A release of 2026-03-05 without it: inside the 21 days until 2026-03-26.
TEST_F(EmittedEarly, AReleaseThatLacksItHoldsExportsBack) {
  builder.release("lib 9", "2026-03-05", {"solve"});
  builder.setToday(day("2026-03-26"));
  const auto found = findings();
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_THAT(found[0].consumers, testing::ElementsAre("lib 9"));
  EXPECT_EQ(found[0].legal->date, day("2026-03-27"));
  builder.setToday(day("2026-03-27"));
  EXPECT_THAT(findings(), IsEmpty());
}

TEST_F(EmittedEarly, WhatIsNotExportedYetMayComeAnyDay) {
  target().exported = false;
  builder.setToday(day("2026-03-01"));
  EXPECT_THAT(findings(), IsEmpty());
}

TEST_F(EmittedEarly, ArtifactsShowWhatTheDescriptionDoesNotTell) {
  target().exported.reset();
  EXPECT_THAT(findings(), IsEmpty());
  builder.facts.add("call", "2026-03-21", {"solve_ffi"});
  const auto found = findings();
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].severity, GateResult::kNeedsReview);
  builder.facts.records.back().buildDate = day("2026-03-22");
  builder.setToday(day("2026-03-22"));
  EXPECT_THAT(findings(), IsEmpty());
}

// A target that changed from `cpu` to `any` counted as one that exports begin to call, on a runtime
// that has only the CPU.
TEST_F(EmittedEarly, ATargetOfEachPlatformIsNotNewWhereItIsForAny) {
  target().since.reset();
  target().exportedSince = day("2026-01-01");
  builder.change.before.targets.push_back(target());
  target().platform = "any";
  EXPECT_THAT(builder.verdict().findings, IsEmpty());
  EXPECT_THAT(builder.verdict().calendar, IsEmpty());
  // On CUDA it is.
  builder.change.before.platforms = builder.change.after.platforms = {"cpu", "cuda"};
  target().exportedSince.reset();
  EXPECT_THAT(findings(), SizeIs(1));
}

// ---- unlisted-target-exported

// Exports of OLD itself, on 2026-01-10, are not caused by the change.
struct UnlistedExported : testing::Test {
  ChangeBuilder builder{"2026-02-01"};
  UnlistedExported() {
    ArtifactRecord& artifact = builder.facts.add("call", "2026-01-11", {"experimental"});
    artifact.format = ArtifactRecord::Format::kExported;
  }
  std::vector<Finding> findings() { return builder.findings("unlisted-target-exported"); }
};

TEST_F(UnlistedExported, ForbiddenFromTheDayAfterTheOldBuild) {
  const auto found = findings();
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].instance, "experimental");
  EXPECT_EQ(found[0].severity, GateResult::kForbidden);
}

TEST_F(UnlistedExported, AllowedOnTheDayOfTheOldBuild) {
  builder.facts.records.back().buildDate = day("2026-01-10");
  EXPECT_THAT(findings(), IsEmpty());
}

TEST_F(UnlistedExported, ADisabledSafetyCheckAllowsIt) {
  builder.facts.disabled["call"] = {"experimental"};
  EXPECT_THAT(findings(), IsEmpty());
  builder.facts.disabled["call"] = {"another"};
  EXPECT_THAT(findings(), SizeIs(1));
}

TEST_F(UnlistedExported, AListedTargetNeedsNone) {
  builder.change.after.stableTargets.push_back({"experimental", day("2026-01-11")});
  EXPECT_THAT(findings(), IsEmpty());
}

// A target that changed from `cpu` to `any` made an earlier export count as one of today.
TEST_F(UnlistedExported, ATargetOfEachPlatformIsNotNewWhereItIsForAny) {
  builder.facts.records.pop_back();
  RegisteredTarget target = ChangeBuilder::target("experimental");
  target.exported = true;
  target.exportedSince = target.since = day("2025-01-01");
  builder.change.before.targets.push_back(target);
  target.platform = "any";
  builder.change.after.targets.push_back(target);
  EXPECT_THAT(builder.verdict().findings, IsEmpty());
}

TEST_F(UnlistedExported, ARuntimeThatExportsAnUnlistedTargetNeedsReview) {
  builder.facts.records.pop_back();
  RegisteredTarget target = ChangeBuilder::target("experimental");
  target.exported = true;
  target.since = day("2025-01-01");
  builder.change.after.targets.push_back(target);
  const auto found = findings();
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].severity, GateResult::kNeedsReview);
}

}  // namespace
}  // namespace vintage::tests
