// Builds between OLD and NEW: things that both have passed the gate, even if a build in between
// lacked them.
#include "tests/harness/gate/release_builder.h"

namespace vintage::tests {
using namespace archive;
using namespace harness;

namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

// runtime 1 of 2026-01-10, runtime 2 of 2026-03-01 and runtime 3 of 2026-04-01, all alike.
struct Between : testing::Test {
  ChangeBuilder builder{"2026-04-01"};
  RuntimeDescription middle;

  Between() {
    for (RuntimeDescription* end : {&builder.change.before, &builder.change.after}) {
      end->targets.push_back(ChangeBuilder::target("other"));
      end->stableTargets.push_back({"other", day("2025-01-01")});
    }
    builder.change.before.name = "runtime 1";
    builder.change.after.name = "runtime 3";
    middle = builder.change.before;
    middle.name = "runtime 2";
    middle.buildDate = day("2026-03-01");
  }
  GateVerdict verdict() {
    builder.change.builds = {middle};
    return builder.verdict();
  }
  std::vector<Finding> findings(const std::string& rule) {
    std::vector<Finding> out;
    for (const Finding& finding : verdict().findings)
      if (finding.rule == rule) out.push_back(finding);
    return out;
  }
};

TEST_F(Between, BuildsThatAreAlikeAreNoFinding) { EXPECT_THAT(verdict().findings, IsEmpty()); }

// A target that a build between OLD and NEW lacked passed the gate when both ends have it.
TEST_F(Between, ATargetThatBothEndsHaveIsMissedBetweenThem) {
  builder.facts.add("call", "2026-02-01", {"solve"});
  middle.targets = {ChangeBuilder::target("other")};
  const auto found = findings("target-removed-in-use");
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].instance, "solve@cpu");
  EXPECT_EQ(found[0].severity, GateResult::kNeedsReview);  // NEW mends it.
  EXPECT_THAT(found[0].message, HasSubstr("In runtime 2 of 2026-03-01, between the two: 'solve'"));
  EXPECT_THAT(found[0].consumers, ElementsAre("runtime 2"));
  EXPECT_FALSE(found[0].legal);
  // A waiver for the removal by NEW does not cover this one.
  EXPECT_THAT(found[0].change, HasSubstr("runtime 2"));
}

// A target that came after OLD and is gone in NEW was looked for in OLD only.
TEST_F(Between, WhatOnlyABuildBetweenHadIsGoneInNew) {
  middle.targets.push_back(ChangeBuilder::target("solve_ffi"));
  middle.stableTargets.push_back({"solve_ffi", {}});
  builder.facts.add("call", "2026-03-02", {"solve_ffi"});
  const auto found = findings("target-removed-in-use");
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].instance, "solve_ffi@cpu");
  EXPECT_EQ(found[0].severity, GateResult::kForbidden);
  EXPECT_THAT(found[0].message, HasSubstr("Since runtime 2 of 2026-03-01, between the two"));
  EXPECT_EQ(found[0].legal->date, day("2026-08-30"));  // 2026-03-02 + 181 days
}

// A schema that changed and changed back: no artifact from the time between fits NEW.
TEST_F(Between, ATargetThatChangedAndChangedBackIsChangedInPlace) {
  middle.targets[0].schema.operands.push_back({"b", "f32[n]", false});
  const auto found = findings("target-changed-in-place");
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].severity, GateResult::kForbidden);
  EXPECT_THAT(found[0].message, HasSubstr("operand 'b: f32[n]' is gone"));
}

// A range that dips: both ends read 9, and builds between them do not, or only they write it.
TEST_F(Between, ARangeOfVersionsThatDipsIsSeen) {
  for (VersionRange RuntimeDescription::* range :
       {&RuntimeDescription::callingConvention, &RuntimeDescription::serialization}) {
    const std::string kind =
        range == &RuntimeDescription::callingConvention ? "calling-convention" : "serialization";
    builder.change.before.*range = builder.change.after.*range = {9, 10, 9, {}};
    middle.*range = {10, 10, 10, {}};
    auto found = findings(kind + "-minimum-raised");
    ASSERT_THAT(found, SizeIs(1)) << kind;
    EXPECT_EQ(found[0].severity, GateResult::kNeedsReview);
    EXPECT_THAT(found[0].message, HasSubstr("In runtime 2"));
    middle.*range = {8, 10, 8, {}};
    found = findings(kind + "-minimum-raised");
    ASSERT_THAT(found, SizeIs(1)) << kind;
    EXPECT_EQ(found[0].severity, GateResult::kForbidden);
    EXPECT_THAT(found[0].message, HasSubstr("Since runtime 2"));
    builder.change.before.*range = builder.change.after.*range = middle.*range = {};
  }
}

