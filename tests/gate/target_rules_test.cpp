// Each rule about custom-call targets: a change that breaks it on its last
// illegal day, and the same change one day later.
//
// OLD is of 2026-01-10 (change_builder.h). 180 days after it is 2026-07-09, so
// 2026-07-10 is the first day without it: 2026-01-10 + 181 days.
#include "tests/gate/change_builder.h"

namespace vintage {
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
  EXPECT_THAT(found[0].message, HasSubstr("1 days too early"));
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
  for (KnownBuild& release : builder.change.builds)
    release.targets = std::vector<std::string>{"solve_ffi"};
  builder.setToday(day("2026-01-21"));
  EXPECT_THAT(findings(), IsEmpty());
}

TEST_F(RemovedEarly, WithoutKnownReleasesItNeedsReview) {
  builder.change.builds.clear();
  const auto found = findings();
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].severity, GateResult::kNeedsReview);
  EXPECT_THAT(found[0].message, HasSubstr("--releases"));
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
  for (KnownBuild& release : builder.change.builds)
    release.targets = std::vector<std::string>{"solve"};
  const auto found = findings();
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].legal->date, builder.change.today + days(180));
}

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

// ---- target-changed-in-place

struct ChangedInPlace : testing::Test {
  ChangeBuilder builder{"2026-07-31"};
  ChangedInPlace() { builder.facts.add("call", "2026-02-01", {"solve"}); }
  TargetSchema& schema() { return builder.change.after.targets[0].schema; }
  std::vector<Finding> findings() { return builder.findings("target-changed-in-place"); }
};

TEST_F(ChangedInPlace, NothingWhereTheSchemaStays) { EXPECT_THAT(findings(), IsEmpty()); }

TEST_F(ChangedInPlace, NeverLegalWhileExportsCallIt) {
  schema().operands[0].type = "f64[n,n]";
  builder.setToday(day("2036-01-01"));
  const auto found = findings();
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].severity, GateResult::kForbidden);
  EXPECT_FALSE(found[0].legal);
  EXPECT_THAT(found[0].message, HasSubstr("operand 'a: f32[n,n]' becomes 'a: f64[n,n]'"));
}

// A name that nobody exports is free once its last artifact, of 2026-02-01, left the window.
TEST_F(ChangedInPlace, ForbiddenOnTheLastDayOfTheWindow) {
  schema().results.clear();
  builder.change.before.targets[0].exported = false;
  const auto found = findings();
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].legal->date, day("2026-08-01"));
}

TEST_F(ChangedInPlace, AllowedOnTheNextDayWhereNobodyExportsIt) {
  schema().results.clear();
  builder.change.before.targets[0].exported = false;
  builder.setToday(day("2026-08-01"));
  EXPECT_THAT(findings(), IsEmpty());
}

struct SchemaEdit {
  const char* name;
  void (*edit)(TargetSchema&);
  GateResult result;
};

class EditedSchema : public testing::TestWithParam<SchemaEdit> {};

TEST_P(EditedSchema, IsJudged) {
  ChangeBuilder builder{"2026-07-31"};
  GetParam().edit(builder.change.after.targets[0].schema);
  const auto found = builder.findings("target-changed-in-place");
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].severity, GetParam().result) << found[0].message;
}

constexpr GateResult kForbidden = GateResult::kForbidden, kReview = GateResult::kNeedsReview;

INSTANTIATE_TEST_SUITE_P(
    Edits, EditedSchema,
    testing::Values(
        SchemaEdit{"OperandGone", [](TargetSchema& s) { s.operands.clear(); }, kForbidden},
        SchemaEdit{"OperandNeeded",
                   [](TargetSchema& s) {
                     s.operands.push_back({"b", "f32", false});
                   },
                   kForbidden},
        SchemaEdit{"OperandOffered",
                   [](TargetSchema& s) {
                     s.operands.push_back({"b", "f32", true});
                   },
                   kReview},
        SchemaEdit{"OperandRenamed", [](TargetSchema& s) { s.operands[0].name = "m"; }, kForbidden},
        SchemaEdit{"OperandRelaxed", [](TargetSchema& s) { s.operands[0].optional = true; },
                   kReview},
        SchemaEdit{"ResultAdded",
                   [](TargetSchema& s) {
                     s.results.push_back({"info", "i32", true});
                   },
                   kForbidden},
        SchemaEdit{"AttributeGone", [](TargetSchema& s) { s.attributes.clear(); }, kForbidden},
        SchemaEdit{"AttributeNeeded",
                   [](TargetSchema& s) {
                     s.attributes.push_back({"side", "ui8", false});
                   },
                   kForbidden},
        SchemaEdit{"AttributeOffered",
                   [](TargetSchema& s) {
                     s.attributes.push_back({"side", "ui8", true});
                   },
                   kReview},
        SchemaEdit{"AttributeType", [](TargetSchema& s) { s.attributes[0].type = "string"; },
                   kForbidden},
        SchemaEdit{"ApiGone", [](TargetSchema& s) { s.apiVersions = {2}; }, kForbidden},
        SchemaEdit{"ApiOffered",
                   [](TargetSchema& s) {
                     s.apiVersions = {2, 4};
                   },
                   kReview},
        SchemaEdit{"Aliased",
                   [](TargetSchema& s) {
                     s.aliases = {{0, 0}};
                   },
                   kForbidden}),
    [](const auto& info) { return info.param.name; });

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
  EXPECT_THAT(verdict.notes[0].message, HasSubstr("vintage replay --build 'new'"));
  EXPECT_EQ(verdict.result, GateResult::kAllowed);
}

// ---- unlisted-target-exported

// What OLD itself exported, on 2026-01-10, is not the change's doing.
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

// Due on 2026-01-09, the day before OLD was built: no doing of this change.
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

// In hindsight a golden of 2026-03-04 would have been in time for a listing of 2026-02-11.
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
}  // namespace vintage
