// Rules about the values of custom-call targets: a change that breaks each on its last illegal day,
// and the same change one day later.
//
// OLD is of 2026-01-10 (change_builder.h). 180 days after it is 2026-07-09, so
// 2026-07-10 is the first day without it: 2026-01-10 + 181 days.
#include "tests/harness/gate/change_builder.h"

namespace vintage::tests {
using namespace archive;
using namespace harness;

namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

// ---- golden-not-reproduced

struct NotReproduced : testing::Test {
  ChangeBuilder builder{"2026-07-31"};
  NotReproduced() {
    builder.facts.add("call", "2026-02-01", {"solve"});
    record("new", OutcomeKind::kMismatch);
  }
  OutcomeRecord& record(const char* build, OutcomeKind outcome) {
    OutcomeRecord out;
    out.artifact = "call";
    out.build = build;
    out.platform = "cpu";
    out.mode = "graph";
    out.outcome = outcome;
    out.detail = "element 0 is 2, expected 1";
    builder.facts.recordedOutcomes.push_back(out);
    return builder.facts.recordedOutcomes.back();
  }
  std::vector<Finding> findings() { return builder.findings("golden-not-reproduced"); }
};

TEST_F(NotReproduced, ForbiddenOnTheLastDayOfTheWindow) {
  const auto found = findings();
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].instance, "solve@cpu");
  EXPECT_EQ(found[0].severity, GateResult::kForbidden);
  EXPECT_THAT(found[0].message, HasSubstr("element 0 is 2"));
  EXPECT_FALSE(found[0].legal);
}

TEST_F(NotReproduced, OutsideTheWindowOnTheNextDay) {
  builder.setToday(day("2026-08-01"));
  EXPECT_THAT(findings(), IsEmpty());
}

TEST_F(NotReproduced, WhatFailedBeforeTheChangeIsNotItsDoing) {
  record("old", OutcomeKind::kMismatch);
  EXPECT_THAT(findings(), IsEmpty());
}

TEST_F(NotReproduced, ADeclaredLimitationExcusesIt) {
  builder.facts.recordedOutcomes[0].limitation = "solve-is-broken";
  EXPECT_THAT(findings(), IsEmpty());
}

TEST_F(NotReproduced, WithoutOutcomesItSaysThatItWasNotJudged) {
  builder.facts.recordedOutcomes.clear();
  const GateVerdict verdict = builder.verdict();
  ASSERT_THAT(verdict.notes, SizeIs(1));
  EXPECT_THAT(verdict.notes[0].message, HasSubstr("vintage replay --build new"));
  EXPECT_EQ(verdict.result, GateResult::kAllowed);
}

// Both descriptions of a change in place have one name. The outcomes under it belong to the
// registered program, but counted for the other one too: failures of both seemed to be old, so that
// nothing was found, and nothing said that the rule was not judged.
TEST_F(NotReproduced, OutcomesOfTheOldProgramAreNotTheNewOnesOfThatName) {
  builder.change.before.name = builder.change.after.name;
  builder.change.after.targets.push_back(ChangeBuilder::target("solve_again"));
  builder.release("new", "2026-01-10", {"solve"});  // Registered is the old program.
  GateVerdict verdict = builder.verdict();
  ASSERT_TRUE(std::ranges::any_of(verdict.notes, [](const Finding& note) {
    return note.rule == "golden-not-reproduced" &&
           note.message.find("under a name of its own") != std::string::npos;
  }));
  EXPECT_THAT(findings(), IsEmpty());
  // The new program is registered: the failures are its own, and nothing is known about the old
  // one.
  builder.change.builds.clear();
  builder.release("new", "2026-07-31", {"solve", "solve_again"});
  EXPECT_THAT(findings(), SizeIs(1));
}

// ---- listed-without-golden

// Listed since 2026-01-20: its golden is due on 2026-02-10.
struct WithoutGolden : testing::Test {
  ChangeBuilder builder{"2026-02-11"};
  WithoutGolden() {
    for (RuntimeDescription* description : {&builder.change.before, &builder.change.after})
      description->stableTargets.push_back({"solve_ffi", day("2026-01-20")});
  }
  std::vector<Finding> findings() { return builder.findings("listed-without-golden"); }
};

TEST_F(WithoutGolden, NeedsReviewAfterTwentyOneDays) {
  const auto found = findings();
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].instance, "solve_ffi");
  EXPECT_EQ(found[0].severity, GateResult::kNeedsReview);
}

TEST_F(WithoutGolden, AllowedOnTheTwentyFirstDay) {
  builder.setToday(day("2026-02-10"));
  EXPECT_THAT(findings(), IsEmpty());
}

TEST_F(WithoutGolden, AnArtifactWithoutExpectedValuesIsNoGolden) {
  builder.facts.add("call", "2026-01-25", {"solve_ffi"});
  EXPECT_THAT(findings(), SizeIs(1));
  builder.facts.records.back().golden = "g";
  EXPECT_THAT(findings(), IsEmpty());
}

// Due on 2026-01-09, the day before OLD was built: not caused by this change.
TEST_F(WithoutGolden, WhatWasOverdueBeforeTheChangeIsOnlyNoted) {
  for (RuntimeDescription* description : {&builder.change.before, &builder.change.after})
    description->stableTargets.back().since = day("2025-12-19");
  EXPECT_THAT(findings(), IsEmpty());
  const auto notes = builder.verdict().notes;
  EXPECT_TRUE(std::any_of(notes.begin(), notes.end(), [](const Finding& note) {
    return note.rule == "listed-without-golden" &&
           note.message.find("solve_ffi") != std::string::npos;
  }));
  for (RuntimeDescription* description : {&builder.change.before, &builder.change.after})
    description->stableTargets.back().since = day("2025-12-20");
  EXPECT_THAT(findings(), SizeIs(1));
}

// The note named all of them, 74 of JAX's, and said "1 targets".
TEST_F(WithoutGolden, ANoteNamesSomeAndCountsAll) {
  const auto note = [&](size_t targets) {
    for (RuntimeDescription* description : {&builder.change.before, &builder.change.after}) {
      description->stableTargets.clear();
      for (size_t i = 0; i < targets; ++i)
        description->stableTargets.push_back({"t" + std::to_string(i), day("2025-01-01")});
    }
    std::string text;
    for (const Finding& one : builder.verdict().notes)
      if (one.rule == "listed-without-golden") text += one.message;
    return text;
  };
  EXPECT_EQ(note(1), "1 guaranteed target had no golden when old was built, and has none now: t0.");
  EXPECT_EQ(note(74),
            "74 guaranteed targets had no golden when old was built, and have none now: t0, t1, "
            "t2, t3, t4 and 69 more.");
}

// Over a history, a golden of 2026-03-04 is in time for a listing of 2026-02-11.
TEST_F(WithoutGolden, InHindsightTheGoldenHasToHaveComeInTime) {
  builder.change.hindsight = true;
  builder.change.before.stableTargets.pop_back();
  builder.facts.add("late", "2026-03-05", {"solve_ffi"}).golden = "g";
  const auto found = findings();
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].legal->date, day("2026-02-12"));
  builder.facts.records.back().buildDate = day("2026-03-04");
  EXPECT_THAT(findings(), IsEmpty());
}

}  // namespace
}  // namespace vintage::tests