// The default that both ends write is too new for a consumer of the last 21 days.
TEST_F(Between, ADefaultThatABuildBetweenCannotReadIsEarly) {
  builder.change.before.callingConvention =
      builder.change.after.callingConvention = {9, 10, 10, {}};
  middle.callingConvention = {9, 9, 9, {}};
  middle.buildDate = day("2026-03-11");  // + 21 days = 2026-04-01
  const auto found = findings("calling-convention-default-early");
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].severity, GateResult::kForbidden);
  EXPECT_THAT(found[0].consumers, ElementsAre("runtime 2"));
  middle.buildDate = day("2026-03-10");
  EXPECT_THAT(findings("calling-convention-default-early"), IsEmpty());
}

TEST_F(Between, BuildsOfAnotherProductOrSeriesAreNone) {
  builder.facts.add("call", "2026-02-01", {"solve"});
  middle.targets = {ChangeBuilder::target("other")};
  middle.name = "compiler 2";
  EXPECT_THAT(verdict().findings, IsEmpty());
  middle.name = "runtime 2";
  builder.change.before.version = "1.4";
  builder.change.after.version = "1.5";
  for (const char* version : {"1.3.1", "1.6"}) {
    middle.version = version;
    EXPECT_THAT(verdict().findings, IsEmpty()) << version;
  }
  middle.version = "1.4.1";
  EXPECT_THAT(verdict().findings, Not(IsEmpty()));
}

// Facts that a build does not describe are not missing: a list of guaranteed targets is no
// registry, and the plugin for CUDA may not have been queried.
TEST_F(Between, WhatABuildDoesNotSayIsNotMissing) {
  builder.facts.add("call", "2026-02-01", {"solve"});
  middle.targets.clear();
  middle.stableTargets = {{"other", {}}};
  EXPECT_THAT(verdict().findings, IsEmpty());
  middle.targets = {ChangeBuilder::target("other")};
  middle.registries = {"cuda"};
  EXPECT_THAT(verdict().findings, IsEmpty());
}

// By facts: jax 1 and jax 3 register solve, jax 2 lacks it while default exports of jax 1 call it.
TEST(BetweenReleases, ATargetThatBothEndsRegisterIsMissedBetweenThem) {
  ChangeBuilder builder("2025-03-19");
  builder.change.before = full("1", "2025-01-17").emits("solve");
  builder.change.after = full("3", "2025-03-19").emits("solve");
  builder.change.builds = {
      ReleaseBuilder("2", "2025-02-24").registers({"solve_ffi"}).emits("solve_ffi")};
  const auto found = builder.findings("emitted-target-removed");
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].severity, GateResult::kNeedsReview);
  EXPECT_THAT(found[0].message,
              AllOf(HasSubstr("In jax 2 of 2025-02-24"), HasSubstr("default exports of jax 1")));
  EXPECT_THAT(found[0].consumers, ElementsAre("jax 2"));
  // Exports of NEW call it too early, since a consumer of the last 21 days lacks it. The rule
  // looked for the first release with it, and passed where that is the oldest known release.
  builder.setToday(day("2025-03-17"));
  builder.change.after = full("3", "2025-03-17").emits("solve");
  const auto early = builder.findings("target-emitted-before-registered");
  ASSERT_THAT(early, SizeIs(1));
  EXPECT_EQ(early[0].severity, GateResult::kForbidden);
  EXPECT_EQ(early[0].legal->date, day("2025-03-18"));
  // A build without facts says nothing where the ends have them.
  builder.change.builds.front().emission = {};
  EXPECT_THAT(builder.findings("emitted-target-removed"), IsEmpty());
  EXPECT_THAT(builder.findings("target-removed-in-use"), IsEmpty());
}

}  // namespace
}  // namespace vintage::tests
